package schema_test

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/pbtext"
	"github.com/tfparse/tfparse/validate/schema"
)

const stats = `datasets {
	num_examples: 3
	features { path { step: 'age' } num_stats { common_stats { num_non_missing: 3 min_num_values: 1 max_num_values: 1 tot_num_values: 3 } min: 18 max: 999 } }
	features { path { step: 'city' } type: STRING string_stats { common_stats { num_non_missing: 1 num_missing: 2 min_num_values: 1 max_num_values: 2 tot_num_values: 2 }
		rank_histogram { buckets { label: 'Rome' sample_count: 1 } buckets { label: 'Oslo' sample_count: 1 } } } }
}`

func ExampleInfer() {
	var list metadatapb.DatasetFeatureStatisticsList
	_ = pbtext.Unmarshal([]byte(stats), &list)
	s, err := schema.Infer(&list, nil)
	fmt.Printf("%s%v\n", pbtext.Marshal(s), err)
	// Output:
	// feature {
	//   name: "age"
	//   type: INT
	//   presence {
	//     min_fraction: 1.0
	//     min_count: 1
	//   }
	//   shape {
	//     dim {
	//       size: 1
	//     }
	//   }
	// }
	// feature {
	//   name: "city"
	//   value_count {
	//     min: 1
	//   }
	//   type: BYTES
	//   domain: "city"
	//   presence {
	//     min_count: 1
	//   }
	// }
	// string_domain {
	//   name: "city"
	//   value: "Oslo"
	//   value: "Rome"
	// }
	// <nil>
}

func ExampleUpdate() {
	var list metadatapb.DatasetFeatureStatisticsList
	var before metadatapb.Schema
	_ = pbtext.Unmarshal([]byte(stats), &list)
	_ = pbtext.Unmarshal([]byte(`feature { name: 'age' type: INT int_domain { max: 120 } } feature { name: 'city' type: BYTES }`), &before)
	s, err := schema.Update(&before, &list, nil)
	fmt.Println(s.GetFeature()[0].GetIntDomain().GetMax(), before.GetFeature()[0].GetIntDomain().GetMax(), err)
	// Output: 999 120 <nil>
}

// A feature whose struct is in neither the schema nor the statistics gets one, where
// TensorFlow Data Validation ends the process.
func TestParentsAreMade(t *testing.T) {
	var list metadatapb.DatasetFeatureStatisticsList
	if err := pbtext.Unmarshal([]byte(`datasets { num_examples: 1 features { path { step: 'a' step: 'b' } num_stats { common_stats { num_non_missing: 1 } } } }`), &list); err != nil {
		t.Fatal(err)
	}
	s, err := schema.Infer(&list, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a := s.GetFeature()[0]; a.GetType() != metadatapb.FeatureType_STRUCT || a.GetStructDomain().GetFeature()[0].GetName() != "b" {
		t.Errorf("%v", s)
	}
}

func FuzzUpdate(f *testing.F) {
	f.Add([]byte(`feature { name: 'age' type: INT int_domain { max: 120 } }`), []byte(stats))
	f.Add([]byte(`feature { name: 'city' type: BYTES domain: 'd' drift_comparator { infinity_norm { threshold: 0 } } } string_domain { name: 'd' }`), []byte(stats))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var before metadatapb.Schema
		var list metadatapb.DatasetFeatureStatisticsList
		if pbtext.Unmarshal(a, &before) != nil || pbtext.Unmarshal(b, &list) != nil {
			return
		}
		kept := proto.CloneOf(&before)
		for _, compat := range []bool{true, false} {
			_, _ = schema.Update(&before, &list, &schema.Options{Compat: compat})
			_, _ = schema.Infer(&list, &schema.Options{Compat: compat})
		}
		if !proto.Equal(kept, &before) {
			t.Error("Update changed its argument")
		}
	})
}

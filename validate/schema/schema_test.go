package schema_test

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/internal/pbtext"
	"github.com/tfparse/tfparse/proto/metadatapb"
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
	//     min_count: 0
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

// TestParentsAreMade checks that Update adds a struct that neither the schema nor the statistics have.
// TensorFlow Data Validation crashes.
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
	if s, err := schema.Infer(&list, &schema.Options{Compat: true}); err == nil {
		t.Errorf("in compatible mode: %v", s)
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

func ExampleLint() {
	var s metadatapb.Schema
	_ = pbtext.Unmarshal([]byte(`
		feature { name: 'age' type: INT value_count { min: 2 max: 1 } }
		feature { name: 'city' type: BYTES domain: 'cities' not_in_environment: 'SERVING' }
		string_domain { name: 'towns' }`), &s)
	for _, p := range schema.Lint(&s) {
		fmt.Println(p)
	}
	// Output:
	// age: The max of the value_count is less than the min.
	// city: The schema has no string_domain "cities".
	// city: environment "SERVING" is not in default_environment and cannot be selected
	// no feature has the string domain "towns"
}

func TestLint(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"feature { name: 'a' type: INT } feature { name: 'a' type: INT }", "a: there is a feature and a feature of this name"},
		{"feature { name: 'a' type: INT } sparse_feature { name: 'a' value_feature { name: 'a' } }", "a: there is a feature and a sparse_feature of this name"},
		{"feature { name: 'a' type: INT } sparse_feature { name: 's' value_feature { name: 'b' } }", `s: there is no feature "b"`},
		{"feature { name: 'a' type: INT } weighted_feature { name: 'w' feature { step: 'a' } weight_feature { step: 'b' } }", "w: there is no feature b"},
		{"feature { name: 'a' domain: 'd' type: BYTES } string_domain { name: 'd' } string_domain { name: 'd' }", `there are two string domains "d"; only the first is used`},
		{"feature { name: 's' type: STRUCT struct_domain { feature { name: 'c' type: FLOAT domain: 'd' } } } string_domain { name: 'd' }", `s.c: The domain does not fit the type FLOAT.`},
	} {
		var s metadatapb.Schema
		if err := pbtext.Unmarshal([]byte(c.text), &s); err != nil {
			t.Fatal(err)
		}
		if got := schema.Lint(&s); len(got) != 1 || got[0].Error() != c.want {
			t.Errorf("%s: %q, wanted %q", c.text, got, c.want)
		}
	}
}

// TestUpdateOddSchemas compares updates of unusual schemas with TensorFlow Data Validation 1.16.1. An
// empty want means that TensorFlow Data Validation crashes.
func TestUpdateOddSchemas(t *testing.T) {
	const common = "common_stats { num_non_missing: 2 min_num_values: 1 max_num_values: 1 tot_num_values: 2 }"
	bare := "features { path { step: 'a' } custom_stats { name: 'missing_value' num: 1 } }"
	for name, c := range map[string]struct{ schema, stats, want string }{
		"a struct that loses its domain has new children": {
			"feature { name: 's' type: FLOAT struct_domain { feature { name: 'x' type: INT } } }",
			"features { path { step: 's' } type: STRUCT struct_stats { common_stats { } } } features { path { step: 's' step: 'x' } num_stats { " + common + " max: 7 } }",
			"feature { name: 's' type: FLOAT struct_domain { feature { name: 'x' type: INT presence { min_fraction: 1 min_count: 1 } value_count { min: 1 max: 1 } } } }",
		},
		"the greatest integer does not fit": {
			"feature { name: 'a' type: INT bool_domain { } }",
			"features { path { step: 'a' } num_stats { " + common + " max: 9.223372036854775807e18 } }",
			"feature { name: 'a' type: INT int_domain { min: 0 max: -9223372036854775808 } }",
		},
		"names collide though one is ignored": {
			"feature { name: 'a' type: INT deprecated: true } weighted_feature { name: 'a' }",
			"features { path { step: 'a' } num_stats { " + common + " } }",
			"feature { name: 'a' type: INT deprecated: true lifecycle_stage: DEPRECATED } weighted_feature { name: 'a' lifecycle_stage: DEPRECATED }",
		},
		"a feature with the name of a sparse one that is ignored": {
			"sparse_feature { name: 'a' lifecycle_stage: DEPRECATED }",
			"features { path { step: 'a' } num_stats { " + common + " max: 7 } }",
			"feature { name: 'a' type: INT presence { min_fraction: 1 min_count: 1 } value_count { min: 1 max: 1 } } sparse_feature { name: 'a' lifecycle_stage: DEPRECATED }",
		},
		"a new feature without statistics":       {"", bare, ""},
		"a feature without statistics":           {"feature { name: 'a' type: INT }", bare, ""},
		"an ignored sparse feature":              {"sparse_feature { name: 'a' lifecycle_stage: DEPRECATED }", bare, ""},
		"weights of a feature without any count": {"weighted_feature { name: 'a' }", "weighted_num_examples: 3 " + bare, ""},
	} {
		var before, want metadatapb.Schema
		var list metadatapb.DatasetFeatureStatisticsList
		for m, text := range map[proto.Message]string{&before: c.schema, &want: c.want, &list: "datasets { num_examples: 2 " + c.stats + " }"} {
			if err := pbtext.Unmarshal([]byte(text), m); err != nil {
				t.Fatal(err)
			}
		}
		got, err := schema.Update(&before, &list, &schema.Options{Compat: true})
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%s: %v, wanted an error", name, got)
		case c.want != "" && (err != nil || !proto.Equal(got, &want)):
			t.Errorf("%s: %v, %v, wanted %v", name, got, err, &want)
		}
		if _, err := schema.Update(&before, &list, nil); err != nil {
			t.Errorf("%s: in native mode: %v", name, err)
		}
	}
}

// TestUpdateKeepsUnmeasured checks that Update keeps constraints that statistics cannot check.
func TestUpdateKeepsUnmeasured(t *testing.T) {
	for _, domain := range []string{
		"natural_language_domain { vocabulary: 'v' coverage { min_coverage: 0.9 } }",
		"image_domain { minimum_supported_image_fraction: 1 }",
		"video_domain { }",
	} {
		before, list := &metadatapb.Schema{}, &metadatapb.DatasetFeatureStatisticsList{}
		for text, m := range map[string]proto.Message{
			"feature { name: 'x' type: BYTES " + domain + " }": before,
			"datasets { num_examples: 9 features { path { step: 'x' } type: BYTES bytes_stats { common_stats { num_non_missing: 9 tot_num_values: 9 } } } }": list,
		} {
			if err := pbtext.Unmarshal([]byte(text), m); err != nil {
				t.Fatal(err)
			}
		}
		after, err := schema.Update(before, list, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !proto.Equal(before, after) {
			t.Errorf("%v became %v", before, after)
		}
	}
}

package anomaly_test

import (
	"fmt"
	"log"

	"google.golang.org/protobuf/encoding/prototext"

	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/anomaly"
)

func Example() {
	var schema metadatapb.Schema
	var stats metadatapb.DatasetFeatureStatisticsList
	if err := prototext.Unmarshal([]byte(`feature { name: 'age' type: INT int_domain { min: 0 max: 120 } }`), &schema); err != nil {
		log.Fatal(err)
	}
	if err := prototext.Unmarshal([]byte(`datasets {
		num_examples: 3
		features { path { step: 'age' } num_stats { common_stats { num_non_missing: 3 tot_num_values: 3 } min: 18 max: 999 } }
		features { path { step: 'city' } type: STRING string_stats { common_stats { num_non_missing: 1 num_missing: 2 tot_num_values: 1 } } }
	}`), &stats); err != nil {
		log.Fatal(err)
	}
	a, err := anomaly.Validate(&stats, &schema, &anomaly.Options{
		Severity: map[metadatapb.AnomalyInfo_Type]metadatapb.AnomalyInfo_Severity{metadatapb.AnomalyInfo_SCHEMA_NEW_COLUMN: metadatapb.AnomalyInfo_WARNING},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range a.GetAnomalyInfo() {
		fmt.Printf("%s: %v: %s\n", e.GetKey(), e.GetValue().GetSeverity(), e.GetValue().GetDescription())
	}
	// Output:
	// age: ERROR: Unexpectedly large value: 999, where at most 120 is expected.
	// city: WARNING: The feature is in 1 of 3 records, and not in the schema.
}

func ExampleValidate() {
	var schema metadatapb.Schema
	var stats metadatapb.DatasetFeatureStatisticsList
	if err := prototext.Unmarshal([]byte(`feature { name: 'age' type: INT presence { min_count: 1 } }`), &schema); err != nil {
		log.Fatal(err)
	}
	if err := prototext.Unmarshal([]byte(`datasets { num_examples: 3 }`), &stats); err != nil {
		log.Fatal(err)
	}
	a, err := anomaly.Validate(&stats, &schema, &anomaly.Options{Compat: true})
	fmt.Println(a.GetAnomalyInfo()[0].GetValue().GetReason()[0].GetType(), err)
	// Output: SCHEMA_MISSING_COLUMN <nil>
}

func ExampleValidate_slices() {
	var schema metadatapb.Schema
	var stats metadatapb.DatasetFeatureStatisticsList
	if err := prototext.Unmarshal([]byte(`feature { name: 'age' type: INT presence { min_count: 1 } }`), &schema); err != nil {
		log.Fatal(err)
	}
	if err := prototext.Unmarshal([]byte(`datasets { name: 'All Examples' num_examples: 3
		features { path { step: 'age' } num_stats { common_stats { num_non_missing: 3 } } } } datasets { name: 'Oslo' num_examples: 1 }`), &stats); err != nil {
		log.Fatal(err)
	}
	a, err := anomaly.Validate(&stats, &schema, &anomaly.Options{Slices: true})
	fmt.Println(a.GetAnomalyInfo()[0].GetKey(), err)
	// Output: 'slice(Oslo)::age' <nil>
}

func ExampleCheckRules() {
	rules, err := expr.ParseRules("max(trip_miles) < 500\nnum_examples >= 0.9 * num_examples before\n")
	if err != nil {
		log.Fatal(err)
	}
	var now, before metadatapb.DatasetFeatureStatisticsList // from package stats, or from a file
	if err := prototext.Unmarshal([]byte(`datasets { num_examples: 850
		features { path { step: 'trip_miles' } type: FLOAT num_stats { common_stats { num_non_missing: 850 tot_num_values: 850 } max: 812 } } }`), &now); err != nil {
		log.Fatal(err)
	}
	if err := prototext.Unmarshal([]byte(`datasets { num_examples: 1000 }`), &before); err != nil {
		log.Fatal(err)
	}
	var a metadatapb.Anomalies
	_, err = anomaly.CheckRules(&a, rules, &now, nil, &anomaly.Options{Previous: &before, Report: func(f anomaly.Finding) { fmt.Println(f.Severity, f.Path, f.Text) }})
	fmt.Println(len(a.GetAnomalyInfo()), err)
	// Output:
	// ERROR [trip_miles] max(trip_miles) is 812, wanted < 500
	// ERROR [] num_examples is 850, wanted >= 0.9 * num_examples before (num_examples before 1000)
	// 1 <nil>
}

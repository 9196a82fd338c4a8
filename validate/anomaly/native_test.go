package anomaly_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/pbtext"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/anomaly"
	"github.com/tfparse/tfparse/validate/stats"
)

func read[M proto.Message](t testing.TB, text string, m M) M {
	t.Helper()
	if err := pbtext.Unmarshal([]byte(text), m); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m
}

func statistics(t testing.TB, text string) *metadatapb.DatasetFeatureStatisticsList {
	t.Helper()
	return read(t, "datasets { "+text+" }", &metadatapb.DatasetFeatureStatisticsList{})
}

// texts lists all reasons: path, severity, type, and the long text or else the short text.
func texts(a *metadatapb.Anomalies) []string {
	var all []string
	add := func(path string, info *metadatapb.AnomalyInfo) {
		for _, r := range info.GetReason() {
			text := r.GetDescription()
			if text == "" {
				text = r.GetShortDescription()
			}
			all = append(all, fmt.Sprintf("%s %v %v: %s", path, info.GetSeverity(), r.GetType(), text))
		}
	}
	for _, e := range a.GetAnomalyInfo() {
		add(e.GetKey(), e.GetValue())
	}
	if a.GetDatasetAnomalyInfo() != nil {
		add("-", a.GetDatasetAnomalyInfo())
	}
	return all
}

const (
	ints   = `features { path { step: 'x' } num_stats { common_stats { num_non_missing: 10 min_num_values: 1 max_num_values: 1 tot_num_values: 10 } min: %s max: %s } }`
	labels = `features { path { step: 'x' } type: %s string_stats { common_stats { num_non_missing: 10 min_num_values: 1 max_num_values: 1 tot_num_values: 10 } unique: %d
		rank_histogram { %s } } }`
)

func bucket(label string, n int) string {
	return fmt.Sprintf("buckets { label: %q sample_count: %d } ", label, n)
}

// TestDifferences checks both results, with and without Compat, where they differ on purpose. The texts
// with Compat are those of TensorFlow Data Validation.
func TestDifferences(t *testing.T) {
	table, err := os.ReadFile("DIFFERENCES.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, schema, stats, previous string
		compat, native                []string
	}{
		{
			name:   "the fraction of a feature in a struct is of the structs",
			schema: `feature { name: 's' type: STRUCT struct_domain { feature { name: 'c' type: INT presence { min_fraction: 0.5 } } } }`,
			stats: `num_examples: 10 features { path { step: 's' } type: STRUCT struct_stats { common_stats { num_non_missing: 10 tot_num_values: 100 } } }
				features { path { step: 's' step: 'c' } num_stats { common_stats { num_non_missing: 20 num_missing: 80 tot_num_values: 20 } } }`,
			native: []string{"s.c ERROR FEATURE_TYPE_LOW_FRACTION_PRESENT: The feature is missing in 80 of 100 values of s (80%), where at most 50% may be missing."},
		},
		{
			name:   "without a maximum of unique values there is none",
			schema: `feature { name: 'x' type: BYTES unique_constraints { min: 1 } }`,
			stats:  "num_examples: 10 " + fmt.Sprintf(labels, "STRING", 2, bucket("a", 6)+bucket("b", 4)),
			compat: []string{"x ERROR FEATURE_TYPE_HIGH_UNIQUE: Expected no more than 0 unique values but found 2."},
		},
		{
			name:   "a maximum of examples needs no minimum",
			schema: `feature { name: 'x' type: INT } dataset_constraints { max_examples_count: 3 }`,
			stats:  "num_examples: 10 " + fmt.Sprintf(ints, "0", "9"),
			native: []string{"- ERROR DATASET_HIGH_NUM_EXAMPLES: The dataset has 10 examples, where at most 3 are expected."},
		},
		{
			name:   "entries of features that do not occur are checked for sense",
			schema: `feature { name: 'x' type: INT } feature { name: 'y' type: FLOAT domain: 'd' }`,
			stats:  "num_examples: 10 " + fmt.Sprintf(ints, "0", "9"),
			native: []string{`y ERROR DOMAIN_INVALID_FOR_TYPE: The domain does not fit the type FLOAT.`},
		},
		{
			name:   "true is not false",
			schema: `feature { name: 'x' type: BYTES bool_domain { true_value: 'a' false_value: 'a' } }`,
			stats:  "num_examples: 10 " + fmt.Sprintf(labels, "STRING", 1, bucket("a", 10)),
			native: []string{`x ERROR BOOL_TYPE_INVALID_CONFIG: True and false are both "a".`},
		},
		{
			name:   "a value stands in a domain once",
			schema: `feature { name: 'x' type: BYTES string_domain { value: ['a', 'b', 'a'] } }`,
			stats:  "num_examples: 10 " + fmt.Sprintf(labels, "STRING", 1, bucket("a", 10)),
			native: []string{`x ERROR INVALID_DOMAIN_SPECIFICATION: The domain has values more than once: a.`},
		},
		{
			name:   "a domain that is not there is named",
			schema: `feature { name: 'x' type: BYTES domain: 'nowhere' }`,
			stats:  "num_examples: 10 " + fmt.Sprintf(labels, "STRING", 1, bucket("a", 10)),
			compat: []string{`x ERROR INVALID_DOMAIN_SPECIFICATION: missing domain: `},
			native: []string{`x ERROR INVALID_DOMAIN_SPECIFICATION: The schema has no string_domain "nowhere".`},
		},
		{
			name:     "L-infinity is not of numbers",
			schema:   `feature { name: 'x' type: INT drift_comparator { infinity_norm { threshold: 0.1 } } }`,
			stats:    "num_examples: 10 " + fmt.Sprintf(ints, "0", "9"),
			previous: "num_examples: 10 " + fmt.Sprintf(ints, "100", "900"),
			native: []string{"x WARNING STATS_NOT_AVAILABLE: infinity_norm and normalized_abs_difference compare labels, and the feature has none in the current or the previous data: " +
				"use jensen_shannon_divergence for numbers."},
		},
		{
			name:     "nothing to compare is said",
			schema:   `feature { name: 'x' type: INT drift_comparator { jensen_shannon_divergence { threshold: 0.1 } } }`,
			stats:    "num_examples: 10 " + fmt.Sprintf(ints, "0", "9"),
			previous: "num_examples: 10 " + fmt.Sprintf(ints, "100", "900"),
			native:   []string{"x WARNING STATS_NOT_AVAILABLE: jensen_shannon_divergence needs labels, or histograms of numbers, in the current and in the previous data."},
		},
		{
			name:     "control data without examples are missing",
			schema:   `feature { name: 'x' type: INT drift_comparator { jensen_shannon_divergence { threshold: 0.1 } } }`,
			stats:    "num_examples: 10 " + fmt.Sprintf(ints, "0", "9"),
			previous: " ",
			native:   []string{"x ERROR COMPARATOR_CONTROL_DATA_MISSING: The previous data do not have the feature, so that no distance was measured."},
		},
		{
			name:   "labels of categorical floats are read",
			schema: `feature { name: 'x' type: FLOAT float_domain { min: 1 max: 20 disallow_nan: true is_categorical: true } }`,
			stats:  "num_examples: 10 " + fmt.Sprintf(labels, "FLOAT", 2, bucket("12", 5)+bucket("23.5", 4)+bucket("nan", 1)),
			compat: []string{"x ERROR FLOAT_TYPE_SMALL_FLOAT: Unexpectedly low values: 0<1(upto six significant digits)"},
			native: []string{"x ERROR FLOAT_TYPE_HAS_NAN: 1 of 10 values are NaN, where the schema has disallow_nan.", "x ERROR FLOAT_TYPE_BIG_FLOAT: Unexpectedly large value: 23.5, where at most 20 is expected."},
		},
		{
			name:   "labels of integers that are booleans are read",
			schema: `feature { name: 'x' type: INT bool_domain { } }`,
			stats:  "num_examples: 10 " + fmt.Sprintf(labels, "INT", 2, bucket("0", 5)+bucket("7", 5)),
			native: []string{"x ERROR BOOL_TYPE_BIG_INT: Some values are neither 0 nor 1, such as 7."},
		},
		{
			name:   "the greatest integer is above a lower one",
			schema: `feature { name: 'x' type: INT int_domain { max: 5 } }`,
			stats:  "num_examples: 10 " + fmt.Sprintf(ints, "0", "9223372036854775807"),
			native: []string{"x ERROR INT_TYPE_BIG_INT: Unexpectedly large value: 9223372036854775807, where at most 5 is expected."},
		},
		{
			name:   "values that the histogram does not show",
			schema: `feature { name: 'x' type: BYTES string_domain { value: ['a', 'b', 'c'] } }`,
			stats:  "num_examples: 10 " + fmt.Sprintf(labels, "STRING", 5, bucket("a", 6)+bucket("b", 1)),
			native: []string{"x ERROR ENUM_TYPE_UNEXPECTED_STRING_VALUES: There are 5 distinct values, but the rank histogram lists 2: at least 2 values are not in the domain."},
		},
		{
			name:   "a weighted feature that is deprecated is not looked at",
			schema: `weighted_feature { name: 'w' lifecycle_stage: DEPRECATED }`,
			stats:  "num_examples: 10 features { path { step: 'w' } custom_stats { name: 'missing_weight' num: 2 } }",
			compat: []string{"w ERROR WEIGHTED_FEATURE_MISSING_WEIGHT: Found 2 examples missing weight feature."},
		},
		{
			name:   "texts say what was expected",
			schema: `feature { name: 'x' type: INT value_count { min: 2 max: 3 } int_domain { min: 1 } }`,
			stats:  "num_examples: 10 " + fmt.Sprintf(ints, "0", "9"),
			compat: []string{"x ERROR FEATURE_TYPE_LOW_NUMBER_VALUES: Some examples have fewer values than expected.", "x ERROR INT_TYPE_SMALL_INT: Unexpectedly small value: 0."},
			native: []string{"x ERROR FEATURE_TYPE_LOW_NUMBER_VALUES: Some records have only 1 values, where at least 2 are expected; numbers of values seen: 1.",
				"x ERROR INT_TYPE_SMALL_INT: Unexpectedly small value: 0, where at least 1 is expected."},
		},
		{
			name:   "features inside an entry without statistics are examined",
			schema: `feature { name: 'x' type: INT }`,
			stats:  "num_examples: 10 " + fmt.Sprintf(ints, "0", "9") + ` features { path { step: 's' } type: STRUCT } features { path { step: 's' step: 'c' } num_stats { common_stats { num_non_missing: 10 tot_num_values: 10 } } }`,
			native: []string{"s.c ERROR SCHEMA_NEW_COLUMN: The feature is in 10 of 10 records, and not in the schema."},
		},
		{
			name:   "what statistics do not have is said",
			schema: `feature { name: 'x' type: BYTES image_domain { minimum_supported_image_fraction: 0.5 max_image_byte_size: 9 } }`,
			stats:  "num_examples: 10 " + fmt.Sprintf(labels, "STRING", 1, bucket("a", 10)),
			native: []string{"x ERROR STATS_NOT_AVAILABLE: The minimum_supported_image_fraction was not checked: compute the statistics with --schema.",
				"x ERROR STATS_NOT_AVAILABLE: The max_image_byte_size was not checked: compute the statistics with --schema."},
		},
		{
			name:   "values of semantic domains are checked",
			schema: `feature { name: 'x' type: BYTES url_domain { } } feature { name: 'y' type: INT time_domain { string_format: '%Y' } }`,
			stats: "num_examples: 10 " + fmt.Sprintf(labels, "STRING", 2, bucket("http://a.b", 9)+bucket("a", 1)) +
				" features { path { step: 'y' } num_stats { common_stats { num_non_missing: 10 min_num_values: 1 max_num_values: 1 tot_num_values: 10 } } }",
			native: []string{"x ERROR ENUM_TYPE_UNEXPECTED_STRING_VALUES: 1 of 10 values are not a URL: a (~10%).",
				"y WARNING STATS_NOT_AVAILABLE: The time_domain was not checked: compute the statistics with --schema."},
		},
		{
			name:   "a time domain is of all values",
			schema: `feature { name: 'x' type: BYTES }`,
			stats: "num_examples: 10 " + strings.TrimSuffix(fmt.Sprintf(labels, "STRING", 2, bucket("12:30", 9)+bucket("a", 1)), "}") +
				" custom_stats { name: 'domain_info' str: 'time_domain { string_format: \"%H:%M\" }' } custom_stats { name: 'time_match_ratio' num: 0.9 } }",
			compat: []string{"x ERROR SEMANTIC_DOMAIN_UPDATE: Updated semantic domain for feature: x"},
		},
	} {
		if !bytes.Contains(table, []byte("`"+c.name+"`")) {
			t.Errorf("%s has no row in DIFFERENCES.md", c.name)
		}
		t.Run(c.name, func(t *testing.T) {
			for _, compat := range []bool{true, false} {
				o := &anomaly.Options{Compat: compat}
				if c.previous != "" {
					o.Previous = statistics(t, c.previous)
				}
				a, err := anomaly.Validate(statistics(t, c.stats), read(t, c.schema, &metadatapb.Schema{}), o)
				if err != nil {
					t.Fatal(err)
				}
				want := c.native
				if compat {
					want = c.compat
				}
				if got := texts(a); !slices.Equal(got, want) {
					t.Errorf("compat %t:\ngot    %s\nwanted %s", compat, strings.Join(got, "\n       "), strings.Join(want, "\n       "))
				}
			}
		})
	}
}

func TestErrors(t *testing.T) {
	s := read(t, "feature { name: 'x' type: INT } default_environment: 'A'", &metadatapb.Schema{})
	two := read(t, "datasets { num_examples: 1 } datasets { num_examples: 2 }", &metadatapb.DatasetFeatureStatisticsList{})
	one := statistics(t, "num_examples: 1")
	for name, f := range map[string]func() (*metadatapb.Anomalies, error){
		"two data sets": func() (*metadatapb.Anomalies, error) { return anomaly.Validate(two, s, nil) },
		"no data set":   func() (*metadatapb.Anomalies, error) { return anomaly.Validate(nil, s, nil) },
		"another environment": func() (*metadatapb.Anomalies, error) {
			return anomaly.Validate(one, s, &anomaly.Options{Environment: "B"})
		},
		"two previous data sets": func() (*metadatapb.Anomalies, error) {
			return anomaly.Validate(one, s, &anomaly.Options{Previous: two})
		},
		"slices, none of all": func() (*metadatapb.Anomalies, error) { return anomaly.Validate(two, s, &anomaly.Options{Slices: true}) },
	} {
		if a, err := f(); err == nil {
			t.Errorf("%s: %v, wanted an error", name, a)
		}
	}
}

// TestEntryWithoutStatistics checks an entry without statistics. Inside a struct it crashes TensorFlow
// Data Validation; at the top level it does not.
func TestEntryWithoutStatistics(t *testing.T) {
	const inside = `num_examples: 10 features { path { step: 's' } type: STRUCT struct_stats { common_stats { num_non_missing: 10 tot_num_values: 10 } } } features { path { step: 's' step: 'c' } type: %s }`
	for _, c := range []struct {
		schema, stats string
		fails         bool
	}{
		{``, fmt.Sprintf(inside, "STRUCT"), true}, // the struct is new
		{`feature { name: 's' type: STRUCT }`, fmt.Sprintf(inside, "STRING"), true},
		{`feature { name: 's' type: STRUCT struct_domain { feature { name: 'c' type: BYTES } } }`, fmt.Sprintf(inside, "STRING"), true},
		{`feature { name: 's' }`, fmt.Sprintf(inside, "STRING"), false}, // children of an entry without a type are not checked
		{`feature { name: 's' type: STRUCT deprecated: true }`, fmt.Sprintf(inside, "STRING"), false},
		{``, `num_examples: 10 features { path { step: 'c' } type: STRING }`, false},
	} {
		for _, compat := range []bool{true, false} {
			_, err := anomaly.Validate(statistics(t, c.stats), read(t, c.schema, &metadatapb.Schema{}), &anomaly.Options{Compat: compat})
			if (err != nil) != (c.fails && compat) {
				t.Errorf("%s\n%s\ncompat %t: %v", c.schema, c.stats, compat, err)
			}
		}
	}
}

// TestSeverityOfTheDataSet checks that severities apply to reasons about the whole data set, except with Compat.
func TestSeverityOfTheDataSet(t *testing.T) {
	var schema metadatapb.Schema
	var stats metadatapb.DatasetFeatureStatisticsList
	if err := pbtext.Unmarshal([]byte(`dataset_constraints { min_examples_count: 5 }`), &schema); err != nil {
		t.Fatal(err)
	}
	if err := pbtext.Unmarshal([]byte(`datasets { num_examples: 3 }`), &stats); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		severity metadatapb.AnomalyInfo_Severity
		compat   bool
		there    bool
		want     metadatapb.AnomalyInfo_Severity
	}{
		{metadatapb.AnomalyInfo_WARNING, false, true, metadatapb.AnomalyInfo_WARNING},
		{metadatapb.AnomalyInfo_UNKNOWN, false, false, metadatapb.AnomalyInfo_UNKNOWN},
		{metadatapb.AnomalyInfo_WARNING, true, true, metadatapb.AnomalyInfo_ERROR},
	} {
		a, err := anomaly.Validate(&stats, &schema, &anomaly.Options{
			Compat: test.compat, Severity: map[metadatapb.AnomalyInfo_Type]metadatapb.AnomalyInfo_Severity{metadatapb.AnomalyInfo_DATASET_LOW_NUM_EXAMPLES: test.severity},
		})
		if err != nil {
			t.Fatal(err)
		}
		if info := a.GetDatasetAnomalyInfo(); (info != nil) != test.there || info.GetSeverity() != test.want {
			t.Errorf("%v, compatible %v: got %v, wanted %v", test.severity, test.compat, info, test.want)
		}
	}
}

// TestSeverityOfAReason checks that a reason with severity UNKNOWN is dropped from several reasons, except with Compat.
func TestSeverityOfAReason(t *testing.T) {
	s := read(t, "feature { name: 'x' type: INT value_count { min: 2 } int_domain { min: 1 } }", &metadatapb.Schema{})
	for _, c := range []struct {
		compat bool
		want   []metadatapb.AnomalyInfo_Type
	}{
		{false, []metadatapb.AnomalyInfo_Type{metadatapb.AnomalyInfo_FEATURE_TYPE_LOW_NUMBER_VALUES}},
		{true, []metadatapb.AnomalyInfo_Type{metadatapb.AnomalyInfo_FEATURE_TYPE_LOW_NUMBER_VALUES, metadatapb.AnomalyInfo_INT_TYPE_SMALL_INT}},
	} {
		a, err := anomaly.Validate(statistics(t, "num_examples: 10 "+fmt.Sprintf(ints, "0", "9")), s, &anomaly.Options{
			Compat: c.compat, Severity: map[metadatapb.AnomalyInfo_Type]metadatapb.AnomalyInfo_Severity{metadatapb.AnomalyInfo_INT_TYPE_SMALL_INT: metadatapb.AnomalyInfo_UNKNOWN},
		})
		if err != nil || len(a.GetAnomalyInfo()) != 1 {
			t.Fatalf("compat %t: %v, %v", c.compat, a, err)
		}
		info := a.GetAnomalyInfo()[0].GetValue()
		var got []metadatapb.AnomalyInfo_Type
		for _, r := range info.GetReason() {
			got = append(got, r.GetType())
		}
		if !slices.Equal(got, c.want) || info.GetSeverity() != metadatapb.AnomalyInfo_ERROR || strings.Contains(info.GetDescription(), "value: 0") != c.compat {
			t.Errorf("compat %t: %v, wanted %v", c.compat, info, c.want)
		}
	}
}

// TestSeverityOfNewFeatures checks severities of features that are not in the schema.
func TestSeverityOfNewFeatures(t *testing.T) {
	a, err := anomaly.Validate(statistics(t, "num_examples: 10 "+fmt.Sprintf(ints, "0", "9")), &metadatapb.Schema{}, &anomaly.Options{
		Severity: map[metadatapb.AnomalyInfo_Type]metadatapb.AnomalyInfo_Severity{metadatapb.AnomalyInfo_SCHEMA_NEW_COLUMN: metadatapb.AnomalyInfo_UNKNOWN},
	})
	if err != nil || len(a.GetAnomalyInfo()) != 0 {
		t.Errorf("%v, %v", a, err)
	}
}

// TestSeveralTypes checks statistics of records in which a feature has values of two types.
func TestSeveralTypes(t *testing.T) {
	a, err := stats.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		e := example.Example{"x": example.Int64s(1), "y": example.Int64s(1)}
		if i > 6 {
			e["x"] = example.Strings("1")
		}
		msg, _ := e.MarshalBinary()
		if err := a.Add(msg); err != nil {
			t.Fatal(err)
		}
	}
	list, err := a.Statistics()
	if err != nil {
		t.Fatal(err)
	}
	schema := &metadatapb.Schema{}
	if err := pbtext.Unmarshal([]byte(`feature { name: "x" type: INT } feature { name: "y" type: INT }`), schema); err != nil {
		t.Fatal(err)
	}
	found, err := anomaly.Validate(list, schema, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := "The feature has values of several types; records with each: int64_list 7, bytes_list 3. The other findings are about those of the first type."
	if all := found.GetAnomalyInfo(); len(all) != 1 || all[0].GetKey() != "x" || all[0].GetValue().GetDescription() != want {
		t.Errorf("%v, wanted %q", all, want)
	}
}

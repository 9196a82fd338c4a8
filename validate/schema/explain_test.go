package schema_test

import (
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/internal/pbtext"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/schema"
)

// TestExplain checks that every aspect of an entry is explained, and that Explain does not change the result.
func TestExplain(t *testing.T) {
	const common = "common_stats { num_non_missing: 4 min_num_values: 1 max_num_values: 1 tot_num_values: 4 }"
	for _, c := range []struct{ feature, about, want string }{
		{"num_stats { " + common + " max: 1 }", "domain", "bool_domain: the values are 0 or 1"},
		{"num_stats { " + common + " min: -3 max: 1753100000 }", "domain", "none: -3 to 1753100000; only 0 and 1 get a domain"},
		{"num_stats { common_stats { num_missing: 4 } }", "domain", "none: there are no values"},
		{"num_stats { common_stats { num_missing: 4 } }", "presence", "optional (min_count 0): in none of 4 examples"},
		{"type: FLOAT num_stats { " + common + " min: 0.5 max: 1 }", "domain", "none: 0.5 to 1; floats get no domain"},
		{"type: BYTES bytes_stats { " + common + " }", "domain", "none: values of type BYTES are not counted"},
		{"type: STRING string_stats { " + common + " invalid_utf8_count: 3 }", "domain", "none: not text: 3 values are not UTF-8"},
		{"type: STRING string_stats { " + common + " rank_histogram { buckets { label: '7' } buckets { label: '-8' } } unique: 2 }", "domain", "int_domain: 2 distinct values, all of them integers (-8 to 7)"},
		{"type: STRING string_stats { " + common + " rank_histogram { buckets { label: 'true' } buckets { label: 'false' } } unique: 2 }", "domain", "bool_domain: 2 distinct values, words for true and false"},
		{"type: STRING string_stats { " + common + " rank_histogram { buckets { label: 'x' } buckets { label: 'y' } } unique: 2 }", "domain", "string_domain \"f\": 2 distinct values, at most 2"},
		{"type: STRING string_stats { " + common + " rank_histogram { buckets { label: 'x' } buckets { label: 'y' } buckets { label: 'z' } } unique: 1204 }", "domain", "none: 3 of 1204 distinct values are listed, more than 2"},
		{"type: INT string_stats { " + common + " rank_histogram { buckets { label: '3' } } unique: 1 }", "type", "INT: the values are integers used as categories"},
		{"type: INT string_stats { " + common + " rank_histogram { buckets { label: '3' } } unique: 1 }", "domain", "string_domain \"f\": 1 distinct value, at most 2"},
		{"type: STRING string_stats { " + common + " } custom_stats { name: 'domain_info' str: 'url_domain {}' }", "domain", "url_domain: detected in the values"},
		{"num_stats { common_stats { num_non_missing: 4 } }", "values", "any number: always 0 values; no shape: there are no values"},
		{"num_stats { common_stats { num_non_missing: 4 min_num_values: 2 max_num_values: 2 presence_and_valency_stats { num_non_missing: 4 min_num_values: 2 max_num_values: 2 } presence_and_valency_stats { num_non_missing: 8 min_num_values: 1 max_num_values: 5 } } }", "values",
			"value_counts min 2 max 2, min 1: always 2 values at level 0, 1 to 5 values at level 1; no shape: the number of values varies"},
		{"custom_stats { name: 'missing_value' num: 1 }", "left out", "no entry: there are no statistics of its own, as with sparse and weighted features"},
		{"num_stats { " + common + " } validation_derived_source { deriver_name: 'd' }", "stage", "VALIDATION_DERIVED: the statistics mark it as derived"},
	} {
		var list metadatapb.DatasetFeatureStatisticsList
		if err := pbtext.Unmarshal([]byte("datasets { num_examples: 4 features { path { step: 'f' } "+c.feature+" } }"), &list); err != nil {
			t.Fatal(err)
		}
		var got []string
		opts := &schema.Options{MaxStringDomain: 2}
		plain, err := schema.Infer(&list, opts)
		if err != nil {
			t.Fatal(err)
		}
		opts.Explain = func(d schema.Decision) {
			if d.About == c.about && d.PathString() == "f" {
				got = append(got, d.Chosen+": "+d.Why)
			}
		}
		explained, err := schema.Infer(&list, opts)
		if err != nil || !proto.Equal(plain, explained) {
			t.Errorf("%s: to explain the schema changes it: %v, %v", c.feature, explained, err)
		}
		if !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s: %q, wanted %q", c.feature, got, c.want)
		}
	}
}

// TestExplainParents checks that structs without statistics are reported before their features.
func TestExplainParents(t *testing.T) {
	var list metadatapb.DatasetFeatureStatisticsList
	if err := pbtext.Unmarshal([]byte(`datasets { num_examples: 1 features { path { step: 'a' step: 'b' step: 'c' } num_stats { common_stats { num_non_missing: 1 } } } }`), &list); err != nil {
		t.Fatal(err)
	}
	var got []string
	_, err := schema.Infer(&list, &schema.Options{Explain: func(d schema.Decision) {
		if d.About == "type" {
			got = append(got, fmt.Sprintf("%s is %s", d.PathString(), d.Chosen))
		}
	}})
	if want := []string{"a is STRUCT", "a.b is STRUCT", "a.b.c is INT"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, wanted %q", got, err, want)
	}
}

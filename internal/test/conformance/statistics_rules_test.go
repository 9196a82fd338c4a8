package conformance

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/stats"
)

// A statisticsRule is a row of validate/stats/DIFFERENCES.md, and what it makes different in a case. Rows that hold for all cases
// (the order of features, medians, histograms) are in statistics_near_test.go, which compares them with what the values are.
type statisticsRule struct {
	row    int
	fields string   // an expression that matches the fields that differ, by their paths
	here   []string // data sets that are here only
	there  []string // data sets that TensorFlow Data Validation has
	fails  bool     // TensorFlow Data Validation fails
	bad    error    // what records are refused with here
}

// errDamaged stands in a statisticsRule for any error of a record.
var errDamaged = errors.New("damaged")

const (
	labelFields = `string_stats\.(rank_histogram|top_values|unique)`
	lightFields = `weighted_string_stats\.(rank_histogram|top_values)`
)

// statisticsRules are the cases that are different, by name.
var statisticsRules = map[string]statisticsRule{
	"records/nan":                            {row: 1, fields: `num_stats\.median$`},
	"numbers/only_infinities":                {row: 2, fields: `num_stats\.(histograms\[0\]|median$)`},
	"options/allowlist_in_batches_of_one":    {row: 5, fields: `num_(examples|missing)$`},
	"options/allowlist_of_an_absent_feature": {row: 5, fields: `num_(examples|missing)$`},
	"slices/feature_absent_everywhere":       {row: 6, there: []string{"a_1", "a_2", "a_3"}},
	"slices/absent_in_one_batch":             {row: 6, there: []string{"a_1"}},
	"slices/config_string_value":             {row: 7, here: []string{"b_dog"}},
	"sequence/wide_integers":                 {row: 8, fields: `features\[2\]\.num_stats\.(histograms|max|mean|median|min|std_dev|num_zeros)`},
	"weights/fractions":                      {row: 9, fields: lightFields},
	"data/ten_labels_weighted":               {row: 9, fields: lightFields},
	"weights/per_feature":                    {row: 10, fields: `weighted_common_stats\.num_missing$`},
	"weights/zero":                           {row: 11, fails: true},
	"categorical/float_exact_counting":       {row: 12, fails: true},
	"wire/key_not_utf8":                      {row: 14, fails: true},
	"slices/invalid_utf8":                    {row: 14, fails: true},
	"wire/not_an_example":                    {row: 15, fails: true, bad: errDamaged},
	"weights/two_in_one_record":              {row: 16, fails: true, bad: stats.ErrWeight},
	"weights/missing":                        {row: 16, fails: true, bad: stats.ErrWeight},
	"weights/empty":                          {row: 16, fails: true, bad: stats.ErrWeight},
	"weights/string":                         {row: 16, fails: true, bad: stats.ErrWeight},
	"kinds/conflict_in_a_batch":              {row: 17, fails: true},
	"kinds/conflict_between_batches":         {row: 17, fails: true},
	"kinds/conflict_of_empty_lists":          {row: 17, fails: true},
	"wire/packed_in_two_pieces":              {row: 18, fields: `features|num_examples`, bad: example.ErrAmbiguous},
	"wire/two_kinds_in_one_feature":          {row: 18, fields: `features|num_examples`, bad: example.ErrAmbiguous},
	"strings/not_utf8":                       {row: 25, fields: `\.(label|value)$`},
	"strings/only_not_utf8":                  {row: 25, fields: `\.(label|value)$`},
	"semantic/images_too_few":                {row: 25, fields: `\.(label|value)$`},
	"vocabulary/texts":                       {row: 29, fields: `\.any\.`},
	"vocabulary/texts_excluded":              {row: 29, fields: `\.any\.reported_sequences`},
	"vocabulary/texts_constrained":           {row: 29, fields: `\.any\.`},
	"vocabulary/texts_lengths":               {row: 29, fields: `\.any\.`},
	"bytes/image_domain":                     {row: 32, fields: `custom_stats`},
	"data/image_bytes":                       {row: 32, fields: `custom_stats`},
	"semantic/images":                        {row: 33, fields: `custom_stats|\.(label|value)$`}, // and row 25
	"data/images_with_statistics":            {row: 33, fields: `custom_stats`},
	"slices/config_not_an_integer":           {row: 37, fails: true},
	"strings/not_utf8_sketch":                {row: 38, fields: labelFields},
	"strings/long_sketch":                    {row: 38, fields: labelFields},
	"categorical/string_no_sketch":           {row: 39, fields: labelFields},
}

// TestStatisticsRules holds that the cases are there that rules are about.
func TestStatisticsRules(t *testing.T) {
	if _, own, err := testkit.Folder(); err != nil || !own {
		t.Skipf("skipped: the rules are about our own vectors (%v)", err)
	}
	there := map[string]bool{}
	for _, f := range testkit.Vectors(t, "validation") {
		for _, c := range f.Cases {
			there[c.Name] = true
		}
	}
	for name := range statisticsRules {
		if !there[name] {
			t.Errorf("there is no case %q", name)
		}
	}
}

// compareStatistics compares statistics, and the error of the first record that was refused, with those that a case expects: want
// is nil if TensorFlow Data Validation fails.
func compareStatistics(c string, o *statisticsOptions, want, got *metadatapb.DatasetFeatureStatisticsList, bad error, files [][][]byte) error {
	rule := statisticsRules[c]
	if damaged := (*example.Error)(nil); rule.bad != bad && !errors.Is(bad, rule.bad) && !(rule.bad == errDamaged && errors.As(bad, &damaged)) {
		return fmt.Errorf("a record is refused: %v, wanted %v", bad, rule.bad)
	}
	if rule.fails != (want == nil) {
		return errors.New("TensorFlow Data Validation fails in one of the case and its rule")
	}
	if want == nil {
		return nil
	}
	got = proto.CloneOf(got)
	sortStatistics(want, rule.there)
	sortStatistics(got, rule.here)
	if len(want.Datasets) != len(got.Datasets) {
		return fmt.Errorf("%d data sets, wanted %d, but for %q and %q", len(got.Datasets), len(want.Datasets), rule.here, rule.there)
	}
	t := tolerance{sketch: o.sketch, values: numbersOf(files, o.Message), sliced: len(got.Datasets) > 1 || len(o.Slices) > 0 || files == nil}
	for i, w := range want.Datasets {
		g := got.Datasets[i]
		weight(&w.WeightedNumExamples, g.WeightedNumExamples)
		for k, f := range w.Features {
			if k < len(g.Features) && slices.Equal(f.GetPath().GetStep(), g.Features[k].GetPath().GetStep()) {
				t.feature(f, g.Features[k])
			}
		}
	}
	return expectedDifferences(rule, want, got)
}

// sortStatistics puts data sets and features in the order of their names, as row 4 does with features, and leaves out some data sets, which must be
// there.
func sortStatistics(list *metadatapb.DatasetFeatureStatisticsList, without []string) {
	list.Datasets = slices.DeleteFunc(list.Datasets, func(d *metadatapb.DatasetFeatureStatistics) bool { return slices.Contains(without, d.Name) })
	sortDatasets(list)
	for _, d := range list.Datasets {
		slices.SortStableFunc(d.Features, func(a, b *metadatapb.FeatureNameStatistics) int {
			x, y := a.GetPath().GetStep(), b.GetPath().GetStep()
			return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(strings.Join(x, "/"), strings.Join(y, "/")))
		})
	}
}

// expectedDifferences holds that just the fields differ which a rule has.
func expectedDifferences(rule statisticsRule, want, got *metadatapb.DatasetFeatureStatisticsList) error {
	if diff(want, got) == "" {
		if rule.fields != "" {
			return fmt.Errorf("there is no difference of row %d", rule.row)
		}
		return nil
	}
	a, b := map[string]string{}, map[string]string{}
	addFields("", want.ProtoReflect(), a)
	addFields("", got.ProtoReflect(), b)
	all := maps.Clone(a)
	maps.Copy(all, b)
	expected := regexp.MustCompile(rule.fields)
	var other []string
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if a[path] == b[path] || rule.fields != "" && expected.MatchString(path) {
			continue
		}
		other = append(other, fmt.Sprintf("%s: want %q, got %q", path, a[path], b[path]))
	}
	if len(other) > 0 {
		return errors.New(shorten(strings.Join(other, "\n")))
	}
	return nil
}

// addFields adds the fields of a message that are set, by their paths: statistics of tokens, too.
func addFields(prefix string, m protoreflect.Message, out map[string]string) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		add := func(path string, v protoreflect.Value) {
			tokens := &metadatapb.NaturalLanguageStatistics{}
			switch {
			case f.Message() == nil:
				out[path] = fmt.Sprint(v.Interface())
				return
			case f.Name() == "any" && proto.Unmarshal(v.Message().Get(v.Message().Descriptor().Fields().ByName("value")).Bytes(), tokens) == nil:
				addFields(path, tokens.ProtoReflect(), out)
				return
			}
			out[path] = "set"
			addFields(path, v.Message(), out)
		}
		path := prefix + "." + string(f.Name())
		if !f.IsList() {
			add(path, v)
			return true
		}
		for i := range v.List().Len() {
			add(fmt.Sprintf("%s[%d]", path, i), v.List().Get(i))
		}
		return true
	})
}

// expectStatistics compares statistics with those of a case.
func expectStatistics(c *testkit.Case, o *statisticsOptions, got *metadatapb.DatasetFeatureStatisticsList, bad error, files [][][]byte) error {
	want, err := wantedStatistics(c)
	if err != nil {
		return err
	}
	return compareStatistics(c.Name, o, want, got, bad, files)
}

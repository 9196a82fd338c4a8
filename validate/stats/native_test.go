package stats_test

import (
	"bytes"
	"errors"
	"maps"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/proto/slicingpb"
	"github.com/tfparse/tfparse/validate/stats"
)

// describe returns the statistics of records.
func describe(t *testing.T, o stats.Options, records ...[]byte) *metadatapb.DatasetFeatureStatisticsList {
	t.Helper()
	return list(t, run(t, &o, records))
}

func numbers(l *metadatapb.DatasetFeatureStatisticsList) *metadatapb.NumericStatistics {
	return l.GetDatasets()[0].GetFeatures()[0].GetNumStats()
}

func ints(v ...int64) []byte     { return record(example.Example{"x": {Int64s: v}}) }
func floats(v ...float32) []byte { return record(example.Example{"x": {Floats: v}}) }
func words(v ...string) []byte   { return record(example.Example{"x": example.Strings(v...)}) }
func names(l *metadatapb.DatasetFeatureStatisticsList) (out []string) {
	for _, f := range l.GetDatasets()[0].GetFeatures() {
		out = append(out, strings.Join(f.GetPath().GetStep(), "/"))
	}
	return out
}

func TestMedian(t *testing.T) {
	native := describe(t, stats.Options{}, ints(1, 2))
	if median := numbers(native).Median; median != 1.5 {
		t.Errorf("median %v", median)
	}
}

// TestZeros checks that the order of 0 and -0 does not matter.
func TestZeros(t *testing.T) {
	minus := float32(math.Copysign(0, -1))
	for _, zeros := range [][]float32{{0, minus}, {minus, 0}} {
		native := describe(t, stats.Options{}, floats(zeros[0]), floats(zeros[1]))
		if n := numbers(native); !math.Signbit(n.Min) || math.Signbit(n.Max) || n.NumZeros != 2 {
			t.Errorf("%v are from %v to %v, with %d zeros", zeros, n.Min, n.Max, n.NumZeros)
		}
	}
}

func TestStandardHistogram(t *testing.T) {
	native := describe(t, stats.Options{Buckets: 3}, floats(1, 1, 2, 3, 4, 5, float32(math.Inf(1)), float32(math.NaN())))
	h := numbers(native).Histograms[0]
	want := []float64{3, 1, 2, 1} // up to 2.33, 3.67, 5, and infinity
	for i, b := range h.Buckets {
		if len(h.Buckets) != len(want) || b.SampleCount != want[i] {
			t.Errorf("bucket %d: %v, wanted %v of %v", i, b, want[i], len(want))
		}
	}
	if h.NumNan != 1 {
		t.Errorf("%d NaN, wanted 1", h.NumNan)
	}
}

func TestRounding(t *testing.T) {
	native := describe(t, stats.Options{}, ints(1<<53), ints(1<<53+2), ints(1<<53+4), ints(1<<53+6))
	if dev := numbers(native).StdDev; math.Abs(dev-math.Sqrt(5)) > 1e-12 {
		t.Errorf("deviation %v, wanted the square root of 5", dev)
	}
}

func TestOrder(t *testing.T) {
	native := describe(t, stats.Options{}, record(example.Example{"b": example.Int64s(1)}), record(example.Example{"a": example.Int64s(1)}))
	if order := strings.Join(names(native), " "); order != "a b" {
		t.Errorf("features in the order %q", order)
	}
}

func TestAllowlist(t *testing.T) {
	native := describe(t, stats.Options{Features: []string{"x"}}, ints(1), record(example.Example{}), record(example.Example{"y": example.Int64s(1)}))
	if n := native.Datasets[0].NumExamples; n != 3 {
		t.Errorf("%d records", n)
	}
	if len(native.Datasets[0].Features) != 1 {
		t.Errorf("features %q", names(native))
	}
}

func TestSlicesOfRecords(t *testing.T) {
	o := stats.Options{Slices: []stats.Slice{{"x": nil, "y": nil}}}
	native := describe(t, o, ints(1), record(example.Example{"x": example.Int64s(1), "y": example.Strings("a")}))
	var all []string
	for _, d := range native.Datasets {
		all = append(all, d.Name)
	}
	if got := strings.Join(all, " "); got != "All Examples x_1_y_a" {
		t.Errorf("slices %q", got)
	}
}

func TestSlicingConfigOfStrings(t *testing.T) {
	config := &slicingpb.SlicingConfig{}
	if err := prototext.Unmarshal([]byte(`slicing_specs { feature_values { key: "x" value: "dog" } }`), config); err != nil {
		t.Fatal(err)
	}
	of, err := stats.SlicesOf(config)
	if err != nil {
		t.Fatal(err)
	}
	native := describe(t, stats.Options{Slices: of}, words("dog"), words("cat"))
	if len(native.Datasets) != 2 || native.Datasets[1].Name != "x_dog" || native.Datasets[1].NumExamples != 1 {
		t.Errorf("data sets %v", native.Datasets)
	}
	config.SlicingSpecs[0].SliceKeysSql = "SELECT x"
	if _, err := stats.SlicesOf(config); !errors.Is(err, stats.ErrOptions) {
		t.Errorf("SQL: %v, wanted ErrOptions", err)
	}
}

func TestWideIntegers(t *testing.T) {
	r, err := example.Sequence{Lists: map[string][]example.Value{"x": {example.Int64s(1 << 40)}}}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	native := describe(t, stats.Options{Message: example.TypeSequence}, r)
	if most := native.Datasets[0].Features[1].GetNumStats().Max; most != 1<<40 {
		t.Errorf("largest value %v", most)
	}
}

func TestLightLabels(t *testing.T) {
	o := stats.Options{Weight: "w"}
	native := describe(t, o, record(example.Example{"s": example.Strings("a"), "w": example.Floats(0.5)}))
	if s := native.Datasets[0].Features[0].GetStringStats(); len(s.GetWeightedStringStats().GetTopValues()) != 1 {
		t.Errorf("weighted labels %v", s.WeightedStringStats)
	}
}

func TestWeightOfItsOwn(t *testing.T) {
	o := stats.Options{Weight: "w", WeightOf: map[string]string{"a": "v"}}
	native := describe(t, o, record(example.Example{"a": example.Int64s(1), "v": example.Floats(1), "w": example.Floats(3)}))
	if missing := numbers(native).CommonStats.WeightedCommonStats.NumMissing; missing != 0 {
		t.Errorf("missing weight %v", missing)
	}
}

func TestLabelsWithoutWeight(t *testing.T) {
	o := stats.Options{WeightOf: map[string]string{"z": "w"}}
	rec := record(example.Example{"a": example.Strings("x", "x"), "w": example.Floats(5)})
	native := describe(t, o, rec, rec)
	if w := native.Datasets[0].Features[0].GetStringStats().WeightedStringStats; w != nil {
		t.Errorf("%v for a feature without weight", w)
	}
}

func TestNoWeightAtAll(t *testing.T) {
	o := stats.Options{Weight: "w"}
	native := describe(t, o, record(example.Example{"a": example.Int64s(1), "w": example.Floats(0)}))
	if n := numbers(native); n.Mean != 1 || n.WeightedNumericStats != nil {
		t.Errorf("%v", n)
	}
}

func TestCategoricalFloats(t *testing.T) {
	schema := &metadatapb.Schema{}
	if err := prototext.Unmarshal([]byte(`feature { name: "x" type: FLOAT float_domain { is_categorical: true } }`), schema); err != nil {
		t.Fatal(err)
	}
	native := describe(t, stats.Options{Schema: schema}, floats(1.5, 12, 12))
	if top := native.Datasets[0].Features[0].GetStringStats().TopValues; len(top) != 2 || top[0].Value != "12" || top[0].Frequency != 2 {
		t.Errorf("%v", top)
	}
}

func TestEmptyTimes(t *testing.T) {
	var records [][]byte
	for range 150 {
		records = append(records, words("2018-11-30", "2018-12-01", "2018-12-02", "2018-12-03", ""))
	}
	stat := func(l *metadatapb.DatasetFeatureStatisticsList) string {
		for _, c := range l.Datasets[0].Features[0].CustomStats {
			if c.Name == "domain_info" {
				return c.GetStr()
			}
		}
		return ""
	}
	native := describe(t, stats.Options{DetectDomains: true}, records...)
	if domain := stat(native); domain != "time_domain {string_format: '%Y-%m-%d'}" {
		t.Errorf("domain %q", domain)
	}
}

func TestNameNotUTF8(t *testing.T) {
	native := describe(t, stats.Options{}, record(example.Example{"\xff": example.Int64s(1)}))
	if got := names(native); len(got) != 1 || got[0] != "b64:/w==" {
		t.Errorf("%q", got)
	}
	schema := &metadatapb.Schema{} // the schema uses the same step
	if err := prototext.Unmarshal([]byte(`feature { name: "b64:/w==" type: INT int_domain { is_categorical: true } }`), schema); err != nil {
		t.Fatal(err)
	}
	native = describe(t, stats.Options{Schema: schema}, record(example.Example{"\xff": example.Int64s(1)}))
	if s := native.Datasets[0].Features[0].GetStringStats(); s.GetUnique() != 1 {
		t.Errorf("with a schema: %v", native)
	}
}

// afterBad adds a bad record between good ones, and checks that it counts as bad.
func afterBad(t *testing.T, o stats.Options, want error, good, bad []byte) {
	t.Helper()
	a, err := stats.New(&o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range [][]byte{good, bad, good} {
		if err := a.Add(r); (err != nil) != (&r[0] == &bad[0]) || err != nil && want != nil && !errors.Is(err, want) {
			t.Fatalf("Add: %v, wanted %v", err, want)
		}
	}
	if a.Examples() != 2 || a.Bad() != 1 {
		t.Errorf("%d records and %d bad, wanted 2 and 1", a.Examples(), a.Bad())
	}
	if l := list(t, a); l.Datasets[0].NumExamples != 2 {
		t.Errorf("%d records", l.Datasets[0].NumExamples)
	}
}

func TestBadRecord(t *testing.T) {
	good := record(example.Example{"x": example.Int64s(1)})
	afterBad(t, stats.Options{}, nil, good, bytes.Clone(good[:len(good)-1]))
}

func TestMissingWeight(t *testing.T) {
	good := record(example.Example{"w": example.Floats(1)})
	for _, bad := range []example.Example{{"x": example.Int64s(1)}, {"w": example.Floats(1, 2)}, {"w": example.Strings("1")}, {"w": {}}, {"w": example.Floats()}, {"w": example.Floats(float32(math.NaN()))}} {
		afterBad(t, stats.Options{Weight: "w"}, stats.ErrWeight, good, record(bad))
	}
}

func TestTwoKinds(t *testing.T) {
	records := [][]byte{ints(1), floats(2), ints(3)}
	a := run(t, nil, records, 1)
	c := a.Conflicts()
	if len(c) != 1 || c[0].Path[0] != "x" || c[0].Kinds[example.Int64List] != 2 || c[0].Kinds[example.FloatList] != 1 || c[0].First[example.FloatList] != 1 || c[0].First[example.Int64List] != 0 {
		t.Errorf("conflicts %+v", c)
	}
	f := list(t, a).Datasets[0].Features[0]
	if f.Type != metadatapb.FeatureNameStatistics_INT || f.GetNumStats().CommonStats.NumNonMissing != 2 || f.GetNumStats().CommonStats.NumMissing != 1 {
		t.Errorf("%v", f)
	}
}

func TestTwoKindsInOneFeature(t *testing.T) {
	bad := []byte("\n\x11\n\x0f\n\x01a\x12\n\x1a\x03\n\x01\x01\n\x03\n\x01x") // an int64_list, and then a bytes_list
	a, err := stats.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Add(bad); !errors.Is(err, example.ErrAmbiguous) {
		t.Errorf("Add: %v, wanted ErrAmbiguous", err)
	}
}

// TestDifferences checks that each row of DIFFERENCES.md has a test, and that each test of this file, of
// details_test.go and of sample_test.go has a row.
func TestDifferences(t *testing.T) {
	text, err := os.ReadFile("DIFFERENCES.md")
	if err != nil {
		t.Fatal(err)
	}
	var source []byte
	for _, name := range []string{"native_test.go", "details_test.go", "sample_test.go"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		source = append(source, b...)
	}
	known := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(source), -1) {
		known[m[1]] = m[1] == "TestDifferences"
	}
	for _, m := range regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(string(text), -1) {
		if _, ok := known[m[1]]; !ok {
			t.Errorf("unknown test %s", m[1])
		}
		known[m[1]] = true
	}
	for name, listed := range known {
		if !listed {
			t.Errorf("no row names %s", name)
		}
	}
}

// TestAllowlistHidesTheRest checks that weights and the features of slices and of sparse features are read even if they
// are not listed.
func TestAllowlistHidesTheRest(t *testing.T) {
	r := record(example.Example{"a": example.Int64s(1), "b": example.Strings("x")})
	sparse := &metadatapb.Schema{SparseFeature: []*metadatapb.SparseFeature{{
		Name: proto.String("s"), ValueFeature: &metadatapb.SparseFeature_ValueFeature{Name: proto.String("b")},
		IndexFeature: []*metadatapb.SparseFeature_IndexFeature{{Name: proto.String("a")}},
	}}}
	o := stats.Options{Features: []string{"a"}, Schema: sparse, Slices: []stats.Slice{{"a": nil, "b": nil}}}
	native := describe(t, o, r)
	d := native.Datasets[len(native.Datasets)-1]
	if s := d.Features[len(d.Features)-1]; d.Name != "a_1_b_x" || s.CustomStats[0].GetNum() != 0 {
		t.Errorf("slice %q, %v", d.Name, s)
	}
	if l := describe(t, stats.Options{Features: []string{"b"}, Weight: "a"}, r); l.Datasets[0].WeightedNumExamples != 1 {
		t.Errorf("a weight that is not listed: %v", l)
	}
}

func TestSlicesOfFloats(t *testing.T) {
	native := describe(t, stats.Options{Slices: []stats.Slice{{"x": nil}}}, record(example.Example{"x": example.Floats(.1)}))
	if name := native.Datasets[1].Name; name != "x_0.1" {
		t.Errorf("slice %q", name)
	}
}

func TestSlicesOfNoInteger(t *testing.T) {
	native := describe(t, stats.Options{Slices: []stats.Slice{{"x": {"2.5", "7"}}}}, ints(2), ints(7))
	if len(native.Datasets) != 2 || native.Datasets[1].Name != "x_7" || native.Datasets[1].NumExamples != 1 {
		t.Errorf("%v", native)
	}
}

func TestLongLabels(t *testing.T) {
	long := strings.Repeat("g", 1025)
	native := describe(t, stats.Options{}, words(long, long+"g"))
	if top := native.Datasets[0].Features[0].GetStringStats().TopValues; len(top) != 2 || top[1].Value != long || top[1].Frequency != 1 {
		t.Errorf("%v", top)
	}
}

func TestUncountedLabels(t *testing.T) {
	schema := &metadatapb.Schema{}
	if err := prototext.Unmarshal([]byte(`feature { name: "x" type: BYTES string_domain { is_categorical: CATEGORICAL_NO } }`), schema); err != nil {
		t.Fatal(err)
	}
	native := describe(t, stats.Options{Schema: schema}, words("a", "b"))
	if s := native.Datasets[0].Features[0].GetStringStats(); s.Unique != 2 || len(s.TopValues) != 2 {
		t.Errorf("%v", s)
	}
}

func TestSlicesWithoutKind(t *testing.T) {
	o := stats.Options{Slices: []stats.Slice{{"x": nil}}}
	native := describe(t, o, record(example.Example{"x": {}, "y": example.Int64s(1)}), record(example.Example{"y": example.Int64s(1)}))
	if len(native.Datasets) != 1 {
		t.Errorf("%v", native)
	}
}

func TestNoVocabulary(t *testing.T) {
	schema := &metadatapb.Schema{}
	if err := prototext.Unmarshal([]byte(`feature { name: "x" type: BYTES natural_language_domain { vocabulary: "v" } }`), schema); err != nil {
		t.Fatal(err)
	}
	native := describe(t, stats.Options{Schema: schema}, words("a", "b"))
	if f := native.Datasets[0].Features[0]; len(f.CustomStats) != 0 {
		t.Errorf("%v", f)
	}
}

// TestSemanticDomains checks the counts of values in the semantic domain of a schema.
func TestSemanticDomains(t *testing.T) {
	const gif = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x01D\x00;"
	for _, c := range []struct {
		domain, name string
		value        example.Value
		want         map[string]float64
	}{
		{"BYTES image_domain {}", "image_format_histogram", example.Strings(gif, gif[:20], "<html>"), map[string]float64{"gif": 1, "UNKNOWN": 2}},
		{"BYTES url_domain {}", "semantic_domain_histogram", example.Strings("a:b", "b"), map[string]float64{"a URL": 1, "UNKNOWN": 1}},
		{"INT time_domain { string_format: '%Y' }", "semantic_domain_histogram", example.Int64s(5, 6), map[string]float64{"a time of the format \"%Y\"": 0, "UNKNOWN": 2}},
	} {
		schema := &metadatapb.Schema{}
		if err := prototext.Unmarshal([]byte(`feature { name: "x" type: `+c.domain+` }`), schema); err != nil {
			t.Fatal(err)
		}
		native := describe(t, stats.Options{Schema: schema}, record(example.Example{"x": c.value}), record(example.Example{"x": c.value}))
		custom := native.Datasets[0].Features[0].CustomStats
		if len(custom) != 1 || custom[0].Name != c.name {
			t.Errorf("%s: %v", c.domain, custom)
			continue
		}
		got := map[string]float64{}
		for _, b := range custom[0].GetRankHistogram().GetBuckets() {
			got[b.Label] = b.SampleCount / 2
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.domain, got, c.want)
		}
	}
}

// TestTokensWithoutVocabulary checks the counts of tokens with constraints. A sequence may lack such tokens.
func TestTokensWithoutVocabulary(t *testing.T) {
	schema := &metadatapb.Schema{}
	if err := prototext.Unmarshal([]byte(`feature { name: "x" type: BYTES natural_language_domain { token_constraints { string_value: "a" max_per_sequence: 1 }
		sequence_length_constraints { excluded_string_value: "b" min_sequence_length: 1 } } }`), schema); err != nil {
		t.Fatal(err)
	}
	native := describe(t, stats.Options{Schema: schema}, words("b", "b"), words("a", "a", "b"))
	if nl := nlStatistics(t, native); nl.MinSequenceLength != 0 || nl.MaxSequenceLength != 2 || nl.TokenStatistics[0].PerSequenceMaxFrequency != 2 {
		t.Errorf("%v", nl)
	}
}

// nlStatistics returns the token statistics of the only feature.
func nlStatistics(t *testing.T, l *metadatapb.DatasetFeatureStatisticsList) *metadatapb.NaturalLanguageStatistics {
	t.Helper()
	custom := l.Datasets[0].Features[0].CustomStats
	nl := &metadatapb.NaturalLanguageStatistics{}
	if len(custom) != 1 || custom[0].Name != "nl_statistics" {
		t.Fatalf("custom statistics: %v", custom)
	}
	if err := proto.Unmarshal(custom[0].GetAny().GetValue(), nl); err != nil {
		t.Fatal(err)
	}
	return nl
}

// TestVocabulary checks that text outside the vocabulary is counted as such, and that a token with several excluded
// forms is subtracted from a length once.
func TestVocabulary(t *testing.T) {
	schema := &metadatapb.Schema{}
	if err := prototext.Unmarshal([]byte(`feature { name: "x" natural_language_domain { vocabulary: "v"
		sequence_length_constraints { excluded_int_value: 1 excluded_string_value: "b" } } }`), schema); err != nil {
		t.Fatal(err)
	}
	o := stats.Options{Schema: schema, Vocabularies: map[string][]string{"v": {"a", "b"}}}
	for name, records := range map[string][][]byte{
		"text":    {words("a", "b", "c", "d")},
		"numbers": {ints(0, 1, 2, -1)},
	} {
		if nl := nlStatistics(t, describe(t, o, records...)); nl.FeatureCoverage != 0.5 || nl.MaxSequenceLength != 3 {
			t.Errorf("%s: coverage is %v and length %d, wanted 0.5 and 3", name, nl.FeatureCoverage, nl.MaxSequenceLength)
		}
	}
	// The vocabulary is part of the state, and the accumulator does not share the caller's memory.
	acc := run(t, &o, [][]byte{ints(0, 1)})
	o.Vocabularies["v"][0] = "z"
	var again stats.Accumulator
	if err := again.UnmarshalBinary(state(t, acc)); err != nil {
		t.Fatal(err)
	}
	if err := again.Add(ints(0)); err != nil {
		t.Fatal(err)
	}
	if got := nlStatistics(t, list(t, &again)).RankHistogram.Buckets; len(got) != 2 || got[0].Label != "a" || got[0].SampleCount != 2 {
		t.Errorf("tokens after it was written and read: %v", got)
	}
	other, err := stats.New(&o)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Merge(other); !errors.Is(err, stats.ErrOptions) {
		t.Errorf("merged with that of another vocabulary: %v", err)
	}
}

package anomaly_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/anomaly"
	"github.com/tfparse/tfparse/validate/drift"
	"github.com/tfparse/tfparse/validate/stats"
)

// sliced makes statistics of records, sliced by city. Numbers are shifted in one city.
func sliced(t testing.TB, seed uint64, n int, shift float64) (*pb.DatasetFeatureStatisticsList, *stats.Details) {
	t.Helper()
	acc, err := stats.New(&stats.Options{Slices: []stats.Slice{{"city": nil}}})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 1))
	for range n {
		e := example.Example{"city": example.Strings(fmt.Sprint("c", r.IntN(4))), "x": example.Floats(float32(r.NormFloat64()))}
		if e["city"].Bytes[0][1] == '2' {
			e["x"].Floats[0] += float32(shift)
		}
		msg, _ := e.MarshalBinary()
		if err := acc.Add(msg); err != nil {
			t.Fatal(err)
		}
	}
	list, details, err := acc.Detailed(1)
	if err != nil {
		t.Fatal(err)
	}
	return list, details
}

// TestSlicesAreCounted compares the distances of slices with those of package drift for each slice alone. With details, numbers are
// counted in common bins.
func TestSlicesAreCounted(t *testing.T) {
	s := read(t, "feature { name: 'city' type: BYTES } feature { name: 'x' type: FLOAT drift_comparator { jensen_shannon_divergence { threshold: 0.2 } } }", &pb.Schema{})
	now, nowDetails := sliced(t, 1, 20_000, 3)
	before, beforeDetails := sliced(t, 2, 20_000, 0)
	slice := func(list *pb.DatasetFeatureStatisticsList, i int) *pb.DatasetFeatureStatisticsList {
		return &pb.DatasetFeatureStatisticsList{Datasets: list.Datasets[i : i+1]}
	}
	without := map[string]float64{}
	for _, detailed := range []bool{false, true} {
		var found []string
		o := &anomaly.Options{Slices: true, Previous: before, Report: func(f anomaly.Finding) { found = append(found, f.Slice+" "+f.Path[0]) }}
		d := &drift.Options{}
		if detailed {
			o.Details, o.PreviousDetails = nowDetails, beforeDetails
			d.Details = [2]*stats.Details{nowDetails, beforeDetails}
		}
		a, err := anomaly.Validate(now, s, o)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for _, info := range a.GetDriftSkewInfo() {
			got[strings.Join(info.GetPath().GetStep(), "/")] = info.GetDriftMeasurements()[0].GetValue()
		}
		if len(got) != 5 {
			t.Errorf("details %t: the distances are %v, wanted those of 4 slices and of all", detailed, got)
		}
		for i, one := range now.GetDatasets() {
			k := slices.IndexFunc(before.GetDatasets(), func(d *pb.DatasetFeatureStatistics) bool { return d.GetName() == one.GetName() })
			r, err := drift.Compare(slice(now, i), slice(before, k), d)
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(r.Features, func(f drift.Feature) bool { return f.Name() == "x" })
			js := slices.IndexFunc(r.Features[at].Distances, func(d drift.Distance) bool { return d.Measure == drift.JensenShannon })
			name := "x"
			if one.GetName() != "All Examples" {
				name = anomaly.SlicePrefix(one.GetName()) + "x"
			}
			if want := r.Features[at].Distances[js].Value; got[name] != want {
				t.Errorf("details %t: %s is at %v, wanted %v", detailed, name, got[name], want)
			}
			if detailed && got[name] > 0 && got[name] == without[name] {
				t.Errorf("%s is at %v with details and without", name, got[name])
			}
			without[name] = got[name]
		}
		if want := []string{"city_c2 x"}; !slices.Equal(found, want) {
			t.Errorf("details %t: findings about %q, wanted %q", detailed, found, want)
		}
	}
}

// TestSlicesOfOneSide checks that a slice of only one data set is reported once, and as an error only if chance does not
// explain it.
func TestSlicesOfOneSide(t *testing.T) {
	list := func(all int, of map[string]int) *pb.DatasetFeatureStatisticsList {
		text := func(name string, n int) string {
			return fmt.Sprintf("datasets { name: %q num_examples: %d features { path { step: 'x' } type: STRING string_stats { common_stats { num_non_missing: %d tot_num_values: %d min_num_values: 1 max_num_values: 1 } unique: 1 rank_histogram { %s } } } } ", name, n, n, n, bucket("v", n))
		}
		s := text("All Examples", all)
		for _, name := range []string{"a", "b", "big", "few"} {
			if n := of[name]; n > 0 {
				s += text(name, n)
			}
		}
		return read(t, s, &pb.DatasetFeatureStatisticsList{})
	}
	s := read(t, "feature { name: 'x' type: BYTES presence { min_count: 1 } drift_comparator { jensen_shannon_divergence { threshold: 0.2 } } } feature { name: 'odd' }"+
		" dataset_constraints { min_examples_count: 2000 }", &pb.Schema{})
	now := list(1000, map[string]int{"a": 500, "b": 400, "few": 2})
	const schemas = "odd ERROR FEATURE_MISSING_TYPE: The schema has no type for the feature."
	const examples = "- ERROR DATASET_LOW_NUM_EXAMPLES: The dataset has 1000 examples, where at least 2000 are expected."
	for name, c := range map[string]struct {
		o    anomaly.Options
		want []string
	}{
		"nothing to compare with": {anomaly.Options{}, []string{schemas, examples}},
		"the same":                {anomaly.Options{Previous: now, Serving: now}, []string{schemas, examples}},
		"no slices":               {anomaly.Options{Previous: list(1000, nil), Serving: list(1000, nil)}, []string{schemas, examples}},
		"one is gone": {anomaly.Options{Previous: list(1000, map[string]int{"a": 500, "b": 300, "big": 100})}, []string{schemas,
			"'slice(big)::' ERROR COMPARATOR_TREATMENT_DATA_MISSING: The previous data have 100 of 1,000 records in the slice, and the current data have none.",
			"'slice(few)::' WARNING COMPARATOR_CONTROL_DATA_MISSING: The current data have 2 of 1,000 records in the slice, and the previous data have none, which may be chance.", examples}},
		"one is new": {anomaly.Options{Serving: list(1000, map[string]int{"a": 500, "few": 3})}, []string{schemas,
			"'slice(b)::' ERROR COMPARATOR_CONTROL_DATA_MISSING: The training data have 400 of 1,000 records in the slice, and the serving data have none.", examples}},
		"severities": {anomaly.Options{Previous: list(1000, map[string]int{"a": 500, "b": 300, "big": 100}), Severity: map[pb.AnomalyInfo_Type]pb.AnomalyInfo_Severity{
			pb.AnomalyInfo_COMPARATOR_TREATMENT_DATA_MISSING: pb.AnomalyInfo_UNKNOWN, pb.AnomalyInfo_COMPARATOR_CONTROL_DATA_MISSING: pb.AnomalyInfo_ERROR}}, []string{schemas,
			"'slice(few)::' ERROR COMPARATOR_CONTROL_DATA_MISSING: The current data have 2 of 1,000 records in the slice, and the previous data have none, which may be chance.", examples}},
	} {
		var found []anomaly.Finding
		c.o.Slices = true
		c.o.Report = func(f anomaly.Finding) { found = append(found, f) }
		a, err := anomaly.Validate(now, s, &c.o)
		if err != nil {
			t.Fatal(err)
		}
		if got := texts(a); !slices.Equal(got, c.want) {
			t.Errorf("%s:\ngot    %s\nwanted %s", name, strings.Join(got, "\n       "), strings.Join(c.want, "\n       "))
		}
		if len(found) != len(c.want) {
			t.Errorf("%s: %d findings, wanted %d: %+v", name, len(found), len(c.want), found)
		}
		for _, f := range found {
			if ofSlice := f.Slice != "" && f.Slice != "All Examples"; ofSlice != (f.Path == nil && f.Type != pb.AnomalyInfo_DATASET_LOW_NUM_EXAMPLES) {
				t.Errorf("%s: a finding has the slice %q and the path %q", name, f.Slice, f.Path)
			}
		}
	}
	twice := read(t, "datasets { name: 'All Examples' num_examples: 3 } datasets { name: 'a' num_examples: 1 } datasets { name: 'a' num_examples: 2 }", &pb.DatasetFeatureStatisticsList{})
	for _, o := range []*anomaly.Options{{Slices: true, Previous: twice}, {Slices: true, Serving: twice}} {
		if _, err := anomaly.Validate(now, s, o); err == nil {
			t.Error("two slices of one name are no error")
		}
	}
	if _, err := anomaly.Validate(twice, s, &anomaly.Options{Slices: true}); err == nil {
		t.Error("two slices of one name are no error")
	}
}

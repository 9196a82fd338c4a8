package drift_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/pbtext"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/drift"
)

// days are statistics of a shop for two days: the time advances, and fewer orders have a coupon.
var days = [2]string{`datasets { num_examples: 1000
  features { path { step: "time" } type: INT num_stats { common_stats { num_non_missing: 1000 tot_num_values: 1000 }
    histograms { type: QUANTILES buckets { low_value: 0 high_value: 86400 sample_count: 1000 } } } }
  features { path { step: "coupon" } type: INT num_stats { common_stats { num_non_missing: 500 num_missing: 500 tot_num_values: 500 } } }
  features { path { step: "client" } type: STRUCT struct_stats { common_stats { num_non_missing: 1000 tot_num_values: 1000 } } }
  features { path { step: "client" step: "city" } type: STRING string_stats { common_stats { num_non_missing: 1000 tot_num_values: 1000 }
    rank_histogram { buckets { label: "Oslo" sample_count: 800 } buckets { label: "Rome" sample_count: 200 } } } }
  features { path { step: "a.b" } type: INT num_stats { common_stats { num_non_missing: 1000 tot_num_values: 1000 } } } }`,
	`datasets { num_examples: 1000
  features { path { step: "time" } type: INT num_stats { common_stats { num_non_missing: 1000 tot_num_values: 1000 }
    histograms { type: QUANTILES buckets { low_value: 86401 high_value: 172800 sample_count: 1000 } } } }
  features { path { step: "coupon" } type: INT num_stats { common_stats { num_non_missing: 300 num_missing: 700 tot_num_values: 300 } } }
  features { path { step: "client" } type: STRUCT struct_stats { common_stats { num_non_missing: 1000 tot_num_values: 1000 } } }
  features { path { step: "client" step: "city" } type: STRING string_stats { common_stats { num_non_missing: 1000 tot_num_values: 1000 }
    rank_histogram { buckets { label: "Oslo" sample_count: 500 } buckets { label: "Rome" sample_count: 500 } } } }
  features { path { step: "a.b" } type: STRING string_stats { common_stats { num_non_missing: 1000 tot_num_values: 1000 } } } }`}

func ExampleReport_Failures() {
	var yesterday, today metadatapb.DatasetFeatureStatisticsList
	_ = pbtext.Unmarshal([]byte(days[0]), &yesterday)
	_ = pbtext.Unmarshal([]byte(days[1]), &today)
	report, err := drift.Compare(&yesterday, &today, &drift.Options{Ignore: []string{"time"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	thresholds := drift.Thresholds{All: 0.1, Features: map[string]float64{"coupon": 0.3}, Measures: map[drift.Measure]float64{drift.NormalizedDifference: 0.2}}
	for _, f := range report.Failures(thresholds) {
		if f.Note != "" {
			fmt.Println(f.Path, f.Note)
		} else {
			fmt.Printf("%s %v %.3f is above %v\n", f.Path, f.Measure, f.Value, f.Threshold)
		}
	}
	// Output:
	// [a.b] type changed
	// [client city] l_infinity 0.300 is above 0.1
}

// TestSelect checks that names select features, and that the name of a struct selects its features.
func TestSelect(t *testing.T) {
	a, b := statistics(t, days[0]), statistics(t, days[1])
	for _, c := range []struct {
		features, ignore []string
		want             string
	}{
		{nil, nil, "a.b client client.city coupon time"},
		{nil, []string{"time", "nothing"}, "a.b client client.city coupon"},
		{nil, []string{"client"}, "a.b coupon time"},
		{nil, []string{"client.city", "a.b"}, "client coupon time"},
		{[]string{"client", "'a.b'"}, nil, "a.b client client.city"},
		{[]string{"client", "time"}, []string{"client.city"}, "client time"},
		{[]string{"city", "clien"}, nil, ""},
	} {
		r, err := drift.Compare(a, b, &drift.Options{Features: c.features, Ignore: c.ignore})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range r.Features {
			got = append(got, strings.Join(f.Path, "."))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != c.want {
			t.Errorf("features %q, ignore %q: %q, want %s", c.features, c.ignore, got, c.want)
		}
	}
	names, err := drift.Names(a, b)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"time", "client", "client.city", "a.b", "'a.b'"} {
		if !names[name] {
			t.Errorf("%s is not among the names %v", name, names)
		}
	}
	if names["city"] || len(names) != 6 {
		t.Errorf("the names are %v", names)
	}
	if _, err := drift.Names(a, statistics(t, "")); err == nil {
		t.Error("names of no data set")
	}
}

// TestIgnoredNoise checks that the remaining features share the significance, which lowers their noise.
func TestIgnoredNoise(t *testing.T) {
	noise := func(o drift.Options) float64 {
		r, err := drift.Compare(statistics(t, days[0]), statistics(t, days[1]), &o)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(r.Features, func(f drift.Feature) bool { return f.Name() == "coupon" })
		return measured(t, r.Features[i], drift.Presence).Noise
	}
	all, one := noise(drift.Options{}), noise(drift.Options{Features: []string{"coupon"}})
	if !(one < all && one > 0) {
		t.Errorf("the noise of one feature of five is %v, of it alone %v", all, one)
	}
}

func TestThresholds(t *testing.T) {
	r, err := drift.Compare(statistics(t, days[0]), statistics(t, days[1]), nil)
	if err != nil {
		t.Fatal(err)
	}
	none := math.Inf(1)
	for _, c := range []struct {
		name string
		of   drift.Thresholds
		want string
	}{
		{"one for all", drift.Thresholds{All: 0.25}, "a.b: type changed, client.city: l_infinity>0.25, time: kolmogorov_smirnov>0.25 jensen_shannon>0.25"},
		{"none", drift.Thresholds{All: none}, "a.b: type changed"},
		{"a feature", drift.Thresholds{All: none, Features: map[string]float64{"coupon": 0.1, "time": 1}}, "a.b: type changed, coupon: presence_difference>0.1"},
		{"a struct", drift.Thresholds{All: none, Features: map[string]float64{"client": 0.2}}, "a.b: type changed, client.city: l_infinity>0.2"},
		{"the nearest name", drift.Thresholds{All: none, Features: map[string]float64{"client": 0.2, "client.city": 0.5}}, "a.b: type changed"},
		{"a measure", drift.Thresholds{All: none, Measures: map[drift.Measure]float64{drift.KolmogorovSmirnov: 0.9}}, "a.b: type changed, time: kolmogorov_smirnov>0.9"},
		{"a feature before a measure", drift.Thresholds{All: none, Features: map[string]float64{"time": 1}, Measures: map[drift.Measure]float64{drift.KolmogorovSmirnov: 0.9}}, "a.b: type changed"},
		{"the stability index by its name only", drift.Thresholds{All: none, Features: map[string]float64{"client.city": 0.35}, Measures: map[drift.Measure]float64{drift.PopulationStability: 0.25}},
			"a.b: type changed, client.city: population_stability_index>0.25, time: population_stability_index>0.25"},
	} {
		var got []string
		var last []string
		for _, f := range r.Failures(c.of) {
			text := f.Note
			if text == "" {
				text = fmt.Sprintf("%v>%v", f.Measure, f.Threshold)
			}
			if slices.Equal(f.Path, last) {
				got[len(got)-1] += " " + text
			} else {
				got = append(got, strings.Join(f.Path, ".")+": "+text)
			}
			last = f.Path
		}
		slices.Sort(got)
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %s, want %s", c.name, strings.Join(got, ", "), c.want)
		}
	}
}

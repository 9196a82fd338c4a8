package drift_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/pbtext"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/drift"
)

func statistics(t testing.TB, text string) *metadatapb.DatasetFeatureStatisticsList {
	t.Helper()
	list := &metadatapb.DatasetFeatureStatisticsList{}
	if err := pbtext.Unmarshal([]byte(text), list); err != nil {
		t.Fatal(err)
	}
	return list
}

func city(counts ...int) string {
	var b strings.Builder
	total := 0
	for i, n := range counts {
		fmt.Fprintf(&b, "buckets { label: %q sample_count: %d }\n", string(rune('a'+i)), n)
		total += n
	}
	return fmt.Sprintf("features { path { step: 'city' } type: STRING string_stats { common_stats { num_non_missing: %d tot_num_values: %d } rank_histogram { %s } } }", total, total, b.String())
}

func list(features ...string) string {
	return "datasets { num_examples: 10 " + strings.Join(features, "\n") + " }"
}

func ExampleCompare() {
	var a, b metadatapb.DatasetFeatureStatisticsList
	_ = pbtext.Unmarshal([]byte("datasets { num_examples: 1000 "+city(800, 200)+"}"), &a)
	_ = pbtext.Unmarshal([]byte("datasets { num_examples: 1000 "+city(400, 400, 200)+"}"), &b)
	r, err := drift.Compare(&a, &b, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range r.Features {
		for _, d := range f.Distances {
			fmt.Printf("%s: %v %.3f %q, noise up to %.3f\n", f.Name(), d.Measure, d.Value, d.Label, d.Noise)
		}
	}
	// Output:
	// city: l_infinity 0.400 "a", noise up to 0.077
	// city: normalized_difference 0.200 "a", noise up to 0.038
	// city: jensen_shannon 0.173 "", noise up to 0.004
	// city: population_stability_index 1.607 "", noise up to 0.023
	// city: presence_difference 0.000 "", noise up to 0.000
}

const numbers = `features { path { step: 'x' } type: FLOAT num_stats { common_stats { num_non_missing: 4 num_missing: 6 } histograms { num_nan: %d buckets { low_value: %g high_value: %g sample_count: 4 } } } }`

// failed returns the features that fail with one threshold for all.
func failed(r *drift.Report, threshold float64) (features []string) {
	for _, f := range r.Failures(drift.Thresholds{All: threshold}) {
		features = append(features, drift.Feature{Path: f.Path}.Name())
	}
	return slices.Compact(features)
}

func TestCompare(t *testing.T) {
	a := statistics(t, list(city(1), fmt.Sprintf(numbers, 0, 0., 1.), "features { path { step: 'gone' } num_stats { } }", "features { path { step: 'sparse' } custom_stats { name: 'missing_value' } }"))
	b := statistics(t, list(city(1), fmt.Sprintf(numbers, 0, 0.5, 1.5), "features { path { step: 'new' } num_stats { } }"))
	r, err := drift.Compare(a, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range r.Features {
		got = append(got, fmt.Sprintf("%s only=%d present=%v largest=%.6f", f.Name(), f.Only, f.Present, f.Largest().Value))
	}
	// Half of the values overlap: with M the mean of both sides, each side is half of M in the overlap, and all of M elsewhere.
	want := []string{"gone only=1 present=[1 0] largest=0.000000", "new only=2 present=[0 1] largest=0.000000",
		"x only=0 present=[0.4 0.4] largest=0.500000", "city only=0 present=[1 1] largest=0.000000"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got  %q\nwanted %q", got, want)
	}
	if above := failed(r, 0.5); len(above) != 2 {
		t.Errorf("%v, wanted those that only one side has", above)
	}
	if _, err := drift.Compare(a, statistics(t, ""), nil); err == nil || !strings.Contains(err.Error(), "second") {
		t.Errorf("no statistics: %v", err)
	}
}

// TestNaNCounts checks that NaN counts. TensorFlow Data Validation ignores it if the buckets differ.
func TestNaNCounts(t *testing.T) {
	a, b := statistics(t, list(fmt.Sprintf(numbers, 4, 0., 1.))), statistics(t, list(fmt.Sprintf(numbers, 0, 0., 2.)))
	for compat, want := range map[bool]float64{true: 0.311278, false: 0.5} {
		r, err := drift.Compare(a, b, &drift.Options{Compat: compat})
		if err != nil {
			t.Fatal(err)
		}
		if d := r.Features[0].Largest().Value; math.Abs(d-want) > 1e-6 {
			t.Errorf("compat %t: %v, wanted %v", compat, d, want)
		}
	}
}

// TestNaNAndInfinities checks that NaN and infinities have separate cells. TensorFlow Data Validation
// treats them as different from themselves. The divergence between shares p and q of one value
// is H((p+q)/2) - (H(p)+H(q))/2, where H is the binary entropy.
func TestNaNAndInfinities(t *testing.T) {
	const (
		half     = "num_nan: 50 buckets { low_value: 0 high_value: 1 sample_count: 50 }"
		tenth    = "num_nan: 10 buckets { low_value: 0 high_value: 1 sample_count: 90 }"
		up       = "buckets { low_value: 0 high_value: 1 sample_count: 50 } buckets { low_value: inf high_value: inf sample_count: 50 }"
		down     = "buckets { low_value: -inf high_value: -inf sample_count: 50 } buckets { low_value: 0 high_value: 1 sample_count: 50 }"
		onlyNaN  = "num_nan: 100"
		onlyUp   = "buckets { low_value: inf high_value: inf sample_count: 100 }"
		onlyDown = "buckets { low_value: -inf high_value: -inf sample_count: 100 }"
		reaching = "buckets { low_value: 0 high_value: 1 sample_count: 50 } buckets { low_value: 1 high_value: inf sample_count: 50 }"
		all      = "buckets { low_value: inf high_value: -inf sample_count: 100 }"
	)
	h := func(p float64) float64 { return -p*math.Log2(p) - (1-p)*math.Log2(1-p) }
	for _, c := range []struct {
		name, a, b   string
		want, compat float64
	}{
		{"half NaN", half, half, 0, 0.5},
		{"half infinite", up, up, 0, 0.5},
		{"half infinite, below", down, down, 0, 0.5},
		{"all NaN", onlyNaN, onlyNaN, 0, 1},
		{"all infinite", onlyUp, onlyUp, 0, 1},
		{"ends that are turned round", all, all, 0, 1},
		{"a bucket without an end", reaching, reaching, 0, 0.5},
		{"a half of NaN and a tenth", half, tenth, h(0.3) - (h(0.5)+h(0.1))/2, h(0.7) + 0.3*h(0.25/0.3) - (h(0.5)+h(0.1))/2},
		{"the other infinity", up, down, 0.5, 0.5},
		{"one infinity and the other", onlyUp, onlyDown, 1, 1},
		{"one infinity and both", onlyUp, all, h(0.25) - h(0.5)/2, 1},
		{"infinite and NaN", onlyUp, onlyNaN, 1, 1},
	} {
		form := "features { path { step: 'x' } type: FLOAT num_stats { common_stats { num_non_missing: 10 } histograms { %s } } }"
		a, b := statistics(t, list(fmt.Sprintf(form, c.a))), statistics(t, list(fmt.Sprintf(form, c.b)))
		for compat, want := range map[bool]float64{false: c.want, true: c.compat} {
			r, err := drift.Compare(a, b, &drift.Options{Compat: compat})
			if err != nil {
				t.Fatal(err)
			}
			d := r.Features[0].Distances
			i := slices.IndexFunc(d, func(d drift.Distance) bool { return d.Measure == drift.JensenShannon })
			if i < 0 {
				t.Errorf("%s, compat %t: nothing measured", c.name, compat)
			} else if got := d[i].Value; math.Abs(got-want) > 1e-12 || want == 0 && got != 0 {
				t.Errorf("%s, compat %t: %v, wanted %v", c.name, compat, got, want)
			}
		}
	}
}

// common returns the statistics of a feature that is present in some of 10 examples.
func common(kind, stats string, present, values int) string {
	return fmt.Sprintf("features { path { step: 'f' } type: %s %s { common_stats { num_non_missing: %d num_missing: %d tot_num_values: %d } %%s } }", kind, stats, present, 10-present, values)
}

// TestChanges checks changes that no distance between values shows: presence, type, and missing values.
func TestChanges(t *testing.T) {
	const (
		histogram = "histograms { buckets { low_value: 0 high_value: 9 sample_count: 10 } }"
		ranks     = "rank_histogram { buckets { label: '1' sample_count: 5 } buckets { label: '2' sample_count: 5 } }"
	)
	ints := fmt.Sprintf(common("INT", "num_stats", 10, 10), histogram)
	floats := fmt.Sprintf(common("FLOAT", "num_stats", 10, 10), histogram)
	words := fmt.Sprintf(common("STRING", "string_stats", 10, 10), ranks)
	codes := fmt.Sprintf(common("INT", "string_stats", 10, 10), ranks)
	few := fmt.Sprintf(common("INT", "num_stats", 1, 1), histogram)
	twice := fmt.Sprintf(common("INT", "num_stats", 10, 20), histogram)
	none := fmt.Sprintf(common("INT", "num_stats", 10, 0), "")
	noWords := fmt.Sprintf(common("STRING", "string_stats", 10, 0), "")
	gone := fmt.Sprintf(common("INT", "num_stats", 0, 0), "")
	bare := "features { path { step: 'f' } type: INT custom_stats { name: 'missing_value' } }"
	for _, c := range []struct {
		name, a, b string
		want       string // types, present, values, distances
		retyped    bool
		onlyValues int
		only       int
		above      float64 // the least threshold at which the feature passes; 2: it never passes
	}{
		{"the same", ints, ints, "[int int] [1 1] [1 1] jensen_shannon=0 population_stability_index=0 kolmogorov_smirnov=0 presence_difference=0", false, 0, 0, 0},
		{"int to string", ints, words, "[int string] [1 1] [1 1] presence_difference=0", true, 0, 0, 2},
		{"int to float", ints, floats, "[int float] [1 1] [1 1] jensen_shannon=0 population_stability_index=0 kolmogorov_smirnov=0 presence_difference=0", true, 0, 0, 2},
		{"numbers to labels", ints, codes, "[int categorical int] [1 1] [1 1] presence_difference=0", true, 0, 0, 2},
		{"less often there", ints, few, "[int int] [1 0.1] [1 1] jensen_shannon=0 population_stability_index=0 kolmogorov_smirnov=0 presence_difference=0.9", false, 0, 0, 0.9},
		{"more often there", few, ints, "[int int] [0.1 1] [1 1] jensen_shannon=0 population_stability_index=0 kolmogorov_smirnov=0 presence_difference=0.9", false, 0, 0, 0.9},
		{"more values", ints, twice, "[int int] [1 1] [1 2] jensen_shannon=0 population_stability_index=0 kolmogorov_smirnov=0 presence_difference=0", false, 0, 0, 0},
		{"empty lists", ints, none, "[int ] [1 1] [1 0] presence_difference=0", false, 1, 0, 2},
		{"no empty lists", none, ints, "[ int] [1 1] [0 1] presence_difference=0", false, 2, 0, 2},
		{"never there", ints, gone, "[int ] [1 0] [1 0] presence_difference=1", false, 1, 0, 2},
		{"empty, of another type", none, noWords, "[ ] [1 1] [0 0] presence_difference=0 empty_difference=0", false, 0, 0, 0},
		{"nothing but custom statistics", bare, ints, "[ int] [0 1] [0 1]", false, 0, 2, 2},
	} {
		r, err := drift.Compare(statistics(t, list(c.a)), statistics(t, list(c.b)), nil)
		if err != nil || len(r.Features) != 1 {
			t.Errorf("%s: %v, %v", c.name, r, err)
			continue
		}
		f := r.Features[0]
		got := fmt.Sprint(f.Types, f.Present, f.Values)
		for _, d := range f.Distances {
			got += fmt.Sprintf(" %v=%.6g", d.Measure, d.Value)
		}
		if got != c.want || f.Retyped != c.retyped || f.OnlyValues != c.onlyValues || f.Only != c.only {
			t.Errorf("%s: %s retyped=%t only=%d of values=%d, wanted %s retyped=%t only=%d of values=%d", c.name, got, f.Retyped, f.Only, f.OnlyValues, c.want, c.retyped, c.only, c.onlyValues)
		}
		if got := len(failed(r, 1)) > 0; got != (c.above > 1) {
			t.Errorf("%s: above 1 is %t", c.name, got)
		}
		if c.above <= 1 && (len(failed(r, c.above)) > 0 || c.above > 0 && len(failed(r, c.above-0.01)) == 0) {
			t.Errorf("%s: wanted nothing above %v, and something below", c.name, c.above)
		}
	}
	// TensorFlow Data Validation compares labels with no labels: the distance is the share of the most frequent label.
	r, err := drift.Compare(statistics(t, list(ints)), statistics(t, list(words)), &drift.Options{Compat: true})
	if err != nil || r.Features[0].Largest().Value != 0.5 || !r.Features[0].Retyped {
		t.Errorf("with Compat: %+v, %v", r, err)
	}
}

func TestMeasureText(t *testing.T) {
	for _, m := range []drift.Measure{drift.LInfinity, drift.NormalizedDifference, drift.JensenShannon, drift.Presence, drift.Emptiness, drift.PopulationStability, drift.KolmogorovSmirnov} {
		b, err := json.Marshal(m)
		var again drift.Measure
		if err2 := json.Unmarshal(b, &again); err != nil || err2 != nil || again != m {
			t.Errorf("%v: %s, %v, %v", m, b, err, err2)
		}
	}
	if _, err := drift.Measure(9).MarshalText(); err == nil || drift.Measure(9).String() != "Measure(9)" {
		t.Error("Measure(9) is none")
	}
}

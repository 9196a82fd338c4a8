package drift_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/drift"
	"github.com/tfparse/tfparse/validate/pbtext"
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
	_ = pbtext.Unmarshal([]byte(list(city(8, 2))), &a)
	_ = pbtext.Unmarshal([]byte(list(city(4, 4, 2))), &b)
	r, err := drift.Compare(&a, &b, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range r.Above(0.1) {
		for _, d := range f.Distances {
			fmt.Printf("%s: %v %.3f %s\n", f.Name(), d.Measure, d.Value, d.Label)
		}
	}
	// Output:
	// city: l_infinity 0.400 a
	// city: normalized_difference 0.200 a
	// city: jensen_shannon 0.174
}

const numbers = `features { path { step: 'x' } type: FLOAT num_stats { common_stats { num_non_missing: 4 num_missing: 6 } histograms { num_nan: %d buckets { low_value: %g high_value: %g sample_count: 4 } } } }`

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
	// Half of the values overlap: each side is the half of M where they do, all of it elsewhere.
	want := []string{"city only=0 present=[1 1] largest=0.000000", "gone only=1 present=[1 0] largest=0.000000", "new only=2 present=[0 1] largest=0.000000",
		"x only=0 present=[0.4 0.4] largest=0.500000"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got  %q\nwanted %q", got, want)
	}
	if above := r.Above(0.5); len(above) != 2 {
		t.Errorf("%v, wanted those that only one side has", above)
	}
	if _, err := drift.Compare(a, statistics(t, ""), nil); err == nil || !strings.Contains(err.Error(), "second") {
		t.Errorf("no statistics: %v", err)
	}
}

// NaN count: TensorFlow Data Validation forgets them where the buckets differ.
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

func TestMeasureText(t *testing.T) {
	for _, m := range []drift.Measure{drift.LInfinity, drift.NormalizedDifference, drift.JensenShannon} {
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

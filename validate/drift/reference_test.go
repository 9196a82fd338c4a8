package drift_test

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/drift"
	"github.com/tfparse/tfparse/validate/stats"
)

// A side is the statistics and the details of records.
type side struct {
	list    *metadatapb.DatasetFeatureStatisticsList
	details *stats.Details
}

// sideOf computes the statistics of n records, whose values set sets.
func sideOf(t testing.TB, opts *stats.Options, n int, set func(e example.Example, i int)) side {
	t.Helper()
	a, err := stats.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	e := example.Example{}
	var rec []byte
	for i := range n {
		set(e, i)
		if rec, err = e.AppendBinary(rec[:0]); err != nil {
			t.Fatal(err)
		}
		if err := a.Add(rec); err != nil {
			t.Fatal(err)
		}
	}
	list, details, err := a.Detailed(1)
	if err != nil {
		t.Fatal(err)
	}
	return side{list, details}
}

func floats(t testing.TB, values []float64) side {
	return sideOf(t, nil, len(values), func(e example.Example, i int) { e["x"] = example.Floats(float32(values[i])) })
}

// between compares records.
func between(t testing.TB, a, b side, opts drift.Options) *drift.Report {
	t.Helper()
	opts.Details = [2]*stats.Details{a.details, b.details}
	r, err := drift.Compare(a.list, b.list, &opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func measured(t testing.TB, f drift.Feature, m drift.Measure) drift.Distance {
	t.Helper()
	for _, d := range f.Distances {
		if d.Measure == m {
			return d
		}
	}
	t.Fatalf("%s has no %v: %+v", f.Name(), m, f)
	return drift.Distance{}
}

// TestReference compares distances with those of scipy, and noise with a simulation that divides the
// values at random.
func TestReference(t *testing.T) {
	f, err := os.Open("../../testdata/distances.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, cases := bufio.NewScanner(f), 0
	lines.Buffer(nil, 1<<20)
	for ; lines.Scan(); cases++ {
		var c struct {
			Name, Kind string
			A, B       []any
			JS         float64  `json:"jensen_shannon"`
			JSChance   float64  `json:"jensen_shannon_chance"`
			JSNoise    float64  `json:"jensen_shannon_noise"`
			PSI        float64  `json:"population_stability_index"`
			PSIChance  float64  `json:"population_stability_index_chance"`
			PSINoise   float64  `json:"population_stability_index_noise"`
			KS         *float64 `json:"kolmogorov_smirnov"`
			LInf       *float64 `json:"l_infinity"`
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		var sides [2]side
		for i, values := range [][]any{c.A, c.B} {
			sides[i] = sideOf(t, nil, len(values), func(e example.Example, k int) {
				switch v := values[k].(type) {
				case float64:
					e["x"] = example.Floats(float32(v))
				case string:
					if c.Kind == "labels" {
						e["x"] = example.Strings(v)
						break
					}
					n, err := strconv.ParseFloat(v, 32)
					if err != nil {
						t.Fatal(err)
					}
					e["x"] = example.Floats(float32(n))
				}
			})
		}
		const measures = 7 // number of measures that share the significance
		r := between(t, sides[0], sides[1], drift.Options{Significance: 0.01 * measures})
		x := r.Features[0]
		check := func(m drift.Measure, want float64) drift.Distance {
			d := measured(t, x, m)
			got := d.Value
			if d.Chance > 0 {
				got = d.Measured
			}
			if math.Abs(got-want) > 1e-9*max(want, 1) {
				t.Errorf("%s: %v is %v, wanted %v", c.Name, m, got, want)
			}
			if less := max(got-d.Chance, 0); d.Value != less {
				t.Errorf("%s: %v less what is by chance is %v, wanted %v", c.Name, m, d.Value, less)
			}
			if d.Error != 0 {
				t.Errorf("%s: %v has an error of %v, though everything was counted", c.Name, m, d.Error)
			}
			return d
		}
		for _, n := range []struct {
			m                    drift.Measure
			value, chance, noise float64
			least, most          float64 // range of the noise, as fractions of the wanted noise
		}{{drift.JensenShannon, c.JS, c.JSChance, c.JSNoise, 0.93, 1.25}, {drift.PopulationStability, c.PSI, c.PSIChance, c.PSINoise, 0.85, 1.4}} {
			d := check(n.m, n.value)
			if noise := d.Noise + d.Chance; noise < n.least*n.noise-1e-12 || noise > n.most*n.noise+1e-12 {
				t.Errorf("%s: noise of %v is up to %v, wanted about %v", c.Name, n.m, noise, n.noise)
			}
			if math.Abs(d.Chance-n.chance) > 0.02*n.chance+1e-12 { // the wanted value is the mean of 20,000 divisions
				t.Errorf("%s: %v is %v by chance, wanted %v", c.Name, n.m, d.Chance, n.chance)
			}
		}
		if c.KS != nil {
			check(drift.KolmogorovSmirnov, *c.KS)
		}
		if c.LInf != nil {
			check(drift.LInfinity, *c.LInf)
		}
	}
	if err := lines.Err(); err != nil || cases < 10 {
		t.Errorf("%d cases, %v", cases, err)
	}
}

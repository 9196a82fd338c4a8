package drift_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/drift"
	"github.com/tfparse/tfparse/validate/stats"
)

// described returns the statistics of lists with these lengths; a negative length is a missing list.
func described(t testing.TB, lengths []int) *metadatapb.DatasetFeatureStatisticsList {
	t.Helper()
	a, err := stats.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range lengths {
		e := example.Example{}
		if n >= 0 {
			e["f"] = example.Int64s(make([]int64, n)...)
		}
		rec, err := e.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Add(rec); err != nil {
			t.Fatal(err)
		}
	}
	list, err := a.Statistics()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestEmptyLists checks Emptiness. It is as exact as the histogram of the numbers of values, which is
// exact for short lists and has steps of a tenth for long lists.
func TestEmptyLists(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		longest int
		within  float64
	}{{1, 1e-15}, {2, 1e-15}, {5, 1e-15}, {20, 0.05}, {1000, 0.05}} {
		for _, share := range []float64{0, 0.001, 0.05, 0.09, 0.11, 0.5, 0.95, 1} {
			before, after := make([]int, 500), make([]int, 300+r.IntN(500))
			empty := 0
			for i := range before {
				before[i] = 1 + r.IntN(c.longest)
			}
			for i := range after {
				if r.Float64() < share {
					empty++
				} else {
					after[i] = 1 + r.IntN(c.longest)
				}
			}
			want := float64(empty) / float64(len(after))
			f := feature(t, before, after, nil)
			if f.Present != [2]float64{1, 1} || f.Empty[0] != 0 || math.Abs(f.Empty[1]-want) > c.within || (f.Empty[1] > 0) != (empty > 0) {
				t.Errorf("up to %d values: %v are empty, wanted 0 and %v; present are %v", c.longest, f.Empty, want, f.Present)
			}
			if d := distance(f, drift.Emptiness); d != f.Empty[1] {
				t.Errorf("up to %d values: %v empty have a distance of %v", c.longest, f.Empty, d)
			}
			if got := feature(t, after, after, nil); distance(got, drift.Emptiness) != 0 || empty < len(after) && got.Largest().Value != 0 {
				t.Errorf("up to %d values: %+v with itself", c.longest, got)
			}
		}
	}
}

func feature(t testing.TB, a, b []int, opts *drift.Options) drift.Feature {
	t.Helper()
	r, err := drift.Compare(described(t, a), described(t, b), opts)
	if err != nil {
		t.Fatal(err)
	}
	return r.Features[0]
}

// distance returns the distance by a measure, NaN if there is none.
func distance(f drift.Feature, m drift.Measure) float64 {
	for _, d := range f.Distances {
		if d.Measure == m {
			return d.Value
		}
	}
	return math.NaN()
}

func TestEmptyAndMissing(t *testing.T) {
	for _, c := range []struct {
		name             string
		a, b             []int
		presence, emptys float64
	}{
		{"half are emptied", []int{3, 1, 2, 1}, []int{3, 0, 2, 0}, 0, 0.5},
		{"half go", []int{3, 1, 2, 1}, []int{3, -1, 2, -1}, 0.5, 0},
		{"what was missing is empty", []int{3, -1, 2, -1}, []int{3, 0, 2, 0}, 0.5, 0.5},
		{"half of half", []int{1, -1, 1, -1}, []int{1, -1, 0, -1}, 0, 0.25},
		{"none is there at all", []int{-1, 0}, []int{0, 0}, 0.5, 0.5},
	} {
		f := feature(t, c.a, c.b, nil)
		if p, e := distance(f, drift.Presence), distance(f, drift.Emptiness); p != c.presence || e != c.emptys {
			t.Errorf("%s: presence %v, emptiness %v, wanted %v and %v", c.name, p, e, c.presence, c.emptys)
		}
	}
	// TensorFlow Data Validation has no such distance.
	if f := feature(t, []int{1, 1}, []int{1, 0}, &drift.Options{Compat: true}); f.Largest().Value != 0 || f.Empty != [2]float64{0, 0.5} {
		t.Errorf("with Compat: %+v", f)
	}
	// By weight, where no list is longer than 1.
	const half = `datasets { num_examples: 2 weighted_num_examples: 4 features { path { step: 'f' } type: INT num_stats { common_stats {
	  num_non_missing: 2 max_num_values: 1 tot_num_values: 1 weighted_common_stats { num_non_missing: 4 tot_num_values: %d } } } } }`
	r, err := drift.Compare(statistics(t, fmt.Sprintf(half, 1)), statistics(t, fmt.Sprintf(half, 3)), nil)
	if err != nil || r.Features[0].Empty != [2]float64{0.75, 0.25} {
		t.Errorf("by weight: %+v, %v", r, err)
	}
}

package stats_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/validate/stats"
)

// TestLengthsSeen compares Details.Lengths with a map of all lengths: for one and for several accumulators, for feature
// lists, and for many and for long lists.
func TestLengthsSeen(t *testing.T) {
	for name, c := range map[string]struct {
		length func(r *rand.Rand) int
		none   bool // the lengths are not known
	}{
		"few":        {length: func(r *rand.Rand) int { return []int{1, 2, 5}[r.IntN(3)] }},
		"one":        {length: func(*rand.Rand) int { return 3 }, none: true},
		"neighbours": {length: func(r *rand.Rand) int { return 3 + r.IntN(2) }, none: true},
		"empty":      {length: func(r *rand.Rand) int { return 4 * r.IntN(2) }},
		"a rare one": {length: func(r *rand.Rand) int { return []int{0, 2, 7}[min(r.IntN(900), 2)] }},
		"long":       {length: func(r *rand.Rand) int { return []int{127, 128, 129, 300}[r.IntN(4)] }},
		"many":       {length: func(r *rand.Rand) int { return 3 * r.IntN(40) }},
		"too many":   {length: func(r *rand.Rand) int { return 200 + r.IntN(9000) }, none: true},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		seen := map[uint64]bool{}
		var all *stats.Accumulator
		for range 3 {
			acc, err := stats.New(nil)
			if err != nil {
				t.Fatal(err)
			}
			for range 4000 {
				n := c.length(r)
				seen[uint64(n)] = true
				msg, _ := example.Example{"x": example.Int64s(make([]int64, n)...)}.MarshalBinary()
				if err := acc.Add(msg); err != nil {
					t.Fatal(err)
				}
			}
			if all == nil {
				all = acc
			} else if err := all.Merge(acc); err != nil {
				t.Fatal(err)
			}
		}
		list, details, err := all.Detailed(1)
		if err != nil {
			t.Fatal(err)
		}
		common := list.GetDatasets()[0].GetFeatures()[0].GetNumStats().GetCommonStats()
		got, n := details.Lengths(common, 0)
		want := slices.Sorted(maps.Keys(seen))
		switch {
		case c.none && (got != nil || n != 0):
			t.Errorf("%s: %d lengths %v, wanted none", name, n, got)
		case c.none:
		case n != len(want) || !slices.Equal(got, want[:min(len(want), 10)]):
			t.Errorf("%s: %d lengths %v, wanted %d, %v", name, n, got, len(want), want)
		}
		if got, n := details.Lengths(common, 1); got != nil || n != 0 {
			t.Errorf("%s: there are lengths %v at a level that is not there", name, got)
		}
	}
}

// TestLengthsSeenOfFeatureLists checks the levels of nesting.
func TestLengthsSeenOfFeatureLists(t *testing.T) {
	acc, err := stats.New(&stats.Options{Message: example.TypeSequence})
	if err != nil {
		t.Fatal(err)
	}
	for _, steps := range [][]int{{1, 1, 4}, {6}, {}, {1, 9, 1, 1, 4, 4}} {
		var list []example.Value
		for _, n := range steps {
			list = append(list, example.Floats(make([]float32, n)...))
		}
		msg, err := (example.Sequence{Lists: map[string][]example.Value{"x": list}}).MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if err := acc.Add(msg); err != nil {
			t.Fatal(err)
		}
	}
	list, details, err := acc.Detailed(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list.GetDatasets()[0].GetFeatures() {
		if f.GetNumStats() == nil {
			continue
		}
		for level, want := range [][]uint64{{0, 1, 3, 6}, {1, 4, 6, 9}} {
			if got, n := details.Lengths(f.GetNumStats().GetCommonStats(), level); n != len(want) || !slices.Equal(got, want) {
				t.Errorf("level %d: %d lengths %v, wanted %v", level, n, got, want)
			}
		}
		return
	}
	t.Fatal("there is no feature list")
}

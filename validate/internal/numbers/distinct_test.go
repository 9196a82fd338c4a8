package numbers

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDistinct compares with a set of all numbers.
func TestDistinct(t *testing.T) {
	const most = 50
	rnd := rand.New(rand.NewPCG(19, 2))
	for _, different := range []int{1, 3, 50, 51, 200, 30000} {
		for _, spread := range []int64{1, 1000, 1 << 40, 1 << 62} {
			for _, way := range []string{"added", "merged"} {
				n, other := New(false), New(false)
				set := map[float64]bool{}
				choice := make([]int64, different)
				for i := range choice {
					choice[i] = rnd.Int64N(spread)*int64(rnd.IntN(3)-1) + int64(i)
				}
				for i := range 40000 {
					v := choice[i%different]
					set[float64(v)] = true
					if i%2 == 1 && way == "merged" {
						other.AddInts([]int64{v})
					} else {
						n.AddInts([]int64{v})
					}
				}
				n.Merge(other)
				want := []float64(nil)
				if len(set) <= most {
					for v := range set {
						want = append(want, v)
					}
					slices.Sort(want)
				}
				if got := n.Sealed().Distinct(most); !slices.Equal(got, want) {
					t.Errorf("%d numbers up to %d, %s: %v, want %v", different, spread, way, got, want)
				}
			}
		}
	}
	n := New(true)
	inf := float32(math.Inf(1))
	n.AddFloats([]float32{2, inf, 1, -inf, 2, float32(math.NaN()), 0, float32(math.Copysign(0, -1))})
	want := []float64{math.Inf(-1), 0, 1, 2, math.Inf(1)}
	if got := n.Sealed().Distinct(5); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := n.Sealed().Distinct(4); got != nil {
		t.Errorf("five numbers: %v", got)
	}
}

package feed

import (
	"math"
	"testing"
)

// Every number occurs once, for all sizes that are small or near a power of two, and for others.
func TestPermutation(t *testing.T) {
	sizes := []int64{255, 256, 257, 1 << 10, 1<<10 + 1, 4095, 4096, 4097, 1 << 14, 99_999}
	for n := range int64(70) {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		p := newPermutation(n, 7, 1)
		seen := make([]bool, n)
		for i := range n {
			k := p.at(i)
			if k < 0 || k >= n || seen[k] {
				t.Fatalf("of %d: number %d at %d is a second one, or outside", n, k, i)
			}
			seen[k] = true
		}
	}
	for _, n := range []int64{math.MaxInt64, 1 << 62, 1<<62 + 1} {
		p := newPermutation(n, 7, 1)
		for _, i := range []int64{0, 1, n / 2, n - 1} {
			if k := p.at(i); k < 0 || k >= n {
				t.Errorf("of %d: number %d at %d", n, k, i)
			}
		}
	}
}

// For all seeds and epochs every number has the same probability at each place, and every pair at neighbouring
// places. The test is chi-squared, with a bound that chance exceeds once in 100,000 times.
func TestPermutationIsEven(t *testing.T) {
	const n, orders = 10, 20_000
	var places, pairs [n][n]int
	for seed := range uint64(orders / 2) {
		for epoch := range int64(2) {
			p := newPermutation(n, seed, epoch)
			last := int64(-1)
			for i := range int64(n) {
				k := p.at(i)
				places[i][k]++
				if last >= 0 {
					pairs[last][k]++
				}
				last = k
			}
		}
	}
	for name, c := range map[string]struct {
		counts [n][n]int
		cells  int
		total  float64
		most   float64
	}{
		"places": {places, n * n, n * orders, 150},            // 81 degrees of freedom
		"pairs":  {pairs, n * (n - 1), (n - 1) * orders, 155}, // at most 89 degrees of freedom
	} {
		want, chi := c.total/float64(c.cells), 0.0
		for i, row := range c.counts {
			for j, got := range row {
				if name == "pairs" && i == j {
					if got != 0 {
						t.Errorf("%d follows itself", i)
					}
					continue
				}
				chi += (float64(got) - want) * (float64(got) - want) / want
			}
		}
		if chi > c.most {
			t.Errorf("%s: chi-squared is %.1f, want at most %.1f", name, chi, c.most)
		}
	}
}

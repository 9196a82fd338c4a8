package distance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

// quantiles are the quantile functions of distributions: without ties, for which the distribution of distances is
// always the same, and with ties.
var quantiles = []struct {
	name string
	at   func(u float64) float64
}{
	{"normal", normal},
	{"lognormal", func(u float64) float64 { return math.Exp(2 * normal(u)) }},
	{"exponential", func(u float64) float64 { return -math.Log1p(-u) }},
	{"uniform", func(u float64) float64 { return u }},
	{"Cauchy", func(u float64) float64 { return math.Tan(math.Pi * (u - 0.5)) }},
	{"Pareto", func(u float64) float64 { return math.Pow(1-u, -3) }},
	{"half zeros", func(u float64) float64 { return max(u-0.5, 0) }},
	{"90 % zeros", func(u float64) float64 { return max(u-0.9, 0) }},
	{"2 values", func(u float64) float64 { return math.Floor(2 * u) }},
	{"3 values", func(u float64) float64 { return math.Floor(3 * u) }},
	{"10 values", func(u float64) float64 { return math.Floor(10 * u) }},
	{"geometric", func(u float64) float64 { return math.Floor(math.Log1p(-u) / math.Log(0.7)) }},
}

func normal(u float64) float64 { return math.Sqrt2 * math.Erfinv(2*u-1) }

// sorted returns a sorted sample. The order statistics of a uniform distribution are partial sums of exponential
// variables.
func sorted(r *rand.Rand, n int, quantile func(u float64) float64) []float64 {
	v, sum := make([]float64, n), 0.0
	for i := range v {
		sum += r.ExpFloat64()
		v[i] = sum
	}
	sum += r.ExpFloat64()
	for i := range v {
		v[i] = quantile(v[i] / sum)
	}
	return v
}

// counted returns the exact Numbers of sorted numbers.
func counted(sorted []float64) *Numbers {
	n := &Numbers{Finite: float64(len(sorted))}
	for k := range quantileRanges + 1 {
		n.borders = append(n.borders, sorted[min(k*len(sorted)/quantileRanges, len(sorted)-1)])
	}
	n.borders = slices.Compact(n.borders)
	n.ranks = func(borders []float64) []borderRank {
		out := make([]borderRank, len(borders))
		for i, b := range borders {
			below := float64(sort.SearchFloat64s(sorted, b))
			upTo := float64(sort.Search(len(sorted), func(i int) bool { return sorted[i] > b }))
			out[i] = borderRank{upTo, upTo, upTo, below}
		}
		return out
	}
	return n
}

// TestFalseAlarms checks that samples of one distribution exceed a level of 1 % in at most 2 of 100 pairs, for any
// distribution and any sizes. A short run checks the mean over all distributions.
func TestFalseAlarms(t *testing.T) {
	long := testkit.Long(t, "all sizes and each distribution, 100 to 1,000 pairs each; small sizes, and the mean of all distributions")
	sizes, pairs := []int{5, 10, 20, 60, 1000}, 40
	if long {
		sizes, pairs = []int{5, 10, 20, 60, 300, 1000, 10_000, 100_000}, 1000
	}
	const level = 0.01
	for _, n := range sizes {
		for _, m := range sizes {
			if n > m {
				continue // the measures are symmetric
			}
			of := pairs
			switch {
			case n+m > 20_000:
				of = pairs / 10
			case n+m > 2000:
				of = pairs / 2
			}
			alarms, tried := map[string]int{}, 0
			check := func(name string) {
				// The standard deviation of the number of pairs, which matters for few pairs.
				most := 2*level*float64(tried) + 3*math.Sqrt(level*float64(tried))
				for measure, k := range alarms {
					if float64(k) > most {
						t.Errorf("%d against %d, %s: %d of %d pairs are above the level of %s", n, m, name, k, tried, measure)
					}
				}
				alarms, tried = map[string]int{}, 0
			}
			for i, q := range quantiles {
				r := rand.New(rand.NewPCG(uint64(i), uint64(n*1_000_003+m)))
				for range of {
					a, b := sorted(r, n, q.at), sorted(r, m, q.at)
					x, y := Sample{float64(n), float64(n)}, Sample{float64(m), float64(m)}
					o := BetweenNumbers(counted(a), counted(b), x, y, level)
					for name, d := range map[string]*Measurement{"Jensen-Shannon": o.JensenShannon, "stability": o.Stability, "Kolmogorov-Smirnov": o.KolmogorovSmirnov} {
						if d.Above() {
							alarms[name]++
						}
					}
					tried++
				}
				if long {
					check(q.name)
				}
			}
			if !long {
				check("all distributions")
			}
		}
	}
}

// TestPower checks that differences are detected in small samples too, and that the mean of the reported distance is
// near the true distance: minus Chance, the divergence does not depend on the sizes.
func TestPower(t *testing.T) {
	for _, c := range []struct {
		n, m  int
		shift float64
		found float64 // the least fraction of pairs that are above a level of 1 %
		want  float64 // the divergence of infinite samples in the same cells
	}{
		{10, 1000, 1.5, 0.4, 0.29}, {20, 1000, 1, 0.4, 0.156}, {100, 1000, 1, 0.95, 0.158}, {1000, 1000, 0.3, 0.9, 0.016}, {1000, 1000, 1, 1, 0.160},
	} {
		found, sum := 0, 0.0
		const pairs = 300
		for i := range uint64(pairs) {
			r := rand.New(rand.NewPCG(i, 1))
			a := sorted(r, c.n, func(u float64) float64 { return normal(u) + c.shift })
			b := sorted(r, c.m, normal)
			o := BetweenNumbers(counted(a), counted(b), Sample{float64(c.n), float64(c.n)}, Sample{float64(c.m), float64(c.m)}, 0.01)
			if o.JensenShannon.Above() {
				found++
			}
			sum += o.JensenShannon.Raw - o.JensenShannon.Chance
		}
		if float64(found) < c.found*pairs {
			t.Errorf("%+v: found in %d of %d pairs", c, found, pairs)
		}
		if mean := sum / pairs; math.Abs(mean-c.want) > 0.1*c.want {
			t.Errorf("%+v: %.3f in the mean", c, mean)
		}
	}
}

// TestChance compares Chance with the mean distance of random samples.
func TestChance(t *testing.T) {
	for _, size := range [][2]int{{5, 5}, {10, 1000}, {20, 60}, {300, 20}, {1000, 1000}} {
		x, y := Sample{float64(size[0]), float64(size[0])}, Sample{float64(size[1]), float64(size[1])}
		js, psi, of := 0.0, 0.0, Distances{}
		pairs := 600.0
		if testkit.Long(t, "2,000 pairs of each size") {
			pairs = 2000
		}
		r := rand.New(rand.NewPCG(7, 7))
		for range int(pairs) {
			of = BetweenNumbers(counted(sorted(r, size[0], normal)), counted(sorted(r, size[1], normal)), x, y, 0.01)
			js, psi = js+of.JensenShannon.Raw/pairs, psi+of.Stability.Raw/pairs
		}
		for name, d := range map[string][2]float64{"Jensen-Shannon": {js, of.JensenShannon.Chance}, "stability": {psi, of.Stability.Chance}} {
			if math.Abs(d[0]-d[1]) > 0.05*d[0] {
				t.Errorf("%v, %s: by chance %v, wanted %v", size, name, d[1], d[0])
			}
		}
	}
}

func TestFewValues(t *testing.T) {
	for n, want := range map[int]bool{1: true, 4: true, 5: false} {
		r := rand.New(rand.NewPCG(1, 1))
		o := BetweenNumbers(counted(sorted(r, n, normal)), counted(sorted(r, 1000, normal)), Sample{float64(n), float64(n)}, Sample{1000, 1000}, 0.01)
		if o.Few != want {
			t.Error(fmt.Sprint(n, " values: few is ", o.Few))
		}
	}
}

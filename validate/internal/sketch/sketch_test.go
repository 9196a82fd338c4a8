package sketch

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSortFloats compares with a plain sort, for numbers of every sort.
func TestSortFloats(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 255, 256, 5000, 1<<15 + 1} {
		for name, next := range map[string]func() float64{
			"bits": func() float64 {
				for {
					if v := math.Float64frombits(rnd.Uint64()); v == v {
						return v
					}
				}
			},
			"few":    func() float64 { return float64(rnd.IntN(5) - 2) },
			"signs":  func() float64 { return math.Copysign(0, float64(rnd.IntN(2)*2-1)) },
			"limits": func() float64 { return []float64{math.Inf(1), math.Inf(-1), math.MaxFloat64, -5e-324}[rnd.IntN(4)] },
		} {
			v := make([]float64, n)
			for i := range v {
				v[i] = next()
			}
			want := slices.Sorted(slices.Values(v))
			if sortFloats(v); !slices.Equal(v, want) {
				t.Errorf("%d %s: not sorted", n, name)
			}
		}
	}
}

// TestQuantiles proves that ranks are exact before Compact, and within the stated error
// after it, for one sketch and for many that are merged.
func TestQuantiles(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 2))
	for name, next := range map[string]func(i int) float64{
		"uniform":   func(int) float64 { return rnd.Float64() },
		"ascending": func(i int) float64 { return float64(i) },
		"zigzag":    func(i int) float64 { return float64(i%2*1000000 - i) },
		"skewed":    func(int) float64 { return math.Exp(20 * rnd.Float64()) },
		"few":       func(int) float64 { return float64(rnd.IntN(20)) },
	} {
		for _, parts := range []int{1, 7} {
			for _, compact := range []int{-1, 0, parts - 1} { // never, from the start, in the last part
				const n, epsilon = 200000, 0.03
				var all []float64
				sum := NewQuantiles(epsilon, false)
				for p := range parts {
					q := NewQuantiles(epsilon, false)
					if compact >= 0 && p >= compact {
						q.Compact()
					}
					for i := range n / parts {
						v := next(i)
						all = append(all, v)
						q.Add(v)
					}
					sum.Merge(q)
				}
				slices.Sort(all)
				s := sum.Summary()
				if got := s.Total(); got != float64(len(all)) {
					t.Fatalf("%s: the total is %v, wanted %d", name, got, len(all))
				}
				allowed := 0.0
				if sum.Lossy() {
					allowed = epsilon / 3 * float64(len(all))
					if sum.entries > (sum.block+1)*2*len(sum.levels) {
						t.Errorf("%s: %d entries in %d levels of %d", name, sum.entries, len(sum.levels), sum.block)
					}
				}
				for k, b := range s.Quantiles(nil, 100) {
					lo, _ := slices.BinarySearch(all, b.Value)
					hi, _ := slices.BinarySearch(all, math.Nextafter(b.Value, math.Inf(1)))
					rank := float64(k) / 100 * float64(len(all))
					if rank < float64(lo)-allowed-1 || rank > float64(hi)+allowed+1 {
						t.Errorf("%s, %d parts, lossy %v: quantile %d has the ranks %d to %d, wanted %v within %v", name, parts, sum.Lossy(), k, lo, hi, rank, allowed)
					}
				}
				if s[0].V != all[0] || s[len(s)-1].V != all[len(all)-1] {
					t.Errorf("%s: from %v to %v, wanted %v to %v", name, s[0].V, s[len(s)-1].V, all[0], all[len(all)-1])
				}
			}
		}
	}
}

// TestWeightedQuantiles compares with values that are there as often as they weigh.
func TestWeightedQuantiles(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	weighted, plain := NewQuantiles(0.01, true), NewQuantiles(0.01, false)
	for range 30000 {
		v, w := float64(rnd.IntN(500)), rnd.IntN(4)
		weighted.AddWeighted(v, float64(w))
		for range w {
			plain.Add(v)
		}
	}
	weighted.AddWeighted(-1, -5)
	if a, b := weighted.Summary(), plain.Summary(); !slices.Equal(a, b) {
		t.Errorf("%d entries, wanted %d", len(a), len(b))
	}
}

// TestBlock proves the size that TensorFlow Data Validation has for its default.
func TestBlock(t *testing.T) {
	if got := block(0.01); got != 5701 {
		t.Errorf("the size of a block is %d, wanted 5701", got)
	}
}

// TestLabels proves the stated error: no count is too small, nor too large by more than
// the total over the counters.
func TestLabels(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 4))
	truth := map[string]float64{}
	const n, keep = 200000, 64
	sum := NewLabels()
	for part := range 5 {
		l := NewLabels()
		if part > 0 {
			l.Compact(keep)
		}
		for range n / 5 {
			key := fmt.Appendf(nil, "%d", int(math.Pow(rnd.Float64(), 4)*30000))
			truth[string(key)]++
			l.Add(key, 1)
		}
		sum.Merge(l)
	}
	if got, want := float64(sum.Unique()), float64(len(truth)); math.Abs(got-want) > 0.03*want {
		t.Errorf("%v different labels, wanted %v", got, want)
	}
	found := map[string]bool{}
	for _, l := range sum.Top(1<<30, nil) {
		found[l.Key] = true
		if l.Count < truth[l.Key] || l.Count > truth[l.Key]+n/keep {
			t.Errorf("%q is counted %v times, wanted %v to %v", l.Key, l.Count, truth[l.Key], truth[l.Key]+n/keep)
		}
	}
	for key, count := range truth {
		if count > n/keep && !found[key] {
			t.Errorf("%q is there %v times, and lost", key, count)
		}
	}
	if sum.table.n > 2*keep {
		t.Errorf("%d labels are kept", sum.table.n)
	}
}

// TestMoments compares with exact arithmetic, where plain sums lose all digits.
func TestMoments(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	var m, left, right Moments
	var spread, spreadLeft, spreadRight Spread
	var all, thirds, others []float32
	exact, square := new(big.Float).SetPrec(2000), new(big.Float).SetPrec(2000)
	const n = 10000
	for i := range n {
		v := float64(float32(1e9 + 1e5*rnd.Float64()))
		to := &left
		if i%3 == 0 {
			to = &right
		}
		m.Add(v, 1)
		to.Add(v, 1)
		all = append(all, float32(v))
		if i%3 == 0 {
			thirds = append(thirds, float32(v))
		} else {
			others = append(others, float32(v))
		}
		x := new(big.Float).SetPrec(2000).SetFloat64(v)
		exact.Add(exact, x)
		square.Add(square, x.Mul(x, x))
	}
	left.Merge(right)
	spread.AddAll(all)
	spreadLeft.AddAll(thirds)
	spreadRight.AddAll(others)
	spreadLeft.Merge(&spreadRight)
	count := new(big.Float).SetPrec(2000).SetInt64(n)
	exact.Quo(exact, count)
	square.Quo(square, count)
	square.Sub(square, new(big.Float).SetPrec(2000).Mul(exact, exact))
	wantMean, _ := exact.Float64()
	wantDev, _ := square.Sqrt(square).Float64()
	for _, s := range []interface{ MeanDev() (float64, float64) }{m, left, &spread, &spreadLeft} {
		mean, dev := s.MeanDev()
		if math.Abs(mean-wantMean) > 1e-15*wantMean || math.Abs(dev-wantDev) > 1e-12*wantDev {
			t.Errorf("%T: %v ± %v, wanted %v ± %v", s, mean, dev, wantMean, wantDev)
		}
	}
	if mean, dev := (Moments{}).MeanDev(); mean == mean || dev != 0 {
		t.Errorf("of nothing: %v ± %v", mean, dev)
	}
}

// TestStates proves that what is written is what is read, and that no cut or flipped
// state is more than an error.
func TestStates(t *testing.T) {
	q := NewQuantiles(0.3, false)
	for i := range 100000 {
		q.Add(float64(i % 70000))
	}
	lossy := NewQuantiles(0.3, false)
	lossy.Compact()
	for i := range 20000 {
		lossy.Add(float64(i))
	}
	l := NewLabels()
	for i := range 100 {
		l.Add(fmt.Appendf(nil, "label %d", i), 1)
	}
	l.Compact(10)
	for _, s := range []*Quantiles{q, lossy} {
		b := s.AppendState(nil)
		d := NewDecoder(b)
		if got := d.Quantiles(NewQuantiles(0.3, false)); d.Err() != nil || d.Len() != 0 || !bytes.Equal(got.AppendState(nil), b) || got.Bytes() == 0 {
			t.Errorf("quantiles: %v, %d left", d.Err(), d.Len())
		}
		for _, n := range []int{0, 1, 3, 100, len(b) - 1} {
			if d := NewDecoder(b[:n]); d.Quantiles(NewQuantiles(0.3, false)) == nil || d.Err() == nil {
				t.Errorf("quantiles cut at %d of %d are read", n, len(b))
			}
		}
	}
	b := l.AppendState(nil)
	d := NewDecoder(b)
	if got := d.Labels(); d.Err() != nil || !bytes.Equal(got.AppendState(nil), b) {
		t.Errorf("labels: %v", d.Err())
	}
	for n := range b {
		if d := NewDecoder(b[:n]); d.Labels() == nil || d.Err() == nil {
			t.Errorf("labels cut at %d are read", n)
		}
		flipped := bytes.Clone(b)
		flipped[n] ^= 0x80
		_ = NewDecoder(flipped).Labels().Top(10, nil) // whatever it is, it does not panic
	}
}

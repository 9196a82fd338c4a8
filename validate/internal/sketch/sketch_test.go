package sketch

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

// TestSortKeys compares with a plain sort, for keys of every sort.
func TestSortKeys(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 255, 256, 5000, 1<<15 + 1} {
		for name, next := range map[string]func() uint64{
			"bits":   rnd.Uint64,
			"few":    func() uint64 { return rnd.Uint64N(5) << 40 },
			"skewed": func() uint64 { return rnd.Uint64() >> rnd.IntN(64) },
			"limits": func() uint64 { return []uint64{0, 1, math.MaxUint64, 1 << 63}[rnd.IntN(4)] },
		} {
			v := make([]uint64, n)
			for i := range v {
				v[i] = next()
			}
			want := slices.Sorted(slices.Values(v))
			if SortKeys(v); !slices.Equal(v, want) {
				t.Errorf("%d %s: not sorted", n, name)
			}
		}
	}
}

// TestWeightedQuantiles compares with values that are there as often as they weigh: without Compact
// they are exact, then within the stated error, also of many that are merged and became smaller.
func TestWeightedQuantiles(t *testing.T) {
	count := 30_000
	if testkit.Long(t, "100,000 values of each sort") {
		count = 100_000
	}
	for name, next := range map[string]func(rnd *rand.Rand, i int) float64{
		"uniform":   func(rnd *rand.Rand, _ int) float64 { return rnd.Float64() },
		"ascending": func(_ *rand.Rand, i int) float64 { return float64(i) },
		"zigzag":    func(_ *rand.Rand, i int) float64 { return float64(i%2*1000000 - i) },
		"skewed":    func(rnd *rand.Rand, _ int) float64 { return math.Exp(20 * rnd.Float64()) },
		"few":       func(rnd *rand.Rand, _ int) float64 { return float64(rnd.IntN(20)) },
	} {
		for _, parts := range []int{1, 7} {
			for _, coarser := range []int{-1, 0, 1, 3, 100} {
				rnd := rand.New(rand.NewPCG(2, 2))
				var all []float64
				sum := NewQuantiles(0.03)
				for p := range parts {
					q := NewQuantiles(0.03)
					if p == parts/2 && coarser >= 0 {
						q.Compact()
						for range coarser {
							q.Coarsen()
						}
					}
					for i := range count / parts {
						v, w := next(rnd, i), rnd.IntN(4)
						q.Add(v, float64(w))
						for range w {
							all = append(all, v)
						}
					}
					sum.Merge(q)
				}
				sum.Add(-1e9, -5)
				if coarser == 100 && sum.Bytes() > MinimumOfQuantiles() {
					t.Errorf("%s: %d bytes, wanted at most %d", name, sum.Bytes(), MinimumOfQuantiles())
				}
				slices.Sort(all)
				s := sum.Summary()
				if got := s.Total(); got != float64(len(all)) || s[0].V != all[0] || s[len(s)-1].V != all[len(all)-1] {
					t.Fatalf("%s: a weight of %v from %v to %v, wanted %d from %v to %v", name, got, s[0].V, s[len(s)-1].V, len(all), all[0], all[len(all)-1])
				}
				if off := sum.RankError(); coarser < 0 && off != 0 || coarser == 0 && off > 0.01 || coarser == 1 && off > 0.025 {
					t.Errorf("%s: the error is %v", name, off)
				}
				allowed := sum.RankError() * float64(len(all))
				for k, b := range s.Quantiles(nil, 100) {
					lo, _ := slices.BinarySearch(all, b.Value)
					hi, _ := slices.BinarySearch(all, math.Nextafter(b.Value, math.Inf(1)))
					if rank := float64(k) / 100 * float64(len(all)); rank < float64(lo)-allowed-1 || rank > float64(hi)+allowed+1 {
						t.Errorf("%s, %d parts, coarsened %d times: quantile %d has the ranks %d to %d, wanted %v within %v", name, parts, coarser, k, lo, hi, rank, allowed)
					}
				}
			}
		}
	}
}

// TestBlock proves the size that TensorFlow Data Validation has for its default.
func TestBlock(t *testing.T) {
	if got := block(0.01); got != 5701 {
		t.Errorf("the size of a block is %d, wanted 5701", got)
	}
}

// TestLabels proves the stated error: no count is too small, nor too large by more than is
// said, which is at most the total over the counters, and that they take no more than they may.
func TestLabels(t *testing.T) {
	const shown = 64
	n := 120_000
	if testkit.Long(t, "200,000 labels of each length") {
		n = 200_000
	}
	for _, coarser := range []int{1, 3, 100} {
		for _, size := range []int{5, 50} {
			rnd := rand.New(rand.NewPCG(4, 4))
			truth := map[string]float64{}
			sum := NewLabels(shown)
			for part := range 5 {
				l := NewLabels(shown)
				for range coarser {
					if part > 0 {
						l.Coarsen()
					}
				}
				for range n / 5 {
					key := fmt.Appendf(nil, "%0*d", size, int(math.Pow(rnd.Float64(), 6)*30000))
					truth[string(key)]++
					l.Add(key, 1)
				}
				long := bytes.Repeat([]byte("long"), 300000)
				l.Add(long, 1)
				truth[string(long)]++
				sum.Merge(l)
			}
			if coarser == 100 && (sum.Coarsen() || sum.Bytes() > MinimumOfLabels(shown)) {
				t.Errorf("it takes %d bytes, wanted at most %d", sum.Bytes(), MinimumOfLabels(shown))
			}
			if got, want := float64(sum.Unique()), float64(len(truth)); math.Abs(got-want) > 4*sum.UniqueError()*want || sum.UniqueError() == 0 {
				t.Errorf("%v different labels, wanted %v within %v", got, want, sum.UniqueError())
			}
			most := float64(n / sum.counters())
			if text := sum.text() / 2 / size; text < sum.counters() {
				most = float64(n / text)
			}
			if lost := sum.Lost(); lost == 0 || lost > most {
				t.Errorf("of %d labels %v may be too many, wanted at most %v", n, lost, most)
			}
			found := map[string]bool{}
			for _, l := range sum.Top(1<<30, nil) {
				found[l.Key] = true
				if l.Count < truth[l.Key] || l.Count > truth[l.Key]+sum.Lost() {
					t.Errorf("%q is counted %v times, wanted %v to %v", l.Key, l.Count, truth[l.Key], truth[l.Key]+sum.Lost())
				}
			}
			for key, count := range truth {
				if count > sum.Lost() && !found[key] && len(key) < 1000 {
					t.Errorf("%q is there %v times, and lost", key, count)
				}
			}
			if sum.table.n > 2*sum.counters() {
				t.Errorf("%d labels are kept", sum.table.n)
			}
		}
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
	rnd := rand.New(rand.NewPCG(6, 6))
	q, lossy := NewQuantiles(0.3), NewQuantiles(0.3)
	lossy.Coarsen()
	l, exact := NewLabels(10), NewLabels(10)
	few, many := NewRanks(64), NewRanks(64)
	for i := range 5000 {
		q.Add(float64(i%700), 2)
		lossy.Add(float64(i), 1)
		many.Add(rnd.Uint64())
		l.Add(fmt.Appendf(nil, "label %d", i), 1)
	}
	for i := range 100 {
		exact.Add(fmt.Appendf(nil, "label %d", i), 1)
		few.Add(uint64(i))
	}
	many.Coarsen()
	for range 4 {
		l.Coarsen()
	}
	type state interface {
		AppendState([]byte) []byte
		Bytes() int
	}
	ranks := func(d *Decoder) state { return d.Ranks(64) }
	quantiles := func(d *Decoder) state { return d.Quantiles(0.3) }
	labels := func(d *Decoder) state { return d.Labels(10) }
	for i, c := range []struct {
		is   state
		read func(*Decoder) state
	}{{q, quantiles}, {lossy, quantiles}, {l, labels}, {exact, labels}, {few, ranks}, {many, ranks}} {
		b := c.is.AppendState(nil)
		d := NewDecoder(b)
		if got := c.read(d); d.Err() != nil || d.Len() != 0 || !bytes.Equal(got.AppendState(nil), b) {
			t.Errorf("%d: %v, %d left", i, d.Err(), d.Len())
		}
		for n := 0; n < len(b); n += 1 + len(b)/1000 {
			if d := NewDecoder(b[:n]); c.read(d) == nil || d.Err() == nil {
				t.Errorf("%d: cut at %d of %d it is read", i, n, len(b))
			}
			flipped := bytes.Clone(b)
			flipped[n] ^= 1 << rnd.IntN(8)
			d := NewDecoder(flipped)
			switch got := c.read(d).(type) { // whatever it is, it does not panic
			case *Quantiles:
				got.Summary().Quantiles(nil, 10)
			case *Labels:
				got.Top(10, nil)
			case *Ranks:
				if d.Err() == nil {
					got.Runs()
					got.AddSorted([]uint64{1, 2, 3})
				}
			}
		}
	}
}

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

// TestSortKeys compares SortKeys with slices.Sort, for keys of all sizes.
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

// TestLabels checks that no count is too small, or too large by more than MaxMissed, that MaxMissed is at most the
// total divided by the number of counters, and that the memory is bounded.
func TestLabels(t *testing.T) {
	n := 150_000
	if testkit.Long(t, "a million labels of each length") {
		n = 1_000_000
	}
	for _, size := range []int{7, 50} {
		rnd := rand.New(rand.NewPCG(4, 4))
		truth := map[string]float64{}
		sum := NewLabels(64)
		for range 3 {
			l := NewLabels(64)
			for range n / 3 {
				key := fmt.Appendf(nil, "%0*d", size, int(math.Pow(rnd.Float64(), 6)*3e6))
				truth[string(key)]++
				l.Add(key, 1)
			}
			long := bytes.Repeat([]byte("long"), 300000)
			l.Add(long, 1)
			truth[string(long)]++
			sum.Merge(l)
		}
		if got, want := float64(sum.Unique()), float64(len(truth)); math.Abs(got-want) > 4*sum.UniqueError()*want || sum.UniqueError() == 0 {
			t.Errorf("%v different labels, wanted %v within %v", got, want, sum.UniqueError())
		}
		if lost, most := sum.MaxMissed(), float64(n)/minCounters; lost == 0 || lost > most {
			t.Errorf("of %d labels %v may be too many, wanted at most %v", n, lost, most)
		}
		found := map[string]bool{}
		for _, l := range sum.Top(1<<30, nil) {
			found[l.Key] = true
			if l.Count < truth[l.Key] || l.Count > truth[l.Key]+sum.MaxMissed() {
				t.Errorf("%q is counted %v times, wanted %v to %v", l.Key, l.Count, truth[l.Key], truth[l.Key]+sum.MaxMissed())
			}
		}
		for key, count := range truth {
			if count > sum.MaxMissed() && !found[key] && len(key) < 1000 {
				t.Errorf("%q is there %v times, and lost", key, count)
			}
		}
		if sum.table.itemCount > 2*sum.counterLimit() || sum.table.keyBytes > maxTextBytes || len(sum.hashes.hashes) > 2*maxHashes || !sum.OmitsLong() {
			t.Errorf("%d labels of %d bytes and %d hashes are kept", sum.table.itemCount, sum.table.keyBytes, len(sum.hashes.hashes))
		}
	}
}

// TestExactLabels checks the limits of exact counts.
func TestExactLabels(t *testing.T) {
	for _, c := range []struct {
		n, size int
		exact   bool
	}{{maxExactLabels, 6, true}, {maxExactLabels + 1, 6, false}, {100, maxTextBytes / 100, true}, {101, maxTextBytes / 100, false}} {
		l := NewLabels(10)
		for i := range c.n {
			l.Add(fmt.Appendf(nil, "%0*d", c.size, i), 1)
		}
		if l.approximate == c.exact || c.exact && l.Unique() != uint64(c.n) {
			t.Errorf("%d labels of %d bytes: exact is %t, %d different ones", c.n, c.size, !l.approximate, l.Unique())
		}
	}
}

// TestMoments compares with exact arithmetic, for numbers whose plain sums lose all digits.
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

// TestStates checks that a decoded state equals the encoded state, and that a truncated or modified state causes no worse than
// an error.
func TestStates(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 6))
	q, lossy := NewWeightedRanks(512), NewWeightedRanks(64)
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
	l.becomeApproximate()
	type state interface{ AppendState([]byte) []byte }
	ranks := func(d *Decoder) state { return d.Ranks(64) }
	weighted := func(k int) func(*Decoder) state { return func(d *Decoder) state { return d.WeightedRanks(k) } }
	labels := func(d *Decoder) state { return d.Labels(10) }
	for i, c := range []struct {
		is   state
		read func(*Decoder) state
	}{{q, weighted(512)}, {lossy, weighted(64)}, {l, labels}, {exact, labels}, {few, ranks}, {many, ranks}} {
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
			switch got := c.read(d).(type) { // a modified state must not panic
			case *WeightedRanks:
				if d.Err() == nil {
					got.Add(1, 1)
					got.Summary().Quantiles(nil, 10)
				}
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

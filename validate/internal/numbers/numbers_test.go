package numbers

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// ints and floats are generators of numbers: with few and many distinct values, near each other and far apart, sorted
// and not, and with special values.
var ints = map[string]func(rnd *rand.Rand, i int) int64{
	"bits":      func(rnd *rand.Rand, _ int) int64 { return int64(rnd.Uint64()) },
	"few":       func(rnd *rand.Rand, _ int) int64 { return rnd.Int64N(5) - 2 },
	"pages":     func(rnd *rand.Rand, i int) int64 { return 1000*int64(i/9000) + rnd.Int64N(900) },
	"bytes":     func(rnd *rand.Rand, _ int) int64 { return rnd.Int64N(200) << 8 },
	"ascending": func(_ *rand.Rand, i int) int64 { return 1<<40 + int64(i) },
	"constant":  func(*rand.Rand, int) int64 { return -1 << 62 },
	"skewed":    func(rnd *rand.Rand, _ int) int64 { return int64(rnd.Uint64()) >> rnd.IntN(63) },
	"near":      func(rnd *rand.Rand, _ int) int64 { return math.MaxInt64 - rnd.Int64N(3000) },
	"limits": func(rnd *rand.Rand, _ int) int64 {
		return []int64{math.MaxInt64, math.MinInt64, 0, -1}[rnd.IntN(4)]
	},
	"outlier": func(rnd *rand.Rand, i int) int64 {
		if i%5000 == 7 {
			return math.MinInt64
		}
		return 1600000000 + rnd.Int64N(100000)
	},
}

var floats = map[string]func(rnd *rand.Rand, i int) float32{
	"normal": func(rnd *rand.Rand, _ int) float32 { return float32(rnd.NormFloat64()) },
	"bits":   func(rnd *rand.Rand, _ int) float32 { return math.Float32frombits(rnd.Uint32()) },
	"few":    func(rnd *rand.Rand, _ int) float32 { return float32(rnd.IntN(5)-2) / 3 },
	"zeros":  func(rnd *rand.Rand, _ int) float32 { return float32(math.Copysign(0, rnd.Float64()-0.5)) },
	"odd": func(rnd *rand.Rand, _ int) float32 {
		return []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 1, 2, 3}[rnd.IntN(6)]
	},
	"nan":     func(*rand.Rand, int) float32 { return float32(math.NaN()) },
	"near":    func(rnd *rand.Rand, _ int) float32 { return 1e9 + 100*float32(rnd.IntN(20)) },
	"uniform": func(rnd *rand.Rand, _ int) float32 { return rnd.Float32() },
}

// collect adds n numbers, in lists of all lengths, to several parts, and merges the parts. Every second part is encoded
// and decoded first.
func collect[T int64 | float32](t *testing.T, next func(*rand.Rand, int) T, n, parts int) (*Numbers, []T) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	var all []T
	float := any(T(0)) == any(float32(0))
	sum := New(float)
	for p := range parts {
		part := New(float)
		for from := len(all); len(all)-from < n/parts; {
			var list []T
			for range []int{0, 1, 3, rnd.IntN(2 * chunkSize)}[rnd.IntN(4)] {
				list = append(list, next(rnd, len(all)+len(list)))
			}
			switch v := any(list).(type) {
			case []int64:
				part.AddInts(v)
			case []float32:
				part.AddFloats(v)
			}
			all = append(all, list...)
		}
		if p%2 == 1 {
			b := part.AppendState(nil)
			part = New(float)
			in := sketch.NewDecoder(b)
			if part.ReadState(in); in.Err() != nil || in.Len() > 0 || !bytes.Equal(part.AppendState(nil), b) {
				t.Fatalf("a state is not read as it was written: %v", in.Err())
			}
		}
		sum.Merge(part)
	}
	return sum, all
}

// check compares counts, moments and the Summary with those of all numbers, sorted.
func check[T int64 | float32](t *testing.T, n *Numbers, values []T) {
	t.Helper()
	before := n.AppendState(nil)
	s := n.Sealed()
	var all []float64
	var nan, zeros, positive, negative uint64
	sum, square, count := new(big.Float).SetPrec(500), new(big.Float).SetPrec(500), int64(0)
	least, most := math.Inf(1), math.Inf(-1)
	for _, x := range values {
		v := float64(x)
		switch {
		case v != v:
			nan++
			continue
		case v == 0:
			zeros++
		case math.IsInf(v, 1):
			positive++
		case math.IsInf(v, -1):
			negative++
		}
		all = append(all, v)
		if v-v == 0 {
			least, most = min(least, v), max(most, v)
			exact := new(big.Float).SetPrec(500).SetFloat64(v)
			if i, ok := any(x).(int64); ok {
				exact.SetInt64(i)
			}
			sum.Add(sum, exact)
			square.Add(square, exact.Mul(exact, exact))
			count++
		}
	}
	got := []any{s.NaN, s.Zeros, s.Positive, s.Negative, math.Float64bits(s.Least), math.Float64bits(s.Most)}
	want := []any{nan, zeros, positive, negative, math.Float64bits(least), math.Float64bits(most)}
	if !slices.Equal(got, want) {
		t.Errorf("counts are %v, wanted %v", got, want)
	}
	if mean, dev := s.MeanDev(); count > 0 {
		c := new(big.Float).SetPrec(500).SetInt64(count)
		sum.Quo(sum, c)
		square.Quo(square, c)
		square.Sub(square, new(big.Float).SetPrec(500).Mul(sum, sum))
		wantMean, _ := sum.Float64()
		wantDev := 0.0
		if square.Sign() > 0 {
			wantDev, _ = square.Sqrt(square).Float64()
		}
		if math.Abs(mean-wantMean) > 1e-14*(math.Abs(wantMean)+wantDev) || math.Abs(dev-wantDev) > 1e-12*wantDev {
			t.Errorf("%v ± %v, wanted %v ± %v", mean, dev, wantMean, wantDev)
		}
	}
	if v, ok := any(values).([]int64); ok && len(v) > 0 {
		checkExact(t, s, v)
	}
	slices.Sort(all)
	if exact := len(slices.Compact(slices.Clone(all))) <= 2*RankSize; exact != (s.RankError() == 0) {
		t.Errorf("the rank error is %v; few different numbers: %t", s.RankError(), exact)
	}
	summary, allowed := s.Summary(), s.RankError()*float64(len(all))
	if summary.Total() != float64(len(all)) {
		t.Fatalf("the total is %v of %d", summary.Total(), len(all))
	}
	if a, b := summary.Below(math.Inf(-1), true), summary.Total()-summary.Below(math.Inf(1), false); a != float64(negative) || b != float64(positive) {
		t.Errorf("%v and %v infinities, wanted %d and %d", a, b, negative, positive)
	}
	for k, q := range summary.Quantiles(nil, 100) {
		lo, _ := slices.BinarySearch(all, q.Value)
		hi := sort.Search(len(all), func(i int) bool { return all[i] > q.Value })
		rank := float64(k) / 100 * float64(len(all))
		if rank < float64(lo)-allowed-1 || rank > float64(hi)+allowed+1 || allowed == 0 && q.Weight != float64(hi) {
			t.Errorf("quantile %d, %v with %v up to it, has the ranks %d to %d, wanted %v within %v", k, q.Value, q.Weight, lo, hi, rank, allowed)
		}
	}
	for _, v := range []float64{math.Inf(-1), least, most, 0, 1, -1.5, 3.25, 1 << 40, math.MaxFloat64} {
		for _, itself := range []bool{false, true} {
			want := float64(sort.Search(len(all), func(i int) bool { return all[i] > v || !itself && all[i] == v }))
			if got := summary.Below(v, itself); math.Abs(got-want) > allowed {
				t.Errorf("%v are below %v (%v), wanted %v within %v", got, v, itself, want, allowed)
			}
		}
	}
	if !bytes.Equal(n.AppendState(nil), before) {
		t.Error("to describe the numbers changes them")
	}
}

// checkExact compares the exact integers with all integers, sorted.
func checkExact(t *testing.T, s *Numbers, values []int64) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(values))
	last := len(sorted) - 1
	if least, most := s.Ends(); least != sorted[0] || most != sorted[last] {
		t.Errorf("integers from %d to %d, wanted %d to %d", least, most, sorted[0], sorted[last])
	}
	for _, parts := range []int{1, 7, 10, 1000} {
		bounds, middle := s.IntQuantiles(parts)
		if s.RankError() > 0 {
			if bounds != nil {
				t.Errorf("a sketch knows integers by rank: %d", bounds)
			}
			continue
		}
		if want := [2]int64{sorted[last/2], sorted[(last+1)/2]}; middle != want {
			t.Errorf("in the middle are %d, wanted %d", middle, want)
		}
		if len(bounds) != parts+1 {
			t.Fatalf("%d quantiles, wanted %d", len(bounds), parts+1)
		}
		for k, got := range bounds {
			if want := sorted[min(k*len(sorted)/parts, last)]; got != want {
				t.Fatalf("quantile %d of %d is %d, wanted %d", k, parts, got, want)
			}
		}
		for k, b := range s.Summary().Quantiles(nil, parts) {
			if b.Value != float64(bounds[k]) {
				t.Errorf("quantile %d of %d is %v, and in full %d", k, parts, b.Value, bounds[k])
			}
		}
	}
}

// TestNumbers compares counts, moments and quantiles with those of all numbers, for all generators, in one part and in
// several.
func TestNumbers(t *testing.T) {
	for _, size := range []int{0, 1, 5000, testkit.Rounds(30_000)} {
		for _, parts := range []int{1, 4} {
			for name, next := range ints {
				t.Run(fmt.Sprintf("int/%s/%d/%d", name, size, parts), func(t *testing.T) {
					n, all := collect(t, next, size, parts)
					check(t, n, all)
				})
			}
			for name, next := range floats {
				t.Run(fmt.Sprintf("float/%s/%d/%d", name, size, parts), func(t *testing.T) {
					n, all := collect(t, next, size, parts)
					check(t, n, all)
				})
			}
		}
	}
}

// TestStates checks that truncated and modified states are either an error, or numbers whose statistics can be
// computed.
func TestStates(t *testing.T) {
	pages, _ := collect(t, ints["pages"], 20000, 1)
	blocks, _ := collect(t, ints["outlier"], 10000, 1)
	odd, _ := collect(t, floats["odd"], 10000, 1)
	lossy, _ := collect(t, ints["bits"], 30000, 1)
	few, _ := collect(t, ints["few"], 10000, 1)
	tries := 80
	if testkit.Long(t, "300 cut and flipped states of each sort") {
		tries = 300
	}
	rnd := rand.New(rand.NewPCG(9, 9))
	for _, n := range []*Numbers{pages, blocks, odd, lossy, few} {
		b := n.AppendState(nil)
		for range tries {
			at := rnd.IntN(min(len(b), 3000))
			in := sketch.NewDecoder(b[:at])
			if New(n.isFloat).ReadState(in); in.Err() == nil {
				t.Fatalf("a state cut at %d of %d is read", at, len(b))
			}
			flipped := bytes.Clone(b)
			flipped[at] ^= 1 << rnd.IntN(8)
			in = sketch.NewDecoder(flipped)
			out := New(n.isFloat)
			if out.ReadState(in); in.Err() == nil {
				out.Sealed().Summary().Quantiles(nil, 10)
				out.MeanDev()
				out.Sealed().IntQuantiles(10)
			}
		}
	}
}

// TestStateOfEnds checks that states with inconsistent ends, or an inconsistent number of integers, are rejected.
func TestStateOfEnds(t *testing.T) {
	for _, c := range []struct {
		name          string
		lo, hi, count int64
		fails         bool
	}{
		{"some", -3, 5, 2, false},
		{"none", math.MaxInt64, math.MinInt64, 0, false},
		{"ends of none", -3, 5, 0, true},
		{"some without ends", math.MaxInt64, math.MinInt64, 2, true},
		{"the wrong way round", 5, -3, 2, true},
		{"more than have a rank", -3, 5, 3, true},
	} {
		n := New(false)
		n.lo, n.hi, n.sums.count = c.lo, c.hi, uint64(c.count)
		if c.count > 0 {
			n.ranks = sketch.NewRanks(RankSize)
			n.ranks.AddSorted([]uint64{intKey(-3), intKey(5)})
		}
		in := sketch.NewDecoder(n.AppendState(nil))
		read := New(false)
		if read.ReadState(in); (in.Err() != nil) != c.fails || !c.fails && (read.lo != c.lo || read.hi != c.hi) {
			t.Errorf("%s: %d to %d, %v", c.name, read.lo, read.hi, in.Err())
		}
	}
}

// TestSums checks the sums of integers of all sizes.
func TestSums(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	for bits := range 65 {
		for _, n := range []int{1, 2, 7, 9, chunkSize} {
			ints := make([]int64, n)
			sum, square := new(big.Int), new(big.Int)
			for i := range ints {
				ints[i] = int64(rnd.Uint64()) >> (64 - bits)
				x := big.NewInt(ints[i])
				sum.Add(sum, x)
				square.Add(square, x.Mul(x, x))
			}
			var sums, twice intSums
			sums.addChunk(ints, slices.Min(ints), slices.Max(ints))
			twice.mergeSums(&sums)
			twice.mergeSums(&sums)
			if sum.Lsh(sum, 1); sum.Sign() < 0 { // two's complement
				sum.Add(sum, new(big.Int).Lsh(big.NewInt(1), 128))
			}
			if bigFromWords(twice.sum[:]).Cmp(sum) != 0 || bigFromWords(twice.square[:]).Cmp(square.Lsh(square, 1)) != 0 {
				t.Fatalf("%d integers of %d bits have the sums %v, not %d and %d", n, bits, twice, sum, square)
			}
		}
	}
}

// TestDistinct compares Distinct with a set of all numbers.
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

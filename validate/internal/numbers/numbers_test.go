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

// ints and floats are numbers of all sorts: of few and of many different values, near
// each other and far apart, in order and not, and with all that is odd.
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

// collect adds n numbers in lists of all lengths, in so many parts that are merged and
// of which each second one is written and read on the way.
func collect[T int64 | float32](t *testing.T, next func(*rand.Rand, int) T, n, parts int) (*Numbers, []T) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	var all []T
	float := any(T(0)) == any(float32(0))
	sum := New(float, 0.01)
	for p := range parts {
		part := New(float, 0.01)
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
			part = New(float, 0.01)
			in := sketch.NewDecoder(b)
			if part.ReadState(in); in.Err() != nil || in.Len() > 0 || !bytes.Equal(part.AppendState(nil), b) {
				t.Fatalf("a state is not read as it was written: %v", in.Err())
			}
		}
		sum.Merge(part)
	}
	return sum, all
}

// check compares with all numbers, sorted: counts, moments, and what is asked of a
// Summary.
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
	full := sketch.NewQuantiles(0.01)
	for _, v := range all {
		full.Add(v, 1)
	}
	whole := full.Summary()
	for _, parts := range []int{2, 10, 1000} {
		edges := []float64{math.Inf(-1), least, most, 0, 1, -1.5, 3.25, 1 << 40, math.MaxFloat64}
		if len(all) > 0 {
			for i := range 10 {
				edges = append(edges, all[len(all)*i/10], (all[len(all)*i/10]+all[len(all)-1])/2)
			}
		}
		edges = slices.DeleteFunc(edges, func(v float64) bool { return v != v })
		few := s.Summary(parts, edges)
		if few.Total() != float64(len(all)) {
			t.Fatalf("%d parts: the total is %v of %d", parts, few.Total(), len(all))
		}
		if len(all) == 0 {
			continue
		}
		if a, b := few.Quantiles(nil, parts), whole.Quantiles(nil, parts); !slices.Equal(a, b) {
			t.Fatalf("%d parts: quantiles are %v, wanted %v", parts, a, b)
		}
		if a, b := few.Median(), whole.Median(); a != b {
			t.Errorf("%d parts: the median is %v, wanted %v", parts, a, b)
		}
		for _, e := range edges {
			for _, itself := range []bool{false, true} {
				if a, b := few.Below(e, itself), whole.Below(e, itself); a != b {
					t.Errorf("%d parts: %v are below %v (%v), wanted %v", parts, a, e, itself, b)
				}
			}
		}
		if a, b := few.Below(math.Inf(1), false), whole.Below(math.Inf(1), false); a != b {
			t.Errorf("%d parts: %v are finite, wanted %v", parts, a, b)
		}
		if len(few) > 8*(parts+len(edges)) && len(n.store.few) == 0 {
			t.Errorf("%d parts: %d entries", parts, len(few))
		}
	}
	if !bytes.Equal(n.AppendState(nil), before) {
		t.Error("to describe the numbers changes them")
	}
}

// checkExact compares what is said of integers in full with all of them, sorted.
func checkExact(t *testing.T, s *Numbers, values []int64) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(values))
	last := len(sorted) - 1
	if least, most := s.Ends(); least != sorted[0] || most != sorted[last] {
		t.Errorf("integers from %d to %d, wanted %d to %d", least, most, sorted[0], sorted[last])
	}
	for _, parts := range []int{1, 7, 10, 1000} {
		bounds, middle := s.IntQuantiles(parts)
		if s.lossy != nil {
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
		for k, b := range s.Summary(parts, nil).Quantiles(nil, parts) {
			if b.Value != float64(bounds[k]) {
				t.Errorf("quantile %d of %d is %v, and in full %d", k, parts, b.Value, bounds[k])
			}
		}
	}
}

// TestNumbers compares counts, moments and quantiles with those of all numbers,
// sorted, for numbers of every sort, in one part and in several.
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

// TestManyNumbers is TestNumbers where buckets are so full that they are divided again.
func TestManyNumbers(t *testing.T) {
	names := []string{"outlier"}
	if testkit.Long(t, "the skewed ones") {
		names = append(names, "skewed")
	}
	for _, name := range names {
		n, all := collect(t, ints[name], 3*mostKeys/2, 1)
		check(t, n, all)
	}
}

// TestCompact proves that the sketch keeps its error, has all numbers, and is exact for
// few different ones.
func TestCompact(t *testing.T) {
	for _, name := range []string{"skewed", "few", "ascending"} {
		first, all := collect(t, ints[name], 30000, 2)
		more, others := collect(t, ints[name], 20000, 1)
		first.Compact()
		first.Merge(more)
		first.AddInts(all[:9000])
		all = append(append(slices.Clone(all), others...), all[:9000]...)
		b := first.AppendState(nil)
		read := New(false, 0.01)
		in := sketch.NewDecoder(b)
		if read.ReadState(in); in.Err() != nil || !bytes.Equal(read.AppendState(nil), b) {
			t.Fatalf("%s: a state is not read as it was written: %v", name, in.Err())
		}
		checkExact(t, read.Sealed(), all)
		sorted := make([]float64, len(all))
		for i, v := range all {
			sorted[i] = float64(v)
		}
		slices.Sort(sorted)
		s := read.Sealed().Summary(10, nil)
		if s.Total() != float64(len(all)) {
			t.Fatalf("%s: the total is %v, wanted %d", name, s.Total(), len(all))
		}
		for k, q := range s.Quantiles(nil, 100) {
			lo, _ := slices.BinarySearch(sorted, q.Value)
			hi, _ := slices.BinarySearch(sorted, math.Nextafter(q.Value, math.Inf(1)))
			rank, allowed := float64(k)/100*float64(len(all)), 0.0034*float64(len(all))
			if name == "few" {
				allowed = 0
			}
			if rank < float64(lo)-allowed-1 || rank > float64(hi)+allowed+1 {
				t.Errorf("%s: quantile %d, %v, has the ranks %d to %d, wanted %v", name, k, q.Value, lo, hi, rank)
			}
		}
	}
}

// TestSpill proves that the sketch keeps its error where many chunks go to it, also when it has become
// smaller, that infinities are counted exactly, and that Bytes is no more than Minimum in the end.
func TestSpill(t *testing.T) {
	const smallest = 7 // times: from 2048 to 16
	test := func(name string, n *Numbers, all []float64, coarser int) {
		t.Helper()
		if coarser == smallest && n.Bytes() > Minimum(n.float) {
			t.Errorf("%s: it takes %d bytes, wanted at most %d", name, n.Bytes(), Minimum(n.float))
		}
		slices.Sort(all)
		s := n.Sealed().Summary(10, nil)
		if s.Total() != float64(len(all)) || s[0].V != all[0] || s[len(s)-1].V != all[len(all)-1] {
			t.Fatalf("%s: %v numbers from %v to %v, wanted %d from %v to %v", name, s.Total(), s[0].V, s[len(s)-1].V, len(all), all[0], all[len(all)-1])
		}
		if a, b := s.Below(math.Inf(-1), true), s.Total()-s.Below(math.Inf(1), false); a != float64(n.Sealed().Negative) || b != float64(n.Sealed().Positive) {
			t.Errorf("%s: %v and %v infinities, wanted %d and %d", name, a, b, n.Sealed().Negative, n.Sealed().Positive)
		}
		allowed := n.RankError() * float64(len(all))
		for k, q := range s.Quantiles(nil, 100) {
			lo, _ := slices.BinarySearch(all, q.Value)
			hi := sort.Search(len(all), func(i int) bool { return all[i] > q.Value })
			if rank := float64(k) / 100 * float64(len(all)); rank < float64(lo)-allowed-1 || rank > float64(hi)+allowed+1 {
				t.Errorf("%s, %d times smaller: quantile %d, %v, has the ranks %d to %d, wanted %v", name, coarser, k, q.Value, lo, hi, rank)
			}
		}
	}
	count := testkit.Rounds(80_000)
	if testkit.Long(t, "300,000 numbers of each sort") {
		count = 300_000
	}
	for _, coarser := range []int{0, 1, 2, smallest} {
		coarsen := func(n *Numbers) {
			n.Compact()
			for range coarser {
				n.Coarsen()
			}
			if coarser == smallest && n.Coarsen() {
				t.Error("there is something smaller")
			}
		}
		for name, next := range ints {
			rnd := rand.New(rand.NewPCG(6, 6))
			n, all := New(false, 0.01), make([]float64, 0, count)
			for i := range count {
				v := next(rnd, i)
				all = append(all, float64(v))
				if n.AddInts([]int64{v}); i == count/7 {
					coarsen(n)
				}
			}
			test(name, n, all, coarser)
		}
		for name, next := range floats {
			if name == "nan" {
				continue
			}
			rnd := rand.New(rand.NewPCG(6, 6))
			n, all := New(true, 0.01), make([]float64, 0, count)
			for i := range count {
				v := next(rnd, i)
				if v == v {
					all = append(all, float64(v))
				}
				if n.AddFloats([]float32{v}); i == count/7 {
					coarsen(n)
				}
			}
			test(name, n, all, coarser)
		}
	}
}

// TestStates proves that states that are cut or flipped are an error or some numbers,
// whose statistics can be made.
func TestStates(t *testing.T) {
	pages, _ := collect(t, ints["pages"], 20000, 1)
	blocks, _ := collect(t, ints["outlier"], 10000, 1)
	odd, _ := collect(t, floats["odd"], 10000, 1)
	lossy, _ := collect(t, ints["bits"], 30000, 1)
	few, _ := collect(t, ints["few"], 10000, 1)
	for _, n := range []*Numbers{lossy, few} {
		for range 5 {
			n.Coarsen()
		}
	}
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
			if New(n.float, 0.01).ReadState(in); in.Err() == nil {
				t.Fatalf("a state cut at %d of %d is read", at, len(b))
			}
			flipped := bytes.Clone(b)
			flipped[at] ^= 1 << rnd.IntN(8)
			in = sketch.NewDecoder(flipped)
			out := New(n.float, 0.01)
			if out.ReadState(in); in.Err() == nil {
				out.Sealed().Summary(10, []float64{0}).Quantiles(nil, 10)
				out.MeanDev()
				out.Sealed().IntQuantiles(10)
			}
		}
	}
}

// TestStateOfEnds proves that ends that contradict each other, or the number of integers,
// are no state.
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
	} {
		n := New(false, 0.01)
		n.lo, n.hi, n.sums.count = c.lo, c.hi, uint64(c.count)
		in := sketch.NewDecoder(n.AppendState(nil))
		read := New(false, 0.01)
		if read.ReadState(in); (in.Err() != nil) != c.fails || !c.fails && (read.lo != c.lo || read.hi != c.hi) {
			t.Errorf("%s: %d to %d, %v", c.name, read.lo, read.hi, in.Err())
		}
	}
}

// TestChunks proves that chunks give back keys that are any distance apart, and that the
// sums of integers of every size are right.
func TestChunks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	for bits := range 65 {
		for _, n := range []int{1, 2, 7, 9, chunkSize} {
			ints, keys := make([]int64, n), make([]uint64, n)
			base := rnd.Uint64()>>1 + 1
			sum, square := new(big.Int), new(big.Int)
			for i := range keys {
				keys[i] = base + rnd.Uint64()>>1>>(64-bits)
				ints[i] = int64(rnd.Uint64()) >> (64 - bits)
				x := big.NewInt(ints[i])
				sum.Add(sum, x)
				square.Add(square, x.Mul(x, x))
			}
			if c := newChunk(keys, slices.Min(keys), slices.Max(keys), 0); !slices.Equal(c.keys(new(scratch)), keys) {
				t.Fatalf("%d keys of %d bits are not what they were", n, bits)
			}
			var sums, twice intSums
			sums.add(ints, slices.Min(ints), slices.Max(ints))
			twice.merge(&sums)
			twice.merge(&sums)
			if sum.Lsh(sum, 1); sum.Sign() < 0 { // two's complement
				sum.Add(sum, new(big.Int).Lsh(big.NewInt(1), 128))
			}
			if whole(twice.sum[:]).Cmp(sum) != 0 || whole(twice.square[:]).Cmp(square.Lsh(square, 1)) != 0 {
				t.Fatalf("%d integers of %d bits have the sums %v, not %d and %d", n, bits, twice, sum, square)
			}
		}
	}
}

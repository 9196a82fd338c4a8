// Package numbers computes the statistics of the numbers of one feature: counts of special values, mean, standard deviation, and
// a distribution for quantiles and histograms.
//
// It collects numbers in chunks of a few thousand. A full chunk is added up, sorted, and added to a sketch, which is exact
// up to 8,192 distinct numbers. A column takes at most 0.2 MB.
package numbers

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/tfparse/tfparse/validate/internal/sketch"
)

const (
	chunkSize       = 4096 // size of a full chunk
	initialCapacity = 8    // initial capacity of a chunk
)

// Numbers collects the numbers of a feature, all int64 or all float32.
//
// All fields except ints and floats cover full chunks only. In the copy that Sealed returns they cover all numbers.
type Numbers struct {
	NaN, Zeros         uint64  // counts
	Positive, Negative uint64  // counts of +Inf and -Inf
	Least, Most        float64 // smallest and largest finite number; +Inf and -Inf if there are none

	isFloat bool          // the numbers are float32
	ints    []int64       // the unfinished chunk if isFloat is false
	floats  []float32     // the unfinished chunk if isFloat is true
	lo, hi  int64         // the least and the greatest integer
	sums    intSums       // sums of the integers
	spread  sketch.Spread // sums of the finite floats
	ranks   *sketch.Ranks // ranks of the keys of finite numbers; nil: none
}

// RankSize is the size of the rank sketches. Their rank error is at most 0.0004, except for one rank in a thousand, and they count
// up to 8,192 distinct numbers exactly.
const RankSize = 4096

// New returns empty Numbers, for float32 if float is true, else for int64.
func New(float bool) *Numbers {
	return &Numbers{Least: math.Inf(1), Most: math.Inf(-1), lo: math.MaxInt64, hi: math.MinInt64, isFloat: float}
}

// AddInts adds integers.
func (n *Numbers) AddInts(v []int64) {
	if len(v) == 1 && len(n.ints) < min(cap(n.ints), chunkSize-1) { // the most frequent case
		n.ints = append(n.ints, v[0])
		return
	}
	for len(v) > 0 {
		if n.ints == nil {
			n.ints = make([]int64, 0, initialCapacity)
		}
		k := min(len(v), chunkSize-len(n.ints))
		n.ints = append(n.ints, v[:k]...)
		v = v[k:]
		if len(n.ints) == chunkSize {
			n.sealInts(n.ints)
			n.ints = n.ints[:0]
		}
	}
}

// AddFloats adds floats.
func (n *Numbers) AddFloats(v []float32) {
	if len(v) == 1 && len(n.floats) < min(cap(n.floats), chunkSize-1) {
		n.floats = append(n.floats, v[0])
		return
	}
	for len(v) > 0 {
		if n.floats == nil {
			n.floats = make([]float32, 0, initialCapacity)
		}
		k := min(len(v), chunkSize-len(n.floats))
		n.floats = append(n.floats, v[:k]...)
		v = v[k:]
		if len(n.floats) == chunkSize {
			n.sealFloats(n.floats)
			n.floats = n.floats[:0]
		}
	}
}

// sealInts adds a chunk of integers to the statistics.
func (n *Numbers) sealInts(v []int64) {
	least, most := v[0], v[0]
	for _, x := range v { // the condition is rarely true, so the branch is well predicted
		if uint64(x-least) > uint64(most-least) {
			least, most = min(least, x), max(most, x)
		}
	}
	n.sums.addChunk(v, least, most)
	n.lo, n.hi = min(n.lo, least), max(n.hi, most)
	n.Least, n.Most = float64(n.lo), float64(n.hi)
	if least <= 0 && most >= 0 {
		for _, x := range v {
			if x == 0 {
				n.Zeros++
			}
		}
	}
	s := keyBuffers.Get().(*keyBuffer)
	defer keyBuffers.Put(s)
	for i, x := range v {
		s[i] = intKey(x)
	}
	n.addKeys(s[:len(v)])
}

// sealFloats adds a chunk of floats to the statistics.
func (n *Numbers) sealFloats(v []float32) {
	s := keyBuffers.Get().(*keyBuffer)
	defer keyBuffers.Put(s)
	keys := s[:len(v)]
	least, most := uint64(math.MaxUint64), uint64(0)
	zeros := uint64(0)
	for i, x := range v {
		k := floatKey(x)
		least, most = min(least, k), max(most, k)
		if k == keyZero {
			zeros++
		}
		keys[i] = k
	}
	n.Zeros += zeros
	finite := v
	if least <= keyNegative || most >= keyPositive {
		if finite, keys = n.splitFinite(v, keys); len(keys) == 0 {
			return
		}
		least, most = slices.Min(keys), slices.Max(keys)
	}
	if len(finite) > 0 {
		n.spread.AddAll(finite)
		lo, hi := floatOf(least), floatOf(most)
		if len(finite) < len(keys) || lo == 0 || hi == 0 { // keys do not distinguish 0 and -0
			lo, hi = slices.Min(finite), slices.Max(finite)
		}
		n.Least, n.Most = min(n.Least, float64(lo)), max(n.Most, float64(hi))
	}
	n.addKeys(keys)
}

// addKeys sorts the keys of a chunk, and adds those of finite numbers to the sketch.
func (n *Numbers) addKeys(keys []uint64) {
	sketch.SortKeys(keys)
	if n.isFloat {
		for len(keys) > 0 && keys[0] == keyNegative {
			keys = keys[1:]
		}
		for len(keys) > 0 && keys[len(keys)-1] == keyPositive {
			keys = keys[:len(keys)-1]
		}
	}
	if n.ranks == nil {
		n.ranks = sketch.NewRanks(RankSize)
	}
	n.ranks.AddSorted(keys)
}

// splitFinite counts NaN and the infinities of a chunk. It returns the finite values, and the keys of all values but
// NaN.
func (n *Numbers) splitFinite(v []float32, keys []uint64) (finite []float32, ordered []uint64) {
	finite, ordered = make([]float32, 0, len(v)), keys[:0]
	for i, x := range v {
		switch {
		case x != x:
			n.NaN++
			continue
		case x > math.MaxFloat32:
			n.Positive++
		case x < -math.MaxFloat32:
			n.Negative++
		default:
			finite = append(finite, x)
		}
		ordered = append(ordered, keys[i])
	}
	return finite, ordered
}

// Sealed returns a copy of n whose statistics include the unfinished chunk. Nothing may be added to the copy.
func (n *Numbers) Sealed() *Numbers {
	out := *n
	out.ints, out.floats = nil, nil
	if len(n.ints)+len(n.floats) == 0 {
		return &out
	}
	if n.ranks != nil {
		out.ranks = n.ranks.Clone() // n keeps its own
	}
	if n.isFloat {
		out.sealFloats(n.floats)
	} else {
		out.sealInts(n.ints)
	}
	return &out
}

// Merge adds all numbers of o. It may retain memory of o, on which only Reset may be called afterwards.
func (n *Numbers) Merge(o *Numbers) {
	n.NaN += o.NaN
	n.Zeros += o.Zeros
	n.Positive += o.Positive
	n.Negative += o.Negative
	n.Least, n.Most = min(n.Least, o.Least), max(n.Most, o.Most)
	n.lo, n.hi = min(n.lo, o.lo), max(n.hi, o.hi)
	n.sums.mergeSums(&o.sums)
	n.spread.Merge(&o.spread)
	switch {
	case n.ranks == nil:
		n.ranks = o.ranks
	case o.ranks != nil:
		n.ranks.Merge(o.ranks)
	}
	n.AddInts(o.ints)
	n.AddFloats(o.floats)
}

// Reset makes n empty after it was merged into other Numbers. It reuses the chunk.
func (n *Numbers) Reset() {
	ints, floats := n.ints[:0], n.floats[:0]
	*n = *New(n.isFloat)
	n.ints, n.floats = ints, floats
}

// RankError returns the maximum rank error as a fraction of all numbers; 0 if ranks are exact. One rank in a thousand
// may exceed it.
func (n *Numbers) RankError() float64 {
	if n.ranks == nil {
		return 0
	}
	return n.ranks.RankError()
}

// MeanDev returns the mean and the standard deviation of the finite numbers. The mean is NaN if there are none.
func (n *Numbers) MeanDev() (mean, dev float64) {
	if n.isFloat {
		return n.spread.MeanDev()
	}
	return n.sums.meanDev()
}

// Ends returns the least and the greatest integer exactly; Least and Most are the nearest float64. There must be an
// integer.
func (n *Numbers) Ends() (least, most int64) { return n.lo, n.hi }

// keyRuns returns the keys of all numbers but NaN, in ascending order. n must come from Sealed.
func (n *Numbers) keyRuns() []sketch.Run {
	var runs []sketch.Run
	if n.Negative > 0 {
		runs = append(runs, sketch.Run{Key: keyNegative, Count: n.Negative})
	}
	if n.ranks != nil {
		runs = append(runs, n.ranks.Runs()...)
	}
	if n.Positive > 0 {
		runs = append(runs, sketch.Run{Key: keyPositive, Count: n.Positive})
	}
	return runs
}

// valueOfKey returns the number of a key.
func (n *Numbers) valueOfKey(key uint64) float64 {
	if n.isFloat {
		return float64(floatOf(key))
	}
	return float64(int64(key ^ signBit))
}

// IntQuantiles returns the parts+1 quantile boundaries of integers, and the two middle integers, which are equal if the
// count is odd. The boundaries are those of Summary.Quantiles, as exact integers instead of the nearest float64. It
// returns nil without integers, and if ranks are not exact.
func (n *Numbers) IntQuantiles(parts int) (bounds []int64, middle [2]int64) {
	total := n.sums.count
	if n.RankError() > 0 || n.isFloat || total == 0 {
		return nil, middle
	}
	runs, before := n.keyRuns(), uint64(0)
	at := func(rank uint64) int64 { // ranks must ascend
		for rank-before >= runs[0].Count {
			before += runs[0].Count
			runs = runs[1:]
		}
		return int64(runs[0].Key ^ signBit)
	}
	middle[0] = at((total - 1) / 2)
	middle[1] = at(total / 2)
	runs, before = n.keyRuns(), 0
	for k := range uint64(parts) + 1 {
		hi, lo := bits.Mul64(k, total)
		rank, _ := bits.Div64(hi, lo, uint64(parts))
		bounds = append(bounds, at(min(rank, total-1)))
	}
	return bounds, middle
}

// IntEnds groups integers by their nearest float64, and returns the least and the greatest integer of each group, in
// ascending order.
func (n *Numbers) IntEnds() (ends [][2]int64) {
	last := math.NaN()
	for _, r := range n.keyRuns() {
		v := int64(r.Key ^ signBit)
		if float64(v) != last {
			ends = append(ends, [2]int64{v, v})
			last = float64(v)
		}
		ends[len(ends)-1][1] = v
	}
	return ends
}

// Summary returns the distribution of all numbers except NaN; it is approximate if there are many. n must come from
// Sealed.
func (n *Numbers) Summary() sketch.Summary {
	runs := n.keyRuns()
	s := make(sketch.Summary, 0, len(runs))
	for _, r := range runs { // several integers may round to the same float64
		s = s.Append(n.valueOfKey(r.Key), float64(r.Count))
	}
	return s
}

// Distinct returns the distinct numbers except NaN, in ascending order. It returns nil if there are more than most numbers
// or if ranks are not exact. Integers with the same float64 are one number. n must come from Sealed.
func (n *Numbers) Distinct(most int) []float64 {
	if n.RankError() > 0 {
		return nil
	}
	s := n.Summary()
	if len(s) > most {
		return nil
	}
	var values []float64
	for _, e := range s {
		values = append(values, e.V)
	}
	return values
}

// A key is an unsigned integer that represents a number and sorts like it. The key of an integer is the integer with
// its sign bit inverted. The key of a float is its bits, with the sign bit inverted if it is positive, and with all
// bits inverted if it is negative.
const (
	signBit = 1 << 63

	keyNegative = 0x007fffff // -Inf
	keyZero     = 0x80000000
	keyPositive = 0xff800000 // +Inf
)

func intKey(v int64) uint64 { return uint64(v) ^ signBit }

func floatKey(v float32) uint64 {
	b := math.Float32bits(v + 0) // 0 for -0: they are the same value
	return uint64(b ^ (uint32(int32(b)>>31) | 1<<31))
}

func floatOf(key uint64) float32 {
	k := uint32(key)
	return math.Float32frombits(k ^ (uint32(int32(^k)>>31) | 1<<31))
}

// A keyBuffer holds the keys of one chunk.
type keyBuffer [chunkSize]uint64

var keyBuffers = sync.Pool{New: func() any { return new(keyBuffer) }}

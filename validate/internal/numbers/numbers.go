// Package numbers describes the numbers of one feature: how many there are of each
// sort, mean and deviation, and all of them, for quantiles and histograms.
//
// Numbers are looked at in chunks of a few thousand: a chunk is added up, sorted, and goes to a sketch, which is exact while there
// are at most 8,192 different numbers. So a column takes at most 0.2 MB.
package numbers

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// chunkSize is how many numbers a chunk has at most, and leastChunk for how many there is room at first.
const (
	chunkSize  = 4096
	leastChunk = 8
)

// Numbers are the numbers of a feature, all int64 or all float32.
//
// The exported fields count whole chunks: those of Sealed count all numbers.
type Numbers struct {
	NaN, Zeros         uint64
	Positive, Negative uint64  // infinities
	Least, Most        float64 // of those that are finite; +Inf and -Inf without any

	float  bool
	ints   []int64   // the chunk that is not full
	floats []float32 // or this one
	lo, hi int64     // the least and the largest integer
	sums   intSums
	spread sketch.Spread // of floats
	ranks  *sketch.Ranks // the keys of all finite numbers of whole chunks; nil: there are none
}

// RankSize is the size of the sketches of numbers: ranks are off by at most 0.0004 of all numbers, but for one in a thousand, and
// 8,192 different numbers are counted exactly.
const RankSize = 4096

// New returns empty Numbers.
func New(float bool) *Numbers {
	return &Numbers{Least: math.Inf(1), Most: math.Inf(-1), lo: math.MaxInt64, hi: math.MinInt64, float: float}
}

// AddInts adds integers.
func (n *Numbers) AddInts(v []int64) {
	if len(v) == 1 && len(n.ints) < min(cap(n.ints), chunkSize-1) { // so it is most often
		n.ints = append(n.ints, v[0])
		return
	}
	for len(v) > 0 {
		if n.ints == nil {
			n.ints = make([]int64, 0, leastChunk)
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
			n.floats = make([]float32, 0, leastChunk)
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

// sealInts looks at a chunk of integers.
func (n *Numbers) sealInts(v []int64) {
	least, most := v[0], v[0]
	for _, x := range v { // most are between those that were met early
		if uint64(x-least) > uint64(most-least) {
			least, most = min(least, x), max(most, x)
		}
	}
	n.sums.add(v, least, most)
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

// sealFloats looks at a chunk of floats.
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
		if finite, keys = n.infinite(v, keys); len(keys) == 0 {
			return
		}
		least, most = slices.Min(keys), slices.Max(keys)
	}
	if len(finite) > 0 {
		n.spread.AddAll(finite)
		lo, hi := floatOf(least), floatOf(most)
		if len(finite) < len(keys) || lo == 0 || hi == 0 { // which may be -0
			lo, hi = slices.Min(finite), slices.Max(finite)
		}
		n.Least, n.Most = min(n.Least, float64(lo)), max(n.Most, float64(hi))
	}
	n.addKeys(keys)
}

// addKeys sorts the keys of a chunk, and adds those of finite numbers to the sketch.
func (n *Numbers) addKeys(keys []uint64) {
	sketch.SortKeys(keys)
	if n.float {
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

// infinite counts what is not finite. It returns the values that are, and the keys of
// all but NaN.
func (n *Numbers) infinite(v []float32, keys []uint64) ([]float32, []uint64) {
	finite, kept := make([]float32, 0, len(v)), keys[:0]
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
		kept = append(kept, keys[i])
	}
	return finite, kept
}

// Sealed returns Numbers whose fields count all that was added to n, and to which
// nothing may be added.
func (n *Numbers) Sealed() *Numbers {
	out := *n
	out.ints, out.floats = nil, nil
	if len(n.ints)+len(n.floats) == 0 {
		return &out
	}
	if n.ranks != nil {
		out.ranks = n.ranks.Clone() // that of n stays as it is
	}
	if n.float {
		out.sealFloats(n.floats)
	} else {
		out.sealInts(n.ints)
	}
	return &out
}

// Merge adds all that o has. It may keep memory of o, which must not be used any
// more.
func (n *Numbers) Merge(o *Numbers) {
	n.NaN += o.NaN
	n.Zeros += o.Zeros
	n.Positive += o.Positive
	n.Negative += o.Negative
	n.Least, n.Most = min(n.Least, o.Least), max(n.Most, o.Most)
	n.lo, n.hi = min(n.lo, o.lo), max(n.hi, o.hi)
	n.sums.merge(&o.sums)
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

// Reset makes n empty after it was merged. It keeps memory.
func (n *Numbers) Reset() {
	ints, floats := n.ints[:0], n.floats[:0]
	*n = *New(n.float)
	n.ints, n.floats = ints, floats
}

// RankError is by how much ranks may be off, as a part of the total, but for one rank in a thousand: 0
// while there are few different numbers.
func (n *Numbers) RankError() float64 {
	if n.ranks == nil {
		return 0
	}
	return n.ranks.RankError()
}

// MeanDev returns mean and standard deviation of those that are finite; NaN and 0
// without any.
func (n *Numbers) MeanDev() (mean, dev float64) {
	if n.float {
		return n.spread.MeanDev()
	}
	return n.sums.meanDev()
}

// Ends returns the least and the largest of the integers; there must be one: Least and
// Most are the nearest float64.
func (n *Numbers) Ends() (least, most int64) { return n.lo, n.hi }

// runs are all numbers that Sealed has but NaN, by their keys, in order.
func (n *Numbers) runs() []sketch.Run {
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

// value is the number of a key.
func (n *Numbers) value(key uint64) float64 {
	if n.float {
		return float64(floatOf(key))
	}
	return float64(int64(key ^ signBit))
}

// IntQuantiles returns the parts+1 integers that the Summary has as Quantiles, and the two in
// the middle, which are the same one where their number is odd: in full, where a Summary
// has the nearest float64. Where ranks are not exact, and without integers, it returns nil.
func (n *Numbers) IntQuantiles(parts int) (bounds []int64, middle [2]int64) {
	total := n.sums.count
	if n.RankError() > 0 || n.float || total == 0 {
		return nil, middle
	}
	runs, before := n.runs(), uint64(0)
	at := func(rank uint64) int64 { // ranks must ascend
		for rank-before >= runs[0].Count {
			before += runs[0].Count
			runs = runs[1:]
		}
		return int64(runs[0].Key ^ signBit)
	}
	middle[0] = at((total - 1) / 2)
	middle[1] = at(total / 2)
	runs, before = n.runs(), 0
	for k := range uint64(parts) + 1 {
		hi, lo := bits.Mul64(k, total)
		rank, _ := bits.Div64(hi, lo, uint64(parts))
		bounds = append(bounds, at(min(rank, total-1)))
	}
	return bounds, middle
}

// IntEnds returns the least and the largest integer of each float64 that some are, in order.
func (n *Numbers) IntEnds() (ends [][2]int64) {
	last := math.NaN()
	for _, r := range n.runs() {
		v := int64(r.Key ^ signBit)
		if float64(v) != last {
			ends = append(ends, [2]int64{v, v})
			last = float64(v)
		}
		ends[len(ends)-1][1] = v
	}
	return ends
}

// Summary returns all numbers but NaN of Numbers that Sealed returned, or those that are near them where there are many.
func (n *Numbers) Summary() sketch.Summary {
	runs := n.runs()
	s := make(sketch.Summary, 0, len(runs))
	for _, r := range runs { // integers may be the same float64
		s = s.Append(n.value(r.Key), float64(r.Count))
	}
	return s
}

// Distinct returns the different numbers but NaN, in order, of Numbers that Sealed returned. It returns nil if there are
// more than `most`, or if they are not all known. Integers that are the same float64 are one number.
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

// A key is an integer that represents a number, in the same order: an integer with its sign bit inverted; a float by its bits, with the sign bit
// inverted if it is positive, and all bits if it is negative.
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

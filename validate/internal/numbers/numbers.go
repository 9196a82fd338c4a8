// Package numbers describes the numbers of one feature: how many there are of each
// sort, mean and deviation, and all of them, for quantiles and histograms.
//
// Numbers are looked at in chunks of a few thousand: a chunk is added up and kept.
// Integers that are few different ones are counted together; all others stay as they
// are, and the numbers of some ranks are found among them without sorting the rest.
// After Compact a sketch takes the place of both, and memory is bounded.
package numbers

import (
	"math"
	"math/bits"
	"slices"

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

	float   bool
	epsilon float64
	chunk   int       // the size of chunks
	ints    []int64   // the chunk that is not full
	floats  []float32 // or this one
	lo, hi  int64     // the least and the largest integer
	sums    intSums
	spread  sketch.Spread // of floats
	store   store
	lossy   *sketch.Ranks // takes the numbers from store after Compact
}

// New returns empty Numbers. Epsilon is that of the sketch.
func New(float bool, epsilon float64) *Numbers {
	return &Numbers{
		Least: math.Inf(1), Most: math.Inf(-1), lo: math.MaxInt64, hi: math.MinInt64,
		float: float, epsilon: epsilon, chunk: chunkSize, store: store{float: float},
	}
}

// AddInts adds integers.
func (n *Numbers) AddInts(v []int64) {
	if len(v) == 1 && len(n.ints) < min(cap(n.ints), n.chunk-1) { // so it is most often
		n.ints = append(n.ints, v[0])
		return
	}
	for len(v) > 0 {
		if n.ints == nil {
			n.ints = make([]int64, 0, leastChunk)
		}
		k := min(len(v), n.chunk-len(n.ints))
		n.ints = append(n.ints, v[:k]...)
		v = v[k:]
		if len(n.ints) == n.chunk {
			n.sealInts(n.ints)
			n.ints = n.ints[:0]
		}
	}
}

// AddFloats adds floats.
func (n *Numbers) AddFloats(v []float32) {
	if len(v) == 1 && len(n.floats) < min(cap(n.floats), n.chunk-1) {
		n.floats = append(n.floats, v[0])
		return
	}
	for len(v) > 0 {
		if n.floats == nil {
			n.floats = make([]float32, 0, leastChunk)
		}
		k := min(len(v), n.chunk-len(n.floats))
		n.floats = append(n.floats, v[:k]...)
		v = v[k:]
		if len(n.floats) == n.chunk {
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
	if n.lossy == nil {
		n.store.addInts(v, least, most)
		return
	}
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	for i, x := range v {
		s[i] = intKey(x)
	}
	addSorted(n.lossy, s[:len(v)], false)
}

// sealFloats looks at a chunk of floats.
func (n *Numbers) sealFloats(v []float32) {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
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
	if n.lossy == nil {
		n.store.addChunk(newChunk(keys, least, most, 0))
	} else {
		addSorted(n.lossy, keys, true)
	}
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
	out.lossy = nil // the sketch stays as it is
	out.store.chunks = slices.Clip(out.store.chunks)
	switch {
	case len(n.ints) > 0:
		out.sealInts(n.ints)
	case len(n.floats) > 0:
		out.sealFloats(n.floats)
	}
	out.ints, out.floats, out.lossy = nil, nil, n.lossy
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
	if o.lossy != nil {
		n.Compact()
		n.lossy.Merge(o.lossy)
		n.shorten()
	}
	n.store.merge(&o.store)
	n.spill()
	n.AddInts(o.ints)
	n.AddFloats(o.floats)
}

// Compact gives up exact quantiles for a bounded size. Those of numbers that are few
// different ones stay exact.
func (n *Numbers) Compact() {
	if n.lossy != nil {
		return
	}
	n.lossy = sketch.NewRanks(ranksFor(n.epsilon))
	n.spill()
}

// ranksFor returns the size of the sketch. It begins larger than its error must be.
func ranksFor(epsilon float64) int { return ranksMore * sketch.RanksFor(epsilon/3) }

const ranksMore = 4

// spill moves the store to the sketch, if there is one.
func (n *Numbers) spill() {
	if n.lossy != nil {
		n.store.addTo(n.lossy)
		n.store = store{float: n.float}
	}
}

// Coarsen is Compact, and after it makes the sketch half as large, and its error twice. It
// reports whether that was possible.
func (n *Numbers) Coarsen() bool {
	if n.lossy == nil {
		n.Compact()
		return true
	}
	if !n.lossy.Coarsen() {
		return false
	}
	n.shorten()
	return true
}

// shorten makes chunks fit to the sketch.
func (n *Numbers) shorten() {
	if n.chunk = min(chunkSize, chunkShare*n.lossy.K()); max(len(n.ints), len(n.floats)) >= n.chunk {
		ints, floats := n.ints, n.floats
		n.ints, n.floats = nil, nil
		n.AddInts(ints)
		n.AddFloats(floats)
	}
}

// chunkShare is how many times the size of the sketch the chunk is.
const chunkShare = 4

// Minimum is an upper bound on Bytes when Coarsen can do no more, for up to 2^32 numbers.
func Minimum(float bool) int {
	size := 8
	if float {
		size = 4
	}
	return fixedSize + 2*size*chunkShare*sketch.LeastRanks + sketch.MinimumOfRanks()
}

// RankError is by how much ranks may be off, as a part of the total, but for one rank in a thousand: 0
// until Compact is called.
func (n *Numbers) RankError() float64 {
	if n.lossy == nil {
		return 0
	}
	return n.lossy.RankError()
}

// Bytes is how much memory it takes. The chunk counts as if it had grown by doubling, so
// that it does not depend on where the numbers came from.
func (n *Numbers) Bytes() int {
	chunk := max(len(n.ints), len(n.floats))
	if n.chunk < chunkSize {
		chunk = 2 * n.chunk
	} else if n.sums.count > 0 || n.spread.Count() > 0 || n.NaN+n.Positive+n.Negative > 0 {
		chunk = chunkSize + chunkSize/4
	} else if chunk > 0 {
		chunk = 1 << bits.Len(uint(chunk-1))
	}
	if !n.float {
		chunk *= 2
	}
	b := fixedSize + 4*chunk + n.store.bytes()
	if n.lossy != nil {
		b += n.lossy.Bytes()
	}
	return b
}

const fixedSize = 320 // of Numbers without what grows

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

// IntQuantiles returns the parts+1 integers that a Summary has as Quantiles, and the two in
// the middle, which are the same one where their number is odd: in full, where a Summary
// has the nearest float64. After Compact, and without integers, it returns nil.
func (n *Numbers) IntQuantiles(parts int) (bounds []int64, middle [2]int64) {
	total := n.sums.count
	if n.lossy != nil || n.float || total == 0 || total != n.store.total() {
		return nil, middle
	}
	ranks := []uint64{(total - 1) / 2, total / 2}
	for k := range uint64(parts) + 1 {
		hi, lo := bits.Mul64(k, total)
		rank, _ := bits.Div64(hi, lo, uint64(parts))
		ranks = append(ranks, min(rank, total-1))
	}
	if bounds = n.store.integers(ranks); bounds == nil {
		return nil, middle
	}
	return bounds[2:], [2]int64(bounds[:2])
}

// Summary returns those of the numbers but NaN that a Summary of all of them would
// be asked for by Quantiles for that number of parts, by Median, and by Below for some
// values: there they say the same. After Compact it returns the sketch.
func (n *Numbers) Summary(parts int, below []float64) sketch.Summary {
	if n.lossy == nil {
		return n.store.summary(parts, below, n.Positive)
	}
	rest := sketch.NewRanks(chunkSize) // of the chunk that was sealed apart from the sketch
	n.store.addTo(rest)
	runs := sketch.MergeRuns(n.lossy.Runs(), rest.Runs())
	if n.Negative > 0 {
		runs = sketch.MergeRuns([]sketch.Run{{Key: keyNegative, Count: n.Negative}}, runs)
	}
	if n.Positive > 0 {
		runs = append(runs, sketch.Run{Key: keyPositive, Count: n.Positive})
	}
	return n.store.summaryOf(runs)
}

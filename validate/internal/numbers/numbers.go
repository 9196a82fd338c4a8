package numbers

import (
	"math"
	"math/bits"
	"slices"

	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// chunkSize is how many numbers are looked at together at most.
const chunkSize = 4096

// Numbers are the numbers of a feature, all int64 or all float32.
//
// What is exported counts whole chunks: Sealed has all.
type Numbers struct {
	NaN, Zeros         uint64
	Positive, Negative uint64  // infinities
	Least, Most        float64 // of those that are finite; +Inf and -Inf without any

	float   bool
	epsilon float64
	chunk   int       // how many numbers are looked at together
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
	for len(v) > n.chunk {
		n.AddInts(v[:n.chunk])
		v = v[n.chunk:]
	}
	n.ints = append(n.ints, v...)
	if len(n.ints) >= n.chunk {
		n.settle()
	}
}

// AddInt adds an integer.
func (n *Numbers) AddInt(v int64) {
	if len(n.ints) >= n.chunk {
		n.settle()
	}
	n.ints = append(n.ints, v)
}

// AddFloat adds a float.
func (n *Numbers) AddFloat(v float32) {
	if len(n.floats) >= n.chunk {
		n.settle()
	}
	n.floats = append(n.floats, v)
}

// AddFloats adds floats.
func (n *Numbers) AddFloats(v []float32) {
	for len(v) > n.chunk {
		n.AddFloats(v[:n.chunk])
		v = v[n.chunk:]
	}
	n.floats = append(n.floats, v...)
	if len(n.floats) >= n.chunk {
		n.settle()
	}
}

// Ints returns the integers that were not looked at yet. The caller may append to them, and
// must give them back to SetInts, with some added or not.
func (n *Numbers) Ints() []int64 {
	if len(n.ints) >= n.chunk {
		n.settle()
	}
	return n.ints
}

// SetInts adds what was appended to Ints.
func (n *Numbers) SetInts(v []int64) {
	if cap(v) == cap(n.ints) {
		n.ints = n.ints[:len(v)] // no pointer has changed, which the garbage collector would want to know
	} else {
		n.ints = v
	}
}

// Floats is Ints for floats.
func (n *Numbers) Floats() []float32 {
	if len(n.floats) >= n.chunk {
		n.settle()
	}
	return n.floats
}

// SetFloats adds what was appended to Floats.
func (n *Numbers) SetFloats(v []float32) {
	if cap(v) == cap(n.floats) {
		n.floats = n.floats[:len(v)]
	} else {
		n.floats = v
	}
}

// LastInts returns the last numbers that SetInts has added. They are lent until the next
// call of anything.
func (n *Numbers) LastInts(count int) []int64 { return n.ints[len(n.ints)-count:] }

// LastFloats is LastInts for floats.
func (n *Numbers) LastFloats(count int) []float32 { return n.floats[len(n.floats)-count:] }

// Cut takes back the last numbers, as many as SetInts or SetFloats has added, if nothing
// happened since.
func (n *Numbers) Cut(count int) {
	if n.float {
		n.floats = cut(n.floats, count)
	} else {
		n.ints = cut(n.ints, count)
	}
}

// cut takes back the last numbers, and memory that only they have needed.
func cut[T int64 | float32](v []T, count int) []T {
	const many = 64
	v = v[:len(v)-count]
	if count > many && cap(v) > 4*len(v) {
		return slices.Clone(v)
	}
	return v
}

// settle looks at whole chunks.
func (n *Numbers) settle() {
	if v := n.ints; len(v) >= n.chunk {
		for ; len(v) >= n.chunk; v = v[n.chunk:] {
			n.sealInts(v[:n.chunk], false)
		}
		n.ints = n.ints[:copy(n.ints, v)]
	}
	if v := n.floats; len(v) >= n.chunk {
		for ; len(v) >= n.chunk; v = v[n.chunk:] {
			n.sealFloats(v[:n.chunk], false)
		}
		n.floats = n.floats[:copy(n.floats, v)]
	}
	if cap(n.ints) > 2*n.chunk { // a record had very many
		n.ints = append(make([]int64, 0, n.chunk), n.ints...)
	}
	if cap(n.floats) > 2*n.chunk {
		n.floats = append(make([]float32, 0, n.chunk), n.floats...)
	}
}

// Sealed returns Numbers whose fields count all that was added to n, and to which
// nothing may be added.
func (n *Numbers) Sealed() *Numbers {
	n.settle()
	if len(n.ints)+len(n.floats) == 0 {
		return n
	}
	out := *n
	out.store.blocks = out.store.blocks[:len(out.store.blocks):len(out.store.blocks)]
	switch {
	case len(n.ints) > 0:
		out.sealInts(n.ints, true)
		out.ints = nil
	default:
		out.sealFloats(n.floats, true)
		out.floats = nil
	}
	return &out
}

// Merge adds all that o has. It may keep memory of o, which must not be used any
// more.
func (n *Numbers) Merge(o *Numbers) {
	n.settle()
	o.settle()
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
	n.settle()
	n.lossy = sketch.NewRanks(ranksFor(n.epsilon))
	n.spill()
}

// ranksFor returns the size of the sketch. It begins larger than its error must be.
func ranksFor(epsilon float64) int { return ranksMore * sketch.RanksFor(epsilon/3) }

const ranksMore = 4

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

// shorten makes the chunk fit to the sketch.
func (n *Numbers) shorten() {
	n.chunk = min(chunkSize, chunkShare*n.lossy.K())
	n.settle()
}

// chunkShare is how many times the size of the sketch the chunk is.
const chunkShare = 4

// Floor is what Bytes is at most after Coarsen, as often as it is possible, for up to 2^32 numbers.
func Floor(float bool) int {
	size := 8
	if float {
		size = 4
	}
	return fixedSize + 2*size*chunkShare*sketch.LeastRanks + sketch.FloorOfRanks()
}

// RankError is by how much ranks may be off, as a part of the total, but for one rank in a thousand: 0
// until Compact is called.
func (n *Numbers) RankError() float64 {
	if n.lossy == nil {
		return 0
	}
	return n.lossy.RankError()
}

// Lossy reports whether Compact was called.
func (n *Numbers) Lossy() bool { return n.lossy != nil }

// Bytes is how much memory it takes. The chunk counts as if it had grown by doubling, so
// that it does not depend on where the numbers came from.
func (n *Numbers) Bytes() int {
	n.settle()
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

// Ends returns the least and the largest of the integers, of which there is one: Least and
// Most are the nearest float64.
func (n *Numbers) Ends() (least, most int64) { return n.lo, n.hi }

// IntQuantiles returns the parts+1 integers that a Summary has as Quantiles, and the two in
// the middle, which are the same one where their number is odd: in full, where a Summary
// has the nearest float64. After Compact, and without integers, it returns nil.
func (n *Numbers) IntQuantiles(parts int) (bounds []int64, middle [2]int64) {
	total := n.sums.count
	if n.lossy != nil || n.float || total == 0 || total != n.store.total(n.store.counted()) {
		return nil, middle
	}
	ranks := []uint64{(total - 1) / 2, total / 2}
	for k := range uint64(parts) + 1 {
		hi, lo := bits.Mul64(k, total)
		rank, _ := bits.Div64(hi, lo, uint64(parts))
		ranks = append(ranks, min(rank, total-1))
	}
	if bounds = n.store.at(ranks); bounds == nil {
		return nil, middle
	}
	return bounds[2:], [2]int64(bounds[:2])
}

// Summary returns those of the numbers but NaN that a Summary of all of them would
// be asked for by Quantiles for so many parts, by Median, and by Below for some
// values: there they say the same. After Compact it returns the sketch.
func (n *Numbers) Summary(parts int, below []float64) sketch.Summary {
	if n.lossy == nil {
		return n.store.summary(parts, below, n.Positive)
	}
	return n.near()
}

package numbers

import (
	"math"

	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// chunkSize is how many numbers are looked at together.
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
	ints    []int64   // the chunk that is not full
	floats  []float32 // or this one
	sums    intSums
	spread  sketch.Spread // of floats
	store   store
	lossy   *sketch.Quantiles // takes the numbers in place of store after Compact
}

// New returns empty Numbers. Epsilon is that of the sketch.
func New(float bool, epsilon float64) *Numbers {
	return &Numbers{Least: math.Inf(1), Most: math.Inf(-1), float: float, epsilon: epsilon, store: store{float: float}}
}

// AddInts adds integers.
func (n *Numbers) AddInts(v []int64) {
	if len(v) == 1 && len(n.ints) < chunkSize-1 {
		n.ints = append(n.ints, v[0])
		return
	}
	if len(n.ints)+len(v) < chunkSize {
		n.ints = append(n.ints, v...)
		return
	}
	for len(v) > 0 {
		k := min(chunkSize-len(n.ints), len(v))
		n.ints = append(n.ints, v[:k]...)
		v = v[k:]
		if len(n.ints) == chunkSize {
			n.seal(false)
		}
	}
}

// AddFloats adds floats.
func (n *Numbers) AddFloats(v []float32) {
	if len(v) == 1 && len(n.floats) < chunkSize-1 {
		n.floats = append(n.floats, v[0])
		return
	}
	if len(n.floats)+len(v) < chunkSize {
		n.floats = append(n.floats, v...)
		return
	}
	for len(v) > 0 {
		k := min(chunkSize-len(n.floats), len(v))
		n.floats = append(n.floats, v[:k]...)
		v = v[k:]
		if len(n.floats) == chunkSize {
			n.seal(false)
		}
	}
}

// seal looks at the chunk and begins a new one. With apart it leaves alone what a
// copy of n would share with it.
func (n *Numbers) seal(apart bool) {
	switch {
	case len(n.ints) > 0:
		n.sealInts(n.ints, apart)
		n.ints = n.ints[:0]
	case len(n.floats) > 0:
		n.sealFloats(n.floats, apart)
		n.floats = n.floats[:0]
	}
}

// Sealed returns Numbers whose fields count all that was added to n, and to which
// nothing may be added.
func (n *Numbers) Sealed() *Numbers {
	if len(n.ints)+len(n.floats) == 0 {
		return n
	}
	out := *n
	out.store.blocks = out.store.blocks[:len(out.store.blocks):len(out.store.blocks)]
	out.seal(true)
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
	n.sums.merge(&o.sums)
	n.spread.Merge(&o.spread)
	switch {
	case n.lossy == nil && o.lossy == nil:
		n.store.merge(&o.store)
	default:
		n.Compact()
		o.Compact()
		n.lossy.Merge(o.lossy)
	}
	n.AddInts(o.ints)
	n.AddFloats(o.floats)
}

// Compact gives up exact quantiles for a bounded size. Those of numbers that are few
// different ones stay exact.
func (n *Numbers) Compact() {
	if n.lossy != nil {
		return
	}
	n.lossy = sketch.NewQuantiles(n.epsilon, false)
	n.lossy.Compact()
	n.store.drain(n.lossy)
}

// Coarsen makes the sketch half as large, and its error twice. It reports whether that
// is possible.
func (n *Numbers) Coarsen() bool { return n.lossy != nil && n.lossy.Coarsen() }

// Lossy reports whether Compact was called.
func (n *Numbers) Lossy() bool { return n.lossy != nil }

// Bytes is how much memory it takes.
func (n *Numbers) Bytes() int {
	b := 512 + 8*cap(n.ints) + 4*cap(n.floats) + n.store.bytes()
	if n.lossy != nil {
		b += n.lossy.Bytes()
	}
	return b
}

// MeanDev returns mean and standard deviation of those that are finite; NaN and 0
// without any.
func (n *Numbers) MeanDev() (mean, dev float64) {
	if n.float {
		return n.spread.MeanDev()
	}
	return n.sums.meanDev()
}

// Summary returns those of the numbers but NaN that a Summary of all of them would
// be asked for by Quantiles for so many parts, by Median, and by Below for some
// values: there they say the same. After Compact it returns the sketch.
func (n *Numbers) Summary(parts int, below []float64) sketch.Summary {
	s := n.store.summary(parts, below, n.Positive)
	if n.lossy == nil {
		return s
	}
	return sketch.Join(n.lossy.Summary(), s)
}

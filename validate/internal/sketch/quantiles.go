package sketch

import (
	"math"
	"slices"
)

// Quantiles collects weighted numbers to ask for their quantiles: exactly, until
// Compact is called. From then on no rank is off by more than epsilon/3 of the total
// weight, for up to 2^32 values.
//
// Numbers go to a buffer. A full buffer is sorted and becomes a Summary of level 0;
// two summaries of one level that are too large for it become one of the next level.
// After Compact they are cut to size there, each time adding at most one part in
// block to what is unsure.
type Quantiles struct {
	epsilon float64
	block   int
	lossy   bool
	buf     []float64
	weights []float64 // of buf
	levels  []Summary
	entries int // of all levels
}

// NewQuantiles returns an empty Quantiles.
func NewQuantiles(epsilon float64) *Quantiles {
	return &Quantiles{epsilon: epsilon, block: block(epsilon)}
}

// block is the size of a summary after which the error stays below a third of
// epsilon for 2^32 values: one part in block for each level that these need.
func block(epsilon float64) int {
	eps := epsilon / 3
	if !(eps > 1e-6) {
		eps = 1e-6
	}
	levels, size := 1, 2.0
	for math.Ldexp(size, levels) < 1<<32 {
		size = math.Ceil(float64(levels)/eps) + 1
		levels++
	}
	return int(size)
}

// Add adds v, which must not be NaN. A weight that is not above 0 adds nothing.
func (q *Quantiles) Add(v, w float64) {
	if !(w > 0) {
		return
	}
	if len(q.buf) >= 2*q.block {
		q.flush()
	}
	q.buf = append(q.buf, v)
	q.weights = append(q.weights, w)
}

// Merge adds all that o holds. It may keep memory of o, which must not be used
// any more.
func (q *Quantiles) Merge(o *Quantiles) {
	if o.lossy {
		q.Compact()
	}
	for o.block < q.block && q.Coarsen() {
	}
	for i, s := range o.levels {
		if len(s) > 0 {
			q.push(i, s)
		}
	}
	for i, v := range o.buf {
		q.Add(v, o.weights[i])
	}
}

// Compact gives up exactness for a bounded size.
func (q *Quantiles) Compact() {
	if q.lossy {
		return
	}
	q.lossy = true
	q.entries = 0
	for i, s := range q.levels {
		q.levels[i] = s.compress(q.block)
		q.entries += len(q.levels[i])
	}
	if len(q.buf) >= 2*q.block {
		q.flush()
	}
}

// Coarsen halves the size of a Quantiles, and doubles its error. It reports whether there was anything to halve.
func (q *Quantiles) Coarsen() bool {
	if q.block < 2*leastBlock {
		return false
	}
	q.lossy = true
	q.block /= 2
	q.entries = 0
	for i, s := range q.levels {
		q.levels[i] = slices.Clip(s.compress(q.block))
		q.entries += len(q.levels[i])
	}
	if len(q.buf) > 0 {
		q.flush()
	}
	q.buf, q.weights = nil, nil
	return true
}

// RankError is by how much ranks may be off, as a part of the total weight: 0 until Compact is called, then at most
// a third of epsilon, and after each Coarsen at most twice as much. It is what is unsure of what is there: between two
// values that are kept, and of each of them.
func (q *Quantiles) RankError() float64 {
	if !q.lossy {
		return 0
	}
	s := q.Summary()
	unsure := 0.0
	for i, e := range s {
		unsure = max(unsure, e.after()-e.Min)
		if i+1 < len(s) {
			unsure = max(unsure, s[i+1].after()-e.before())
		}
	}
	if unsure == 0 {
		return 0
	}
	return unsure / s.Total()
}

// leastBlock is how small blocks become.
const leastBlock = 8

// MinimumOfQuantiles is an upper bound on Bytes when Coarsen can do no more, for up to 2^32
// values.
func MinimumOfQuantiles() int {
	const levels = 32
	return 128 + 16*2*leastBlock + 32*leastBlock + levels*(24+32*(leastBlock+2))
}

// Lossy reports whether Compact was called.
func (q *Quantiles) Lossy() bool { return q.lossy }

// Bytes is about how much memory it takes.
func (q *Quantiles) Bytes() int {
	buf := RoundUp(len(q.buf))
	if q.entries > 0 {
		buf = 2 * q.block
	}
	return 128 + 16*buf + 32*q.entries + 24*len(q.levels)
}

// Summary returns all that was added, in order. It changes nothing.
func (q *Quantiles) Summary() Summary {
	s := summarize(q.buf, q.weights)
	for _, level := range q.levels {
		s = mergeSummaries(s, level)
	}
	return s
}

func (q *Quantiles) flush() {
	q.push(0, summarize(q.buf, q.weights))
	q.buf, q.weights = q.buf[:0], q.weights[:0]
}

// push adds a Summary at a level, and keeps it.
func (q *Quantiles) push(level int, s Summary) {
	for ; ; level++ {
		for len(q.levels) <= level {
			q.levels = append(q.levels, nil)
		}
		old := q.levels[level]
		q.entries -= len(old)
		q.levels[level] = nil
		s = mergeSummaries(old, s)
		if q.lossy && len(s) > 2*q.block {
			s = s.compress(q.block)
		}
		if len(old) == 0 || len(s) <= q.block {
			q.levels[level] = s
			q.entries += len(s)
			return
		}
	}
}

type pair struct{ v, w float64 }

// summarize sorts values, and joins those that are equal.
func summarize(values, weights []float64) Summary {
	pairs := make([]pair, len(values))
	for i, v := range values {
		pairs[i] = pair{v, weights[i]}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int {
		switch {
		case a.v < b.v:
			return -1
		case a.v > b.v:
			return 1
		}
		return 0
	})
	var out Summary
	sum := 0.0
	for i := 0; i < len(pairs); {
		w, j := 0.0, i
		for ; j < len(pairs) && pairs[j].v == pairs[i].v; j++ {
			w += pairs[j].w
		}
		out = append(out, Entry{pairs[i].v, w, sum, sum + w})
		sum += w
		i = j
	}
	return out
}

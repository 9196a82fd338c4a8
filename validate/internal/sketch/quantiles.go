package sketch

import (
	"math"
	"slices"
	"sync"
)

// Quantiles collects numbers to ask for their quantiles: exactly, until Compact
// is called. From then on no rank is off by more than epsilon/3 of the total
// weight, for up to 2^32 values.
//
// Numbers go to a buffer. A full buffer is sorted and becomes a Summary of level 0;
// two summaries of one level that are too large for it become one of the next level.
// After Compact they are cut to size there, each time adding at most one part in
// block to what is unsure.
type Quantiles struct {
	epsilon  float64
	block    int
	lossy    bool
	weighted bool
	buf      []float64
	weights  []float64 // of buf, if weighted
	levels   []Summary
	entries  int // of all levels
}

// NewQuantiles returns an empty Quantiles. In a weighted one each number comes
// with a weight.
func NewQuantiles(epsilon float64, weighted bool) *Quantiles {
	return &Quantiles{epsilon: epsilon, block: block(epsilon), weighted: weighted}
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

// Add adds v, which must not be NaN, to an unweighted Quantiles.
func (q *Quantiles) Add(v float64) {
	if len(q.buf) == cap(q.buf) {
		q.grow()
	}
	q.buf = append(q.buf, v)
}

// AddAll adds values, which must not be NaN, to an unweighted Quantiles.
func (q *Quantiles) AddAll(v []float64) {
	for len(v) > 0 {
		if len(q.buf) == cap(q.buf) {
			q.grow()
		}
		n := min(cap(q.buf)-len(q.buf), len(v))
		q.buf = append(q.buf, v[:n]...)
		v = v[n:]
	}
}

// Room is how many entries a Summary may have that AddSummary keeps whole.
func (q *Quantiles) Room() int { return 2 * q.block }

// AddSummary adds all that s has. Of twice as many values as there is room for no rank may be unsure by
// more than one part in half the room, of fewer ones none at all.
func (q *Quantiles) AddSummary(s Summary) {
	if len(s) == 0 {
		return
	}
	level := 0
	for room := 2 * float64(q.Room()); room <= s.Total(); room *= 2 {
		level++
	}
	q.push(level, s, true)
}

// grow makes room for a number.
func (q *Quantiles) grow() {
	full := 2 * q.block
	if len(q.buf) < full {
		q.buf = append(make([]float64, 0, min(max(2*len(q.buf), 8), full)), q.buf...)
		return
	}
	q.flush()
}

// AddWeighted adds v, which must not be NaN, to a weighted Quantiles. A weight
// that is not above 0 adds nothing.
func (q *Quantiles) AddWeighted(v, w float64) {
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
			q.push(i, s, true)
		}
	}
	for i, v := range o.buf {
		if q.weighted {
			q.AddWeighted(v, o.weights[i])
		} else {
			q.Add(v)
		}
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

// Coarsen halves the size of a Quantiles that is lossy already, and doubles its error.
// It reports whether there was anything to halve.
func (q *Quantiles) Coarsen() bool {
	if !q.lossy || q.block < 2*leastBlock {
		return false
	}
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

// RankError is by how much ranks may be off, as a part of the total weight: 0 until Compact is called,
// then a third of epsilon, and after each Coarsen twice as much.
func (q *Quantiles) RankError() float64 {
	if !q.lossy {
		return 0
	}
	return q.epsilon / 3 * float64(block(q.epsilon)) / float64(q.block)
}

// leastBlock is how small blocks become.
const leastBlock = 512

// Lossy reports whether Compact was called.
func (q *Quantiles) Lossy() bool { return q.lossy }

// Bytes is about how much memory it takes.
func (q *Quantiles) Bytes() int { return 8*(cap(q.buf)+cap(q.weights)) + 32*q.entries }

// Summary returns all that was added, in order. It changes nothing.
func (q *Quantiles) Summary() Summary {
	s := summarize(slices.Clone(q.buf), q.weights)
	for _, level := range q.levels {
		s = mergeSummaries(s, level)
	}
	return s
}

func (q *Quantiles) flush() {
	if q.weighted {
		q.push(0, summarizeWeighted(q.buf, q.weights), true)
		q.buf, q.weights = q.buf[:0], q.weights[:0]
		return
	}
	sortFloats(q.buf)
	if q.lossy {
		memory := summaries.Get().(*Summary)
		defer summaries.Put(memory)
		*memory = appendSummary((*memory)[:0], q.buf)
		q.push(0, *memory, false)
	} else {
		q.push(0, toSummary(q.buf), true)
	}
	q.buf = q.buf[:0]
}

// summaries are memory for those that only become others, of a few blocks each.
var summaries = sync.Pool{New: func() any { return new(Summary) }}

// different counts the different numbers of a sorted list.
func different(v []float64) int {
	n := min(len(v), 1)
	for i := 1; i < len(v); i++ {
		if v[i] != v[i-1] {
			n++
		}
	}
	return n
}

// push adds a Summary at a level. It keeps it only if it may.
func (q *Quantiles) push(level int, s Summary, keep bool) {
	merged, less := summaries.Get().(*Summary), summaries.Get().(*Summary)
	defer summaries.Put(merged)
	defer summaries.Put(less)
	for ; ; level++ {
		for len(q.levels) <= level {
			q.levels = append(q.levels, nil)
		}
		old := q.levels[level]
		q.entries -= len(old)
		q.levels[level] = nil
		switch {
		case len(old) == 0:
		case !q.lossy:
			s, keep = mergeSummaries(old, s), true
		default: // s lies in less, or comes from elsewhere
			*merged = appendMerged((*merged)[:0], old, s)
			s, keep = *merged, false
		}
		if q.lossy && len(s) > 2*q.block {
			*less = s.appendLess((*less)[:0], q.block)
			s, keep = *less, false
		}
		if len(old) == 0 || len(s) <= q.block {
			if !keep {
				s = slices.Clone(s)
			}
			q.levels[level] = s
			q.entries += len(s)
			return
		}
		if q.lossy && !keep && &s[0] == &(*merged)[0] {
			merged, less = less, merged
		}
	}
}

// summarize sorts values, in place, and joins those that are equal. Without
// weights each has the weight 1.
func summarize(values, weights []float64) Summary {
	if len(values) == 0 {
		return nil
	}
	if len(weights) > 0 {
		return summarizeWeighted(values, weights)
	}
	sortFloats(values)
	return toSummary(values)
}

// toSummary joins the equal ones of sorted numbers.
func toSummary(values []float64) Summary {
	if len(values) == 0 {
		return nil
	}
	return appendSummary(make(Summary, 0, different(values)), values)
}

// appendSummary is toSummary to the memory of out.
func appendSummary(out Summary, values []float64) Summary {
	first := 0
	for i := 1; i <= len(values); i++ {
		if i == len(values) || values[i] != values[first] {
			out = append(out, Entry{values[first], float64(i - first), float64(first), float64(i)})
			first = i
		}
	}
	return out
}

type pair struct{ v, w float64 }

func summarizeWeighted(values, weights []float64) Summary {
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

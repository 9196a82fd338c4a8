package sketch

import (
	"math"
	"slices"
)

// An Entry says where a value stands in an ordered list of weighted values: its
// own weight is at least W, the weight of all smaller values is at least Min,
// and that of all values up to it is at most Max. Where nothing was lost, Max
// is Min + W.
type Entry struct{ V, W, Min, Max float64 }

// A Summary is an ordered list of distinct values.
type Summary []Entry

// Total is the weight of all values.
func (s Summary) Total() float64 {
	if len(s) == 0 {
		return 0
	}
	return s[len(s)-1].Max
}

// before and after are the least weight up to an entry and the most before it.
func (e Entry) before() float64 { return e.Min + e.W }
func (e Entry) after() float64  { return e.Max - e.W }

// mergeSummaries returns a new Summary of the values of both.
func mergeSummaries(a, b Summary) Summary {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	return appendMerged(make(Summary, 0, len(a)+len(b)), a, b)
}

// appendMerged is mergeSummaries to the memory of out, where neither of the others is.
func appendMerged(out, a, b Summary) Summary {
	if out = slices.Grow(out, len(a)+len(b)); len(a) == 0 || len(b) == 0 {
		return append(append(out, a...), b...)
	}
	totalA, totalB := a.Total(), b.Total()
	lastA, lastB := 0.0, 0.0 // the least weight up to the last entry that was taken
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case j == len(b) || i < len(a) && a[i].V < b[j].V:
			e := a[i]
			next := totalB
			if j < len(b) {
				next = b[j].after()
			}
			lastA = e.before()
			out = append(out, Entry{e.V, e.W, e.Min + lastB, e.Max + next})
			i++
		case i == len(a) || b[j].V < a[i].V:
			e := b[j]
			next := totalA
			if i < len(a) {
				next = a[i].after()
			}
			lastB = e.before()
			out = append(out, Entry{e.V, e.W, e.Min + lastA, e.Max + next})
			j++
		default:
			x, y := a[i], b[j]
			lastA, lastB = x.before(), y.before()
			out = append(out, Entry{x.V, x.W + y.W, x.Min + y.Min, x.Max + y.Max})
			i++
			j++
		}
	}
	return out
}

// compress returns a Summary of at most size+1 entries, among them the first and
// the last. No rank becomes unsure by more than the total over size.
func (s Summary) compress(size int) Summary {
	if len(s) <= size+1 {
		return s
	}
	return s.appendLess(make(Summary, 0, size+1), size)
}

// appendLess is compress to the memory of out, which is not that of s.
func (s Summary) appendLess(out Summary, size int) Summary {
	out = slices.Grow(out, size+1)
	last := -1
	c := cursor{s: s, total: s.Total()}
	for k := 0; k <= size; k++ {
		if i := c.seek(k, size); i != last {
			out = append(out, s[i])
			last = i
		}
	}
	return out
}

// A cursor finds values by ascending rank.
type cursor struct {
	s     Summary
	total float64
	cur   int
}

// seek returns the entry nearest to k/n of the total.
func (c *cursor) seek(k, n int) int {
	s := c.s
	d := 2 * float64(k) * c.total / float64(n)
	for c.cur+1 < len(s) && d >= s[c.cur+1].Min+s[c.cur+1].Max {
		c.cur++
	}
	if c.cur+1 < len(s) && d >= s[c.cur].before()+s[c.cur+1].after() {
		return c.cur + 1
	}
	return c.cur
}

// A Boundary is a value, and the weight of the values up to it.
type Boundary struct{ Value, Weight float64 }

// Quantiles appends n+1 boundaries that part the values into n ranges of the
// same weight, in the manner of TensorFlow Data Validation: smallest and
// largest value included, each a value that is there. Without values there is
// none.
func (s Summary) Quantiles(dst []Boundary, n int) []Boundary {
	if len(s) == 0 {
		return dst
	}
	c := cursor{s: s, total: s.Total()}
	dst = slices.Grow(dst, n+1)
	for k := 0; k <= n; k++ {
		e := s[c.seek(k, n)]
		dst = append(dst, Boundary{e.V, e.Max})
	}
	return dst
}

// Median is the mean of the two values in the middle; NaN without values.
func (s Summary) Median() float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	half := s.Total() / 2
	i := s.at(half)
	if s[i].Max == half && i+1 < len(s) {
		return s[i].V/2 + s[i+1].V/2
	}
	return s[i].V
}

// at returns the first entry up to which there is the weight w.
func (s Summary) at(w float64) int {
	lo, hi := 0, len(s)-1
	for lo < hi {
		mid := lo + (hi-lo)/2
		if s[mid].Max >= w {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// Below is the weight of the values that are less than v, and, if v itself is
// to count, not more than v.
func (s Summary) Below(v float64, itself bool) float64 {
	lo, hi := 0, len(s)
	for lo < hi {
		mid := lo + (hi-lo)/2
		if s[mid].V < v || itself && s[mid].V == v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return 0
	}
	return s[lo-1].Max
}

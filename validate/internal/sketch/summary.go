package sketch

import (
	"math"
	"slices"
)

// An Entry is a value, its weight, and the cumulative weight up to and including it.
type Entry struct{ V, W, UpTo float64 }

// weightBefore returns the weight of all smaller values.
func (e Entry) weightBefore() float64 { return e.UpTo - e.W }

// A Summary is a distribution: distinct values with weights, in ascending order.
type Summary []Entry

// Append appends v, which must not be less than the last value, with the weight w.
func (s Summary) Append(v, w float64) Summary {
	if n := len(s); n > 0 && s[n-1].V == v {
		s[n-1].W += w
		s[n-1].UpTo += w
		return s
	}
	return append(s, Entry{v, w, s.Total() + w})
}

// Total returns the weight of all values.
func (s Summary) Total() float64 {
	if len(s) == 0 {
		return 0
	}
	return s[len(s)-1].UpTo
}

// A quantileCursor finds quantiles of a Summary in ascending order.
type quantileCursor struct {
	s     Summary
	total float64 // s.Total()
	index int     // index in s of the last quantile; only moves forward
}

// seekQuantile returns the index of the entry nearest to k/n of the total weight.
func (c *quantileCursor) seekQuantile(k, n int) int {
	s := c.s
	d := 2 * float64(k) * c.total / float64(n)
	for c.index+1 < len(s) && d >= s[c.index+1].weightBefore()+s[c.index+1].UpTo {
		c.index++
	}
	if c.index+1 < len(s) && d >= s[c.index].UpTo+s[c.index+1].weightBefore() {
		return c.index + 1
	}
	return c.index
}

// A Boundary is a quantile: a value, and the weight of all values up to it.
type Boundary struct{ Value, Weight float64 }

// Quantiles appends the n+1 boundaries of n ranges of equal weight, from the smallest to the largest value, as
// TensorFlow Data Validation does. Every boundary is one of the values. It appends nothing without values.
func (s Summary) Quantiles(dst []Boundary, n int) []Boundary {
	if len(s) == 0 {
		return dst
	}
	c := quantileCursor{s: s, total: s.Total()}
	dst = slices.Grow(dst, n+1)
	for k := 0; k <= n; k++ {
		e := s[c.seekQuantile(k, n)]
		dst = append(dst, Boundary{e.V, e.UpTo})
	}
	return dst
}

// Median returns the mean of the two middle values; NaN without values.
func (s Summary) Median() float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	half := s.Total() / 2
	i := s.findWeight(half)
	if s[i].UpTo == half && i+1 < len(s) {
		return s[i].V/2 + s[i+1].V/2
	}
	return s[i].V
}

// findWeight returns the index of the first entry with a cumulative weight of at least w.
func (s Summary) findWeight(w float64) int {
	lo, hi := 0, len(s)-1
	for lo < hi {
		mid := lo + (hi-lo)/2
		if s[mid].UpTo >= w {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// Below returns the weight of the values less than v or, if orEqual is true, not greater than v.
func (s Summary) Below(v float64, orEqual bool) float64 {
	lo, hi := 0, len(s)
	for lo < hi {
		mid := lo + (hi-lo)/2
		if s[mid].V < v || orEqual && s[mid].V == v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return 0
	}
	return s[lo-1].UpTo
}

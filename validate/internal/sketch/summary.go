package sketch

import (
	"math"
	"slices"
)

// An Entry is a value, its weight, and the weight of all values up to it.
type Entry struct{ V, W, UpTo float64 }

// before is the weight of all smaller values.
func (e Entry) before() float64 { return e.UpTo - e.W }

// A Summary is an ordered list of distinct values.
type Summary []Entry

// Append appends a value that is not less than the last one, with its weight.
func (s Summary) Append(v, w float64) Summary {
	if n := len(s); n > 0 && s[n-1].V == v {
		s[n-1].W += w
		s[n-1].UpTo += w
		return s
	}
	return append(s, Entry{v, w, s.Total() + w})
}

// Total is the weight of all values.
func (s Summary) Total() float64 {
	if len(s) == 0 {
		return 0
	}
	return s[len(s)-1].UpTo
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
	for c.cur+1 < len(s) && d >= s[c.cur+1].before()+s[c.cur+1].UpTo {
		c.cur++
	}
	if c.cur+1 < len(s) && d >= s[c.cur].UpTo+s[c.cur+1].before() {
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
		dst = append(dst, Boundary{e.V, e.UpTo})
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
	if s[i].UpTo == half && i+1 < len(s) {
		return s[i].V/2 + s[i+1].V/2
	}
	return s[i].V
}

// at returns the first entry up to which there is the weight w.
func (s Summary) at(w float64) int {
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
	return s[lo-1].UpTo
}

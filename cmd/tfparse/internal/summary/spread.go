package summary

import (
	"math"
	"math/bits"
)

// A Spread is the count, minimum, maximum and total of numbers that are not negative. The zero value is empty.
type Spread struct {
	N, Min, Max, Total int64
}

// Add adds one number.
func (s *Spread) Add(v int64) {
	if s.N == 0 || v < s.Min {
		s.Min = v
	}
	s.Max = max(s.Max, v)
	s.N++
	s.Total += v
}

// Merge adds the numbers of other.
func (s *Spread) Merge(other Spread) {
	if s.N == 0 || other.N > 0 && other.Min < s.Min {
		s.Min = other.Min
	}
	s.Max = max(s.Max, other.Max)
	s.N += other.N
	s.Total += other.Total
}

// Mean returns the mean; 0 without numbers.
func (s *Spread) Mean() float64 {
	if s.N == 0 {
		return 0
	}
	return float64(s.Total) / float64(s.N)
}

// A Histogram is a Spread with quantiles. It counts numbers below 256 exactly, and larger ones in 128 buckets per power
// of two.
type Histogram struct {
	Spread
	buckets [256 + 55*128]int64
}

// Add adds one number.
func (h *Histogram) Add(v int64) {
	h.Spread.Add(v)
	h.buckets[bucketIndex(v)]++
}

// Merge adds the numbers of other.
func (h *Histogram) Merge(other *Histogram) {
	h.Spread.Merge(other.Spread)
	for i, n := range other.buckets {
		h.buckets[i] += n
	}
}

// bucketIndex returns the bucket of a number.
func bucketIndex(v int64) int {
	if v < 256 {
		return int(v)
	}
	shift := bits.Len64(uint64(v)) - 8 // v>>shift is 128 to 255
	return 128 + shift*128 + int(v>>shift-128)
}

// maxOfBucket returns the largest number in bucket i.
func maxOfBucket(i int) int64 {
	if i < 256 {
		return int64(i)
	}
	shift := (i - 128) / 128
	return (int64((i-128)%128)+129)<<shift - 1
}

// Quantile returns the smallest number that at least the fraction q of the numbers do not exceed. The result may be 0.8
// % too large. It is 0 without numbers.
func (h *Histogram) Quantile(q float64) int64 {
	rank := max(int64(math.Ceil(q*float64(h.N))), 1)
	var seen int64
	for i, n := range h.buckets {
		if seen += n; seen >= rank {
			return min(maxOfBucket(i), h.Max)
		}
	}
	return h.Max
}

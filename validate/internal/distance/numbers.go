package distance

import (
	"maps"
	"math"
	"slices"

	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/sketch"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// Numbers is the distribution of the numbers of one feature of one data set. Counts may be weights.
type Numbers struct {
	NaN, Negative, Positive float64 // counts of NaN, -Inf and +Inf
	Finite                  float64 // count of the finite numbers

	// Buckets is the number of buckets of the source histogram; 0 if each distinct number was counted.
	Buckets int

	borders  []float64                            // where the distribution is known best, sorted: quantiles or ends of buckets
	ranks    func(borders []float64) []borderRank // returns the ranks of sorted borders
	distinct func(most int) []float64             // the implementation of Distinct; nil: not known
}

// A borderRank is the rank of a border among the finite numbers.
type borderRank struct {
	upTo      float64 // estimated count of the numbers up to and including the border
	low, high float64 // bounds of upTo
	below     float64 // upper bound of the count of the numbers less than the border
}

func (n *Numbers) total() float64 { return n.NaN + n.Negative + n.Positive + n.Finite }

// Bins counts numbers between sorted edges. The first count is of numbers below the first edge, with -Inf; the last is
// of numbers above the last edge, with +Inf. Each bin between two edges includes its upper edge; the bin after the first edge
// also includes its lower edge. The counts are exact if there is no rank error.
func (n *Numbers) Bins(edges []float64) []float64 {
	ranks := n.ranks(edges)
	sum := ranks[0].below
	bins := []float64{n.Negative + sum}
	for _, r := range ranks[1:] {
		bins = append(bins, max(0, r.upTo-sum))
		sum = max(sum, r.upTo)
	}
	return append(bins, max(0, n.Finite-sum)+n.Positive)
}

// Distinct returns the distinct numbers in ascending order. It returns nil if there are more than most numbers or if they are
// not known.
func (n *Numbers) Distinct(most int) []float64 {
	if n.distinct == nil {
		return nil
	}
	return n.distinct(most)
}

// quantileRanges is the number of quantile ranges whose boundaries are the borders of a side.
const quantileRanges = 1000

// FromSummary returns the Numbers of a distribution s, which includes the infinities, and a count of NaN. rankError is the
// maximum rank error in s, as a fraction of the total. distinct implements Numbers.Distinct.
func FromSummary(nan, rankError float64, s sketch.Summary, distinct func(most int) []float64) *Numbers {
	n := &Numbers{NaN: nan, distinct: distinct}
	if len(s) > 0 {
		if e := s[0]; math.IsInf(e.V, -1) {
			n.Negative = e.W
		}
		if e := s[len(s)-1]; math.IsInf(e.V, 1) {
			n.Positive = e.W
		}
	}
	n.Finite = max(s.Total()-n.Negative-n.Positive, 0)
	for _, b := range s.Quantiles(nil, quantileRanges) {
		if !math.IsInf(b.Value, 0) {
			n.borders = append(n.borders, b.Value)
		}
	}
	n.borders = slices.Compact(n.borders)
	n.ranks = func(borders []float64) []borderRank {
		clamp := func(v float64) float64 { return max(0, min(v, n.Finite)) }
		off := rankError * s.Total()
		out := make([]borderRank, len(borders))
		for i, b := range borders {
			v := clamp(s.Below(b, true) - n.Negative)
			out[i] = borderRank{v, clamp(v - off), clamp(v + off), clamp(s.Below(b, false) - n.Negative + off)}
		}
		return out
	}
	return n
}

// FromValues returns the Numbers of a histogram that counts each distinct value, or nil if it has wider buckets or is
// empty.
func FromValues(h *metadatapb.Histogram) *Numbers {
	if n := fromHistogram(h); n != nil && n.Buckets == 0 {
		return n
	}
	return nil
}

// fromHistogram returns the Numbers of a histogram, or nil if it is empty. The values in a bucket are assumed to be spread
// evenly.
func fromHistogram(h *metadatapb.Histogram) *Numbers {
	s := splitHistogram(h)
	n := &Numbers{NaN: s.nan, Negative: s.negative, Positive: s.positive, Buckets: len(h.GetBuckets())}
	if len(s.ranges) == 0 { // each distinct value has a bucket
		n.Buckets = 0
		n.distinct = func(most int) []float64 {
			values := slices.Sorted(maps.Keys(s.points))
			if s.negative > 0 {
				values = slices.Insert(values, 0, math.Inf(-1))
			}
			if s.positive > 0 {
				values = append(values, math.Inf(1))
			}
			if len(values) > most {
				return nil
			}
			return values
		}
	}
	buckets := slices.Clone(s.ranges)
	for v, count := range s.points {
		buckets = append(buckets, bucket{v, v, count})
	}
	slices.SortFunc(buckets, func(a, b bucket) int {
		switch {
		case a.high != b.high:
			return sign(a.high - b.high)
		default:
			return sign(a.low - b.low)
		}
	})
	for _, b := range buckets {
		n.Finite += b.count
		n.borders = append(n.borders, b.low, b.high)
	}
	if !(n.total() > 0) {
		return nil
	}
	slices.Sort(n.borders)
	n.borders = slices.Compact(n.borders)
	n.ranks = func(borders []float64) []borderRank {
		out := make([]borderRank, len(borders))
		for i, v := range borders {
			r := &out[i]
			for _, b := range buckets {
				switch {
				case b.high <= v:
					r.upTo += b.count
					r.low += b.count
					r.high += b.count
				case b.low <= v: // all values may be at the lower end
					r.upTo += b.count * (v - b.low) / (b.high - b.low)
					r.high += b.count
				}
				if b.low < v {
					r.below += b.count
				}
			}
		}
		return out
	}
	return n
}

func sign(d float64) int {
	switch {
	case d < 0:
		return -1
	case d > 0:
		return 1
	}
	return 0
}

// A Source has the exact distributions of some features. A nil Source has none.
type Source interface {
	// Numbers returns the weighted or unweighted distribution of a feature's statistics, or nil.
	Numbers(stats *metadatapb.NumericStatistics, weighted bool) *Numbers
}

// NumbersOf returns the numbers of a feature, from the source, or else from its histogram of quantiles, or else from its
// histogram of equal widths. It returns nil if there are none.
func NumbersOf(f *view.Feature, source Source) *Numbers {
	if s := f.Stats.GetNumStats(); source != nil && s != nil {
		if n := source.Numbers(s, f.Dataset.ByWeight); n != nil && n.total() > 0 {
			return n
		}
	}
	for _, t := range []metadatapb.Histogram_HistogramType{metadatapb.Histogram_QUANTILES, metadatapb.Histogram_STANDARD} {
		if h := f.Histogram(t); h != nil {
			if n := fromHistogram(h); n != nil {
				return n
			}
		}
	}
	return nil
}

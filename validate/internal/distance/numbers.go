package distance

import (
	"maps"
	"math"
	"slices"

	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/sketch"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// Numbers are the numbers of one feature of one data set: their cumulative distribution,
// as far as it is known.
type Numbers struct {
	NaN, Negative, Positive float64 // how many are NaN, -Inf and +Inf, or their weight
	Finite                  float64 // how many others

	// Buckets is how many the histogram has that all this was taken from. It is
	// 0 for numbers that were counted, each value by itself.
	Buckets int

	borders []float64                            // values that part the finite numbers, sorted
	ranks   func(borders []float64) []borderRank // of sorted borders

	distinct func(most int) []float64 // nil: not known
}

// A borderRank is how many of the finite numbers lie where, seen from a border.
type borderRank struct {
	upTo      float64 // that are at most the border; an estimate
	low, high float64 // what upTo is between
	below     float64 // that are less than the border, at most
}

func (n *Numbers) total() float64 { return n.NaN + n.Negative + n.Positive + n.Finite }

// Bins returns how many of the numbers are less than the first of some sorted edges, with -Inf; between each two
// neighbours, with the upper one, and the first also with the lower one; and above the last, with +Inf. They are exact if
// there is no rank error.
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

// Distinct returns the different numbers, in order, of numbers that were counted; nil if there are more than `most`,
// or if they are not known.
func (n *Numbers) Distinct(most int) []float64 {
	if n.distinct == nil {
		return nil
	}
	return n.distinct(most)
}

// parts is into how many ranges a side is parted for the borders.
const parts = 1000

// Counted are numbers that can be counted between any borders, and how many of them are NaN. Ranks in the summary may be off by
// rankError, as a part of the total. The infinities are in it, too. distinct is what the method does.
func Counted(nan, rankError float64, s sketch.Summary, distinct func(most int) []float64) *Numbers {
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
	for _, b := range s.Quantiles(nil, parts) {
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

// OfValues are the numbers of a histogram that counts each value by itself; nil if it has others.
func OfValues(h *metadatapb.Histogram) *Numbers {
	if n := ofHistogram(h); n != nil && n.Buckets == 0 {
		return n
	}
	return nil
}

// ofHistogram are the numbers that a histogram counts, which are taken to be spread evenly inside
// a bucket: nil if there are none.
func ofHistogram(h *metadatapb.Histogram) *Numbers {
	s := take(h)
	n := &Numbers{NaN: s.nan, Negative: s.negative, Positive: s.positive, Buckets: len(h.GetBuckets())}
	if len(s.ranges) == 0 { // each value is counted
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
				case b.low <= v: // at its lower end, too, there may be many values that it counts
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

// A Source has the numbers of statistics, as far as they were counted; nil is one that has none.
type Source interface {
	// Numbers returns the numbers, by weight or not, or nil.
	Numbers(of *metadatapb.NumericStatistics, weighted bool) *Numbers
}

// NumbersOf returns the numbers of a feature: those that were counted, if the source has them, else
// those of its histogram of quantiles or, without one, of buckets of one width. It returns nil
// if there are none.
func NumbersOf(f *view.Feature, source Source) *Numbers {
	if s := f.Stats.GetNumStats(); source != nil && s != nil {
		if n := source.Numbers(s, f.Dataset.ByWeight); n != nil && n.total() > 0 {
			return n
		}
	}
	for _, t := range []metadatapb.Histogram_HistogramType{metadatapb.Histogram_QUANTILES, metadatapb.Histogram_STANDARD} {
		if h := f.Histogram(t); h != nil {
			if n := ofHistogram(h); n != nil {
				return n
			}
		}
	}
	return nil
}

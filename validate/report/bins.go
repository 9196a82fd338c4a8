package report

import (
	"cmp"
	"math"
	"slices"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/distance"
	"github.com/tfparse/tfparse/validate/report/internal/chart"
)

// A distribution is what the histograms of one data set say about where values lie: the
// number of values up to each of some points, in ascending order. Two points at the same
// place are a value that is there many times. Values between two points are taken to be
// spread evenly.
type distribution struct {
	points  []point
	total   float64
	counted *distance.Numbers // the values, if they can be counted; or nil
}

// A point is a number of values up to a place, with those at the place.
type point struct{ at, count float64 }

// newDistribution combines the ends of the quantiles with those of the buckets of equal
// width: the former are close together where most values are, the latter are the only ones
// to say how few values there are in a long tail. It fails if the histograms cannot be drawn
// in this way: without values, or not in order. Buckets of integers end at integers: a bucket up to
// 2.3 has the values up to 2.
func newDistribution(standard, quantiles *pb.Histogram, integers bool) (d distribution, ok bool) {
	sound := func(h *pb.Histogram) bool {
		last := math.Inf(-1)
		for _, b := range h.GetBuckets() {
			low, high, n := b.GetLowValue(), b.GetHighValue(), b.GetSampleCount()
			if !(last <= low && low <= high && n >= 0 && n < 1e300) {
				return false
			}
			last = high
		}
		return len(h.GetBuckets()) > 0
	}
	if !sound(standard) || !sound(quantiles) {
		return d, false
	}
	d.points = []point{{quantiles.GetBuckets()[0].GetLowValue(), 0}}
	for _, b := range quantiles.GetBuckets() {
		d.total += b.GetSampleCount()
		d.points = append(d.points, point{b.GetHighValue(), d.total})
	}
	most := chart.Total(bucketsOf(standard))
	if !(d.total > 0) || !(most > 0) {
		return d, false
	}
	sum := 0.0
	of := d
	buckets := standard.GetBuckets()
	for i, b := range buckets {
		sum += b.GetSampleCount()
		high := b.GetHighValue()
		if floor := math.Floor(high); integers && i+1 < len(buckets) && floor == high {
			high-- // this bucket does not have its upper end, but the next one
		} else if integers {
			high = floor
		}
		// The histograms may be estimates that do not agree: the quantiles come first.
		before, after := of.around(high)
		if before.at < high && high < after.at {
			d.points = append(d.points, point{high, min(max(sum/most*d.total, before.count), after.count)})
		}
	}
	slices.SortStableFunc(d.points, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.count, b.count))
	})
	return d, true
}

// around returns the last point that is not above v, and the first one above it. Both are at
// v if there are points at v.
func (d distribution) around(v float64) (before, after point) {
	i, found := slices.BinarySearchFunc(d.points, v, func(p point, v float64) int { return cmp.Compare(p.at, v) })
	switch {
	case found:
		return d.points[i], d.points[i]
	case i == 0:
		return point{math.Inf(-1), 0}, d.points[0]
	case i == len(d.points):
		return d.points[i-1], point{math.Inf(1), d.total}
	}
	return d.points[i-1], d.points[i]
}

// below returns the number of values less than v.
func (d distribution) below(v float64) float64 {
	a, b := d.around(v)
	if a.count == b.count || math.IsInf(a.at, 0) || math.IsInf(b.at, 0) {
		return a.count // how the values are spread between is not known
	}
	return a.count + (b.count-a.count)*min(1, (v/2-a.at/2)/(b.at/2-a.at/2)) // halves, too
}

// upTo returns the number of values up to v, with those at v.
func (d distribution) upTo(v float64) float64 {
	n := d.below(v)
	for _, p := range d.points {
		if p.at == v {
			n = p.count
		}
	}
	return n
}

// quantile returns the place below which a part of the values is, and the points around it:
// the farther they are apart, the less is known.
func (d distribution) quantile(part float64) (at float64, from, to point) {
	want := part * d.total
	i := slices.IndexFunc(d.points, func(p point) bool { return p.count >= want })
	if i <= 0 {
		return d.points[0].at, d.points[0], d.points[0]
	}
	a, b := d.points[i-1], d.points[i]
	switch t := (want - a.count) / (b.count - a.count); {
	case t == 1 || math.IsInf(a.at, 0):
		return b.at, a, b
	case math.IsInf(b.at, 0):
		return a.at, a, b
	default:
		return a.at*(1-t) + b.at*t, a, b
	}
}

// ends returns the 1st and the 99th percentile. Where the histograms are too coarse to say
// where one lies, because the gap between their points is wider than three times the range
// of the 10th to the 90th percentile, it is the point before the gap. So that range keeps a
// quarter of the bins or more, even if the gap ends at a value that is far away.
func (d distribution) ends() (low, high float64, coarse bool) {
	p10, _, _ := d.quantile(0.1)
	p90, _, _ := d.quantile(0.9)
	wide := func(from, to point) bool { return p10 < p90 && !(to.at/2-from.at/2 <= 3*(p90/2-p10/2)) } // halves do not overflow
	// The ends of quantiles are values, which seldom are at exactly 1% and 99%.
	near := func(p point, part float64) bool { return math.Abs(p.count-part*d.total) <= 0.002*d.total }
	low, from, to := d.quantile(lowPercentile)
	if wide(from, to) {
		switch {
		case near(from, lowPercentile):
			low = from.at
		case to.at < p90:
			low, coarse = to.at, coarse || !near(to, lowPercentile)
		}
	}
	high, from, to = d.quantile(highPercentile)
	if wide(from, to) {
		switch {
		case near(to, highPercentile):
			high = to.at
		case from.at > low:
			high, coarse = from.at, coarse || !near(from, highPercentile)
		}
	}
	return low, high, coarse
}

// counts returns the values in each bin, with those below the first edge in front and those
// above the last one at the end. A bin reaches up to its upper edge, the first one also from
// its lower edge.
func (d distribution) counts(edges []float64) []float64 {
	if d.counted != nil {
		return d.counted.Bins(edges)
	}
	n := []float64{d.below(edges[0])}
	sum := n[0]
	for _, e := range edges[1:] {
		c := d.upTo(e)
		n = append(n, max(0, c-sum))
		sum = c
	}
	return append(n, max(0, d.total-sum))
}

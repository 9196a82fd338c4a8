package report

import (
	"cmp"
	"math"
	"slices"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/distance"
	"github.com/tfparse/tfparse/validate/report/internal/chart"
)

// A distribution is the cumulative distribution of a feature in one data set, estimated from its
// histograms. Between two points, values are assumed to be spread evenly. Two points at the
// same value are a value that occurs many times.
type distribution struct {
	points  []point // in ascending order
	total   float64
	numbers *distance.Numbers // counts the values; nil without stats.Details
}

// A point is a value and the number of values up to it, inclusive.
type point struct{ at, count float64 }

// newDistribution combines the bucket boundaries of both histograms. Quantiles are dense where
// most values are; buckets of equal width show how few values are in a long tail. ok is false
// if a histogram has no values or is not in order. Boundaries of integer buckets are rounded
// down: a bucket up to 2.3 contains values up to 2.
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
	byQuantiles := d
	buckets := standard.GetBuckets()
	for i, b := range buckets {
		sum += b.GetSampleCount()
		high := b.GetHighValue()
		if floor := math.Floor(high); integers && i+1 < len(buckets) && floor == high {
			high-- // the upper boundary belongs to the next bucket
		} else if integers {
			high = floor
		}
		// Both histograms may be estimates. Where they disagree, quantiles take precedence.
		before, after := byQuantiles.neighbours(high)
		if before.at < high && high < after.at {
			d.points = append(d.points, point{high, min(max(sum/most*d.total, before.count), after.count)})
		}
	}
	slices.SortStableFunc(d.points, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.count, b.count))
	})
	return d, true
}

// neighbours returns the last point up to v and the first point after it. If a point is at v, both
// are that point.
func (d distribution) neighbours(v float64) (before, after point) {
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

// countBelow returns the number of values less than v.
func (d distribution) countBelow(v float64) float64 {
	a, b := d.neighbours(v)
	if a.count == b.count || math.IsInf(a.at, 0) || math.IsInf(b.at, 0) {
		return a.count // the distribution between the points is unknown
	}
	return a.count + (b.count-a.count)*min(1, (v/2-a.at/2)/(b.at/2-a.at/2)) // halves avoid an overflow
}

// countUpTo returns the number of values up to v, inclusive.
func (d distribution) countUpTo(v float64) float64 {
	n := d.countBelow(v)
	for _, p := range d.points {
		if p.at == v {
			n = p.count
		}
	}
	return n
}

// quantile returns the value at a quantile, and the points around it. The distance between the
// points is the uncertainty.
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

// percentiles returns the 1st and the 99th percentile. The histograms are too coarse for a percentile
// if the gap between its points is wider than three times the range from the 10th to the 90th
// percentile. Then the result is the inner end of the gap, so that the range from the 10th to the 90th
// percentile keeps at least a quarter of the bins even if the outer end is far away.
func (d distribution) percentiles() (low, high float64, coarse bool) {
	p10, _, _ := d.quantile(0.1)
	p90, _, _ := d.quantile(0.9)
	wide := func(from, to point) bool { return p10 < p90 && !(to.at/2-from.at/2 <= 3*(p90/2-p10/2)) } // halves do not overflow
	// Boundaries of quantiles are values, which are rarely at exactly 1% and 99%.
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

// binCounts returns the number of values in each bin. The first count is for values below the first
// edge, the last for values above the last edge. A bin includes its upper edge; the first bin
// includes both edges.
func (d distribution) binCounts(edges []float64) []float64 {
	if d.numbers != nil {
		return d.numbers.Bins(edges)
	}
	n := []float64{d.countBelow(edges[0])}
	sum := n[0]
	for _, e := range edges[1:] {
		c := d.countUpTo(e)
		n = append(n, max(0, c-sum))
		sum = c
	}
	return append(n, max(0, d.total-sum))
}

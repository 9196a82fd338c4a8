// Package distance measures how far two sets of values are apart, with the noise that chance explains.
package distance

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// labelCounts is a list of labels with counts, sorted by label.
type labelCounts []view.Label

// total returns the sum of all counts.
func (c labelCounts) total() float64 {
	var s float64
	for _, l := range c {
		s += l.Count
	}
	return s
}

// scaled divides all counts by a number; it returns c if the number is 0.
func (c labelCounts) scaled(by float64) labelCounts {
	if by == 0 {
		return c
	}
	s := slices.Clone(c)
	for i := range s {
		s[i].Count /= by
	}
	return s
}

// eachLabelPair calls f for every label of a or b, in byte order, with both counts.
func eachLabelPair(a, b labelCounts, f func(label string, a, b float64)) {
	for len(a) > 0 || len(b) > 0 {
		switch c := compareFirst(a, b); {
		case c < 0:
			f(a[0].Value, a[0].Count, 0)
			a = a[1:]
		case c > 0:
			f(b[0].Value, 0, b[0].Count)
			b = b[1:]
		default:
			f(a[0].Value, a[0].Count, b[0].Count)
			a, b = a[1:], b[1:]
		}
	}
}

// compareFirst compares the first labels of two lists, one of which may be empty. An empty list sorts last.
func compareFirst(a, b labelCounts) int {
	switch {
	case len(b) == 0:
		return -1
	case len(a) == 0:
		return 1
	}
	return strings.Compare(a[0].Value, b[0].Value)
}

// largestDifference returns the largest absolute difference of counts, and its label: the last label in byte order if several
// differences are equal.
func largestDifference(a, b labelCounts) *Measurement {
	m := &Measurement{}
	eachLabelPair(a, b, func(l string, x, y float64) {
		if v := math.Abs(x - y); v >= m.Value {
			m.Label, m.Value, m.Raw = l, v, v
		}
	})
	return m
}

// Compatible returns the distances that TensorFlow Data Validation 1.16.1 computes, without noise: Largest and Normalized if a
// side has labels; and the Jensen-Shannon divergence of the labels or, if a side has none, of the histograms of numbers. source
// selects the histogram of quantiles; the default is the histogram of equal widths.
func Compatible(a, b *view.Feature, source metadatapb.HistogramSelection_Type) (o Distances) {
	x, y := labelCounts(a.Labels()), labelCounts(b.Labels())
	if len(x)+len(y) > 0 {
		total := x.total() + y.total()
		o.Largest, o.Normalized = largestDifference(x.scaled(x.total()), y.scaled(y.total())), largestDifference(x.scaled(total), y.scaled(total))
	}
	d, ok := 0.0, false
	if len(x) > 0 && len(y) > 0 {
		d, ok = labelDivergence(x, y)
	} else {
		t := metadatapb.Histogram_STANDARD
		if source == metadatapb.HistogramSelection_QUANTILES {
			t = metadatapb.Histogram_QUANTILES
		}
		if p, q := a.Histogram(t), b.Histogram(t); p != nil && q != nil {
			d, ok = histogramDivergence(p, q)
		}
	}
	if ok {
		o.JensenShannon = &Measurement{Value: d, Raw: d}
	}
	return o
}

// labelDivergence returns the Jensen-Shannon divergence of two distributions of labels. The result is false if a count is not
// positive.
func labelDivergence(a, b labelCounts) (float64, bool) {
	for _, c := range []labelCounts{a, b} {
		if len(c) == 0 || slices.ContainsFunc(c, func(l view.Label) bool { return !(l.Count > 0) }) {
			return 0, false
		}
	}
	sumA, sumB, kl := a.total(), b.total(), 0.
	eachLabelPair(a, b, func(_ string, x, y float64) {
		p, q := x/sumA, y/sumB
		m := (p + q) / 2
		if x != 0 {
			kl += p * math.Log2(p/m)
		}
		if y != 0 {
			kl += q * math.Log2(q/m)
		}
	})
	return min(kl/2, 1), true
}

// histogramParts is the content of a histogram by kind of bucket.
type histogramParts struct {
	ranges             []bucket            // buckets with a width, in the order of the histogram
	points             map[float64]float64 // counts of buckets without a width, by value
	negative, positive float64             // counts of buckets with an end at -Inf, and at +Inf
	nan                float64             // count of NaN
}

// A bucket is a range of finite numbers and their count.
type bucket struct{ low, high, count float64 }

// splitHistogram splits the buckets of a histogram by kind.
func splitHistogram(h *metadatapb.Histogram) histogramParts {
	s := histogramParts{points: map[float64]float64{}, nan: float64(h.GetNumNan())}
	for _, b := range h.GetBuckets() {
		switch low, high, n := b.GetLowValue(), b.GetHighValue(), b.GetSampleCount(); {
		case math.IsNaN(low) || math.IsNaN(high):
			s.nan += n
		case math.IsInf(low, 0) || math.IsInf(high, 0):
			s.addEndless(low, high, n)
		case low == high:
			s.points[low] += n
		default:
			s.ranges = append(s.ranges, bucket{min(low, high), max(low, high), n})
		}
	}
	return s
}

// addEndless adds a bucket with an infinite end. If both ends are infinite, each gets half of the count, since the
// distribution is unknown.
func (s *histogramParts) addEndless(low, high, n float64) {
	down := math.IsInf(low, -1) || math.IsInf(high, -1)
	up := math.IsInf(low, 1) || math.IsInf(high, 1)
	switch {
	case down && up:
		s.negative += n / 2
		s.positive += n / 2
	case down:
		s.negative += n
	default:
		s.positive += n
	}
}

// bounds returns the ends of all ranges, sorted.
func (s histogramParts) bounds() []float64 {
	var b []float64
	for _, r := range s.ranges {
		b = append(b, r.low, r.high)
	}
	slices.Sort(b)
	return slices.Compact(b)
}

// divideRanges divides the ranges at bounds, which must include every end of a range, and returns the count between each two
// bounds.
func (s histogramParts) divideRanges(bounds []float64) []float64 {
	n := make([]float64, max(len(bounds)-1, 0))
	for _, r := range s.ranges {
		i, _ := slices.BinarySearch(bounds, r.low)
		for ; i < len(n) && bounds[i] < r.high; i++ {
			n[i] += (bounds[i+1] - bounds[i]) / (r.high - r.low) * r.count
		}
	}
	return n
}

// align converts two histograms to the same buckets as TensorFlow Data Validation 1.16.1 does: it treats the infinities
// and NaN of the two as different values, and ignores NaN if the bounds differ.
func align(a, b *metadatapb.Histogram) (x, y []float64) {
	s, t := splitHistogram(a), splitHistogram(b)
	sb, tb := s.bounds(), t.bounds()
	all := slices.Concat(sb, tb)
	slices.Sort(all)
	all = slices.Compact(all)
	x, y = s.divideRanges(all), t.divideRanges(all)

	points := slices.Concat(slices.Collect(maps.Keys(s.points)), slices.Collect(maps.Keys(t.points)))
	slices.Sort(points)
	for _, p := range slices.Compact(points) {
		x, y = append(x, s.points[p]), append(y, t.points[p])
	}
	x, y = append(x, s.negative+s.positive, 0), append(y, 0, t.negative+t.positive)
	if slices.Equal(sb, tb) {
		x, y = append(x, s.nan, 0), append(y, 0, t.nan)
	}
	return x, y
}

// histogramDivergence returns the Jensen-Shannon divergence of two histograms as TensorFlow Data Validation does. The result
// is false if a histogram is empty.
func histogramDivergence(a, b *metadatapb.Histogram) (float64, bool) {
	x, y := align(a, b)
	if !normalise(x) || !normalise(y) {
		return 0, false
	}
	var p, q float64
	for i := range x {
		m := (x[i] + y[i]) / 2
		if x[i] > 0 && m > 0 {
			p += x[i] * math.Log2(x[i]/m)
		}
		if y[i] > 0 && m > 0 {
			q += y[i] * math.Log2(y[i]/m)
		}
	}
	return min((p+q)/2, 1), true
}

// normalise divides x by its sum. It returns false if the sum is 0.
func normalise(x []float64) bool {
	var sum float64
	for _, n := range x {
		sum += n
	}
	if sum == 0 {
		return false
	}
	for i := range x {
		x[i] /= sum
	}
	return true
}

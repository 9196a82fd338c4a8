// Package distance holds the measures of how far two sets of values are apart.
package distance

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// A counts is how often labels were seen, in byte order.
type counts []view.Label

func (c counts) sum() float64 {
	var s float64
	for _, l := range c {
		s += l.Count
	}
	return s
}

// scaled divides all counts; by 0 it divides none.
func (c counts) scaled(by float64) counts {
	if by == 0 {
		return c
	}
	s := slices.Clone(c)
	for i := range s {
		s[i].Count /= by
	}
	return s
}

// pairs calls f for every label of either, in byte order, with its two counts.
func pairs(a, b counts, f func(label string, a, b float64)) {
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

// compareFirst compares the first labels; none comes last.
func compareFirst(a, b counts) int {
	switch {
	case len(b) == 0:
		return -1
	case len(a) == 0:
		return 1
	}
	return strings.Compare(a[0].Value, b[0].Value)
}

// largest is the largest absolute difference, and the label that has it: of several
// the last in byte order.
func largest(a, b counts) *Measurement {
	m := &Measurement{}
	pairs(a, b, func(l string, x, y float64) {
		if v := math.Abs(x - y); v >= m.Value {
			m.Label, m.Value, m.Raw = l, v, v
		}
	})
	return m
}

// Compatible measures what TensorFlow Data Validation 1.16.1 does, without noise levels: of labels, if any side has some, the
// largest difference between the shares of one, and between its counts divided by the sum of all; and the Jensen-Shannon
// divergence of the labels or, where a side has none, of the histograms of numbers: those of quantiles if asked for, else those of
// equal widths.
func Compatible(a, b *view.Feature, source metadatapb.HistogramSelection_Type) (o Distances) {
	x, y := counts(a.Labels()), counts(b.Labels())
	if len(x)+len(y) > 0 {
		total := x.sum() + y.sum()
		o.Largest, o.Normalized = largest(x.scaled(x.sum()), y.scaled(y.sum())), largest(x.scaled(total), y.scaled(total))
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
			d, ok = histograms(p, q)
		}
	}
	if ok {
		o.JensenShannon = &Measurement{Value: d, Raw: d}
	}
	return o
}

// labelDivergence is the Jensen-Shannon divergence of two distributions of labels. There
// is none if a count is not positive.
func labelDivergence(a, b counts) (float64, bool) {
	for _, c := range []counts{a, b} {
		if len(c) == 0 || slices.ContainsFunc(c, func(l view.Label) bool { return !(l.Count > 0) }) {
			return 0, false
		}
	}
	sumA, sumB, kl := a.sum(), b.sum(), 0.
	pairs(a, b, func(_ string, x, y float64) {
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

// A spread is a histogram taken apart.
type spread struct {
	ranges             []bucket            // with a width, in order
	points             map[float64]float64 // the weight of single values
	negative, positive float64             // the weight of buckets without a lower or an upper end
	nan                float64
}

type bucket struct{ low, high, count float64 }

func take(h *metadatapb.Histogram) spread {
	s := spread{points: map[float64]float64{}, nan: float64(h.GetNumNan())}
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

// addEndless adds a bucket with an infinite end. Where both are, one each way,
// each has a half: nothing says how much lies where.
func (s *spread) addEndless(low, high, n float64) {
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

// bounds are the ends of all ranges, sorted.
func (s spread) bounds() []float64 {
	var b []float64
	for _, r := range s.ranges {
		b = append(b, r.low, r.high)
	}
	slices.Sort(b)
	return slices.Compact(b)
}

// over spreads the ranges over finer ones. Every end of a range is a bound.
func (s spread) over(bounds []float64) []float64 {
	n := make([]float64, max(len(bounds)-1, 0))
	for _, r := range s.ranges {
		i, _ := slices.BinarySearch(bounds, r.low)
		for ; i < len(n) && bounds[i] < r.high; i++ {
			n[i] += (bounds[i+1] - bounds[i]) / (r.high - r.low) * r.count
		}
	}
	return n
}

// align brings two histograms to the same buckets as TensorFlow Data Validation 1.16.1 does:
// infinities and NaN of the one count as different from those of the other, and NaN are
// forgotten when the bounds differ.
func align(a, b *metadatapb.Histogram) (x, y []float64) {
	s, t := take(a), take(b)
	sb, tb := s.bounds(), t.bounds()
	all := slices.Concat(sb, tb)
	slices.Sort(all)
	all = slices.Compact(all)
	x, y = s.over(all), t.over(all)

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

// histograms is the Jensen-Shannon divergence of two histograms as TensorFlow Data Validation has it. There is none if one
// of them is empty.
func histograms(a, b *metadatapb.Histogram) (float64, bool) {
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

// normalise divides by the sum, unless that is 0.
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

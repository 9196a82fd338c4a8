package distance

import (
	"maps"
	"math"
	"slices"

	"github.com/tfparse/tfparse/proto/metadatapb"
)

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

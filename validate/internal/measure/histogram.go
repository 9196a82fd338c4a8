package measure

import (
	"maps"
	"math"
	"slices"

	"github.com/tfparse/tfparse/proto/metadatapb"
)

// A spread is a histogram taken apart.
type spread struct {
	ranges   []bucket            // with a width, in order
	points   map[float64]float64 // the weight of single values
	infinite float64             // the weight of buckets without an end
	nan      float64
}

type bucket struct{ low, high, count float64 }

func take(h *metadatapb.Histogram) spread {
	s := spread{points: map[float64]float64{}, nan: float64(h.GetNumNan())}
	for _, b := range h.GetBuckets() {
		switch low, high, n := b.GetLowValue(), b.GetHighValue(), b.GetSampleCount(); {
		case !finite(low) || !finite(high):
			s.infinite += n
		case low == high:
			s.points[low] += n
		default:
			s.ranges = append(s.ranges, bucket{min(low, high), max(low, high), n})
		}
	}
	return s
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

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

// align brings two histograms to the same buckets. Values without an end, and NaN,
// count as different from everything, also from those of the other side.
//
// lossy does as TensorFlow Data Validation 1.16.1 does: it forgets how many NaN there
// are when the bounds differ.
func align(a, b *metadatapb.Histogram, lossy bool) (x, y []float64) {
	s, t := take(a), take(b)
	sb, tb := s.bounds(), t.bounds()
	if lossy && !slices.Equal(sb, tb) {
		s.nan, t.nan = 0, 0
	}
	all := slices.Concat(sb, tb)
	slices.Sort(all)
	all = slices.Compact(all)
	x, y = s.over(all), t.over(all)

	points := slices.Concat(slices.Collect(maps.Keys(s.points)), slices.Collect(maps.Keys(t.points)))
	slices.Sort(points)
	for _, p := range slices.Compact(points) {
		x, y = append(x, s.points[p]), append(y, t.points[p])
	}
	if s.infinite != 0 {
		x, y = append(x, s.infinite), append(y, 0)
	}
	if t.infinite != 0 {
		x, y = append(x, 0), append(y, t.infinite)
	}
	if s.nan > 0 || t.nan > 0 {
		x, y = append(x, 0, s.nan), append(y, t.nan, 0)
	}
	return x, y
}

// Histograms is the Jensen-Shannon divergence of two histograms. There is none if one
// of them is empty. See align for lossy.
func Histograms(a, b *metadatapb.Histogram, lossy bool) (float64, bool) {
	x, y := align(a, b, lossy)
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

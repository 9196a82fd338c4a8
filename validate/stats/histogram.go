package stats

// Histograms of equal weight (QUANTILES) and of equal width (STANDARD).

import (
	"math"

	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// A bucket counts the values from Low to High. Only the first bucket includes its Low.
type bucket struct{ Low, High, Count float64 }

// quantileBuckets returns the buckets between the boundaries b. Buckets with the same High share their counts equally. The equal
// buckets at the start share the weight of the first boundary equally.
func quantileBuckets(b []sketch.Boundary) []bucket {
	if len(b) < 2 {
		return nil
	}
	out := make([]bucket, len(b)-1)
	for i := range out {
		out[i] = bucket{b[i].Value, b[i+1].Value, b[i+1].Weight - b[i].Weight}
	}
	for i := 0; i < len(out); {
		j, sum := i, 0.0
		for ; j < len(out) && out[j].High == out[i].High; j++ {
			sum += out[j].Count
		}
		for k := i; k < j && j > i+1; k++ {
			out[k].Count = sum / float64(j-i)
		}
		i = j
	}
	n := 1
	for n < len(out) && out[n].Low == out[0].Low && out[n].High == out[0].High {
		n++
	}
	for i := range n {
		out[i].Count += b[0].Weight / float64(n)
	}
	return out
}

// equalWeightBuckets divides values into n buckets of about equal weight. With at most n distinct values, each value gets its own
// bucket: that is exact, and smaller for the many features with few values.
func equalWeightBuckets(s sketch.Summary, n int) []bucket {
	if len(s) > n {
		return quantileBuckets(s.Quantiles(nil, n))
	}
	var out []bucket
	for _, e := range s {
		out = append(out, bucket{e.V, e.V, e.W})
	}
	return out
}

// equalEdges returns n+1 equidistant numbers from lo to hi; two numbers if lo equals hi; nil if a number is not finite.
func equalEdges(lo, hi float64, n int) []float64 {
	if lo == hi {
		return []float64{lo, hi}
	}
	step := (hi - lo) / float64(n)
	out := make([]float64, n+1)
	for i := range out {
		out[i] = float64(float64(i)*step) + lo
	}
	out[n] = hi
	for _, e := range out {
		if math.IsInf(e, 0) || math.IsNaN(e) {
			return nil
		}
	}
	return out
}

// equalWidthBuckets counts values in n buckets of equal width from lo to hi, with an additional bucket for each
// infinity that occurs.
func equalWidthBuckets(s sketch.Summary, lo, hi float64, n int) []bucket {
	if len(s) == 0 {
		return nil
	}
	var out []bucket
	total := s.Total()
	negative := s.Below(math.Inf(-1), true)
	finite := s.Below(math.Inf(1), false)
	if negative > 0 {
		out = append(out, bucket{math.Inf(-1), math.Inf(-1), negative})
	}
	if lo <= hi {
		last := negative
		edges := equalEdges(lo, hi, n)
		for i := 1; i < len(edges); i++ {
			w := finite
			if i < len(edges)-1 {
				w = s.Below(edges[i], true)
			}
			out = append(out, bucket{edges[i-1], edges[i], w - last})
			last = w
		}
	}
	if total > finite {
		out = append(out, bucket{math.Inf(1), math.Inf(1), total - finite})
	}
	return out
}

package stats

// Histograms of equal weight (QUANTILES) and of equal width (STANDARD).

import (
	"math"

	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// A bucket counts the values from Low to High.
type bucket struct{ Low, High, Count float64 }

// finePerQuantile is how many times more quantiles than asked for TensorFlow Data
// Validation takes, to make all of a feature's histograms of them.
const finePerQuantile = 100

// everyBoundary returns the first boundary and every k-th one behind it.
func everyBoundary(b []sketch.Boundary, k int) []sketch.Boundary {
	out := make([]sketch.Boundary, 0, len(b)/k+1)
	for i := 0; i < len(b); i += k {
		out = append(out, b[i])
	}
	return out
}

// medianOf is the boundary in the middle, or the mean of the two.
func medianOf(b []sketch.Boundary) float64 {
	half := len(b) / 2
	if len(b)%2 == 0 {
		return (b[half-1].Value + b[half].Value) / 2
	}
	return b[half].Value
}

// quantileBuckets makes a bucket of every two boundaries. A bucket reaches up to its
// High, the first one from its Low. Buckets with the same High share their
// counts, and those at the start that are alike share what lies at their Low.
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

// partsOf divides values into n buckets of about equal weight or, where there are no more different values than that, into one
// for each: these say more, and take less where there are thousands of features with few values.
func partsOf(s sketch.Summary, n int) []bucket {
	if len(s) > n {
		return quantileBuckets(s.Quantiles(nil, n))
	}
	var out []bucket
	for _, e := range s {
		out = append(out, bucket{e.V, e.V, e.W})
	}
	return out
}

// standardBuckets makes n buckets of equal width from the smallest to the largest
// finite value, and one more for each infinity that is there, as TensorFlow Data
// Validation does: the values of a range between two boundaries are spread
// evenly over it. If lo is above hi there is no finite value.
func standardBuckets(b []sketch.Boundary, lo, hi float64, n int, positive float64) []bucket {
	if len(b) == 0 {
		return nil
	}
	if lo > hi {
		return []bucket{{math.Inf(1), math.Inf(-1), b[len(b)-1].Weight}}
	}
	b, negative := strip(b, hi, positive)
	edges := equalEdges(lo, hi, n)
	if edges == nil {
		return nil
	}
	var out []bucket
	if negative > 0 {
		out = append(out, bucket{math.Inf(-1), math.Inf(-1), negative})
	}
	fine := quantileBuckets(b)
	start := 0
	for i := range len(edges) - 1 {
		to := bucket{Low: edges[i], High: edges[i+1]}
		for k := start; k < len(fine); k++ {
			share, place := overlap(fine[k], to.Low, to.High, i == 0)
			if place > 0 {
				break
			}
			if place < 0 {
				start = k
			}
			to.Count += share * fine[k].Count
		}
		out = append(out, to)
	}
	if positive > 0 {
		out = append(out, bucket{math.Inf(1), math.Inf(1), positive})
	}
	return out
}

// equalEdges returns n+1 numbers from lo to hi at the same distance, two if lo is hi,
// and nil if they are not all finite.
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

// strip takes infinities away, and says what lies at the negative one.
func strip(b []sketch.Boundary, hi, positive float64) ([]sketch.Boundary, float64) {
	out := make([]sketch.Boundary, 0, len(b)+1)
	negative := 0.0
	for _, x := range b {
		switch {
		case math.IsInf(x.Value, -1):
			negative = x.Weight
		case positive > 0 && math.IsInf(x.Value, 1):
		default:
			out = append(out, sketch.Boundary{Value: x.Value, Weight: x.Weight - negative})
		}
	}
	if positive > 0 {
		out = append(out, sketch.Boundary{Value: hi, Weight: b[len(b)-1].Weight - negative - positive})
	}
	return out, negative
}

// overlap says which part of a bucket lies in the interval from lo to hi, and
// whether the whole of it lies before (-1) or behind (1). A point on the left
// edge lies before, except in the first interval.
func overlap(b bucket, lo, hi float64, first bool) (share float64, place int) {
	switch {
	case b.Low == b.High && b.Low == lo && first:
		return 1, 0
	case b.Low == b.High && b.Low == lo || b.High < lo:
		return 0, -1
	case b.Low > hi:
		return 0, 1
	case lo <= b.Low && b.High <= hi:
		return 1, 0
	}
	return (min(b.High, hi) - max(b.Low, lo)) / (b.High - b.Low), 0
}

// exactBuckets counts values into n buckets of equal width as they are, each bucket up
// to its High but the first also from its Low, and the infinities into one more
// each.
func exactBuckets(s sketch.Summary, lo, hi float64, n int) []bucket {
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

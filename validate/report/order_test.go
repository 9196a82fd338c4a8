package report

import (
	"math"
	"testing"
)

// TestEvenness has the cases of Facets Overview's test of getNormalizedEntropy.
func TestEvenness(t *testing.T) {
	for _, c := range []struct {
		counts []float64
		want   float64
	}{
		{nil, 0}, {[]float64{0}, 0}, {[]float64{5}, 0}, {[]float64{5, 5}, 1}, {[]float64{5, 10}, 0.91829}, {[]float64{1}, 0},
		{[]float64{0, 0}, 0}, {[]float64{7, 0}, 0}, {[]float64{math.NaN(), math.Inf(1), -1, 5, 5, 5, 5, 5}, math.Log(5) / math.Log(8)},
	} {
		if got := evenness(c.counts); !(math.Abs(got-c.want) < 1e-5) {
			t.Errorf("%v: %v, wanted %v", c.counts, got, c.want)
		}
	}
}

package report

import (
	"math"

	pb "github.com/tfparse/tfparse/proto/metadatapb"
)

// The page can be sorted by what no column says: the keys are in attributes of the rows.

// unevenness returns how far the histogram of the numbers or labels of a feature is from a flat one, from 0 to 1:
// 1 less the entropy of the buckets by that of as many equal ones, of the data set where that is greatest. Facets
// Overview sorts by the same (getNormalizedEntropy in facets_overview/common/utils.ts). There is none without
// a histogram.
func (f *feature) unevenness() (greatest float64, ok bool) {
	for _, v := range f.of {
		if v == nil {
			continue
		}
		var counts []float64
		for _, b := range histogram(v.Stats.GetNumStats().GetHistograms(), pb.Histogram_STANDARD).GetBuckets() {
			counts = append(counts, b.GetSampleCount())
		}
		for _, b := range v.Stats.GetStringStats().GetRankHistogram().GetBuckets() {
			counts = append(counts, b.GetSampleCount())
		}
		if len(counts) > 0 {
			greatest, ok = max(greatest, 1-evenness(counts)), true
		}
	}
	return greatest, ok
}

// evenness is the entropy of counts by its maximum; 0 if fewer than two are above 0.
func evenness(counts []float64) float64 {
	sum, entropy := 0.0, 0.0
	for _, n := range counts {
		if n > 0 && n <= math.MaxFloat64/float64(len(counts)) {
			sum += n
		}
	}
	for _, n := range counts {
		if p := n / sum; p > 0 && p < 1 {
			entropy -= p * math.Log(p)
		}
	}
	if entropy == 0 {
		return 0
	}
	return min(1, entropy/math.Log(float64(len(counts))))
}

// absence returns which part of the values of a feature is missing or zero, in the data set where
// that is greatest.
func (f *feature) absence() (greatest float64) {
	for _, v := range f.of {
		if v == nil {
			continue
		}
		c := v.Common()
		gone := float64(c.GetNumMissing()) + float64(v.Stats.GetNumStats().GetNumZeros())
		if all := float64(c.GetNumMissing()) + float64(c.GetTotNumValues()); all > 0 {
			greatest = max(greatest, min(1, gone/all))
		}
	}
	return greatest
}

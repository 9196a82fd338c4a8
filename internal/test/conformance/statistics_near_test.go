package conformance

import (
	"math"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
)

// exactQuantiles is up to how many different values the quantiles of TensorFlow
// Data Validation are exact.
const exactQuantiles = 5701

// A tolerance makes what is near enough the same: it gives the numbers of one
// message to the other. How near is what the README of the vectors says.
type tolerance struct {
	sketch bool
	values map[string][]float64 // of features of more different values than are exact, sorted
}

// numbersOf returns the numbers of the features that have very many.
func numbersOf(files [][][]byte) map[string][]float64 {
	all := map[string][]float64{}
	for _, records := range files {
		for _, r := range records {
			var e example.Example
			if e.UnmarshalBinary(r) != nil {
				continue
			}
			for name, v := range e {
				for _, x := range v.Floats {
					all[name] = append(all[name], float64(x))
				}
				for _, x := range v.Int64s {
					all[name] = append(all[name], float64(x))
				}
			}
		}
	}
	for name, v := range all {
		slices.Sort(v)
		if len(slices.Compact(slices.Clone(v))) <= exactQuantiles {
			delete(all, name)
		}
	}
	return all
}

func (t *tolerance) dataset(want, got *metadatapb.DatasetFeatureStatistics) {
	weight(&want.WeightedNumExamples, got.WeightedNumExamples)
	for i, w := range want.Features {
		if i < len(got.Features) && slices.Equal(w.GetPath().GetStep(), got.Features[i].GetPath().GetStep()) {
			t.feature(w, got.Features[i])
		}
	}
}

func (t *tolerance) feature(want, got *metadatapb.FeatureNameStatistics) {
	var values []float64
	if steps := want.GetPath().GetStep(); len(steps) == 1 {
		values = t.values[steps[0]]
	}
	if w, g := want.GetNumStats(), got.GetNumStats(); w != nil && g != nil {
		commonNear(w.CommonStats, g.CommonStats)
		spread := w.Max - w.Min
		meanNear(&w.Mean, g.Mean, spread)
		meanNear(&w.StdDev, g.StdDev, spread)
		for want, got := range map[*float64]float64{&w.Min: g.Min, &w.Max: g.Max} {
			if *want == got {
				*want = got // as in rankNear
			}
		}
		rankNear(&w.Median, g.Median, values)
		histogramsNear(w.Histograms, g.Histograms, values)
		if w, g := w.WeightedNumericStats, g.WeightedNumericStats; w != nil && g != nil {
			meanNear(&w.Mean, g.Mean, spread)
			meanNear(&w.StdDev, g.StdDev, spread)
			rankNear(&w.Median, g.Median, values)
			histogramsNear(w.Histograms, g.Histograms, values)
		}
	}
	if w, g := want.GetStringStats(), got.GetStringStats(); w != nil && g != nil {
		commonNear(w.CommonStats, g.CommonStats)
		singleNear(&w.AvgLength, g.AvgLength)
		t.labels(w, g)
	}
	if w, g := want.GetBytesStats(), got.GetBytesStats(); w != nil && g != nil {
		commonNear(w.CommonStats, g.CommonStats)
		singleNear(&w.AvgNumBytes, g.AvgNumBytes)
	}
	if w, g := want.GetStructStats(), got.GetStructStats(); w != nil && g != nil {
		commonNear(w.CommonStats, g.CommonStats)
	}
	for i, w := range want.CustomStats {
		if i < len(got.CustomStats) {
			histogramsNear([]*metadatapb.Histogram{w.GetHistogram()}, []*metadatapb.Histogram{got.CustomStats[i].GetHistogram()}, nil)
		}
	}
}

func commonNear(want, got *metadatapb.CommonStatistics) {
	if want == nil || got == nil {
		return
	}
	singleNear(&want.AvgNumValues, got.AvgNumValues)
	histogramsNear([]*metadatapb.Histogram{want.NumValuesHistogram}, []*metadatapb.Histogram{got.NumValuesHistogram}, nil)
	weightedNear(want.WeightedCommonStats, got.WeightedCommonStats)
	for i, w := range want.WeightedPresenceAndValencyStats {
		if i < len(got.WeightedPresenceAndValencyStats) {
			weightedNear(w, got.WeightedPresenceAndValencyStats[i])
		}
	}
}

func weightedNear(want, got *metadatapb.WeightedCommonStatistics) {
	if want == nil || got == nil {
		return
	}
	if math.Abs(want.NumMissing-got.NumMissing) <= 1e-6*math.Abs(want.NumNonMissing) && !exactWeight(want.NumMissing) {
		got.NumMissing = want.NumMissing
	}
	weight(&want.NumNonMissing, got.NumNonMissing)
	weight(&want.NumMissing, got.NumMissing)
	weight(&want.AvgNumValues, got.AvgNumValues)
	weight(&want.TotNumValues, got.TotNumValues)
}

// exactWeight reports whether a sum of weights is one that nobody rounds.
func exactWeight(w float64) bool { return w*64 == math.Trunc(w*64) && math.Abs(w) < 1<<24 }

func weight(want *float64, got float64) {
	if !exactWeight(*want) && near(*want, got, 1e-6, 0) {
		*want = got
	}
}

// labels compares what sketches have counted; without them all must be exact.
func (t *tolerance) labels(want, got *metadatapb.StringStatistics) {
	if w, g := want.WeightedStringStats, got.WeightedStringStats; w != nil && g != nil {
		for i := range min(len(w.TopValues), len(g.TopValues)) {
			weight(&w.TopValues[i].Frequency, g.TopValues[i].Frequency)
		}
		for i := range min(len(w.GetRankHistogram().GetBuckets()), len(g.GetRankHistogram().GetBuckets())) {
			weight(&w.RankHistogram.Buckets[i].SampleCount, g.RankHistogram.Buckets[i].SampleCount)
		}
	}
	if !t.sketch {
		return
	}
	if got.Unique > 16384 && near(float64(want.Unique), float64(got.Unique), 0.03, 0) {
		want.Unique = got.Unique
	}
	if got.Unique <= 1024 {
		return
	}
	total := float64(want.GetCommonStats().GetTotNumValues())
	ours := map[string]float64{}
	for _, b := range got.GetRankHistogram().GetBuckets() {
		ours[b.Label] = b.SampleCount
	}
	for _, b := range want.GetRankHistogram().GetBuckets() {
		if n, ok := ours[b.Label]; ok && (b.SampleCount < n || b.SampleCount > n+total/1024) {
			return // and what follows finds the difference
		}
	}
	want.TopValues, want.RankHistogram = got.TopValues, got.RankHistogram
}

func histogramsNear(want, got []*metadatapb.Histogram, values []float64) {
	for i, w := range want {
		if i >= len(got) || w == nil || got[i] == nil || len(w.Buckets) != len(got[i].Buckets) {
			continue
		}
		g, total := got[i], 0.0
		for _, b := range w.Buckets {
			total += b.SampleCount
		}
		quantiles := w.Type == metadatapb.Histogram_QUANTILES
		for j, b := range w.Buckets {
			o := g.Buckets[j]
			if quantiles {
				rankNear(&b.LowValue, o.LowValue, values)
				rankNear(&b.HighValue, o.HighValue, values)
			} else {
				meanNear(&b.LowValue, o.LowValue, 0) // rounded in another order
				meanNear(&b.HighValue, o.HighValue, 0)
			}
			absolute := 0.0
			switch {
			case values != nil:
				absolute = 0.002 * total
			case !quantiles:
				absolute = 1e-6 * total
			}
			if near(b.SampleCount, o.SampleCount, 1e-6, absolute) {
				b.SampleCount = o.SampleCount
			}
		}
	}
}

// rankNear compares values by where they stand among all, if there are very many.
func rankNear(want *float64, got float64, values []float64) {
	if *want == got {
		*want = got // which zero comes first among zeros of both signs is for a sort to say
		return
	}
	if values == nil {
		return
	}
	lo, _ := slices.BinarySearch(values, math.Min(*want, got))
	hi, _ := slices.BinarySearch(values, math.Max(*want, got))
	if float64(hi-lo) <= 0.001*float64(len(values)) {
		*want = got
	}
}

func meanNear(want *float64, got, spread float64) {
	if math.IsInf(spread, 0) || math.IsNaN(spread) {
		spread = 0
	}
	if near(*want, got, 1e-9, 1e-6*spread) {
		*want = got
	}
}

func singleNear(want *float32, got float32) {
	if near(float64(*want), float64(got), 1e-6, 0) {
		*want = got
	}
}

func near(want, got, relative, absolute float64) bool {
	return math.Abs(want-got) <= math.Max(relative*math.Abs(want), absolute)
}

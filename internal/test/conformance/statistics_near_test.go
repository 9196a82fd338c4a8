package conformance

import (
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
)

// exactQuantiles is up to how many different values the quantiles of TensorFlow Data Validation are exact.
const exactQuantiles = 5701

// A tolerance makes what is near enough the same: it gives the numbers of one message to the other. How near is what the
// README of the vectors says.
type tolerance struct {
	sketch bool                 // labels are counted by sketches
	sliced bool                 // values are those of all records, not of the data set
	values map[string][]float64 // of features by their path, sorted, without NaN
}

// numbersOf returns the numbers of all features.
func numbersOf(files [][][]byte, t example.MessageType) map[string][]float64 {
	all := map[string][]float64{}
	add := func(path string, v example.Value) {
		for _, x := range v.Floats {
			if x == x {
				all[path] = append(all[path], float64(x))
			}
		}
		for _, x := range v.Int64s {
			all[path] = append(all[path], float64(x))
		}
	}
	for _, records := range files {
		for _, r := range records {
			var e example.Example
			if t == example.TypeSequence {
				var s example.Sequence
				if s.UnmarshalBinary(r) != nil {
					continue
				}
				for name, steps := range s.Lists {
					for _, v := range steps {
						add("##SEQUENCE##/"+name, v)
					}
				}
				e = s.Context
			} else if e.UnmarshalBinary(r) != nil {
				continue
			}
			for name, v := range e {
				add(name, v)
			}
		}
	}
	for _, v := range all {
		slices.Sort(v)
	}
	return all
}

func (t *tolerance) feature(want, got *metadatapb.FeatureNameStatistics) {
	n := numberTolerance{all: t.values[strings.Join(want.GetPath().GetStep(), "/")]}
	n.many = len(slices.Compact(slices.Clone(n.all))) > exactQuantiles
	if t.sliced {
		n.all = nil
	}
	n.each = eachValue(got.GetNumStats().GetHistograms())
	if w, g := want.GetNumStats(), got.GetNumStats(); w != nil && g != nil {
		commonNear(w.CommonStats, g.CommonStats)
		meanNear(&w.Mean, g.Mean, w.StdDev)
		meanNear(&w.StdDev, g.StdDev, math.Abs(w.Mean))
		for want, got := range map[*float64]float64{&w.Min: g.Min, &w.Max: g.Max} {
			if *want == got {
				*want = got // zeros of both signs: row 19
			}
		}
		n.median(&w.Median, g.Median)
		n.histograms(w.Histograms, g.Histograms)
		if w, g := w.WeightedNumericStats, g.WeightedNumericStats; w != nil && g != nil {
			n.all, n.each = nil, eachValue(g.Histograms)
			meanNear(&w.Mean, g.Mean, w.StdDev)
			meanNear(&w.StdDev, g.StdDev, math.Abs(w.Mean))
			n.median(&w.Median, g.Median)
			n.histograms(w.Histograms, g.Histograms)
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
		if i >= len(got.CustomStats) {
			break
		}
		g := got.CustomStats[i]
		lengths := &numberTolerance{}
		if i > 0 { // the histogram of quantiles comes first
			lengths.each = eachValue([]*metadatapb.Histogram{got.CustomStats[i-1].GetHistogram()})
		}
		lengths.histograms([]*metadatapb.Histogram{w.GetHistogram()}, []*metadatapb.Histogram{g.GetHistogram()})
		tokensNear(w.GetAny(), g.GetAny())
	}
}

// tokensNear compares histograms of statistics of tokens.
func tokensNear(want, got *anypb.Any) {
	w, g := &metadatapb.NaturalLanguageStatistics{}, &metadatapb.NaturalLanguageStatistics{}
	if want == nil || got == nil || proto.Unmarshal(want.Value, w) != nil || proto.Unmarshal(got.Value, g) != nil {
		return
	}
	n := &numberTolerance{}
	n.histograms([]*metadatapb.Histogram{w.TokenLengthHistogram, w.SequenceLengthHistogram}, []*metadatapb.Histogram{g.TokenLengthHistogram, g.SequenceLengthHistogram})
	if b, err := proto.Marshal(w); err == nil {
		want.Value = b
	}
}

func commonNear(want, got *metadatapb.CommonStatistics) {
	if want == nil || got == nil {
		return
	}
	singleNear(&want.AvgNumValues, got.AvgNumValues)
	new(numberTolerance).histograms([]*metadatapb.Histogram{want.NumValuesHistogram}, []*metadatapb.Histogram{got.NumValuesHistogram})
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

// weight compares sums of weights, which TensorFlow Data Validation makes in single precision.
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

// A numberTolerance compares medians and histograms of the numbers of a feature.
type numberTolerance struct {
	all  []float64                      // sorted; nil if they are not known, or have weights
	each []*metadatapb.Histogram_Bucket // one for each different number; nil if they are too many
	many bool                           // there are more different ones than TensorFlow Data Validation has exactly
}

// eachValue returns the buckets of a histogram of row 36, which counts each number by itself.
func eachValue(all []*metadatapb.Histogram) []*metadatapb.Histogram_Bucket {
	for _, h := range all {
		if h.GetType() == metadatapb.Histogram_QUANTILES && len(h.GetBuckets()) > 0 && !slices.ContainsFunc(h.Buckets, func(b *metadatapb.Histogram_Bucket) bool { return b.LowValue != b.HighValue }) {
			return h.Buckets
		}
	}
	return nil
}

// middle returns the two numbers in the middle, which may be the same one.
func (n *numberTolerance) middle() (a, b float64, ok bool) {
	if n.each == nil {
		if len(n.all) == 0 || n.many {
			return 0, 0, false
		}
		return n.all[(len(n.all)-1)/2], n.all[len(n.all)/2], true
	}
	half, sum := totalOf(&metadatapb.Histogram{Buckets: n.each})/2, 0.0
	for i, x := range n.each {
		if sum += x.SampleCount; sum >= half {
			if a, b = x.LowValue, x.LowValue; sum == half && i+1 < len(n.each) {
				b = n.each[i+1].LowValue
			}
			return a, b, true
		}
	}
	return 0, 0, false
}

// count returns how many numbers are in a bucket of equal width.
func (n *numberTolerance) count(b *metadatapb.Histogram_Bucket, first bool) (count float64, ok bool) {
	in := func(v float64) bool {
		return v <= b.HighValue && (v > b.LowValue || v == b.LowValue && (first || v-v != 0)) && (v-v == 0) == (b.HighValue-b.HighValue == 0)
	}
	for _, x := range n.each {
		if in(x.LowValue) {
			count += x.SampleCount
		}
	}
	if n.each != nil {
		return count, true
	}
	for _, v := range n.all {
		if in(v) {
			count++
		}
	}
	return count, n.all != nil && !n.many
}

// median is that of row 1, where the numbers are known: the mean of the two in the middle.
func (n *numberTolerance) median(want *float64, got float64) {
	a, b, ok := n.middle()
	if !ok {
		n.rank(want, got)
		return
	}
	if (*want == a || *want == b) && (got == a && a == b || got == a/2+b/2) {
		*want = got
	}
}

// rank compares numbers by where they stand among all, if there are very many.
func (n *numberTolerance) rank(want *float64, got float64) {
	if *want == got {
		*want = got // which zero comes first among zeros of both signs is for a sort to say
		return
	}
	if !n.many || n.all == nil {
		return
	}
	lo, _ := slices.BinarySearch(n.all, math.Min(*want, got))
	hi, _ := slices.BinarySearch(n.all, math.Max(*want, got))
	if float64(hi-lo) <= 0.001*float64(len(n.all)) {
		*want = got
	}
}

func (n *numberTolerance) histograms(want, got []*metadatapb.Histogram) {
	for i, w := range want {
		if i >= len(got) || w == nil || got[i] == nil {
			continue
		}
		if w.Type == metadatapb.Histogram_QUANTILES {
			n.quantiles(w, got[i])
		} else {
			n.standard(w, got[i])
		}
	}
}

func totalOf(h *metadatapb.Histogram) (total float64) {
	for _, b := range h.Buckets {
		total += b.SampleCount
	}
	return total
}

// quantiles compares histograms of equal weight. Where there are no more different values than buckets, row 36 has a bucket for
// each: the others end at such values, and as many values are up to each of these ends.
func (n *numberTolerance) quantiles(want, got *metadatapb.Histogram) {
	if fewValues(want, got) {
		want.Buckets = got.Buckets
		return
	}
	if len(want.Buckets) != len(got.Buckets) {
		return
	}
	total := totalOf(want)
	for j, b := range want.Buckets {
		o := got.Buckets[j]
		n.rank(&b.LowValue, o.LowValue)
		n.rank(&b.HighValue, o.HighValue)
		absolute := 0.0
		if n.many {
			absolute = 0.002 * total
		}
		if near(b.SampleCount, o.SampleCount, 1e-6, absolute) {
			b.SampleCount = o.SampleCount
		}
	}
}

func fewValues(want, got *metadatapb.Histogram) bool {
	if len(got.Buckets) > len(want.Buckets) || len(got.Buckets) == 0 {
		return false
	}
	upTo := func(h *metadatapb.Histogram, v float64) (sum float64) {
		for _, b := range h.Buckets {
			if b.HighValue <= v {
				sum += b.SampleCount
			}
		}
		return sum
	}
	for i, b := range got.Buckets {
		if b.LowValue != b.HighValue || i > 0 && got.Buckets[i-1].HighValue >= b.LowValue {
			return false
		}
	}
	for _, b := range want.Buckets {
		has := slices.ContainsFunc(got.Buckets, func(g *metadatapb.Histogram_Bucket) bool { return g.HighValue == b.HighValue })
		if !has || !near(upTo(want, b.HighValue), upTo(got, b.HighValue), 1e-6, 0) {
			return false
		}
	}
	return true
}

// standard compares histograms of equal width. Those of row 2 count the numbers; the others are made of 1,000 quantiles, of lengths 10. Where
// the numbers are not known, they are off by up to 0.003 of all.
func (n *numberTolerance) standard(want, got *metadatapb.Histogram) {
	if len(want.Buckets) != len(got.Buckets) {
		return
	}
	total := totalOf(want)
	first := true
	for j, b := range want.Buckets {
		o := got.Buckets[j]
		meanNear(&b.LowValue, o.LowValue, 0) // rounded in another order
		meanNear(&b.HighValue, o.HighValue, 0)
		count, known := n.count(o, first)
		if known && !near(count, o.SampleCount, 1e-12, 0) {
			return
		}
		if o.LowValue-o.LowValue == 0 {
			first = false
		}
		if known || near(b.SampleCount, o.SampleCount, 1e-6, 0.003*total) {
			b.SampleCount = o.SampleCount
		}
	}
}

// meanNear compares means and deviations; the other one of the two says how much may be lost where they are near 0.
func meanNear(want *float64, got, scale float64) {
	if scale-scale != 0 {
		scale = 0
	}
	if near(*want, got, 1e-9, 1e-9*scale) {
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

package view

import (
	"math"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/proto/metadatapb"
)

// Common returns the common statistics, or nil. The getters of nil return zeros.
func (f *Feature) Common() *metadatapb.CommonStatistics { return f.common }

// Kind returns the type of the statistics.
func (f *Feature) Kind() metadatapb.FeatureNameStatistics_Type { return f.Stats.GetType() }

// Type returns the type of the feature in records.
func (f *Feature) Type() metadatapb.FeatureType {
	switch f.Kind() {
	case metadatapb.FeatureNameStatistics_BYTES, metadatapb.FeatureNameStatistics_STRING:
		return metadatapb.FeatureType_BYTES
	case metadatapb.FeatureNameStatistics_INT:
		return metadatapb.FeatureType_INT
	case metadatapb.FeatureNameStatistics_FLOAT:
		return metadatapb.FeatureType_FLOAT
	case metadatapb.FeatureNameStatistics_STRUCT:
		return metadatapb.FeatureType_STRUCT
	}
	return metadatapb.FeatureType_TYPE_UNKNOWN
}

// Present returns the number or the weight of the examples with the feature.
func (f *Feature) Present() float64 {
	if f.Dataset.ByWeight {
		return f.common.GetWeightedCommonStats().GetNumNonMissing()
	}
	return float64(f.common.GetNumNonMissing())
}

// Missing returns the number or the weight of the examples without the feature.
func (f *Feature) Missing() float64 {
	if f.Dataset.ByWeight {
		return f.common.GetWeightedCommonStats().GetNumMissing()
	}
	return float64(f.common.GetNumMissing())
}

// MissingAt returns Missing for each level of nesting, outermost first.
func (f *Feature) MissingAt() []float64 {
	var n []float64
	if f.Dataset.ByWeight {
		for _, s := range f.common.GetWeightedPresenceAndValencyStats() {
			n = append(n, s.GetNumMissing())
		}
	} else {
		for _, s := range f.common.GetPresenceAndValencyStats() {
			n = append(n, float64(s.GetNumMissing()))
		}
	}
	if len(n) == 0 {
		n = append(n, f.Missing())
	}
	return n
}

// Nested reports whether the values are lists of lists.
func (f *Feature) Nested() bool { return len(f.common.GetPresenceAndValencyStats()) > 1 }

// Range is a minimum and maximum number of values.
type Range struct{ Min, Max int64 }

// Counts returns the range of the number of values at each level of nesting, outermost first. It has at least one
// element.
func (f *Feature) Counts() []Range {
	var r []Range
	for _, s := range f.common.GetPresenceAndValencyStats() {
		r = append(r, Range{clampCount(s.GetMinNumValues()), clampCount(s.GetMaxNumValues())})
	}
	if len(r) == 0 {
		r = append(r, Range{clampCount(f.common.GetMinNumValues()), clampCount(f.common.GetMaxNumValues())})
	}
	return r
}

// clampCount converts n to int64, at most MaxInt64.
func clampCount(n uint64) int64 { return int64(min(n, math.MaxInt64)) }

// FractionPresent returns the share of total examples that have the feature: exactly 1 if no example lacks it. ok is
// false if total is 0.
func (f *Feature) FractionPresent(total float64) (fraction float64, ok bool) {
	switch {
	case !(total > 0):
		return 0, false
	case f.Missing() == 0:
		return 1, true
	}
	return f.Present() / total, true
}

// Total returns the number or the weight of all values.
func (f *Feature) Total() float64 {
	switch {
	case f.Dataset.ByWeight:
		return f.common.GetWeightedCommonStats().GetTotNumValues()
	case f.common.GetTotNumValues() == 0:
		// Older statistics lack the total. TensorFlow Data Validation multiplies in float32.
		return float64(float32(f.common.GetNumNonMissing()) * f.common.GetAvgNumValues())
	}
	return float64(f.common.GetTotNumValues())
}

// A Label is a value with its count or weight.
type Label struct {
	Value string
	Count float64
}

// Labels returns the rank histogram in byte order. Of equal labels it keeps the first.
func (f *Feature) Labels() []Label {
	h := f.Stats.GetStringStats().GetRankHistogram()
	if f.Dataset.ByWeight {
		h = f.Stats.GetStringStats().GetWeightedStringStats().GetRankHistogram()
	}
	labels := make([]Label, 0, len(h.GetBuckets()))
	for _, b := range h.GetBuckets() {
		labels = append(labels, Label{b.GetLabel(), b.GetSampleCount()})
	}
	slices.SortStableFunc(labels, func(a, b Label) int { return strings.Compare(a.Value, b.Value) })
	return slices.CompactFunc(labels, func(a, b Label) bool { return a.Value == b.Value })
}

// Histogram returns the histogram of numbers with the type t, or nil.
func (f *Feature) Histogram(t metadatapb.Histogram_HistogramType) *metadatapb.Histogram {
	all := f.Stats.GetNumStats().GetHistograms()
	if f.Dataset.ByWeight {
		all = f.Stats.GetNumStats().GetWeightedNumericStats().GetHistograms()
	}
	return HistogramOf(all, t)
}

// HistogramOf returns the first histogram with the type t, or nil.
func HistogramOf(all []*metadatapb.Histogram, t metadatapb.Histogram_HistogramType) *metadatapb.Histogram {
	for _, h := range all {
		if h.GetType() == t {
			return h
		}
	}
	return nil
}

// InvalidUTF8 reports whether a value is not UTF-8.
func (f *Feature) InvalidUTF8() bool { return f.Stats.GetStringStats().GetInvalidUtf8Count() > 0 }

// Unique returns the number of distinct values. ok is false if they were not counted.
func (f *Feature) Unique() (n uint64, ok bool) {
	s, ok := f.Stats.GetStats().(*metadatapb.FeatureNameStatistics_StringStats)
	if !ok {
		return 0, false
	}
	return s.StringStats.GetUnique(), true
}

// Kinds is the name of the custom statistic of a feature with values of several types: a rank histogram of the number
// of records by type. The other statistics describe the first type.
const Kinds = "kinds"

// Custom returns the first custom statistic called name, or nil.
func (f *Feature) Custom(name string) *metadatapb.CustomStatistic {
	for _, s := range f.Stats.GetCustomStats() {
		if s.GetName() == name {
			return s
		}
	}
	return nil
}

// NumEmpty returns the number or the weight of the examples with an empty list of values. ok is false unless the statistics
// determine it exactly: if no list is empty, if all lists are empty, or if no list has several values.
func (f *Feature) NumEmpty() (n float64, ok bool) {
	present, values := f.Present(), f.Total()
	switch {
	case !(present > 0) || f.common.GetMinNumValues() > 0:
		return 0, true
	case values == 0:
		return present, true
	case f.common.GetMaxNumValues() == 1:
		return max(0, present-values), true
	}
	return 0, false
}

// FractionEmpty returns the share of empty lists among the examples with the feature: the result of NumEmpty, or an estimate from
// the histogram of the numbers of values. ok is false if the histogram is missing.
func (f *Feature) FractionEmpty() (fraction float64, ok bool) {
	switch n, ok := f.NumEmpty(); {
	case ok && n == 0:
		return 0, true
	case ok:
		return n / f.Present(), true
	}
	var all, zeros float64
	buckets := f.common.GetNumValuesHistogram().GetBuckets()
	for _, b := range buckets {
		all += b.GetSampleCount()
		if b.GetHighValue() == 0 { // other buckets exclude their lower end
			zeros += b.GetSampleCount()
		}
	}
	if all = math.Round(all); !(all > 0) {
		return 0, false
	}
	if zeros == 0 {
		zeros = f.fewZeros(all / float64(len(buckets)))
	}
	return min(math.Round(zeros)/all, 1), true // buckets with the same end share a whole number of lists
}

// fewZeros estimates the number of empty lists if the histogram of quantiles has no bucket for them. That number is from 1 to
// most. Empty lists are then in the first bucket, with the shortest lists. The total number of values minus the range of the
// values in the other buckets gives a range for the values, and so for the empty lists, of the first bucket. The estimate is
// the middle of that range.
func (f *Feature) fewZeros(most float64) float64 {
	buckets := f.common.GetNumValuesHistogram().GetBuckets()
	var first, start float64 // number of lists in buckets with the first end; the lower end of the current bucket
	end := buckets[0].GetHighValue()
	low := float64(f.common.GetTotNumValues()) // range of the number of values in these lists
	high := low
	for i, b := range buckets {
		if i > 0 && b.GetHighValue() != buckets[i-1].GetHighValue() { // buckets with the same end share their counts
			start = b.GetLowValue()
		}
		if n := b.GetSampleCount(); b.GetHighValue() == end {
			first += n
		} else {
			low -= n * b.GetHighValue()
			high -= n * (start + 1)
		}
	}
	least := max(1, first-high)
	return (least + max(least, min(most, first-low/end))) / 2
}

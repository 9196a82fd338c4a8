package view

import (
	"math"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/proto/metadatapb"
)

// Common returns the common statistics; nil has all zeros.
func (f *Feature) Common() *metadatapb.CommonStatistics { return f.common }

// Kind is the type of the statistics.
func (f *Feature) Kind() metadatapb.FeatureNameStatistics_Type { return f.Stats.GetType() }

// Type is the type that the feature has in a record.
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

// Present is how many examples have the feature, or their weight.
func (f *Feature) Present() float64 {
	if f.Dataset.ByWeight {
		return f.common.GetWeightedCommonStats().GetNumNonMissing()
	}
	return float64(f.common.GetNumNonMissing())
}

// Missing is how many examples do not have the feature, or their weight.
func (f *Feature) Missing() float64 {
	if f.Dataset.ByWeight {
		return f.common.GetWeightedCommonStats().GetNumMissing()
	}
	return float64(f.common.GetNumMissing())
}

// MissingAt is Missing for every level of nesting, outermost first.
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

// Nested reports whether there are lists in lists.
func (f *Feature) Nested() bool { return len(f.common.GetPresenceAndValencyStats()) > 1 }

// A Range is the least and the greatest of something.
type Range struct{ Min, Max int64 }

// Counts are the numbers of values at every level of nesting, outermost first. There
// is at least one.
func (f *Feature) Counts() []Range {
	var r []Range
	for _, s := range f.common.GetPresenceAndValencyStats() {
		r = append(r, Range{count(s.GetMinNumValues()), count(s.GetMaxNumValues())})
	}
	if len(r) == 0 {
		r = append(r, Range{count(f.common.GetMinNumValues()), count(f.common.GetMaxNumValues())})
	}
	return r
}

func count(n uint64) int64 { return int64(min(n, math.MaxInt64)) }

// FractionPresent is the part of total examples that have the feature: exactly 1 if it
// is missing in none. It is not ok if there are no examples.
func (f *Feature) FractionPresent(total float64) (fraction float64, ok bool) {
	switch {
	case !(total > 0):
		return 0, false
	case f.Missing() == 0:
		return 1, true
	}
	return f.Present() / total, true
}

// Total is the number of values in all examples, or their weight.
func (f *Feature) Total() float64 {
	switch {
	case f.Dataset.ByWeight:
		return f.common.GetWeightedCommonStats().GetTotNumValues()
	case f.common.GetTotNumValues() == 0:
		// Older statistics do not have it. The product is one of single precision.
		return float64(float32(f.common.GetNumNonMissing()) * f.common.GetAvgNumValues())
	}
	return float64(f.common.GetTotNumValues())
}

// A Label is a value with the number of times it was seen, or its weight.
type Label struct {
	Value string
	Count float64
}

// Labels returns the values of the rank histogram in byte order. A value that is there
// twice has its first count.
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

// Histogram returns the histogram of numbers of a type, or nil.
func (f *Feature) Histogram(t metadatapb.Histogram_HistogramType) *metadatapb.Histogram {
	all := f.Stats.GetNumStats().GetHistograms()
	if f.Dataset.ByWeight {
		all = f.Stats.GetNumStats().GetWeightedNumericStats().GetHistograms()
	}
	return HistogramOf(all, t)
}

// HistogramOf returns the histogram of a type, or nil.
func HistogramOf(all []*metadatapb.Histogram, t metadatapb.Histogram_HistogramType) *metadatapb.Histogram {
	for _, h := range all {
		if h.GetType() == t {
			return h
		}
	}
	return nil
}

// InvalidUTF8 reports whether any value is not UTF-8.
func (f *Feature) InvalidUTF8() bool { return f.Stats.GetStringStats().GetInvalidUtf8Count() > 0 }

// Unique is the number of different values, if they were counted.
func (f *Feature) Unique() (n uint64, ok bool) {
	s, ok := f.Stats.GetStats().(*metadatapb.FeatureNameStatistics_StringStats)
	if !ok {
		return 0, false
	}
	return s.StringStats.GetUnique(), true
}

// Kinds is the name of the custom statistic of a feature with values of several kinds: a rank
// histogram of the numbers of records, by kind. The other statistics are those of the first kind.
const Kinds = "kinds"

// Custom returns the first custom statistic with a name, or nil.
func (f *Feature) Custom(name string) *metadatapb.CustomStatistic {
	for _, s := range f.Stats.GetCustomStats() {
		if s.GetName() == name {
			return s
		}
	}
	return nil
}

// NumEmpty is how many of those examples that have the feature have no value of it, or their weight. It is ok where statistics say
// it exactly: where none is empty, where all are, and where none has several values.
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

// FractionEmpty is the part of those examples that have the feature which have no value
// of it, as far as statistics tell: by the total where none has several values, else by
// the histogram of the numbers of values. It is not ok if there is neither.
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
		if b.GetHighValue() == 0 { // what is in a bucket is above its start, but in the first one
			zeros += b.GetSampleCount()
		}
	}
	if all = math.Round(all); !(all > 0) {
		return 0, false
	}
	if zeros == 0 {
		zeros = f.fewZeros(all / float64(len(buckets)))
	}
	return min(math.Round(zeros)/all, 1), true // buckets share whole numbers
}

// fewZeros is how many examples have no value if they are so few, at least one and at
// most the given number, that the histogram has no bucket for them. They share the first
// with the shortest lists: the total says how many values those have, as exactly as
// the other buckets say it of theirs. It is the middle of what can be.
func (f *Feature) fewZeros(most float64) float64 {
	buckets := f.common.GetNumValuesHistogram().GetBuckets()
	var first, start float64 // number of examples that share it; where the present bucket starts
	end := buckets[0].GetHighValue()
	low := float64(f.common.GetTotNumValues()) // of the values of those, at least and at most
	high := low
	for i, b := range buckets {
		if i > 0 && b.GetHighValue() != buckets[i-1].GetHighValue() { // those of one end share what they count
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

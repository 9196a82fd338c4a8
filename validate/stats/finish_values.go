package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/numbers"
	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// numeric describes numbers.
func (a *Accumulator) numeric(c *column, stats *metadatapb.CommonStatistics, details *Details) (*metadatapb.NumericStatistics, error) {
	out := &metadatapb.NumericStatistics{CommonStats: stats}
	total := c.common.values()
	if total == 0 {
		return out, nil
	}
	n := c.numbers.values.Sealed()
	if n.NaN == total {
		for _, t := range []metadatapb.Histogram_HistogramType{metadatapb.Histogram_STANDARD, metadatapb.Histogram_QUANTILES} {
			out.Histograms = append(out.Histograms, &metadatapb.Histogram{Type: t, NumNan: n.NaN})
		}
		return out, nil
	}
	out.Mean, out.StdDev = n.MeanDev()
	if b := c.numbers.batches; b != nil {
		out.Mean, out.StdDev = meanDev(b)
	}
	out.NumZeros = n.Zeros
	out.Min, out.Max = n.Least, n.Most
	if n.Negative > 0 {
		out.Min = math.Inf(-1)
	}
	if n.Positive > 0 {
		out.Max = math.Inf(1)
	}
	if n.Least > n.Most { // no finite value
		if n.Negative == 0 {
			out.Min = math.Inf(1)
		}
		if n.Positive == 0 {
			out.Max = math.Inf(-1)
		}
	}
	endless := n.Positive+n.Negative > 0 && !a.opts.TFDV // whose batches say it
	if endless {
		out.Mean, out.StdDev = math.NaN(), 0
	}
	out.Median, out.Histograms = a.histograms(n.Summary(), n, float64(n.Positive))
	if c.kind == example.Int64List {
		details.numbers(out, n, a.opts.NumQuantilesHistogramBuckets)
	}
	w := c.numbers.weighted
	if w == nil {
		details.count(out, counted{numbers: &c.numbers.values})
		return out, nil
	}
	details.count(out, counted{&c.numbers.values, w.ranks})
	s := w.ranks.Summary()
	if len(s) == 0 {
		if a.opts.TFDV {
			return nil, fmt.Errorf("%w: no weight above 0", ErrWeight)
		}
		return out, nil
	}
	weighted := &metadatapb.WeightedNumericStatistics{}
	weighted.Mean, weighted.StdDev = w.moments.MeanDev()
	if w.batches != nil {
		weighted.Mean, weighted.StdDev = meanDev(w.batches)
	}
	if endless {
		weighted.Mean, weighted.StdDev = math.NaN(), 0
	}
	weighted.Median, weighted.Histograms = a.histograms(s, n, w.positive.Value())
	out.WeightedNumericStats = weighted
	return out, nil
}

func meanDev(b *sketch.Batches) (mean, dev float64) {
	mean, variance := b.MeanVariance()
	if !(variance > 0) { // nor NaN
		return mean, 0
	}
	return mean, math.Sqrt(variance)
}

// histograms makes both histograms, and the median.
func (a *Accumulator) histograms(s sketch.Summary, n *numbers.Numbers, positive float64) (median float64, out []*metadatapb.Histogram) {
	o := a.opts
	var standard, quantiles []bucket
	if o.TFDV {
		b := s.Quantiles(nil, finePerQuantile*o.NumQuantilesHistogramBuckets)
		median = medianOf(b)
		standard = standardBuckets(b, n.Least, n.Most, o.NumHistogramBuckets, positive)
		quantiles = quantileBuckets(everyBoundary(b, finePerQuantile))
	} else {
		median = s.Median()
		standard = exactBuckets(s, n.Least, n.Most, o.NumHistogramBuckets)
		quantiles = partsOf(s, o.NumQuantilesHistogramBuckets)
	}
	out = []*metadatapb.Histogram{
		toHistogram(metadatapb.Histogram_STANDARD, standard),
		toHistogram(metadatapb.Histogram_QUANTILES, quantiles),
	}
	for _, h := range out {
		h.NumNan = n.NaN
	}
	return median, out
}

// What TensorFlow Data Validation puts in the place of labels.
const (
	invalidLabel = "__BYTES_VALUE__"
	longLabel    = "__LARGE_BYTES__"
	longFrom     = 1024 // a label of more bytes is long, for its sketches
)

// strings describes labels.
func (a *Accumulator) strings(c *column, s *schema, stats *metadatapb.CommonStatistics) *metadatapb.StringStatistics {
	out := &metadatapb.StringStatistics{CommonStats: stats}
	l := c.labels
	total := c.common.values()
	if total == 0 {
		return out
	}
	out.AvgLength = float32(float64(l.length) / float64(total))
	out.InvalidUtf8Count = l.invalid
	o := a.opts
	if s.counting.uncounted && o.TFDV && o.UseSketchBasedTopKUniques {
		return out
	}
	out.Unique = l.counts.Unique()
	var rename func(string) string
	switch {
	case c.kind == example.FloatList:
		rename = floatLabel
	case o.TFDV && o.UseSketchBasedTopKUniques:
		rename = func(key string) string {
			switch {
			case !utf8.ValidString(key):
				return invalidLabel
			case len(key) > longFrom && !s.counting.keepLong:
				return longLabel
			}
			return key
		}
	}
	most := max(o.NumTopValues, o.NumRankHistogramBuckets)
	first := func(l *sketch.Labels, rename func(string) string) []sketch.Label {
		if c.kind != example.Int64List || o.TFDV && o.UseSketchBasedTopKUniques {
			return l.Top(most, rename)
		}
		labels := l.Top(math.MaxInt32, rename) // among equals the larger number is first, not the larger text
		slices.SortFunc(labels, func(a, b sketch.Label) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), compareDecimals(b.Key, a.Key))
		})
		return labels[:min(most, len(labels))]
	}
	out.TopValues, out.RankHistogram = a.ranked(first(&l.counts, rename), o.FrequencyThreshold)
	if l.weights != nil {
		rename = nil
		if c.kind == example.FloatList {
			rename = floatLabel
		}
		w := &metadatapb.WeightedStringStatistics{}
		w.TopValues, w.RankHistogram = a.ranked(first(l.weights, rename), o.WeightedFrequencyThreshold)
		if !o.TFDV || o.UseSketchBasedTopKUniques || w.TopValues != nil || w.RankHistogram != nil {
			out.WeightedStringStats = w
		}
	}
	return out
}

// compareDecimals compares two integers without leading zeros.
func compareDecimals(a, b string) int {
	negative := strings.HasPrefix(a, "-")
	if negative != strings.HasPrefix(b, "-") {
		return strings.Compare(a, b) // the sign is before every digit
	}
	c := cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	if negative {
		return -c
	}
	return c
}

// ranked cuts labels to what is asked for. If none is left there is no histogram.
func (a *Accumulator) ranked(labels []sketch.Label, least float64) (top []*metadatapb.StringStatistics_FreqAndValue, ranks *metadatapb.RankHistogram) {
	enough := 0
	for enough < len(labels) && !(labels[enough].Count < least) {
		enough++
	}
	values := make([]metadatapb.StringStatistics_FreqAndValue, min(enough, a.opts.NumTopValues)) // one piece of memory for all
	buckets := make([]metadatapb.RankHistogram_Bucket, min(enough, a.opts.NumRankHistogramBuckets))
	if len(buckets) > 0 {
		ranks = &metadatapb.RankHistogram{}
	}
	for i, l := range labels[:enough] {
		name := labelText(l.Key)
		if a.opts.TFDV && name != l.Key {
			name = invalidLabel
		}
		if i < a.opts.NumTopValues {
			v := &values[i]
			v.Value, v.Frequency = name, l.Count
			top = append(top, v)
		}
		if i < a.opts.NumRankHistogramBuckets {
			b := &buckets[i]
			b.LowRank, b.HighRank, b.Label, b.SampleCount = uint64(i), uint64(i), name, l.Count
			ranks.Buckets = append(ranks.Buckets, b)
		}
	}
	return top, ranks
}

func blobStatistics(b *blobs, stats *metadatapb.CommonStatistics) *metadatapb.BytesStatistics {
	out := &metadatapb.BytesStatistics{CommonStats: stats}
	if b.count > 0 {
		out.AvgNumBytes = float32(float64(b.total) / float64(b.count))
		out.MinNumBytes, out.MaxNumBytes = float32(b.least), float32(b.most)
		out.MaxNumBytesInt = int64(b.most)
	}
	return out
}

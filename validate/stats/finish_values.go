package stats

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/sniff"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/numbers"
	"github.com/tfparse/tfparse/validate/internal/sketch"
)

// numericStatistics returns the statistics of numbers.
func (a *Accumulator) numericStatistics(c *column, stats *metadatapb.CommonStatistics, details *Details) *metadatapb.NumericStatistics {
	out := &metadatapb.NumericStatistics{CommonStats: stats}
	total := c.common.values()
	if total == 0 {
		return out
	}
	n := c.numbers.values.Sealed()
	if n.NaN == total {
		for _, t := range []metadatapb.Histogram_HistogramType{metadatapb.Histogram_STANDARD, metadatapb.Histogram_QUANTILES} {
			out.Histograms = append(out.Histograms, &metadatapb.Histogram{Type: t, NumNan: n.NaN})
		}
		return out
	}
	out.Mean, out.StdDev = n.MeanDev()
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
	infinite := n.Positive+n.Negative > 0
	if infinite {
		out.Mean, out.StdDev = math.NaN(), 0
	}
	out.Median, out.Histograms = a.numberHistograms(n.Summary(), n)
	if c.kind == example.Int64List {
		details.noteIntegers(out, n, a.opts.Quantiles)
	}
	w := c.numbers.weighted
	if w == nil {
		details.noteNumbers(out, numberSource{numbers: &c.numbers.values})
		return out
	}
	details.noteNumbers(out, numberSource{&c.numbers.values, w.ranks})
	s := w.ranks.Summary()
	if len(s) == 0 {
		return out
	}
	weighted := &metadatapb.WeightedNumericStatistics{}
	weighted.Mean, weighted.StdDev = w.moments.MeanDev()
	if infinite {
		weighted.Mean, weighted.StdDev = math.NaN(), 0
	}
	weighted.Median, weighted.Histograms = a.numberHistograms(s, n)
	out.WeightedNumericStats = weighted
	return out
}

// numberHistograms returns the median and both histograms of a distribution.
func (a *Accumulator) numberHistograms(s sketch.Summary, n *numbers.Numbers) (median float64, out []*metadatapb.Histogram) {
	out = []*metadatapb.Histogram{
		toHistogram(metadatapb.Histogram_STANDARD, equalWidthBuckets(s, n.Least, n.Most, a.opts.Buckets)),
		toHistogram(metadatapb.Histogram_QUANTILES, equalWeightBuckets(s, a.opts.Quantiles)),
	}
	for _, h := range out {
		h.NumNan = n.NaN
	}
	return s.Median(), out
}

// stringStatistics returns the statistics of labels.
func (a *Accumulator) stringStatistics(c *column, stats *metadatapb.CommonStatistics) *metadatapb.StringStatistics {
	out := &metadatapb.StringStatistics{CommonStats: stats}
	l := c.labels
	total := c.common.values()
	if total == 0 {
		return out
	}
	out.AvgLength = float32(float64(l.totalBytes) / float64(total))
	out.InvalidUtf8Count = l.invalidUTF8
	o := a.opts
	out.Unique = l.counts.Unique()
	var rename func(string) string
	if c.kind == example.FloatList {
		rename = floatLabel
	}
	most := max(o.TopValues, o.RankedValues)
	first := func(l *sketch.Labels) []sketch.Label {
		if c.kind != example.Int64List {
			return l.Top(most, rename)
		}
		labels := l.Top(math.MaxInt32, rename) // equal counts in descending order of the numbers, not of the texts
		slices.SortFunc(labels, func(a, b sketch.Label) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), compareDecimals(b.Key, a.Key))
		})
		return labels[:min(most, len(labels))]
	}
	out.TopValues, out.RankHistogram = a.rankedLabels(first(&l.counts), o.MinCount)
	if l.weights != nil {
		w := &metadatapb.WeightedStringStatistics{}
		w.TopValues, w.RankHistogram = a.rankedLabels(first(l.weights), o.MinWeight)
		out.WeightedStringStats = w
	}
	return out
}

// compareDecimals compares two decimal integers without leading zeros.
func compareDecimals(a, b string) int {
	negative := strings.HasPrefix(a, "-")
	if negative != strings.HasPrefix(b, "-") {
		return strings.Compare(a, b) // '-' sorts before digits
	}
	c := cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	if negative {
		return -c
	}
	return c
}

// rankedLabels returns the most frequent labels with a count of at least least, up to Options.TopValues and
// Options.RankedValues. It returns nil instead of empty results.
func (a *Accumulator) rankedLabels(labels []sketch.Label, least float64) (top []*metadatapb.StringStatistics_FreqAndValue, ranks *metadatapb.RankHistogram) {
	enough := 0
	for enough < len(labels) && !(labels[enough].Count < least) {
		enough++
	}
	values := make([]metadatapb.StringStatistics_FreqAndValue, min(enough, a.opts.TopValues)) // one allocation
	buckets := make([]metadatapb.RankHistogram_Bucket, min(enough, a.opts.RankedValues))
	if len(buckets) > 0 {
		ranks = &metadatapb.RankHistogram{}
	}
	for i, l := range labels[:enough] {
		name := labelText(l.Key)
		if i < a.opts.TopValues {
			v := &values[i]
			v.Value, v.Frequency = name, l.Count
			top = append(top, v)
		}
		if i < a.opts.RankedValues {
			b := &buckets[i]
			b.LowRank, b.HighRank, b.Label, b.SampleCount = uint64(i), uint64(i), name, l.Count
			ranks.Buckets = append(ranks.Buckets, b)
		}
	}
	return top, ranks
}

// blobStatistics returns the statistics of byte strings that are not labels.
func blobStatistics(b *blobSizes, stats *metadatapb.CommonStatistics) *metadatapb.BytesStatistics {
	out := &metadatapb.BytesStatistics{CommonStats: stats}
	if b.count > 0 {
		out.AvgNumBytes = float32(float64(b.total) / float64(b.count))
		out.MinNumBytes, out.MaxNumBytes = float32(b.least), float32(b.most)
		out.MaxNumBytesInt = int64(b.most)
	}
	return out
}

// labelText returns the label of a value. A label must be UTF-8: text is its own label. The label of other bytes says what they are,
// by their format or their first bytes as in a Go string literal, and has the length and the first half of the SHA-256: JPEG 96x96x3
// (1840 bytes, sha256 0f3a…), \xff\x01 (2 bytes, sha256 437c…). So equal labels mean equal values, and images do not bloat the statistics.
func labelText(value string) string {
	if utf8.ValidString(value) {
		return value
	}
	digest := sha256.Sum256([]byte(value))
	return fmt.Sprintf("%s (%d bytes, sha256 %x)", sniff.DescribeBytes(value), len(value), digest[:len(digest)/2])
}

package anomaly

import (
	"fmt"
	"math"

	"github.com/tfparse/tfparse/expr"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// isInfinite reports whether a bucket of a STANDARD histogram holds infinities.
func isInfinite(b *pb.Histogram_Bucket) bool {
	return math.IsInf(b.GetLowValue(), 0) && b.GetLowValue() == b.GetHighValue()
}

// readNumInf returns the number of infinities. They have separate buckets.
func readNumInf(f *view.Feature) (n float64) {
	for _, b := range f.Histogram(pb.Histogram_STANDARD).GetBuckets() {
		if isInfinite(b) {
			n += b.GetSampleCount()
		}
	}
	return n
}

// readNumEmpty returns the number of examples in which the feature is present without a value.
func readNumEmpty(f *view.Feature, _ *expr.Statistic) (float64, string) {
	n, ok := f.NumEmpty()
	if !ok {
		return 0, "the statistics do not count empty lists if other lists have several values"
	}
	return n, ""
}

// readQuantile returns the s.Number quantile. It is known only at bucket boundaries and in
// single-value buckets. Interpolation inside a bucket would mislead: with ten buckets, the 0.99
// quantile would always be slightly below the maximum.
func readQuantile(f *view.Feature, s *expr.Statistic) (float64, string) {
	buckets := f.Histogram(pb.Histogram_QUANTILES).GetBuckets()
	total := 0.0
	for _, b := range buckets {
		total += b.GetSampleCount()
	}
	if !(total > 0) {
		return 0, "the statistics have no quantiles for the feature"
	}
	want := s.Number * total
	if v, ok := bucketBoundary(buckets, s.Number, want); ok {
		return v, ""
	}
	sum := 0.0
	for i, b := range buckets {
		n, low, high := b.GetSampleCount(), b.GetLowValue(), b.GetHighValue()
		if sum+n < want*(1-1e-9) && i+1 < len(buckets) {
			sum += n
			continue
		}
		off := rankError(total)
		switch {
		case low == high || want-sum <= min(off, sum+n-want):
			return low, ""
		case sum+n-want <= off:
			return high, ""
		}
		return 0, fmt.Sprintf("the statistics have quantiles only in steps of %.4g", 1/float64(len(buckets)))
	}
	return 0, "" // not reached: there are buckets
}

// bucketBoundary returns the bucket boundary at a quantile, for example the end of bucket 5 of 10 for
// 0.5. want is the same quantile as a number of values. A repeated value makes the buckets around it
// uneven, because one bucket contains all its repetitions: fewer values than want may be below the
// boundary, or more values up to the boundary. If neither explains the counts, the buckets are not
// quantiles, and the result is false.
func bucketBoundary(buckets []*pb.Histogram_Bucket, share, want float64) (float64, bool) {
	at := share * float64(len(buckets))
	k := int(math.Round(at))
	if math.Abs(at-float64(k)) > 1e-9 {
		return 0, false
	}
	if k == 0 {
		return buckets[0].GetLowValue(), true
	}
	end, below, total := buckets[k-1].GetHighValue(), 0.0, 0.0
	upTo := 0.0
	for _, b := range buckets {
		n := b.GetSampleCount()
		total += n
		if b.GetHighValue() < end {
			below += n
		}
		if b.GetHighValue() <= end {
			upTo += n
		}
	}
	off := rankError(total)
	return end, below <= want+off && want-off <= upTo
}

// rankError returns the maximum rank error of a bucket boundary, in values. Boundaries are rounded to
// whole values and may be approximate.
func rankError(total float64) float64 { return max(0.002*total, 1) }

// readShare returns the share of the label s.Text among all values.
func readShare(f *view.Feature, s *expr.Statistic) (float64, string) {
	total := f.Total()
	if !(total > 0) {
		return 0, "the feature has no values"
	}
	listed, labels := 0.0, f.Labels()
	for _, l := range labels {
		if l.Value == s.Text {
			return l.Count / total, ""
		}
		listed += l.Count
	}
	if len(labels) == 0 {
		return 0, "the statistics list no values"
	}
	if listed < total-0.5 { // float32 counts need not add up
		return 0, fmt.Sprintf("the label is not among the %d most frequent values", len(labels))
	}
	return 0, ""
}

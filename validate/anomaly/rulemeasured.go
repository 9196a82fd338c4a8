package anomaly

import (
	"fmt"
	"math"

	"github.com/tfparse/tfparse/expr"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/internal/view"
)

// isInfinite reports whether a bucket of a histogram of one width holds infinities.
func isInfinite(b *pb.Histogram_Bucket) bool {
	return math.IsInf(b.GetLowValue(), 0) && b.GetLowValue() == b.GetHighValue()
}

// numInf is how many numbers are infinite: they have buckets of their own.
func numInf(f *view.Feature) (n float64) {
	for _, b := range f.Histogram(pb.Histogram_STANDARD).GetBuckets() {
		if isInfinite(b) {
			n += b.GetSampleCount()
		}
	}
	return n
}

// numEmpty is how many examples have the feature, but no value of it.
func numEmpty(f *view.Feature, _ *expr.Statistic) (float64, string) {
	n, ok := f.NumEmpty()
	if !ok {
		return 0, "of lists with several values the statistics do not say how many are empty"
	}
	return n, ""
}

// quantile is the number that a share of the numbers is at most. It is known at the ends of the buckets of quantiles, and in a bucket of one
// value. Inside another one it is not: 0.99 of ten quantiles would be little less than the maximum, whatever the numbers are.
func quantile(f *view.Feature, s *expr.Statistic) (float64, string) {
	buckets := f.Histogram(pb.Histogram_QUANTILES).GetBuckets()
	total := 0.0
	for _, b := range buckets {
		total += b.GetSampleCount()
	}
	if !(total > 0) {
		return 0, "the statistics have no quantiles of it"
	}
	want := s.Number * total
	if v, ok := endOfBucket(buckets, s.Number, want); ok {
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
		return 0, fmt.Sprintf("the statistics have quantiles in steps of %.4g", 1/float64(len(buckets)))
	}
	return 0, "" // not reached: there are buckets
}

// endOfBucket is the end between the buckets that is that quantile, as 0.5 of ten is the end of the fifth. A value that is repeated makes
// the buckets around it uneven, for all of its repeats are in the first one: the numbers below the end may be fewer than the share, and those
// up to it more. Elsewhere the buckets are not those of quantiles.
func endOfBucket(buckets []*pb.Histogram_Bucket, share, want float64) (float64, bool) {
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

// rankError is by how many numbers the ends of buckets may be off: they are rounded to whole numbers, and may be approximate.
func rankError(total float64) float64 { return max(0.002*total, 1) }

// share is the share that a label has of the values.
func share(f *view.Feature, s *expr.Statistic) (float64, string) {
	total := f.Total()
	if !(total > 0) {
		return 0, "it has no values"
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
		return 0, fmt.Sprintf("the statistics list the %d most frequent values, and it is none of them", len(labels))
	}
	return 0, ""
}

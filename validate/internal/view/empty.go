package view

import "math"

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

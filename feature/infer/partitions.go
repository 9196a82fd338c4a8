package infer

import (
	"math"

	"github.com/tfparse/tfparse/feature"
)

// An encoding is one of the partitions that a feature may hold, in the order in
// which they are preferred where several fit.
type encoding uint8

const (
	splits encoding = iota
	lengths
	limits
	rowIDs
	starts
	encodings
)

// partition returns the partition of a spec that reads key.
func (e encoding) partition(key string) feature.Partition {
	switch e {
	case splits:
		return feature.RowSplits(key)
	case lengths:
		return feature.RowLengths(key)
	case limits:
		return feature.RowLimits(key)
	case rowIDs:
		return feature.ValueRowIDs(key)
	}
	return feature.RowStarts(key)
}

// String returns the name of the encoding in Spec JSON.
func (e encoding) String() string {
	return [...]string{"row_splits", "row_lengths", "row_limits", "value_row_ids", "row_starts", ""}[e]
}

// A partition is what a list of numbers says as a partition.
type partition struct {
	ok    bool  // it is one
	plain bool  // no row is known to have more than one item: it says nothing
	dense bool  // of value_row_ids: no row before the last is empty
	total int64 // the items that it partitions; of row_starts they may be more
	rows  int64
	inner int64 // of row_splits the sum of the numbers before the last, of row_lengths that of all but the largest
}

// maxRows is how many rows a parser lets a record declare by value_row_ids.
const maxRows = 1 << 20

// partitionsOf reads a list as each of the encodings. Without numbers each of them is a
// partition of nothing.
func partitionsOf(x []int64) (c [encodings]partition) {
	n := int64(len(x))
	if n == 0 {
		for e := range c {
			c[e] = partition{ok: true}
		}
		return c
	}
	// Zeros and ones are flags more often than lengths, and what grows by no more than one is
	// a counter or a number of something else: only a longer row shows which.
	ascends, small, strict := true, true, true
	sum, largest, positive, flags := int64(0), int64(0), true, true
	before := int64(0) // the sum of the numbers before the last; it may overflow, since it is only compared
	for i, v := range x {
		if i > 0 {
			before += x[i-1]
			ascends = ascends && v >= x[i-1]
			strict = strict && v > x[i-1]
			small = small && v-1 <= x[i-1]
		}
		flags = flags && v <= 1
		positive = positive && v >= 0 && sum <= math.MaxInt64-v
		if positive {
			sum += v
			largest = max(largest, v)
		}
	}
	first, last := x[0], x[n-1]
	ascends = ascends && first >= 0
	c[splits] = partition{ok: ascends && first == 0, plain: small, total: last, rows: n - 1, inner: before}
	c[lengths] = partition{ok: positive, plain: flags, total: sum, rows: n, inner: sum - largest}
	c[limits] = partition{ok: ascends, plain: small && first <= 1, total: last, rows: n}
	c[starts] = partition{ok: ascends && first == 0, plain: small, total: last, rows: n}
	if ascends && last < min(4*n+16, maxRows) { // ids of many more rows than items are numbers of something else
		c[rowIDs] = partition{ok: true, plain: strict || first == last, dense: small && first == 0, total: n, rows: last + 1}
	}
	return c
}

// A profile is what the pairs need to know of a feature in one unit.
type profile struct {
	present    bool // it is there, with or without values
	n          int64
	partitions *[encodings]partition // nil if it holds no int64s
	head       []int64               // the first values
	lent       bool                  // head is
}

// maxHead is how many values of a counter-example are kept.
const maxHead = 8

// absent is a feature that is not there: as good as an empty list.
var (
	noPartitions = partitionsOf(nil)
	absent       = profile{partitions: &noPartitions}
)

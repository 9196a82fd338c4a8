package infer

import (
	"math"

	"github.com/tfparse/tfparse/feature"
)

// partitionKind is a kind of partition in a spec. If several kinds fit, infer prefers the first.
type partitionKind uint8

const (
	splits partitionKind = iota
	lengths
	limits
	rowIDs
	starts
	noPartition
)

// partition returns the partition of this kind whose feature is key.
func (e partitionKind) partition(key string) feature.Partition {
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

// String returns the name of the kind in Spec JSON.
func (e partitionKind) String() string {
	return [...]string{"row_splits", "row_lengths", "row_limits", "value_row_ids", "row_starts", ""}[e]
}

// readPartition is the result of reading a list of numbers as one kind of partition.
type readPartition struct {
	ok    bool  // the list is a partition of that kind
	plain bool  // not evidence for a partition: no row is known to have more than one item (flags, a counter), or all row IDs are equal
	dense bool  // value_row_ids: no row is empty
	total int64 // number of items; for row_starts a lower bound
	rows  int64 // number of rows
	inner int64 // row_splits: the sum of all numbers but the last; row_lengths: of all but the largest
}

// maxRows is the default of feature.ParserOptions.MaxRows.
const maxRows = 1 << 20

// partitionsOf reads a list as each kind of partition. An empty list partitions no items.
func partitionsOf(x []int64) (c [noPartition]readPartition) {
	n := int64(len(x))
	if n == 0 {
		for e := range c {
			c[e] = readPartition{ok: true}
		}
		return c
	}
	// Zeros and ones are more often flags than lengths, and numbers that grow by at most one may be
	// a counter: only a row with more items is evidence.
	ascends, small, strict := true, true, true
	sum, largest, positive, flags := int64(0), int64(0), true, true
	before := int64(0) // sum of all numbers but the last; an overflow is harmless, since it is only compared
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
	c[splits] = readPartition{ok: ascends && first == 0, plain: small, total: last, rows: n - 1, inner: before}
	c[lengths] = readPartition{ok: positive, plain: flags, total: sum, rows: n, inner: sum - largest}
	c[limits] = readPartition{ok: ascends, plain: small && first <= 1, total: last, rows: n}
	c[starts] = readPartition{ok: ascends && first == 0, plain: small, total: last, rows: n}
	if ascends && last < min(4*n+16, maxRows) { // IDs of many more rows than items are not row IDs
		c[rowIDs] = readPartition{ok: true, plain: strict || first == last, dense: small && first == 0, total: n, rows: last + 1}
	}
	return c
}

// unitProfile summarizes one feature in one unit for candidate pairs.
type unitProfile struct {
	present    bool                        // the unit has the feature, with or without values
	n          int64                       // number of values
	partitions *[noPartition]readPartition // its values read as each kind of partition; nil if they are not int64
	head       []int64                     // the first values
	lent       bool                        // head is valid until the next record only
}

// maxHead is the maximum number of values in a counter-example.
const maxHead = 8

// absent is the profile of a feature that the unit lacks. It counts as an empty list.
var (
	noPartitions = partitionsOf(nil)
	absent       = unitProfile{partitions: &noPartitions}
)

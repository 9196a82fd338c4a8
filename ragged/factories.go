package ragged

import (
	"fmt"
	"math"
	"strconv"
)

// maxValues limits the number of values and the number of rows, so that every position and
// every number of splits fits an int.
const maxValues = math.MaxInt / 16

// MaxEmptyRows is the limit of rows that are given by a number alone, because they have no
// values: 2^28, or 2^24 where an int has 32 bits. It bounds the time of loops over rows. Row
// splits and row lengths have no such limit: they are as long as the number of rows.
const MaxEmptyRows = 1 << (24 + (strconv.IntSize-32)/8)

// FromRowSplits makes a partition of row splits: the start of every row, then the number
// of values. There must be at least one split, the first split must be 0, and splits must
// not decrease; otherwise the error is a PartitionError. The slice is kept and must not
// change. TensorFlow calls it RowPartition.from_row_splits.
func FromRowSplits(splits []int64) (Partition, error) {
	const name = "row_splits"
	if len(splits) == 0 {
		return Partition{}, &PartitionError{name, -1, "at least 1 entry", 0}
	}
	if splits[0] != 0 {
		return Partition{}, &PartitionError{name, 0, "0", splits[0]}
	}
	if err := checkAscending(name, splits); err != nil {
		return Partition{}, err
	}
	return Partition{splits: splits[:len(splits):len(splits)]}, nil
}

// FromRowLengths makes a partition of the length of every row. The slice is not kept. The
// partition is not uniform, even if all lengths are equal: see Uniform. For a negative
// length, or a sum that overflows, the error is a PartitionError. TensorFlow calls it
// RowPartition.from_row_lengths.
func FromRowLengths(lengths []int64) (Partition, error) {
	const name = "row_lengths"
	splits := make([]int64, len(lengths)+1)
	sum := int64(0)
	for i, n := range lengths {
		if n < 0 {
			return Partition{}, &PartitionError{name, i, "at least 0", n}
		}
		if n > maxValues-sum {
			return Partition{}, &PartitionError{name, i, "at most " + strconv.FormatInt(maxValues-sum, 10), n}
		}
		sum += n
		splits[i+1] = sum
	}
	return Partition{splits: splits}, nil
}

// FromRowStarts makes a partition of the start of every row and the number of values.
// The first start must be 0, and starts must not decrease or exceed nvals; without starts
// nvals must be 0. Otherwise the error is a PartitionError. The slice is not kept.
// TensorFlow calls it RowPartition.from_row_starts.
func FromRowStarts(starts []int64, nvals int64) (Partition, error) {
	const name = "row_starts"
	if err := checkCount(name, "number of values", nvals); err != nil {
		return Partition{}, err
	}
	if len(starts) == 0 {
		if nvals != 0 {
			return Partition{}, &PartitionError{name, -1, "0 values in 0 rows", nvals}
		}
		return Partition{splits: []int64{0}}, nil
	}
	if starts[0] != 0 {
		return Partition{}, &PartitionError{name, 0, "0", starts[0]}
	}
	splits := make([]int64, len(starts)+1)
	copy(splits, starts)
	if err := checkAscending(name, starts); err != nil {
		return Partition{}, err
	}
	if last := starts[len(starts)-1]; last > nvals {
		return Partition{}, &PartitionError{name, len(starts) - 1, "at most " + strconv.FormatInt(nvals, 10), last}
	}
	splits[len(starts)] = nvals
	return Partition{splits: splits}, nil
}

// FromRowLimits makes a partition of the limit of every row: the start of the next row,
// and for the last row the number of values. Limits must not be negative or decrease;
// otherwise the error is a PartitionError. The slice is not kept. TensorFlow calls it
// RowPartition.from_row_limits.
func FromRowLimits(limits []int64) (Partition, error) {
	const name = "row_limits"
	if len(limits) > 0 && limits[0] < 0 {
		return Partition{}, &PartitionError{name, 0, "at least 0", limits[0]}
	}
	if err := checkAscending(name, limits); err != nil {
		return Partition{}, err
	}
	splits := make([]int64, len(limits)+1)
	copy(splits[1:], limits)
	return Partition{splits: splits}, nil
}

// FromValueRowIDs makes a partition of the row of every value and the number of rows. IDs
// must not be negative or decrease, and must be less than nrows; otherwise the error is a
// PartitionError. The slice is not kept.
//
// It allocates a split for every row, so there may be at most MaxEmptyRows more rows than
// IDs. FromRowSplits accepts more rows. TensorFlow calls it RowPartition.from_value_rowids;
// its default of nrows is the last ID plus 1.
func FromValueRowIDs(ids []int64, nrows int64) (Partition, error) {
	const name = "value_rowids"
	if err := checkCount(name, "number of rows", nrows); err != nil {
		return Partition{}, err
	}
	if most := int64(len(ids)) + MaxEmptyRows; nrows > most {
		return Partition{}, &PartitionError{name, -1, fmt.Sprintf("at most %d rows for %d values", most, len(ids)), nrows}
	}
	if len(ids) > 0 {
		if ids[0] < 0 {
			return Partition{}, &PartitionError{name, 0, "at least 0", ids[0]}
		}
		for i := 1; i < len(ids); i++ {
			if ids[i] < ids[i-1] {
				return Partition{}, &PartitionError{name, i, "at least " + strconv.FormatInt(ids[i-1], 10), ids[i]}
			}
		}
		if last := ids[len(ids)-1]; last >= nrows {
			return Partition{}, &PartitionError{name, len(ids) - 1, "less than " + strconv.FormatInt(nrows, 10) + ", the number of rows", last}
		}
	}
	splits := make([]int64, nrows+1)
	row := 0
	for i, id := range ids {
		for ; int64(row) < id; row++ {
			splits[row+1] = int64(i)
		}
	}
	for ; row < int(nrows); row++ {
		splits[row+1] = int64(len(ids))
	}
	return Partition{splits: splits}, nil
}

// Uniform makes a uniform partition: nrows rows of rowLen values each. It stores no splits.
// The error is a PartitionError for a negative argument, for too many values, and for more
// than MaxEmptyRows rows of length 0. TensorFlow calls it
// RowPartition.from_uniform_row_length, with nrows.
func Uniform(rowLen, nrows int64) (Partition, error) {
	const name = "uniform_row_length"
	if err := checkCount(name, "row length", rowLen); err != nil {
		return Partition{}, err
	}
	if err := checkCount(name, "number of rows", nrows); err != nil {
		return Partition{}, err
	}
	most := int64(MaxEmptyRows)
	if rowLen > 0 {
		most = maxValues / rowLen
	}
	if nrows > most {
		return Partition{}, &PartitionError{name, -1, fmt.Sprintf("at most %d rows of length %d", most, rowLen), nrows}
	}
	return uniform(int(rowLen), int(nrows)), nil
}

// FromUniformRowLength makes a uniform partition of nvals values into rows of rowLen values.
// The length must divide nvals, otherwise the error is a PartitionError. With length 0
// there are no values and no rows; see Uniform for empty rows. TensorFlow calls it
// RowPartition.from_uniform_row_length.
func FromUniformRowLength(rowLen, nvals int64) (Partition, error) {
	const name = "uniform_row_length"
	if err := checkCount(name, "number of values", nvals); err != nil {
		return Partition{}, err
	}
	nrows := int64(0)
	if rowLen > 0 {
		nrows = nvals / rowLen
	}
	p, err := Uniform(rowLen, nrows)
	if err == nil && rowLen*nrows != nvals {
		err = &PartitionError{name, -1, "a length that divides " + strconv.FormatInt(nvals, 10) + " values", rowLen}
	}
	return p, err
}

// uniform is Uniform without checks.
func uniform(rowLen, nrows int) Partition {
	return Partition{rowLen: rowLen, nrows: nrows, uniform: true}
}

// validate repeats the checks of the factory, in O(rows). It fails if the slice that was
// given to FromRowSplits has changed.
func (p Partition) validate() error {
	if p.uniform || len(p.splits) == 0 {
		return nil
	}
	return checkAscending("row_splits", p.splits)
}

// checkAscending returns an error for an entry less than its predecessor, or above maxValues.
func checkAscending(name string, s []int64) error {
	for i := 1; i < len(s); i++ {
		if s[i] < s[i-1] {
			return &PartitionError{name, i, "at least " + strconv.FormatInt(s[i-1], 10), s[i]}
		}
	}
	if len(s) > 0 && s[len(s)-1] > maxValues {
		return &PartitionError{name, len(s) - 1, "at most " + strconv.FormatInt(maxValues, 10), s[len(s)-1]}
	}
	return nil
}

// checkCount returns an error for a number that is negative or above maxValues.
func checkCount(name, noun string, n int64) error {
	if n < 0 {
		return &PartitionError{name, -1, "a " + noun + " of at least 0", n}
	}
	if n > maxValues {
		return &PartitionError{name, -1, "a " + noun + " of at most " + strconv.FormatInt(maxValues, 10), n}
	}
	return nil
}

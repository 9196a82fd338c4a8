package ragged

import (
	"fmt"
	"math"
	"strconv"
)

// maxValues bounds what a partition may count, so that positions fit an int
// and a number of row splits can be asked for.
const maxValues = math.MaxInt / 16

// MaxEmptyRows is how many rows there may be without a value in any of them, or for
// FromValueRowIDs beside the values: 2^28, or 2^24 where an int has 32 bits. Of rows
// that hold nothing the number alone is given, and what visits them all must end.
// Row splits and lengths have no such limit: there every row is written down.
const MaxEmptyRows = 1 << (24 + (strconv.IntSize-32)/8)

// FromRowSplits makes a partition of row splits: the start of every row, then the number
// of values. There is at least one split, the first is 0, and none is less than the one
// before. The slice is kept: it must not change any more. What breaks these rules is a
// PartitionError. TensorFlow calls it RowPartition.from_row_splits.
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

// FromRowLengths makes a partition of the length of every row. Lengths are not negative.
// The slice is not kept. The partition is not uniform, even if all lengths are equal:
// see Uniform. A negative length, and a sum that cannot be counted, is a PartitionError.
// TensorFlow calls it RowPartition.from_row_lengths.
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
// The first start is 0, none is less than the one before, none is more than nvals.
// Without rows there are no values. The slice is not kept. What breaks these rules is a
// PartitionError. TensorFlow calls it RowPartition.from_row_starts.
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

// FromRowLimits makes a partition of the limit of every row, which is the start of the
// next. No limit is negative or less than the one before; the last one is the number of
// values. The slice is not kept. What breaks these rules is a PartitionError. TensorFlow calls it
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

// FromValueRowIDs makes a partition of the row that every value belongs to, and
// the number of rows. Ids are not negative, none is less than the one before, all
// are less than the number of rows. The slice is not kept.
//
// It allocates a split for every row, whatever the number of ids, so that there may be at most
// MaxEmptyRows more rows than ids. For more see FromRowSplits. What breaks these rules is a
// PartitionError. TensorFlow calls it RowPartition.from_value_rowids; without nrows, that is the
// last id and 1.
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
			return Partition{}, &PartitionError{name, len(ids) - 1, "less than " + strconv.FormatInt(nrows, 10) + " rows", last}
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

// Uniform makes a uniform partition: nrows rows of rowLen values each. It stores no
// splits, and takes no memory until they are used. Of rows without values
// there may be at most MaxEmptyRows. What breaks these rules is a PartitionError. TensorFlow calls
// it RowPartition.from_uniform_row_length, with a number of rows.
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

// FromUniformRowLength makes a uniform partition of nvals values: as many rows of rowLen
// as there are, with nothing left over. If the length is 0, there are no values and no
// rows; see Uniform for empty rows. What breaks these rules is a PartitionError. TensorFlow calls
// it RowPartition.from_uniform_row_length.
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

// uniform is Uniform for sizes known to be sound.
func uniform(rowLen, nrows int) Partition {
	return Partition{rowLen: rowLen, nrows: nrows, uniform: true}
}

// validate checks again what the factory checked, in O(rows). It fails if the
// slice given to FromRowSplits was changed since.
func (p Partition) validate() error {
	if p.uniform || len(p.splits) == 0 {
		return nil
	}
	return checkAscending("row_splits", p.splits)
}

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

func checkCount(name, what string, n int64) error {
	if n < 0 {
		return &PartitionError{name, -1, "a " + what + " of at least 0", n}
	}
	if n > maxValues {
		return &PartitionError{name, -1, "a " + what + " of at most " + strconv.FormatInt(maxValues, 10), n}
	}
	return nil
}

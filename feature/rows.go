package feature

import (
	"strconv"

	"github.com/tfparse/tfparse/ragged"
)

// A partitionFault is what is wrong with the data of a partition.
type partitionFault = ragged.PartitionError

// appendRows appends the rows that the data of a partition divide items into, as
// limits that count from the last limit in splits. It checks all of them: rows
// begin at 0, do not overlap and end at the last item, and no more than maxRows are
// made of value_row_ids. On error the result means nothing, and splits are unchanged up
// to their length.
func appendRows(splits []int64, encoding string, data []int64, items, maxRows int) ([]int64, error) {
	base, n := splits[len(splits)-1], int64(items)
	fault := func(i int, want string, got int64) error {
		return &partitionFault{Encoding: encoding, Index: i, Want: want, Got: got}
	}
	last := int64(0) // the end of the rows so far
	switch encoding {
	case "row_lengths":
		for i, v := range data {
			if v < 0 || v > n-last {
				return splits, fault(i, between(0, n-last)+", the items that are left", v)
			}
			last += v
			splits = append(splits, base+last)
		}
		if last != n {
			return splits, fault(-1, "lengths that add up to the "+strconv.FormatInt(n, 10)+" items", last)
		}
		return splits, nil
	case "value_row_ids":
		return appendRowIDs(splits, data, n, maxRows, fault)
	}
	if len(data) == 0 {
		if n != 0 {
			return splits, fault(-1, "at least 1 entry for "+strconv.FormatInt(n, 10)+" items", 0)
		}
		return splits, nil
	}
	if encoding != "row_limits" && data[0] != 0 {
		return splits, fault(0, "0", data[0])
	}
	// What is left are ascending offsets: the limits of the rows, after a first
	// one that says nothing more.
	for i, v := range data {
		if v < last || v > n {
			return splits, fault(i, between(last, n)+", the number of items", v)
		}
		last = v
		if i > 0 || encoding == "row_limits" {
			splits = append(splits, base+v)
		}
	}
	if encoding == "row_starts" {
		return append(splits, base+n), nil
	}
	if last != n {
		return splits, fault(len(data)-1, strconv.FormatInt(n, 10)+", the number of items", last)
	}
	return splits, nil
}

// between says which numbers are wanted.
func between(lo, hi int64) string {
	if lo == hi {
		return strconv.FormatInt(lo, 10)
	}
	return strconv.FormatInt(lo, 10) + " to " + strconv.FormatInt(hi, 10)
}

// appendRowIDs is appendRows for value_row_ids: every item has the number of its
// row.
func appendRowIDs(splits, ids []int64, n int64, maxRows int, fault func(int, string, int64) error) ([]int64, error) {
	if int64(len(ids)) != n {
		return splits, fault(-1, "a row for each of "+strconv.FormatInt(n, 10)+" items", int64(len(ids)))
	}
	base, row := splits[len(splits)-1], int64(0)
	for i, id := range ids {
		if id < row {
			return splits, fault(i, "at least "+strconv.FormatInt(row, 10), id)
		}
		if id >= int64(maxRows) {
			return splits, ErrLimit
		}
		for ; row < id; row++ {
			splits = append(splits, base+int64(i))
		}
	}
	if n > 0 {
		splits = append(splits, base+n)
	}
	return splits, nil
}

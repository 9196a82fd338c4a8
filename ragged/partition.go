package ragged

import (
	"slices"
	"sort"
)

// A Partition divides a sequence of values into rows: row i has the values from its start
// up to its limit, rows follow each other without gaps, and a row may be empty. FromRowSplits
// and other factories make partitions; a partition never changes. The zero value has no rows
// and no values.
//
// A partition stores row splits (the start of every row, then the number of values), or, if
// it is uniform, only a row length and a number of rows. Splits at equal distances do not
// make it uniform; Uniform does.
//
// Rows returns a view on the same splits. Positions are relative to the first value of the
// partition, also in a view.
type Partition struct {
	splits  []int64 // ascending; nil if uniform or empty; splits[0] is 0 unless in a view; shared
	rowLen  int     // length of every row, if uniform
	nrows   int     // number of rows, if uniform
	uniform bool    // the row length is part of the shape, and splits is nil
}

// NumRows returns the number of rows. TensorFlow calls it nrows.
func (p Partition) NumRows() int {
	if p.uniform {
		return p.nrows
	}
	return max(len(p.splits)-1, 0)
}

// NumValues returns the number of values in all rows. TensorFlow calls it nvals.
func (p Partition) NumValues() int {
	if p.uniform {
		return p.nrows * p.rowLen
	}
	if len(p.splits) == 0 {
		return 0
	}
	return int(p.splits[len(p.splits)-1] - p.splits[0])
}

// Bounds returns the range of values of a row: lo to hi-1. It panics if there is no such row.
func (p Partition) Bounds(row int) (lo, hi int) {
	if p.uniform {
		if uint(row) >= uint(p.nrows) {
			panic("ragged: row out of range")
		}
		return row * p.rowLen, (row + 1) * p.rowLen
	}
	return int(p.splits[row] - p.splits[0]), int(p.splits[row+1] - p.splits[0])
}

// RowLen returns the length of a row. It panics if there is no such row.
func (p Partition) RowLen(row int) int {
	lo, hi := p.Bounds(row)
	return hi - lo
}

// split returns the position at which row i begins; i may be NumRows.
func (p Partition) split(i int) int {
	if p.uniform {
		return i * p.rowLen
	}
	if len(p.splits) == 0 {
		return 0
	}
	return int(p.splits[i] - p.splits[0])
}

// rowOf returns the row of a value.
func (p Partition) rowOf(value int) int {
	if p.uniform {
		return value / p.rowLen
	}
	return sort.Search(p.NumRows(), func(row int) bool { return p.split(row+1) > value })
}

// UniformLen returns the row length of a uniform partition, and whether the partition is
// uniform. TensorFlow calls them uniform_row_length and is_uniform.
func (p Partition) UniformLen() (n int, ok bool) {
	return p.rowLen, p.uniform
}

// MaxLen returns the length of the longest row, 0 if there are no rows.
func (p Partition) MaxLen() int {
	if p.uniform {
		if p.nrows == 0 {
			return 0
		}
		return p.rowLen
	}
	longest := int64(0)
	for i := 1; i < len(p.splits); i++ {
		longest = max(longest, p.splits[i]-p.splits[i-1])
	}
	return int(longest)
}

// Rows returns a view of rows lo to hi-1: the memory is shared, and a uniform partition
// stays uniform. It panics if the range is not within the rows.
func (p Partition) Rows(lo, hi int) Partition {
	if lo < 0 || hi < lo || hi > p.NumRows() {
		panic("ragged: rows out of range")
	}
	if p.uniform {
		p.nrows = hi - lo
		return p
	}
	if len(p.splits) > 0 {
		p.splits = p.splits[lo : hi+1 : hi+1]
	}
	return p
}

// Equal reports whether two partitions have the same row splits. Whether they are uniform
// does not matter.
func (p Partition) Equal(q Partition) bool {
	n := p.NumRows()
	if n != q.NumRows() || p.NumValues() != q.NumValues() {
		return false
	}
	if p.uniform && q.uniform {
		return n == 0 || p.rowLen == q.rowLen
	}
	if !p.uniform && !q.uniform && n > 0 && p.splits[0] == q.splits[0] {
		return &p.splits[0] == &q.splits[0] || slices.Equal(p.splits, q.splits)
	}
	for i := 1; i < n; i++ {
		if p.split(i) != q.split(i) {
			return false
		}
	}
	return true
}

// clone returns a partition that shares no memory with p and starts at 0.
func (p Partition) clone() Partition {
	if !p.uniform {
		p.splits = p.AppendSplits(make([]int64, 0, p.NumRows()+1))
	}
	return p
}

// AppendSplits appends the row splits: NumRows()+1 positions, of which the first is 0.
// TensorFlow calls them row_splits.
func (p Partition) AppendSplits(dst []int64) []int64 {
	n := p.NumRows()
	dst = slices.Grow(dst, n+1)
	if !p.uniform && n > 0 && p.splits[0] == 0 {
		return append(dst, p.splits...)
	}
	for i := 0; i <= n; i++ {
		dst = append(dst, int64(p.split(i)))
	}
	return dst
}

// AppendLengths appends the length of every row. TensorFlow calls them row_lengths.
func (p Partition) AppendLengths(dst []int64) []int64 {
	dst = slices.Grow(dst, p.NumRows())
	for i, n := 0, p.NumRows(); i < n; i++ {
		dst = append(dst, int64(p.split(i+1)-p.split(i)))
	}
	return dst
}

// AppendStarts appends the start of every row. TensorFlow calls them row_starts.
func (p Partition) AppendStarts(dst []int64) []int64 {
	dst = slices.Grow(dst, p.NumRows())
	for i, n := 0, p.NumRows(); i < n; i++ {
		dst = append(dst, int64(p.split(i)))
	}
	return dst
}

// AppendLimits appends the limit of every row: the start of the next row. TensorFlow calls
// them row_limits.
func (p Partition) AppendLimits(dst []int64) []int64 {
	dst = slices.Grow(dst, p.NumRows())
	for i, n := 0, p.NumRows(); i < n; i++ {
		dst = append(dst, int64(p.split(i+1)))
	}
	return dst
}

// AppendValueRowIDs appends the row of every value. Row IDs do not show empty rows at the
// end, so FromValueRowIDs needs NumRows too. TensorFlow calls them value_rowids.
func (p Partition) AppendValueRowIDs(dst []int64) []int64 {
	dst = slices.Grow(dst, p.NumValues())
	for i, n := 0, p.NumRows(); i < n; i++ {
		for k := p.split(i+1) - p.split(i); k > 0; k-- {
			dst = append(dst, int64(i))
		}
	}
	return dst
}

// AppendOffsets appends the position of every value in its row. TensorFlow calls them
// offsets_in_rows.
func (p Partition) AppendOffsets(dst []int64) []int64 {
	dst = slices.Grow(dst, p.NumValues())
	for i, n := 0, p.NumRows(); i < n; i++ {
		for k := range p.split(i+1) - p.split(i) {
			dst = append(dst, int64(k))
		}
	}
	return dst
}

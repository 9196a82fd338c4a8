package feature

import (
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/ragged"
)

// A column holds the data of one feature of the spec, as flat values and row partitions.
// columnPlan describes the levels. Records add their values one unit at a time; if a record
// does not fit, truncate removes what it added.
type column struct {
	*columnPlan

	ints    []int64   // the values, if they are int64
	floats  []float32 // the values, if they are float32
	strings []string  // the values, if they are strings
	index   []int64   // of a Sparse feature: len(indexSlots) indices for each value
	levels  []level   // the row partitions, outermost first
	longest int       // of a padded column: maximum number of blocks in a row of the batch
	pending int       // longest, with the record that is being added
}

// A level is one row partition of a column. Items are the rows of the next level, or cells.
type level struct {
	splits []int64 // row splits, the first is 0; nil if the level is uniform
	length int64   // the uniform row length, or -1
	count  int     // number of rows of a uniform level
}

// newColumns makes a column for every plan.
func newColumns(plans []columnPlan) []column {
	depth := 0
	for i := range plans {
		depth += len(plans[i].levels)
	}
	cols, levels, zeros := make([]column, len(plans)), make([]level, depth), make([]int64, depth)
	for i := range plans {
		p := &plans[i]
		n := len(p.levels)
		cols[i] = column{columnPlan: p, levels: levels[:n:n]}
		levels = levels[n:]
		for l, length := range p.levels {
			cols[i].levels[l].length = length
			if length < 0 {
				cols[i].levels[l].splits = zeros[:1:1]
				zeros = zeros[1:]
			}
		}
	}
	return cols
}

// endRow adds a row of n items.
func (l *level) endRow(n int) {
	l.splits = append(l.splits, l.splits[len(l.splits)-1]+int64(n))
}

// rowLimit returns the number of items in the first n rows.
func (l *level) rowLimit(n int) int {
	if l.length >= 0 {
		return n * int(l.length)
	}
	return int(l.splits[n])
}

// rowsAt returns the number of rows of a level in the first n records. The rows of
// level len(c.levels) are cells.
func (c *column) rowsAt(level, n int) int {
	for i := range level {
		n = c.levels[i].rowLimit(n)
	}
	return n
}

// truncate removes all records after the first n.
func (c *column) truncate(n int) {
	c.pending = c.longest
	for i := range c.levels {
		l := &c.levels[i]
		items := l.rowLimit(n)
		if l.length >= 0 {
			l.count = n
		} else {
			l.splits = l.splits[:n+1]
		}
		n = items
	}
	c.index = c.index[:n*len(c.indexSlots)]
	n *= c.cell
	switch c.dtype {
	case Int64:
		c.ints = c.ints[:n]
	case Float32:
		c.floats = c.floats[:n]
	case String:
		clear(c.strings[n:]) // strings would keep blocks of the arena alive
		c.strings = c.strings[:n]
	}
}

// A columnSlab is one allocation of each type for the values of many columns.
type columnSlab struct {
	ints    []int64   // int64 values, indices and row splits
	floats  []float32 // float32 values
	strings []string  // string values
}

// moveTo copies v to the end of a slab, which has the capacity, and returns the copy.
func moveTo[T any](s *[]T, v []T) []T {
	n := len(*s)
	*s = append(*s, v...)
	return (*s)[n:len(*s):len(*s)]
}

// appendRows appends the rows of a row partition to splits. data is the encoded partition of
// a number of items; the new splits continue from the last element of splits. Each encoding is checked
// completely: rows begin at item 0, do not overlap and end at the last item, and
// value_row_ids declare at most maxRows rows. On error the elements of splits are unchanged.
func appendRows(splits []int64, encoding string, data []int64, items, maxRows int) ([]int64, error) {
	base, n := splits[len(splits)-1], int64(items)
	fault := func(i int, want string, got int64) error {
		return &ragged.PartitionError{Encoding: encoding, Index: i, Want: want, Got: got}
	}
	last := int64(0) // number of items in the rows so far
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
	// The other three encodings are ascending offsets. row_splits and row_starts begin with
	// the start of the first row, which is not a limit.
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

// between formats a range of numbers for an error.
func between(lo, hi int64) string {
	if lo == hi {
		return strconv.FormatInt(lo, 10)
	}
	return strconv.FormatInt(lo, 10) + " to " + strconv.FormatInt(hi, 10)
}

// appendRowIDs is appendRows for value_row_ids: the index of the row of each item.
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

// maxBlock is the size of the largest block in bytes, unless one string needs more. A
// string that stays in use keeps its whole block in memory.
const maxBlock = 1 << 20

// An arena allocates the strings of a batch in few blocks. Strings are never invalidated.
type arena struct {
	block strings.Builder // the block that is being filled; earlier blocks belong to their strings
	used  int             // bytes of all strings since reset
	next  int             // capacity of the next block, in bytes
}

// addBytes returns a copy of p as a string.
func (a *arena) addBytes(p []byte) string {
	if len(p) == 0 {
		return ""
	}
	n := a.reserve(len(p))
	a.block.Write(p) // within the capacity, so that the block does not move
	return a.block.String()[n:]
}

// addString returns a copy of s.
func (a *arena) addString(s string) string {
	if s == "" {
		return ""
	}
	n := a.reserve(len(s))
	a.block.WriteString(s)
	return a.block.String()[n:]
}

// reserve ensures capacity for a string of n bytes and returns its offset in the block.
func (a *arena) reserve(n int) int {
	a.used += n
	if at := a.block.Len(); a.block.Cap()-at >= n {
		return at
	}
	a.next = min(max(2*a.block.Cap(), a.next, 64), maxBlock)
	a.block.Reset()
	a.block.Grow(max(a.next, n))
	return 0
}

// reset begins a new block, as large as all strings since the last reset.
func (a *arena) reset() {
	a.block.Reset()
	if a.used > 0 {
		a.next = min(a.used, maxBlock)
	}
	a.used = 0
}

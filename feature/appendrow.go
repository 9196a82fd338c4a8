package feature

import (
	"fmt"
	"slices"
)

// Batch returns the batch that the columns are of, and the row, -1 for all of them. The
// batch is nil if cs is the zero value.
func (cs Columns) Batch() (b *Batch, row int) {
	if cs.b == nil {
		return nil, -1
	}
	return cs.b, cs.row
}

// AppendRow adds a row of a batch of the same parser, this one or another, with all its
// columns, also those that In left out. It copies everything, strings too: the batch that
// the row comes from may be reset afterwards. If the row is of another parser, or makes
// padding too large (see ParserOptions.MaxPadded), it adds nothing and returns an error
// that wraps ErrColumn or ErrLimit. It panics if the
// columns are not those of one row that its batch still has: see Batch.Row.
func (b *Batch) AppendRow(row Columns) error {
	switch {
	case row.b == nil || row.row < 0:
		panic("feature: the columns are not those of one row")
	case row.row >= row.b.n:
		panic("feature: row out of range")
	case row.b.p != b.p:
		return fmt.Errorf("%w: the row is of a batch of another parser", ErrColumn)
	}
	if b.maps[0].table == nil { // it was taken
		b.readers()
	}
	b.round++ // no slot has a key of this row: errors do not look for its place
	for i := range b.cols {
		b.copyRow(&b.cols[i], &row.b.cols[i], row.row)
	}
	if err := b.checkPadding(); err != nil {
		b.truncate(b.n)
		return err
	}
	b.added()
	return nil
}

// copyRow appends a row of src, a column of the same plan, to c, which may be src itself.
func (b *Batch) copyRow(c, src *column, row int) {
	lo, hi := row, row+1
	for i := range c.levels {
		l, from := &c.levels[i], &src.levels[i]
		if l.length >= 0 {
			l.count += hi - lo
			lo, hi = from.limit(lo), from.limit(hi)
			continue
		}
		splits := from.splits[lo : hi+1] // appending leaves them as they are
		l.splits = slices.Grow(l.splits, hi-lo)
		for j := range hi - lo {
			n := int(splits[j+1] - splits[j])
			l.end(n)
			if c.padded && i == len(c.levels)-1 {
				c.candidate = max(c.candidate, n)
			}
		}
		lo, hi = int(splits[0]), int(splits[hi-lo])
	}
	dims := len(c.indices)
	c.index = append(c.index, src.index[lo*dims:hi*dims]...)
	lo, hi = lo*c.cell, hi*c.cell
	switch c.dtype {
	case Int64:
		c.ints = append(c.ints, src.ints[lo:hi]...)
	case Float32:
		c.floats = append(c.floats, src.floats[lo:hi]...)
	case String:
		c.strings = slices.Grow(c.strings, hi-lo)
		for _, s := range src.strings[lo:hi] {
			c.strings = append(c.strings, b.arena.addString(s))
		}
	}
}

package feature

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/tfparse/tfparse/internal/simd"
)

// A Batch holds records as columns. It owns its memory: Append copies the values, and the record may be changed or
// reused afterwards, unless ParserOptions.AliasRecords is set: then strings alias the record.
//
// A Batch is not safe for concurrent use while it grows; use one Batch per goroutine. Several goroutines may read
// it.
type Batch struct {
	p     *Parser      // nil after Release
	n     int          // number of rows
	cols  []column     // in the order of Parser.columns
	maps  [4]mapReader // by Group
	arena arena        // memory of the strings, unless they alias records
	round uint64       // ordinal of the current unit: slots of other rounds are stale

	// Of the record that is being added.
	slow bool // the record takes the slow path
	base int  // slow path: offset of the current example of a list

	// Scratch memory.
	ints  []int64          // the data of one partition, or one dimension of indices
	bytes [][]byte         // the values of one feature
	order []int            // the order of the entries of a Sparse feature
	lists []remainingSteps // the feature lists that one column reads
}

// NewBatch makes an empty Batch.
func (p *Parser) NewBatch() *Batch {
	b := &Batch{p: p, cols: newColumns(p.columns)}
	b.makeReaders()
	return b
}

// makeReaders makes the readers of maps, which a Batch from Take does not have.
func (b *Batch) makeReaders() {
	for g := range b.maps {
		if b.maps[g].table == nil {
			b.maps[g] = newMapReader(&b.p.tables[g], Group(g))
		}
	}
}

// Len returns the number of rows: records appended.
func (b *Batch) Len() int { return b.n }

// Size returns the memory of the rows in bytes, without the padding that reading them may
// allocate. A short record may become many values (see ParserOptions, and defaults): compare
// Size with a limit where records are not trusted.
func (b *Batch) Size() int {
	n := b.arena.used
	for i := range b.cols {
		c := &b.cols[i]
		n += 8*len(c.ints) + 4*len(c.floats) + stringSize*len(c.strings) + 8*len(c.index)
		for j := range c.levels {
			n += 8 * len(c.levels[j].splits)
		}
	}
	return n
}

// stringSize is the size of a string without its bytes.
const stringSize = 2 * bits.UintSize / 8

// Parser returns the parser that made the batch.
func (b *Batch) Parser() *Parser { return b.p }

// Append parses a record and adds one row to every column. If the record does not fit the spec, it returns an
// *Error and leaves the batch unchanged, and the caller may continue. Columns read before stay valid, with the rows
// that they had.
func (b *Batch) Append(record []byte) error {
	if b.maps[0].table == nil { // a Batch from Take
		b.makeReaders()
	}
	if b.p.numKeys >= 8 && len(record) <= 4096 { // many small features: branches are mispredicted, and loads come late
		simd.Prefetch(record)
	}
	b.round++
	ok := b.readCanonical(record)
	if !ok || b.checkRow() != nil {
		b.truncate(b.n)
		return b.appendSlow(record)
	}
	b.commitRow()
	return nil
}

// appendSlow is Append for records in any encoding.
func (b *Batch) appendSlow(record []byte) error {
	b.round++
	b.base, b.slow = 0, true
	err := b.scanRecord(record)
	if err == nil {
		err = b.checkRow()
	}
	b.slow = false
	if err != nil {
		b.truncate(b.n)
		return err
	}
	b.commitRow()
	return nil
}

// commitRow makes the record that was added to the columns a row of the batch.
func (b *Batch) commitRow() {
	for _, i := range b.p.paddedColumns {
		b.cols[i].longest = b.cols[i].pending
	}
	b.n++
}

// Reset removes all rows and keeps the memory for new rows. Columns read before become invalid, and race builds
// overwrite their values. Strings read from them stay valid.
func (b *Batch) Reset() {
	b.spoil()
	for i := range b.cols {
		b.cols[i].longest = 0
	}
	b.truncate(0)
	b.n = 0
	b.arena.reset()
}

// Release returns the memory of the batch, for a later batch of the same parser. It is optional: without it the
// garbage collector frees the memory. Afterwards the methods of the batch panic and its columns are invalid; race
// builds overwrite their values. Strings read from them stay valid, unless they alias records (see ParserOptions).
// A second call does nothing.
func (b *Batch) Release() {
	if b.p == nil {
		return
	}
	b.Reset()
	b.p.recycle(b)
	*b = Batch{}
}

// emptyBatch returns an empty batch: a released batch, if there is one.
func (p *Parser) emptyBatch() *Batch {
	if b, ok := p.batches.Get().(*Batch); ok {
		return b
	}
	return p.NewBatch()
}

func (b *Batch) truncate(rows int) {
	for i := range b.cols {
		b.cols[i].truncate(rows)
	}
}

// checkRow checks the record that is being added, after all of its features.
func (b *Batch) checkRow() error {
	if err := b.checkPadding(); err != nil || len(b.p.decodedColumns) == 0 {
		return err
	}
	return b.checkDecoded()
}

// checkPadding returns an error if the record makes the padding of a column larger than
// ParserOptions.MaxPadded, or a column without values longer than a tensor may be.
func (b *Batch) checkPadding() error {
	for _, h := range b.p.emptyColumns {
		if b.n >= h.rows {
			c := &b.cols[h.column]
			e := newError(c.group, c.name, "", ErrLimit)
			e.Want, e.Got = fmt.Sprintf("at most %d rows of shape %v, which hold no values", h.rows, c.inner), "one more"
			return e
		}
	}
	for _, i := range b.p.paddedColumns {
		c := &b.cols[i]
		if c.pending == 0 {
			continue
		}
		blocks := len(c.levels[len(c.levels)-1].splits) - 1
		if limit := b.p.opts.MaxPadded / c.cell; c.pending > limit/blocks {
			e := b.keyError(c, c.valueSlot, -1, ErrLimit)
			e.Want = fmt.Sprintf("at most %d values with padding", b.p.opts.MaxPadded)
			e.Got = fmt.Sprintf("%d rows of %d blocks of %d", blocks, c.pending, c.cell)
			return e
		}
	}
	return nil
}

// Take moves the rows to a new batch, which has no more memory than they need, and leaves b empty, as Reset does.
// To keep results and parse more, append all records to one Batch and take the results from it: then the memory in
// which columns grow is reused, and a result takes a few allocations for any number of columns. The columns of a
// result share memory: one column keeps all of it.
func (b *Batch) Take() *Batch {
	out := b.take()
	b.Reset()
	return out
}

// take is Take without the Reset; only the arena is reset.
func (b *Batch) take() *Batch {
	out := &Batch{p: b.p, n: b.n, cols: make([]column, len(b.cols))}
	var ints, floats, texts, depth int
	for i := range b.cols {
		c := &b.cols[i]
		ints += len(c.ints) + len(c.index)
		floats += len(c.floats)
		texts += len(c.strings)
		depth += len(c.levels)
		for _, l := range c.levels {
			ints += len(l.splits)
		}
	}
	s := columnSlab{make([]int64, 0, ints), make([]float32, 0, floats), make([]string, 0, texts)}
	levels := make([]level, 0, depth)
	for i := range b.cols {
		c := b.cols[i]
		c.ints = moveTo(&s.ints, c.ints)
		c.index = moveTo(&s.ints, c.index)
		c.floats = moveTo(&s.floats, c.floats)
		c.strings = moveTo(&s.strings, c.strings)
		c.levels = moveTo(&levels, c.levels)
		for j := range c.levels {
			c.levels[j].splits = moveTo(&s.ints, c.levels[j].splits)
		}
		out.cols[i] = c
	}
	b.arena.reset()
	return out
}

// Grow allocates capacity for n more rows of the average size of the rows that the batch has, so that columns do
// not grow in many small steps. On an empty batch it does nothing. It allocates the memory immediately: for records
// from an untrusted source n should be no more than a few times Len.
func (b *Batch) Grow(n int) {
	if b.n == 0 || n <= 0 {
		return
	}
	for i := range b.cols {
		c := &b.cols[i]
		c.ints = grown(c.ints, n, b.n)
		c.floats = grown(c.floats, n, b.n)
		c.strings = grown(c.strings, n, b.n)
		c.index = grown(c.index, n, b.n)
		for j := range c.levels {
			l := &c.levels[j]
			l.splits = grown(l.splits, n, b.n)
		}
	}
}

// grown returns s, the values of a number of rows, with capacity for the values of n more rows, plus an eighth.
func grown[T any](s []T, n, rows int) []T {
	more := float64(len(s)) * float64(n) / float64(rows) * 1.125
	if more >= 1<<30 {
		return s // append will grow it
	}
	return slices.Grow(s, int(more))
}

// Batch returns the batch of the columns, and the row, -1 for all rows. The
// batch is nil if cs is the zero value.
func (cs Columns) Batch() (b *Batch, row int) {
	if cs.b == nil {
		return nil, -1
	}
	return cs.b, cs.row
}

// AppendRow adds a row of a batch of the same parser, this one or another, with all its columns, including columns
// that In left out. It copies everything, also strings: the batch of the row may be reset afterwards. If the row is
// of another parser, or makes padding too large (see ParserOptions.MaxPadded), it adds nothing and returns an error
// that wraps ErrColumn or ErrLimit. It panics unless row has the columns of one row (see Batch.Row) that its batch
// still has.
func (b *Batch) AppendRow(row Columns) error {
	switch {
	case row.b == nil || row.row < 0:
		panic("feature: the columns are not those of one row")
	case row.row >= row.b.n:
		panic("feature: row out of range")
	case row.b.p != b.p:
		return fmt.Errorf("%w: the row is of a batch of another parser", ErrColumn)
	}
	if b.maps[0].table == nil { // a Batch from Take
		b.makeReaders()
	}
	b.round++ // makes all slots stale: errors about this row have no offset
	for i := range b.cols {
		b.copyRow(&b.cols[i], &row.b.cols[i], row.row)
	}
	if err := b.checkPadding(); err != nil {
		b.truncate(b.n)
		return err
	}
	b.commitRow()
	return nil
}

// copyRow appends a row of src, a column of the same plan, to c, which may be src itself.
func (b *Batch) copyRow(c, src *column, row int) {
	lo, hi := row, row+1
	for i := range c.levels {
		l, from := &c.levels[i], &src.levels[i]
		if l.length >= 0 {
			l.count += hi - lo
			lo, hi = from.rowLimit(lo), from.rowLimit(hi)
			continue
		}
		splits := from.splits[lo : hi+1] // appending leaves them as they are
		l.splits = slices.Grow(l.splits, hi-lo)
		for j := range hi - lo {
			n := int(splits[j+1] - splits[j])
			l.endRow(n)
			if c.padded && i == len(c.levels)-1 {
				c.pending = max(c.pending, n)
			}
		}
		lo, hi = int(splits[0]), int(splits[hi-lo])
	}
	dims := len(c.indexSlots)
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

package feature

import (
	"fmt"
	"math/bits"

	"github.com/tfparse/tfparse/internal/simd"
)

// A Batch is records as columns. It owns its memory: Append copies what it keeps,
// and the record may be changed or used again afterwards, unless
// ParserOptions.AliasRecords says that strings stay in it.
//
// A Batch is not safe for concurrent use while it grows; use one for each
// goroutine. Reading is safe for all.
type Batch struct {
	p     *Parser
	n     int
	cols  []column
	round uint64       // counts units; it shows which slots are stale
	maps  [4]mapReader // by Group
	arena arena

	slow bool // the record at hand takes the slow path: a scanner filled the slots
	base int  // on the slow path: where the example at hand begins in the record

	// Scratch.
	ints  []int64          // the data of one partition or index
	bytes [][]byte         // the values of one feature
	order []int            // of the entries of a sparse unit
	lists []remainingSteps // of the lists that one column reads
}

// NewBatch makes an empty Batch.
func (p *Parser) NewBatch() *Batch {
	b := &Batch{p: p, cols: newColumns(p.columns)}
	b.readers()
	return b
}

// readers makes what reads maps, if it is not there.
func (b *Batch) readers() {
	for g := range b.maps {
		if b.maps[g].table == nil {
			b.maps[g] = newMapReader(&b.p.tables[g], Group(g))
		}
	}
}

// Len returns the number of rows: records appended.
func (b *Batch) Len() int { return b.n }

// Size returns how many bytes the rows take in memory, but for the padding that reading
// them may make. A few bytes of a record may become many here (see the limits in
// ParserOptions, and defaults): use Size to stop in time.
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

// Append parses a record and adds one row to every column. If the record does not
// fit the spec it adds nothing to any, and returns an *Error; the batch is as it
// was, and the caller may go on. Columns read before stay good, and keep the rows
// they had.
func (b *Batch) Append(record []byte) error {
	if b.maps[0].table == nil { // it was taken
		b.readers()
	}
	if b.p.keys >= 8 && len(record) <= 4096 { // the branch predictor fails with this number of small features
		simd.Prefetch(record)
	}
	b.round++
	ok := b.fast(record)
	if !ok || b.checkPadding() != nil {
		b.truncate(b.n)
		return b.appendAny(record)
	}
	b.added()
	return nil
}

// appendAny is Append by the slow path, for records in any encoding.
func (b *Batch) appendAny(record []byte) error {
	b.round++
	b.base, b.slow = 0, true
	err := b.record(record)
	if err == nil {
		err = b.checkPadding()
	}
	b.slow = false
	if err != nil {
		b.truncate(b.n)
		return err
	}
	b.added()
	return nil
}

// added makes the row at hand one of the batch.
func (b *Batch) added() {
	for _, i := range b.p.padded {
		b.cols[i].longest = b.cols[i].candidate
	}
	b.n++
}

// Reset forgets all rows and keeps the memory for new ones. Columns read before
// become invalid, which race builds show by overwriting their values; strings read
// from them stay good.
func (b *Batch) Reset() {
	b.spoil()
	for i := range b.cols {
		b.cols[i].longest = 0
	}
	b.truncate(0)
	b.n = 0
	b.arena.reset()
}

// Release gives the memory of the batch back, for a later one of the same parser. It is
// optional: without it the garbage collector does the same. The methods of the batch
// panic afterwards, and its columns are invalid, which race builds show by overwriting
// their values; strings read from them stay good, unless they alias records (see
// ParserOptions). A second call does nothing.
func (b *Batch) Release() {
	if b.p == nil {
		return
	}
	b.Reset()
	b.p.recycle(b)
	*b = Batch{}
}

// empty returns an empty batch, with the memory of one that was released if there is one.
func (p *Parser) empty() *Batch {
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

// checkPadding refuses a record that would make a padded column, or one of empty rows,
// too large.
func (b *Batch) checkPadding() error {
	for _, h := range b.p.hollow {
		if b.n >= h.rows {
			c := &b.cols[h.column]
			e := newError(c.group, c.name, "", ErrLimit)
			e.Want, e.Got = fmt.Sprintf("at most %d rows of shape %v, which hold no values", h.rows, c.inner), "one more"
			return e
		}
	}
	for _, i := range b.p.padded {
		c := &b.cols[i]
		if c.candidate == 0 {
			continue
		}
		blocks := len(c.levels[len(c.levels)-1].splits) - 1
		if limit := b.p.opts.MaxPadded / c.cell; c.candidate > limit/blocks {
			e := b.fault(c, c.values, -1, ErrLimit)
			e.Want = fmt.Sprintf("at most %d values with padding", b.p.opts.MaxPadded)
			e.Got = fmt.Sprintf("%d rows of %d blocks of %d", blocks, c.candidate, c.cell)
			return e
		}
	}
	return nil
}

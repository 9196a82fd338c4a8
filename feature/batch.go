package feature

import (
	"fmt"
	"math/bits"

	"github.com/tfparse/tfparse/example"
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
	base  int          // where the example at hand begins in the record
	maps  [4]mapReader // by Group
	arena arena

	ints     []int64 // scratch: the data of one partition or index
	bytes    [][]byte
	order    []int
	scanners []example.StepScanner
	lists    []unread
	raw      bool // the slots have what the fast path put there
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
	b.raw = true
	ok := b.fast(record)
	b.raw = false
	if !ok || b.checkPadding() != nil {
		b.truncate(b.n)
		return b.appendAny(record)
	}
	b.added()
	return nil
}

// appendAny is the slow path of Append, for records in any encoding.
func (b *Batch) appendAny(record []byte) error {
	b.round++
	b.base = 0
	for g := range b.maps {
		b.maps[g].repeated = b.maps[g].repeated[:0]
	}
	err := b.record(record)
	if err == nil {
		err = b.checkPadding()
	}
	if err != nil {
		b.truncate(b.n)
		return err
	}
	for g := range b.maps {
		r := &b.maps[g]
		for _, i := range r.repeated {
			r.repeats[i]++
		}
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
	for g := range b.maps {
		clear(b.maps[g].repeats)
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

// A Repeat is a key that the records of a batch held more often than once.
type Repeat struct {
	Group Group
	Key   string
	Count int // features, or feature lists, that a later one of the same key replaced
}

// Repeats returns the keys, of those that the spec reads, that records held more
// often than once: the last counts. No writer makes such records, but concatenating
// two does.
func (b *Batch) Repeats() []Repeat {
	var out []Repeat
	for g := range b.maps {
		for i, n := range b.maps[g].repeats {
			if n > 0 {
				out = append(out, Repeat{Group(g), b.maps[g].table.keys[i], n})
			}
		}
	}
	return out
}

func (b *Batch) truncate(rows int) {
	for i := range b.cols {
		b.cols[i].truncate(rows)
	}
}

func (b *Batch) record(record []byte) error {
	switch b.p.message {
	case example.TypeExample:
		s := example.Scan(record)
		return b.features(InFeatures, &s, -1)
	case example.TypeSequence:
		s := example.ScanContext(record)
		if err := b.features(InContext, &s, -1); err != nil {
			return err
		}
		return b.sequence(record)
	}
	return b.list(record)
}

// features reads one map of features and adds a unit to each of its columns.
func (b *Batch) features(g Group, s *example.Scanner, step int) error {
	r := &b.maps[g]
	if err := r.features(s, b.round); err != nil {
		return b.whole(g, step, err)
	}
	for i := range b.cols {
		if c := &b.cols[i]; c.group == g {
			if err := b.unit(c, r, step); err != nil {
				return err
			}
		}
	}
	return nil
}

// sequence reads the feature lists and adds their steps to the columns.
func (b *Batch) sequence(record []byte) error {
	r := &b.maps[InSequence]
	s := example.ScanFeatureLists(record)
	if err := r.steps(&s, b.round); err != nil {
		return b.whole(InSequence, -1, err)
	}
	for i := range b.cols {
		if c := &b.cols[i]; c.group == InSequence {
			if err := b.steps(c, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// list reads an ExampleListWithContext. Its context may stand behind the examples.
func (b *Batch) list(record []byte) error {
	n := 0
	es := example.ScanExamples(record)
	for ; es.Next(); n++ {
		if n == b.p.opts.MaxSteps {
			e := b.whole(InExamples, -1, ErrLimit)
			e.Want, e.Got = fmt.Sprintf("at most %d examples", n), "more"
			return e
		}
		b.round++
		b.base = es.Offset()
		s := example.Scan(es.Example())
		if err := b.features(InExamples, &s, n); err != nil {
			return err
		}
	}
	b.base = 0
	if err := es.Err(); err != nil {
		return b.whole(InExamples, -1, err)
	}
	for i := range b.cols {
		if c := &b.cols[i]; c.group == InExamples {
			c.levels[0].end(n)
		}
	}
	ctx, _ := es.Context()
	b.base = es.ContextOffset()
	s := example.Scan(ctx)
	return b.features(InContext, &s, -1)
}

// steps adds the steps of the feature lists that a column reads.
func (b *Batch) steps(c *column, r *mapReader) error {
	if l := &r.lists[c.values]; l.round != b.round && c.required {
		return b.fault(c, c.values, -1, ErrMissing)
	}
	b.scanners = append(b.scanners[:0], r.scanner(c.values, b.round))
	for _, p := range c.parts {
		if p.slot >= 0 {
			b.scanners = append(b.scanners, r.scanner(p.slot, b.round))
		}
	}
	n := 0
	for ; ; n++ {
		more, err := b.nextStep(c, r, n)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if n == b.p.opts.MaxSteps {
			e := b.fault(c, c.values, -1, ErrLimit)
			e.Want, e.Got = fmt.Sprintf("at most %d steps", n), "more"
			return e
		}
		if err := b.unit(c, r, n); err != nil {
			return err
		}
	}
	c.levels[0].end(n)
	return nil
}

// nextStep moves all lists of a column to the next step, and puts it into their slots.
// They must end together.
func (b *Batch) nextStep(c *column, r *mapReader, n int) (bool, error) {
	more := b.scanners[0].Next()
	if err := b.scanners[0].Err(); err != nil {
		return false, b.fault(c, c.values, n, err)
	}
	if more {
		r.slots[c.values].feature, r.slots[c.values].round = b.scanners[0].Feature(), b.round
	}
	i := 1
	for level, p := range c.parts {
		if p.slot < 0 {
			continue
		}
		s := &b.scanners[i]
		i++
		next := s.Next()
		if err := s.Err(); err != nil {
			e := b.fault(c, p.slot, n, err)
			e.Partition = example.At(level)
			return false, e
		}
		if next != more {
			e := b.fault(c, p.slot, -1, ErrSteps)
			e.Partition = example.At(level)
			e.Want, e.Got = fmt.Sprintf("%d steps, as there are of values", r.count(c.values, b.round)), fmt.Sprint(r.count(p.slot, b.round))
			return false, e
		}
		if next {
			r.slots[p.slot].feature, r.slots[p.slot].round = s.Feature(), b.round
		}
	}
	return more, nil
}

// scanner walks the list in a slot; an absent list has no steps.
func (r *mapReader) scanner(i int, round uint64) example.StepScanner {
	if l := &r.lists[i]; l.round == round {
		return l.steps.Scan()
	}
	return example.FeatureList{}.Scan()
}

// count returns the number of steps in a slot, for an error.
func (r *mapReader) count(i int, round uint64) int {
	n := 0
	for s := r.scanner(i, round); s.Next(); {
		n++
	}
	return n
}

// checkPadding refuses a record that would make a padded column, or one of empty rows,
// too large.
func (b *Batch) checkPadding() error {
	for _, h := range b.p.hollow {
		if b.n >= h.rows {
			c := &b.cols[h.column]
			return &Error{Path: example.Path{Feature: c.name}, Group: c.group, Err: ErrLimit,
				Want: fmt.Sprintf("at most %d rows of shape %v, which hold no values", h.rows, c.inner), Got: "one more"}
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

// whole makes the error for a message that is not sound.
func (b *Batch) whole(g Group, step int, err error) *Error {
	e := &Error{Path: example.Path{Step: example.At(step)}, Group: g, Whole: true, Err: err}
	e.locate(b.base)
	return e
}

// fault makes the error for a key that a column reads.
func (b *Batch) fault(c *column, slot, step int, err error) *Error {
	r := &b.maps[c.group]
	e := &Error{Path: example.Path{Feature: c.name, Key: r.table.keys[slot], Step: example.At(step)}, Group: c.group, Err: err}
	if f, ok := r.get(slot, b.round); ok && (c.group != InSequence || step >= 0) {
		e.Byte = example.At(b.base + f.Offset())
	} else if c.group == InSequence && r.lists[slot].round == b.round {
		e.Byte = example.At(r.lists[slot].steps.Offset())
	}
	e.locate(b.base)
	return e
}

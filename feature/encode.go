package feature

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/encode"
)

// Encode writes every row as a record: see AppendRecord. If one cannot be written,
// the error says which, and wraps an *Error.
func (b *Batch) Encode() ([][]byte, error) {
	records := make([][]byte, b.n)
	var scratch []byte
	for i := range records {
		var err error
		if scratch, err = b.AppendRecord(scratch[:0], i); err != nil {
			return nil, recordError(i, err)
		}
		records[i] = bytes.Clone(scratch)
	}
	return records, nil
}

// AppendRecord appends row i, encoded as the message of the spec, to dst. Parsing
// it gives the same row again. Names are sorted and lists packed, so equal rows give
// equal bytes. Every key of the spec is written: a default becomes a value.
//
// It returns an error for a row that has no encoding: columns that share a key and have
// different values for it, empty rows at the end of value_row_ids, a message of more
// than 2 GiB. It panics if there is no such row. It is safe for concurrent use while
// the batch does not grow.
func (b *Batch) AppendRecord(dst []byte, i int) ([]byte, error) {
	if uint(i) >= uint(b.n) {
		panic("feature: row out of range")
	}
	e, _ := b.p.encoders.Get().(*encoder)
	if e == nil {
		e = new(encoder)
	}
	defer b.p.encoders.Put(e)
	e.b, e.row, e.err = b, i, nil
	e.out.Reset()
	e.writeRecord()
	e.b = nil
	if e.err == nil && int64(e.out.Len()) > math.MaxInt32 {
		e.err = &Error{Path: example.PathTo("", ""), Whole: true, Err: example.ErrTooLarge}
	}
	if e.err != nil {
		return dst, e.err
	}
	return append(dst, e.out.Bytes()...), nil
}

// A keyUse is a key with the columns that read it. Those of a group are sorted by key.
type keyUse struct {
	key     string
	readers []keyReader // at least one
}

// A keyReader is a column that reads a key: for its values, partition data or indices.
type keyReader struct {
	column int // index in Parser.columns
	part   int // the partition whose data the key has, or -1
	index  int // the dimension whose indices the key has, or -1
}

// compileUses lists the keys of a group, sorted, with their readers.
func (p *Parser) compileUses(g Group) []keyUse {
	us := make([]keyUse, len(p.tables[g].keys))
	for i, key := range p.tables[g].keys {
		us[i].key = key
	}
	for i := range p.columns {
		c := &p.columns[i]
		if c.group != g {
			continue
		}
		add := func(slot, part, index int) { us[slot].readers = append(us[slot].readers, keyReader{i, part, index}) }
		add(c.valueSlot, -1, -1)
		for d, slot := range c.indexSlots {
			add(slot, -1, d)
		}
		for j, q := range c.parts {
			if q.slot >= 0 {
				add(q.slot, j, -1)
			}
		}
	}
	for _, u := range us { // row_splits last: see writeFeature
		slices.SortStableFunc(u.readers, func(x, y keyReader) int { return cmp.Compare(p.readsSplits(x), p.readsSplits(y)) })
	}
	p.numKeys += len(us)
	slices.SortFunc(us, func(x, y keyUse) int { return cmp.Compare(x.key, y.key) })
	return us
}

// readsSplits returns 1 if the key has the data of row_splits, else 0.
func (p *Parser) readsSplits(r keyReader) int {
	if r.part >= 0 && p.columns[r.column].parts[r.part].name == "row_splits" {
		return 1
	}
	return 0
}

// An encoder writes one row. It writes back to front, as encode.Buffer requires: the last
// example, list or key first. After an error its output is not used. Parser.encoders keeps it.
type encoder struct {
	b   *Batch // nil between two calls
	row int    // the row that is written
	err error  // the error that is nearest to the beginning of the record

	out         encode.Buffer // the record
	secondValue encode.Buffer // scratch: the value of a key by a second column
	ints        []int64       // scratch: the data of a partition, or indices
}

// writeRecord writes the message of the spec.
func (e *encoder) writeRecord() {
	switch e.b.p.message {
	case example.TypeExample:
		e.writeFeatures(InFeatures, -1)
	case example.TypeSequence:
		e.writeLists()
		e.writeFeatures(InContext, -1)
	default:
		if len(e.b.p.keyUses[InContext]) > 0 {
			e.writeFeatures(InContext, -1)
			e.out.Field(2, 0)
		}
		for n := e.countSteps(e.b.p.keyUses[InExamples]) - 1; n >= 0; n-- {
			mark := e.out.Len()
			e.writeFeatures(InExamples, n)
			e.out.Field(1, mark)
		}
	}
}

// writeFeatures writes the map of a group, of the record or of one example, unless the spec has
// no features in it.
func (e *encoder) writeFeatures(g Group, step int) {
	uses := e.b.p.keyUses[g]
	if len(uses) == 0 {
		return
	}
	mark := e.out.Len()
	for i := len(uses) - 1; i >= 0; i-- {
		at := e.out.Len()
		e.writeFeature(&uses[i], step)
		e.out.Entry(uses[i].key, at)
	}
	e.out.Field(1, mark)
}

// writeLists writes the map of feature lists.
func (e *encoder) writeLists() {
	uses := e.b.p.keyUses[InSequence]
	if len(uses) == 0 {
		return
	}
	mark := e.out.Len()
	for i := len(uses) - 1; i >= 0; i-- {
		list := e.out.Len()
		for n := e.countSteps(uses[i:i+1]) - 1; n >= 0; n-- {
			at := e.out.Len()
			e.writeFeature(&uses[i], n)
			e.out.Field(1, at)
		}
		e.out.Entry(uses[i].key, list)
	}
	e.out.Field(2, mark)
}

// countSteps returns the number of steps or examples that the columns have in the row. It
// must be the same in all.
func (e *encoder) countSteps(uses []keyUse) int {
	n := -1
	for _, u := range uses {
		for _, r := range u.readers {
			l := &e.b.cols[r.column].levels[0]
			here := l.rowLimit(e.row+1) - l.rowLimit(e.row)
			if n < 0 {
				n = here
			}
			if n != here {
				e.fail(u.key, r, -1, fmt.Sprintf("%d steps or examples, as another column has", n), fmt.Sprint(here))
			}
		}
	}
	return max(n, 0)
}

// fail sets the error to one about a key.
func (e *encoder) fail(key string, r keyReader, step int, want, got string) {
	c := &e.b.cols[r.column]
	err := newError(c.group, c.name, key, ErrColumn)
	err.Step, err.Partition, err.Want, err.Got = step, r.part, want, got
	e.err = err
}

// writeFeature writes the Feature of a key. All columns that read the key must have the same
// values for it; only row_splits of no rows have two encodings, [0] and nothing.
func (e *encoder) writeFeature(u *keyUse, step int) {
	mark := e.out.Len()
	e.writeValues(&e.out, u, u.readers[0], step)
	for _, r := range u.readers[1:] {
		e.secondValue.Reset()
		e.writeValues(&e.secondValue, u, r, step)
		value, other := e.out.Since(mark), e.secondValue.Bytes()
		none := e.b.p.readsSplits(r) == 1 && len(e.ints) == 1 && string(value) == noInt64s
		if !none && !bytes.Equal(value, other) {
			e.fail(u.key, r, step, fmt.Sprintf("the values of this key that %q has", e.b.cols[u.readers[0].column].name), "others")
		}
	}
}

// noInt64s is an encoded Feature with an empty int64_list.
const noInt64s = "\x1a\x00"

// writeValues writes the Feature that one column has for one unit.
func (e *encoder) writeValues(b *encode.Buffer, u *keyUse, r keyReader, step int) {
	c := &e.b.cols[r.column]
	lo, levels, part := e.row, c.levels, c.firstPart()+r.part
	if c.nested {
		lo, levels, part = levels[0].rowLimit(lo)+step, levels[1:], part-1
	}
	hi := lo + 1
	for i := range levels {
		if r.part >= 0 && i == part {
			b.Int64s(e.partitionData(u, c, r, step, lo, hi))
			return
		}
		lo, hi = levels[i].rowLimit(lo), levels[i].rowLimit(hi)
	}
	lo, hi = lo*c.cell, hi*c.cell
	switch {
	case r.index >= 0:
		e.ints = e.ints[:0]
		for j := lo; j < hi; j++ {
			e.ints = append(e.ints, c.index[j*len(c.indexSlots)+r.index])
		}
		b.Int64s(e.ints)
	case c.dtype == Int64:
		b.Int64s(c.ints[lo:hi])
	case c.dtype == Float32:
		b.Floats(c.floats[lo:hi])
	default:
		encode.Bytes(b, c.strings[lo:hi])
	}
}

// partitionData returns the data of a partition for the rows lo to hi of its level. It is the
// inverse of appendRows.
func (e *encoder) partitionData(u *keyUse, c *column, r keyReader, step, lo, hi int) []int64 {
	var ok bool
	e.ints, ok = encode.Partition(e.ints[:0], c.parts[r.part].name, c.levels[c.firstPart()+r.part].splits[lo:hi+1])
	if !ok {
		e.fail(u.key, r, step, encode.EmptyLastRow, "none")
	}
	return e.ints
}

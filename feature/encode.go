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
// equal bytes; every key of the spec is there, so what was a default is a value now.
//
// It fails where a row cannot be said: columns that share a key but want different
// values of it, rows without items at the end of value_row_ids, a message of more
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
	e.record()
	e.b = nil
	if e.err == nil && int64(e.out.Len()) > math.MaxInt32 {
		e.err = &Error{Path: example.PathTo("", ""), Whole: true, Err: example.ErrTooLarge}
	}
	if e.err != nil {
		return dst, e.err
	}
	return append(dst, e.out.Bytes()...), nil
}

// A use says which columns read a key. The uses of a group are in the order of keys.
type use struct {
	key string
	by  []reader
}

// A reader is a column that reads a key, and what it takes from there.
type reader struct {
	column int
	part   int // the data of this partition; -1 for none
	index  int // the indices of this dimension; -1 for none
}

// keyUses lists the keys of a group.
func (p *Parser) keyUses(g Group) []use {
	us := make([]use, len(p.tables[g].keys))
	for i, key := range p.tables[g].keys {
		us[i].key = key
	}
	for i := range p.columns {
		c := &p.columns[i]
		if c.group != g {
			continue
		}
		add := func(slot, part, index int) { us[slot].by = append(us[slot].by, reader{i, part, index}) }
		add(c.values, -1, -1)
		for d, slot := range c.indices {
			add(slot, -1, d)
		}
		for j, q := range c.parts {
			if q.slot >= 0 {
				add(q.slot, j, -1)
			}
		}
	}
	for _, u := range us { // row_splits last: see feature
		slices.SortStableFunc(u.by, func(x, y reader) int { return cmp.Compare(p.splits(x), p.splits(y)) })
	}
	p.keys += len(us)
	slices.SortFunc(us, func(x, y use) int { return cmp.Compare(x.key, y.key) })
	return us
}

// splits returns 1 for the data of row_splits, else 0.
func (p *Parser) splits(r reader) int {
	if r.part >= 0 && p.columns[r.column].parts[r.part].name == "row_splits" {
		return 1
	}
	return 0
}

// An encoder writes one row, back to front as package encode has it: the last example,
// list or key first. What it writes means nothing after an error. Its memory is kept for
// the next row.
type encoder struct {
	b   *Batch
	row int
	err error // of all errors, that of what stands first in the record

	out   encode.Buffer // the record
	other encode.Buffer // what another column makes of a key
	ints  []int64       // the data of a partition
}

// record writes the message of the spec.
func (e *encoder) record() {
	switch e.b.p.message {
	case example.TypeExample:
		e.features(InFeatures, -1)
	case example.TypeSequence:
		e.lists()
		e.features(InContext, -1)
	default:
		if len(e.b.p.uses[InContext]) > 0 {
			e.features(InContext, -1)
			e.out.Field(2, 0)
		}
		for n := e.steps(e.b.p.uses[InExamples]) - 1; n >= 0; n-- {
			mark := e.out.Len()
			e.features(InExamples, n)
			e.out.Field(1, mark)
		}
	}
}

// features writes a map of features, if the spec has any in the group: those of the
// record, or of one example in it.
func (e *encoder) features(g Group, step int) {
	uses := e.b.p.uses[g]
	if len(uses) == 0 {
		return
	}
	mark := e.out.Len()
	for i := len(uses) - 1; i >= 0; i-- {
		at := e.out.Len()
		e.feature(&uses[i], step)
		e.out.Entry(uses[i].key, at)
	}
	e.out.Field(1, mark)
}

// lists writes the map of feature lists.
func (e *encoder) lists() {
	uses := e.b.p.uses[InSequence]
	if len(uses) == 0 {
		return
	}
	mark := e.out.Len()
	for i := len(uses) - 1; i >= 0; i-- {
		list := e.out.Len()
		for n := e.steps(uses[i:i+1]) - 1; n >= 0; n-- {
			at := e.out.Len()
			e.feature(&uses[i], n)
			e.out.Field(1, at)
		}
		e.out.Entry(uses[i].key, list)
	}
	e.out.Field(2, mark)
}

// steps returns the number of steps or examples that the columns have in the row.
// They must agree.
func (e *encoder) steps(uses []use) int {
	n := -1
	for _, u := range uses {
		for _, r := range u.by {
			l := &e.b.cols[r.column].levels[0]
			here := l.limit(e.row+1) - l.limit(e.row)
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

// fail makes the error of a key.
func (e *encoder) fail(key string, r reader, step int, want, got string) {
	c := &e.b.cols[r.column]
	err := newError(c.group, c.name, key, ErrColumn)
	err.Step, err.Partition, err.Want, err.Got = step, r.part, want, got
	e.err = err
}

// feature writes a Feature. All columns that read the key must want the same. Only
// row_splits of no rows can be said in two ways, [0] and nothing.
func (e *encoder) feature(u *use, step int) {
	mark := e.out.Len()
	e.write(&e.out, u, u.by[0], step)
	for _, r := range u.by[1:] {
		e.other.Reset()
		e.write(&e.other, u, r, step)
		value, other := e.out.Since(mark), e.other.Bytes()
		none := e.b.p.splits(r) == 1 && len(e.ints) == 1 && string(value) == noInt64s
		if !none && !bytes.Equal(value, other) {
			e.fail(u.key, r, step, fmt.Sprintf("the values of this key that %q has", e.b.cols[u.by[0].column].name), "others")
		}
	}
}

// noInt64s is a Feature that has an empty int64_list.
const noInt64s = "\x1a\x00"

// write writes the Feature that one column makes of one unit.
func (e *encoder) write(b *encode.Buffer, u *use, r reader, step int) {
	c := &e.b.cols[r.column]
	lo, levels, part := e.row, c.levels, c.firstPart()+r.part
	if c.nested {
		lo, levels, part = levels[0].limit(lo)+step, levels[1:], part-1
	}
	hi := lo + 1
	for i := range levels {
		if r.part >= 0 && i == part {
			b.Int64s(e.partition(u, c, r, step, lo, hi))
			return
		}
		lo, hi = levels[i].limit(lo), levels[i].limit(hi)
	}
	lo, hi = lo*c.cell, hi*c.cell
	switch {
	case r.index >= 0:
		e.ints = e.ints[:0]
		for j := lo; j < hi; j++ {
			e.ints = append(e.ints, c.index[j*len(c.indices)+r.index])
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

// partition returns what a partition says of the rows from lo to hi at its level.
// It is the inverse of appendRows.
func (e *encoder) partition(u *use, c *column, r reader, step, lo, hi int) []int64 {
	var ok bool
	e.ints, ok = encode.Partition(e.ints[:0], c.parts[r.part].name, c.levels[c.firstPart()+r.part].splits[lo:hi+1])
	if !ok {
		e.fail(u.key, r, step, encode.EmptyLastRow, "none")
	}
	return e.ints
}

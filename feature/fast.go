package feature

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/simd"
	"github.com/tfparse/tfparse/internal/wire"
)

// The fast path reads records that are canonically encoded, which nearly all are. Package
// canonical finds the values of all keys of a map; then they are added to their columns.
//
// It never says what is wrong with a record: one that it does not know takes the slow path, which
// knows all encodings and makes the errors. So all that must hold is that a record which it
// accepts has the same values there, and the tests compare the two on every record they have.

// fast reads a record. If it returns false, the columns must be truncated.
func (b *Batch) fast(record []byte) bool {
	switch b.p.message {
	case example.TypeExample:
		return b.fastExample(InFeatures, record, 0, len(record))
	case example.TypeSequence:
		return b.fastSequence(record)
	}
	return b.fastList(record)
}

// fastExample reads the Example record[i:end].
func (b *Batch) fastExample(g Group, record []byte, i, end int) bool {
	r := b.fastMap(g, record)
	for i < end {
		lo, hi, ok := canonical.Message(record[:end], i, canonical.Tag1)
		if !ok || !r.find(lo, hi) {
			return false
		}
		i = hi
	}
	return b.fastFeatures(g, r)
}

// fastSequence reads a SequenceExample.
func (b *Batch) fastSequence(record []byte) bool {
	context, lists := b.fastMap(InContext, record), b.fastMap(InSequence, record)
	for i := 0; i < len(record); {
		number, lo, hi := canonical.Field(record, i)
		switch {
		case number == 1 && context.find(lo, hi):
		case number == 2 && lists.find(lo, hi):
		default:
			return false
		}
		i = hi
	}
	return b.fastFeatures(InContext, context) && b.featureLists(lists) == nil
}

// fastList reads an ExampleListWithContext.
func (b *Batch) fastList(record []byte) bool {
	n, contexts := 0, 0
	for i := 0; i < len(record); {
		number, lo, hi := canonical.Field(record, i)
		switch {
		case number == 1 && n < b.p.opts.MaxSteps && b.nextExample() && b.fastExample(InExamples, record, lo, hi):
			n++
		case number == 2 && contexts == 0 && b.fastExample(InContext, record, lo, hi):
			contexts++
		default:
			return false
		}
		i = hi
	}
	for _, i := range b.p.groups[InExamples] {
		b.cols[i].levels[0].end(n)
	}
	return contexts > 0 || b.fastExample(InContext, nil, 0, 0)
}

// nextExample makes what is in the slots stale.
func (b *Batch) nextExample() bool {
	b.round++
	return true
}

// fastMap returns the reader of a map of features in a record.
func (b *Batch) fastMap(g Group, record []byte) *mapReader {
	r := &b.maps[g]
	r.record = record
	r.walk.Start()
	return r
}

// find finds the values of the map record[lo:hi].
func (r *mapReader) find(lo, hi int) bool {
	_, _, ok := r.walk.Map(r.record[:hi], lo)
	return ok
}

// fastFeatures adds a unit to every column of the group.
func (b *Batch) fastFeatures(g Group, r *mapReader) bool {
	record, cols := r.record, b.cols
	for j := range b.p.direct[g] {
		d := &b.p.direct[g][j]
		c := &cols[d.column]
		lo, hi, ok := r.walk.Value(d.slot)
		if !ok {
			if !b.fastAbsent(c) {
				return false
			}
			continue
		}
		// These three are most features, and fastValue does the same in twice the time.
		switch d.op {
		case oneInt64: // most have up to eight bytes: they are at the end of the word before hi
			n := hi - lo - canonical.HeadSize
			if uint(n-1) < 8 && binary.LittleEndian.Uint32(record[lo:]) == canonical.Head(canonical.Int64Tag, hi-lo) {
				x := binary.LittleEndian.Uint64(record[hi-8:]) >> (64 - 8*uint(n)&63)
				if v, ok := wire.FirstVarint(x, n); ok {
					c.ints = append(c.ints, v)
					continue
				}
			}
		case oneFloat:
			if v, ok := canonical.Float(record[:hi], lo); ok {
				c.floats = append(c.floats, v)
				continue
			}
		case rowInt64s:
			if vals, ok := canonical.AppendInt64s(c.ints, record[:hi], lo); ok && lo < hi {
				c.levels[len(c.levels)-1].end(len(vals) - len(c.ints))
				c.ints = vals
				continue
			}
		}
		if !b.fastValue(c, d.op, record[:hi], lo) {
			return false
		}
	}
	for _, k := range b.p.kept[g] {
		if lo, hi, ok := r.walk.Value(k); ok {
			s := &r.slots[k]
			s.raw, s.from, s.round = record[:hi], lo, b.round
		}
	}
	for _, i := range b.p.late[g] {
		if b.unit(&b.cols[i], r, -1) != nil {
			return false
		}
	}
	return true
}

// fastValue adds to a column the canonical Feature f[i:]: one unit. It is what unit does for
// columns that read one key.
func (b *Batch) fastValue(c *column, o op, f []byte, i int) bool {
	if i == len(f) && c.noKind {
		return b.fastAbsent(c)
	}
	n := 0
	switch o {
	case oneInt64:
		v, ok := canonical.Int64(f, i)
		if ok {
			c.ints = append(c.ints, v)
		}
		return ok
	case oneFloat:
		v, ok := canonical.Float(f, i)
		if ok {
			c.floats = append(c.floats, v)
		}
		return ok
	case oneString:
		v, ok := canonical.Bytes(f, i)
		if ok {
			c.strings = append(c.strings, b.text(v))
		}
		return ok
	default:
		var ok bool
		if n, ok = b.many(c, o, f, i); !ok {
			return false
		}
	}
	if c.kind == fixedKind {
		return n == c.cell
	}
	if c.cell != 1 {
		if n%c.cell != 0 {
			return false
		}
		n /= c.cell
	}
	if c.kind == sequenceKind {
		c.candidate = max(c.candidate, n)
	}
	c.levels[len(c.levels)-1].end(n)
	return true
}

// many appends the values of the canonical Feature f[i:] to a column and returns their
// number.
func (b *Batch) many(c *column, o op, f []byte, i int) (n int, ok bool) {
	switch o {
	case manyInt64s, oneInt64, rowInt64s:
		n = len(c.ints)
		c.ints, ok = canonical.AppendInt64s(c.ints, f, i)
		return len(c.ints) - n, ok
	case manyFloats, oneFloat:
		n = len(c.floats)
		c.floats, ok = canonical.AppendFloats(c.floats, f, i)
		return len(c.floats) - n, ok
	}
	if i, ok = canonical.List(f, i); !ok {
		return 0, false
	}
	for i < len(f) {
		lo, hi, ok := canonical.Message(f, i, canonical.Tag1)
		if !ok {
			return n, false
		}
		c.strings = append(c.strings, b.text(f[lo:hi]))
		i = hi
		n++
	}
	return n, true
}

// text makes a string of bytes in the record.
func (b *Batch) text(p []byte) string {
	if b.p.opts.AliasRecords {
		b.arena.used += len(p)
		return simd.String(p)
	}
	return b.arena.add(p)
}

// fastAbsent adds to a column what it has where its key is absent.
func (b *Batch) fastAbsent(c *column) bool {
	if c.kind != fixedKind {
		c.levels[len(c.levels)-1].end(0)
		return true
	}
	if c.required {
		return false
	}
	return b.absent(c, -1) == nil
}

// An op says what the fast path does with the feature of a key.
type op uint8

const (
	oneInt64    op = iota // a FixedLen of one value
	oneFloat              //
	oneString             //
	manyInt64s            // any other column that has all values of the feature
	manyFloats            //
	manyStrings           //
	rowInt64s             // manyInt64s, and any number of them is a row
)

// errNotCanonical replaces an error that the slow path will make.
var errNotCanonical = errors.New("feature: not canonically encoded")

// A direct is a column that the fast path makes of one key, which no other column reads.
type direct struct {
	op     op
	slot   int // of the key
	column int // in Batch.cols
}

// planFast makes what the fast path knows of a group.
func (p *Parser) planFast(g Group) {
	t := &p.tables[g]
	t.known = canonical.NewIndex(t.keys)
	readers := make([]int, len(t.keys))
	for i := range p.columns {
		c := &p.columns[i]
		if c.group != g {
			continue
		}
		p.groups[g] = append(p.groups[g], i)
		if c.padded {
			p.padded = append(p.padded, i)
		}
		slots := append([]int{c.values}, c.indices...)
		for _, q := range c.parts {
			if q.slot >= 0 {
				slots = append(slots, q.slot)
			}
		}
		c.late = len(slots) > 1
		for _, s := range slots {
			readers[s]++
		}
	}
	kept := slices.Repeat([]bool{true}, len(t.keys))
	for _, i := range p.groups[g] {
		c := &p.columns[i]
		c.late = c.late || readers[c.values] > 1
		c.op = manyInt64s + op(map[DType]op{Int64: 0, Float32: 1, String: 2}[c.dtype])
		if c.kind == fixedKind && c.cell == 1 {
			c.op -= manyInt64s - oneInt64
		}
		if c.late {
			p.late[g] = append(p.late[g], i)
			continue
		}
		d := direct{c.op, c.values, i}
		if d.op == manyInt64s && c.cell == 1 && (c.kind == varLenKind || c.kind == raggedKind) {
			d.op = rowInt64s
		}
		p.direct[g] = append(p.direct[g], d)
		kept[c.values] = false
	}
	// Columns of one kind come one after another: a processor predicts a loop well that does the
	// same again and again.
	slices.SortStableFunc(p.direct[g], func(x, y direct) int { return int(x.op) - int(y.op) })
	for k := range kept {
		if kept[k] {
			p.kept[g] = append(p.kept[g], k)
		}
	}
}

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

// The fast path reads records in canonical encoding, as nearly all records are. Package
// canonical finds the values of all keys of a map; then they are added to their columns.
//
// A record that it declines takes the slow path, which reads all encodings and returns the errors.
// So the fast path is correct if the slow path gives the same columns for each record that it
// accepts: TestAgainstSlow and FuzzParse compare the two.

// readCanonical adds a record to the columns. If it returns false, the caller truncates them.
func (b *Batch) readCanonical(record []byte) bool {
	switch b.p.message {
	case example.TypeExample:
		return b.addExample(InFeatures, record, 0, len(record))
	case example.TypeSequence:
		return b.addSequence(record)
	}
	return b.addExampleList(record)
}

// addExample adds the Example record[i:end].
func (b *Batch) addExample(g Group, record []byte, i, end int) bool {
	r := b.startMap(g, record)
	for i < end {
		lo, hi, ok := canonical.Message(record[:end], i, canonical.Tag1)
		if !ok || !r.findValues(lo, hi) {
			return false
		}
		i = hi
	}
	return b.addFeatures(g, r)
}

// addSequence adds a SequenceExample.
func (b *Batch) addSequence(record []byte) bool {
	context, lists := b.startMap(InContext, record), b.startMap(InSequence, record)
	for i := 0; i < len(record); {
		number, lo, hi := canonical.Field(record, i)
		switch {
		case number == 1 && context.findValues(lo, hi):
		case number == 2 && lists.findValues(lo, hi):
		default:
			return false
		}
		i = hi
	}
	return b.addFeatures(InContext, context) && b.addFeatureLists(lists) == nil
}

// addExampleList adds an ExampleListWithContext.
func (b *Batch) addExampleList(record []byte) bool {
	n, contexts := 0, 0
	for i := 0; i < len(record); {
		number, lo, hi := canonical.Field(record, i)
		switch {
		case number == 1 && n < b.p.opts.MaxSteps && b.nextExample() && b.addExample(InExamples, record, lo, hi):
			n++
		case number == 2 && contexts == 0 && b.addExample(InContext, record, lo, hi):
			contexts++
		default:
			return false
		}
		i = hi
	}
	for _, i := range b.p.groupColumns[InExamples] {
		b.cols[i].levels[0].endRow(n)
	}
	return contexts > 0 || b.addExample(InContext, nil, 0, 0)
}

// nextExample begins a unit: it makes all slots stale.
func (b *Batch) nextExample() bool {
	b.round++
	return true
}

// startMap returns the reader of a map of the record, which has found nothing yet.
func (b *Batch) startMap(g Group, record []byte) *mapReader {
	r := &b.maps[g]
	r.record = record
	r.walk.Start()
	return r
}

// findValues finds the values of the map record[lo:hi], or of a part of it. It returns false if the entries are not
// canonical or a key occurs twice.
func (r *mapReader) findValues(lo, hi int) bool {
	_, _, ok := r.walk.Map(r.record[:hi], lo)
	return ok
}

// addFeatures adds a unit to every column of the group.
func (b *Batch) addFeatures(g Group, r *mapReader) bool {
	record, cols := r.record, b.cols
	for j := range b.p.directColumns[g] {
		d := &b.p.directColumns[g][j]
		c := &cols[d.column]
		lo, hi, ok := r.walk.Value(d.slot)
		if !ok {
			if !b.addAbsent(c) {
				return false
			}
			continue
		}
		// Most features are one of these three. addValue takes twice the time.
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
				c.levels[len(c.levels)-1].endRow(len(vals) - len(c.ints))
				c.ints = vals
				continue
			}
		}
		if !b.addValue(c, d.op, record[:hi], lo) {
			return false
		}
	}
	for _, k := range b.p.lateSlots[g] {
		if lo, hi, ok := r.walk.Value(k); ok {
			s := &r.slots[k]
			s.raw, s.from, s.round = record[:hi], lo, b.round
		}
	}
	for _, i := range b.p.lateColumns[g] {
		if b.addUnit(&b.cols[i], r, -1) != nil {
			return false
		}
	}
	return true
}

// addValue adds the canonical Feature f[i:] to a column, as one unit. It does the same as
// addUnit, for columns that read one key.
func (b *Batch) addValue(c *column, o valueOp, f []byte, i int) bool {
	if i == len(f) && c.unsetIsAbsent {
		return b.addAbsent(c)
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
			c.strings = append(c.strings, b.makeString(v))
		}
		return ok
	default:
		var ok bool
		if n, ok = b.appendValues(c, o, f, i); !ok {
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
		c.pending = max(c.pending, n)
	}
	c.levels[len(c.levels)-1].endRow(n)
	return true
}

// appendValues appends the values of the canonical Feature f[i:] to a column and returns their
// number.
func (b *Batch) appendValues(c *column, o valueOp, f []byte, i int) (n int, ok bool) {
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
		c.strings = append(c.strings, b.makeString(f[lo:hi]))
		i = hi
		n++
	}
	return n, true
}

// makeString returns bytes of the record as a string of the batch.
func (b *Batch) makeString(p []byte) string {
	if b.p.opts.AliasRecords {
		b.arena.used += len(p)
		return simd.String(p)
	}
	return b.arena.addBytes(p)
}

// addAbsent adds a unit without the key of the column.
func (b *Batch) addAbsent(c *column) bool {
	if c.kind != fixedKind {
		c.levels[len(c.levels)-1].endRow(0)
		return true
	}
	if c.required {
		return false
	}
	return b.addDefault(c, -1) == nil
}

// A valueOp selects the code that adds the feature of a key on the fast path.
type valueOp uint8

const (
	oneInt64 valueOp = iota // FixedLen of one value
	oneFloat
	oneString
	manyInt64s // any number of values
	manyFloats
	manyStrings
	rowInt64s // manyInt64s where the values of the unit are one row
)

// errNotCanonical makes Append take the slow path.
var errNotCanonical = errors.New("feature: not canonically encoded")

// A directColumn is a column of one key that no other column reads. The fast path adds its
// values without a featureSlot.
type directColumn struct {
	op     valueOp
	slot   int // slot of the key
	column int // index in Batch.cols
}

// compileFastPath compiles the columns of a group for the fast path.
func (p *Parser) compileFastPath(g Group) {
	t := &p.tables[g]
	t.known = canonical.NewIndex(t.keys)
	readers := make([]int, len(t.keys))
	for i := range p.columns {
		c := &p.columns[i]
		if c.group != g {
			continue
		}
		p.groupColumns[g] = append(p.groupColumns[g], i)
		if c.padded {
			p.paddedColumns = append(p.paddedColumns, i)
		}
		slots := append([]int{c.valueSlot}, c.indexSlots...)
		for _, q := range c.parts {
			if q.slot >= 0 {
				slots = append(slots, q.slot)
			}
		}
		c.multiKey = len(slots) > 1
		for _, s := range slots {
			readers[s]++
		}
	}
	kept := slices.Repeat([]bool{true}, len(t.keys))
	for _, i := range p.groupColumns[g] {
		c := &p.columns[i]
		c.multiKey = c.multiKey || readers[c.valueSlot] > 1
		c.op = manyInt64s + valueOp(map[DType]valueOp{Int64: 0, Float32: 1, String: 2}[c.dtype])
		if c.kind == fixedKind && c.cell == 1 {
			c.op -= manyInt64s - oneInt64
		}
		if c.multiKey {
			p.lateColumns[g] = append(p.lateColumns[g], i)
			continue
		}
		d := directColumn{c.op, c.valueSlot, i}
		if d.op == manyInt64s && c.cell == 1 && (c.kind == varLenKind || c.kind == raggedKind) {
			d.op = rowInt64s
		}
		p.directColumns[g] = append(p.directColumns[g], d)
		kept[c.valueSlot] = false
	}
	// Columns with the same operation are neighbours, so that the branches on it are predicted.
	slices.SortStableFunc(p.directColumns[g], func(x, y directColumn) int { return int(x.op) - int(y.op) })
	for k := range kept {
		if kept[k] {
			p.lateSlots[g] = append(p.lateSlots[g], k)
		}
	}
}

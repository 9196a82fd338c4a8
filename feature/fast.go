package feature

import (
	"encoding/binary"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
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
	return b.fastFeatures(InContext, context) && b.fastLists(lists)
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
		if !b.fastLate(&b.cols[i], r) {
			return false
		}
	}
	return true
}

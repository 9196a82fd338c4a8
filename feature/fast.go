package feature

import (
	"encoding/binary"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/wire"
)

// The fast way to read a record. It knows the one form that every writer writes:
// every field in its usual place and in one piece, every key once. Package keys finds
// where all values are; then they go straight to their columns, all columns of one kind
// after another: processors guess well what a loop does that does one thing.
//
// It never says what is wrong: of anything it does not know it says so, and the record
// is read again by the obvious way, which knows all forms and makes the errors.
// So all that must hold is that what it accepts means the same there, and the tests
// compare the two on every record they have.

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
		if ok {
			_, _, ok = r.walk.Map(b.round, record[:hi], lo)
		}
		if !ok {
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
		lo, hi, ok := canonical.Message(record, i, canonical.Tag1)
		if ok {
			_, _, ok = context.walk.Map(b.round, record[:hi], lo)
		} else if lo, hi, ok = canonical.Message(record, i, canonical.Tag2); ok {
			_, _, ok = lists.walk.Map(b.round, record[:hi], lo)
		}
		if !ok {
			return false
		}
		i = hi
	}
	return b.fastFeatures(InContext, context) && b.fastFrames(lists)
}

// fastList reads an ExampleListWithContext.
func (b *Batch) fastList(record []byte) bool {
	n, lo, hi := 0, 0, 0
	context := false
	for i := 0; i < len(record); i = hi {
		var ok bool
		if lo, hi, ok = canonical.Message(record, i, canonical.Tag1); ok {
			b.round++
			if n++; n > b.p.opts.MaxFrames || !b.fastExample(InExamples, record, lo, hi) {
				return false
			}
			continue
		}
		if lo, hi, ok = canonical.Message(record, i, canonical.Tag2); !ok || context {
			return false
		}
		context = true
		if !b.fastExample(InContext, record, lo, hi) {
			return false
		}
	}
	for _, i := range b.p.groups[InExamples] {
		b.cols[i].levels[0].end(n)
	}
	return context || b.fastExample(InContext, nil, 0, 0)
}

// fastMap returns the reader of a map of features in a record.
func (b *Batch) fastMap(g Group, record []byte) *mapReader {
	r := &b.maps[g]
	r.record = record
	return r
}

// fastFeatures adds a unit to every column of the group.
func (b *Batch) fastFeatures(g Group, r *mapReader) bool {
	for i := range b.p.direct[g] {
		ok := true
		switch d := &b.p.direct[g][i]; d.op {
		case oneInt64:
			ok = b.oneInts(d.steps, r)
		case oneFloat:
			ok = b.oneFloats(d.steps, r)
		case rowInt64s:
			ok = b.rows(d.steps, r)
		default:
			for j := 0; ok && j < len(d.steps); j++ {
				ok = b.one(d.op, &d.steps[j], r)
			}
		}
		if !ok {
			return false
		}
	}
	for _, k := range b.p.kept[g] {
		if f := &r.walk.Slots[k]; f.Round == b.round {
			s := &r.slots[k]
			s.raw, s.from, s.round = r.record[:f.Hi], int(f.Lo), b.round
		}
	}
	for _, i := range b.p.late[g] {
		if !b.fastLate(&b.cols[i], r) {
			return false
		}
	}
	return true
}

// oneInts makes the units of columns of one number each.
func (b *Batch) oneInts(steps []step, r *mapReader) bool {
	slots, cols, record, round := r.walk.Slots, b.cols, r.record, b.round
	for j := range steps {
		st := &steps[j]
		s, c := &slots[st.slot], &cols[st.column]
		// Most have up to eight bytes: they are at the end of the word before hi.
		lo, hi := int(s.Lo), int(s.Hi)
		n := hi - lo - canonical.HeadSize
		if s.Round == round && uint(n-1) < 8 && binary.LittleEndian.Uint32(record[lo:]) == canonical.Head(canonical.Int64Tag, hi-lo) {
			x := binary.LittleEndian.Uint64(record[hi-8:]) >> (64 - 8*uint(n)&63)
			if v, ok := wire.FirstVarint(x, n); ok {
				c.ints = append(c.ints, v)
				continue
			}
		}
		if !b.one(oneInt64, st, r) {
			return false
		}
	}
	return true
}

// oneFloats is oneInts for floats.
func (b *Batch) oneFloats(steps []step, r *mapReader) bool {
	slots, cols, record, round := r.walk.Slots, b.cols, r.record, b.round
	for j := range steps {
		st := &steps[j]
		s, c := &slots[st.slot], &cols[st.column]
		if s.Round == round {
			if v, ok := canonical.Float(record[:s.Hi], int(s.Lo)); ok {
				c.floats = append(c.floats, v)
				continue
			}
		}
		if !b.one(oneFloat, st, r) {
			return false
		}
	}
	return true
}

// rows makes the units of columns whose innermost rows are of any number of numbers.
func (b *Batch) rows(steps []step, r *mapReader) bool {
	slots, cols, record, round := r.walk.Slots, b.cols, r.record, b.round
	for j := range steps {
		st := &steps[j]
		s, c := &slots[st.slot], &cols[st.column]
		if s.Round == round && s.Lo < s.Hi {
			if from, ok := canonical.Chunk(record[:s.Hi], int(s.Lo), canonical.Int64Tag); ok {
				vals, _, fault := wire.FillInt64s(c.ints, record[:s.Hi], from)
				if fault < 0 {
					return false
				}
				c.levels[len(c.levels)-1].end(len(vals) - len(c.ints))
				c.ints = vals
				continue
			}
		}
		if !b.one(rowInt64s, st, r) {
			return false
		}
	}
	return true
}

// one makes a unit of a column of any kind, also where the feature is absent.
func (b *Batch) one(o op, st *step, r *mapReader) bool {
	s, c := &r.walk.Slots[st.slot], &b.cols[st.column]
	if s.Round != b.round {
		return b.fastAbsent(c)
	}
	return b.direct(c, o, r.record[:s.Hi], int(s.Lo))
}

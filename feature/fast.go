package feature

import (
	"encoding/binary"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/plain"
	"github.com/tfparse/tfparse/internal/wire"
)

// The fast way to read a record. It knows the one form that every writer writes:
// every field in its usual place and in one piece, every key once. Values go straight
// to their columns as the features come by, and the key that followed last time is
// tried before any other is looked up.
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
	f := b.fastMap(g)
	for i < end {
		lo, hi, ok := plain.Message(record[:end], i, plain.Tag1)
		if !ok || !f.features(record, lo, hi) {
			return false
		}
		i = hi
	}
	return f.end()
}

// fastSequence reads a SequenceExample.
func (b *Batch) fastSequence(record []byte) bool {
	f := b.fastMap(InContext)
	r := &b.maps[InSequence]
	at := len(r.table.keys)
	for i := 0; i < len(record); {
		lo, hi, ok := plain.Message(record, i, plain.Tag1)
		if ok {
			if !f.features(record, lo, hi) {
				return false
			}
			i = hi
			continue
		}
		if lo, hi, ok = plain.Message(record, i, plain.Tag2); !ok {
			return false
		}
		for i = lo; i < hi; {
			k, lo, end := r.entry(record[:hi], i, at)
			if k < none {
				return false
			}
			i = end
			if k == none {
				continue
			}
			at = k
			l := &r.lists[k]
			if l.round == b.round {
				return false
			}
			l.raw, l.round = record[lo:end], b.round
		}
	}
	return f.end() && b.fastFrames(r)
}

// fastList reads an ExampleListWithContext.
func (b *Batch) fastList(record []byte) bool {
	n, lo, hi := 0, 0, 0
	context := false
	for i := 0; i < len(record); i = hi {
		var ok bool
		if lo, hi, ok = plain.Message(record, i, plain.Tag1); ok {
			b.round++
			if n++; n > b.p.opts.MaxFrames || !b.fastExample(InExamples, record, lo, hi) {
				return false
			}
			continue
		}
		if lo, hi, ok = plain.Message(record, i, plain.Tag2); !ok || context {
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

// A fastMap reads one map of features.
type fastMap struct {
	b    *Batch
	r    *mapReader
	g    Group
	at   int // the slot of the key before
	seen int // keys that somebody asks for
}

func (b *Batch) fastMap(g Group) fastMap {
	r := &b.maps[g]
	return fastMap{b: b, r: r, g: g, at: len(r.table.keys)}
}

// Instead of a slot.
const (
	none = -1 // nobody asks for the key
	odd  = -2 // the entry has another form
)

// expected returns the slot of the key that is tried first after that in slot at: one
// that no key has, if keys have come in any order of late.
func (r *mapReader) expected(at int) int {
	if r.misses > manyMisses {
		return len(r.table.keys)
	}
	return r.guess[at]
}

// manyMisses is after how many wrong guesses none is made until some would have been
// right.
const manyMisses = 16

// learn says that the key in slot k followed that in slot at.
func (r *mapReader) learn(at, k int) {
	if r.misses > manyMisses && at < len(r.table.keys) { // the first key shows whether there is an order again
		return
	}
	if r.guess[at] == k {
		r.misses /= 2
		return
	}
	r.misses = min(r.misses+1, 4*manyMisses)
	r.guess[at] = k
}

// find returns the slot of the key of the entry b[i:], and where the length of its value
// stands. at is the slot of the key before.
func (r *mapReader) find(b []byte, i, at int) (k, v int) {
	if len(b)-i < 2 || b[i] != plain.Tag1 {
		return odd, 0
	}
	size := int(b[i+1]) + 3
	if v = i + size; size >= 0x80+3 || max(size, 8) > len(b)-i {
		return r.findAny(b, i)
	}
	if b[v-1] != plain.Tag2 {
		return odd, 0
	}
	if k = r.table.hashed.find(r.table.lanes, b, i, size); k >= 0 {
		r.learn(at, k)
	}
	return k, v
}

// findAny is find for keys that are very long, or stand at the very end.
func (r *mapReader) findAny(b []byte, i int) (k, v int) {
	name, v, ok := plain.Message(b, i, plain.Tag1)
	if !ok || v == len(b) || b[v] != plain.Tag2 {
		return odd, 0
	}
	if name-i != 1+wire.SizeVarint(uint64(v-name)) { // padded: its head is not that of a lane
		return odd, 0
	}
	if k, ok := r.table.index[string(b[name:v])]; ok {
		return k, v + 1
	}
	return none, v + 1
}

// entry reads the entry of a map at b[i] and returns the slot of its key and the
// bounds of its value.
func (r *mapReader) entry(b []byte, i, at int) (k, lo, hi int) {
	lo, hi, ok := plain.Message(b, i, plain.Tag1)
	if !ok {
		return odd, 0, 0
	}
	k = r.expected(at)
	v := lo + r.table.lanes[k].size
	if l := &r.table.lanes[k]; !l.stands(b[:hi], lo) || !l.between(b, lo) {
		if k, v = r.find(b[:hi], lo, at); k == odd {
			return odd, 0, 0
		}
	}
	lo, end := wire.Length(b[:hi], v)
	if end != hi {
		return odd, 0, 0
	}
	return k, lo, hi
}

// features reads entries from i to end.
func (f *fastMap) features(record []byte, i, end int) bool {
	b, r := f.b, f.r
	lanes, slots := r.table.lanes, r.slots
	at := f.at
	for i < end {
		if end-i < 2 || record[i] != plain.Tag1 {
			return false
		}
		lo, hi := i+2, i+2+int(record[i+1]) // the entry
		if record[i+1] >= 0x80 {
			lo, hi = wire.Length(record[:end], i+1)
		}
		if lo < 0 || hi > end {
			return false
		}
		i = hi
		k := r.expected(at)
		l := &lanes[k]
		v := lo + l.size // where the length of the value stands
		if !l.stands(record, lo) || l.size > 16 && !l.between(record, lo) {
			if k, v = r.find(record[:hi], lo, at); k == odd {
				return false
			}
		}
		if v < hi && record[v] < 0x80 {
			if lo = v + 1; lo+int(record[v]) != hi {
				return false
			}
		} else if lo, v = wire.Length(record[:hi], v); v != hi {
			return false
		}
		if k == none {
			continue
		}
		at = k
		l = &lanes[k]
		s := &slots[k]
		if s.round == b.round {
			return false
		}
		s.round = b.round
		f.seen++
		c := &b.cols[l.column]
		switch l.op {
		case keepIt:
			s.raw, s.from = record[:hi], lo
			continue
		case oneInt64:
			// Most have up to eight bytes: they are at the end of the word before hi.
			n := hi - lo - plain.HeadSize
			if uint(n-1) < 8 && binary.LittleEndian.Uint32(record[lo:]) == plain.Head(plain.Int64Tag, hi-lo) {
				x := binary.LittleEndian.Uint64(record[hi-8:]) >> (64 - 8*uint(n)&63)
				if v, ok := wire.FirstVarint(x, n); ok {
					c.ints = append(c.ints, v)
					continue
				}
			}
		case oneFloat:
			if v, ok := plain.Float(record[:hi], lo); ok {
				c.floats = append(c.floats, v)
				continue
			}
		case rowInt64s:
			if from, ok := plain.Chunk(record[:hi], lo, plain.Int64Tag); ok && lo < hi {
				vals, _, fault := wire.FillInt64s(c.ints, record[:hi], from)
				if fault < 0 {
					return false
				}
				c.levels[len(c.levels)-1].end(len(vals) - len(c.ints))
				c.ints = vals
				continue
			}
		}
		if !b.direct(c, l.op, record[:hi], lo) {
			return false
		}
	}
	f.at = at
	return true
}

// end adds what is still missing to the columns of the group.
func (f *fastMap) end() bool {
	b, r := f.b, f.r
	for _, i := range b.p.late[f.g] {
		if !b.fastLate(&b.cols[i], r) {
			return false
		}
	}
	if f.seen == len(r.slots) {
		return true
	}
	for _, i := range b.p.groups[f.g] {
		if c := &b.cols[i]; !c.plan.late && r.slots[c.values].round != b.round && !b.fastAbsent(c) {
			return false
		}
	}
	return true
}

package feature

import (
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
	if r.guess[at] == k {
		r.misses /= 2
		return
	}
	r.misses = min(r.misses+1, 4*manyMisses)
	r.guess[at] = k
}

// entry reads the entry of a map at b[i] and returns the slot of its key and the
// bounds of its value.
func (r *mapReader) entry(b []byte, i, at int) (k, lo, hi int) {
	lo, hi, ok := plain.Message(b, i, plain.Tag1)
	if !ok {
		return odd, 0, 0
	}
	e := b[:hi]
	if l := &r.table.lanes[r.expected(at)]; l.size <= hi-lo && string(e[lo:lo+l.size]) == l.head {
		k = r.guess[at]
		lo += l.size - 1
	} else {
		name, next, ok := plain.Message(e, lo, plain.Tag1)
		if !ok || next == hi || e[next] != plain.Tag2 {
			return odd, 0, 0
		}
		if name-lo != 1+wire.SizeVarint(uint64(next-name)) { // padded: its head is not that of a lane
			return odd, 0, 0
		}
		if k = r.table.hashed.find(r.table.lanes, e[lo:next+1]); k >= 0 {
			r.learn(at, k)
		}
		lo = next
	}
	lo, end, ok := plain.Message(e, lo, plain.Tag2)
	if !ok || end != hi {
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
		var lo, hi int
		k := r.expected(at)
		l := &lanes[k]
		// First the entry of the key that followed last time, with lengths of a byte each.
		v := i + 2 + l.size // where the length of the value stands
		if l.size < end-i-2 && record[i] == plain.Tag1 && int(record[v])+l.size+1 == int(record[i+1]) && record[i+1] < 0x80 && string(record[i+2:v]) == l.head {
			lo, hi = v+1, v+1+int(record[v])
			if hi > end {
				return false
			}
		} else {
			if k, lo, hi = r.entry(record[:end], i, at); k < 0 {
				if k == odd {
					return false
				}
				i = hi
				continue
			}
			l = &lanes[k]
		}
		i, at = hi, k
		s := &slots[k]
		if s.round == b.round {
			return false
		}
		s.round = b.round
		f.seen++
		c := &b.cols[l.column]
		switch l.op {
		case keepIt:
			s.raw = record[lo:hi]
			continue
		case oneInt64:
			if v, ok := plain.Int64(record[:hi], lo); ok {
				c.ints = append(c.ints, v)
				continue
			}
		case oneFloat:
			if v, ok := plain.Float(record[:hi], lo); ok {
				c.floats = append(c.floats, v)
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

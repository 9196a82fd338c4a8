package stats

import (
	"encoding/binary"
	"math"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
)

// The fast way to read a map of features. It knows the one form that every writer
// writes: every field in its usual place and in one piece, every name once. Of
// anything else it says so, and the map is read again by way of package example. What
// it accepts means the same there.

// A head is how an entry of a map begins whose key is a name: its tag and length, and
// the tag of what follows. Its first and its last eight bytes are compared as words, and what
// is between them if it is longer.
type head struct {
	first, last, mask uint64 // mask says which of their bits are its own
	size, tail        int    // tail is where the last bytes begin
	reach             int    // so many bytes are looked at
	text              string
}

// headOf returns the head of a name. It stands nowhere if its length takes more than a
// byte.
func headOf(name string) head {
	if len(name) > 0x7f {
		return head{reach: math.MaxInt}
	}
	text := string([]byte{canonical.Tag1, byte(len(name))}) + name + string(rune(canonical.Tag2))
	h := head{size: len(text), tail: max(len(text)-8, 0), reach: max(len(text), 8), text: text}
	var b [8]byte
	copy(b[:], text)
	h.first = binary.LittleEndian.Uint64(b[:])
	copy(b[:], text[h.tail:])
	h.last = binary.LittleEndian.Uint64(b[:])
	h.mask = ^uint64(0) >> (8 * max(8-h.size, 0))
	return h
}

// stands reports whether the head stands at b[i]. It may say no where only a few bytes
// follow.
func (h *head) stands(b []byte, i int) bool {
	return h.reach <= len(b)-i &&
		binary.LittleEndian.Uint64(b[i:])&h.mask == h.first &&
		binary.LittleEndian.Uint64(b[i+h.tail:])&h.mask == h.last &&
		(h.size <= 16 || string(b[i+8:i+h.tail]) == h.text[8:h.tail])
}

// fast reads the features of the Example or SequenceExample msg that are in the map of
// field 1. If it returns false, what it has added must be cut off again.
func (a *Accumulator) fast(msg []byte, g group) bool {
	last := int32(-1)
	for i := 0; i < len(msg); {
		lo, hi, ok := canonical.Message(msg, i, canonical.Tag1)
		if !ok {
			return false
		}
		if last, ok = a.fastMap(msg[:hi], lo, g, last); !ok {
			return false
		}
		i = hi
	}
	return true
}

// fastMap reads the entries of msg from i on.
func (a *Accumulator) fastMap(msg []byte, i int, g group, last int32) (int32, bool) {
	t := a.table
	for i < len(msg) {
		id := t.guess(g, last)
		if id >= 0 {
			if f := &t.fields[id]; f.form.stands(msg, i) && f.mark != a.mark {
				hi := i + f.form.total
				if !f.one(msg[:hi], i+f.form.size-canonical.HeadSize) {
					return last, false
				}
				f.mark = a.mark
				i, last = hi, id
				continue
			}
		}
		lo, hi := i+2, 0
		if len(msg)-i < 2 || msg[i] != canonical.Tag1 {
			return last, false
		}
		if hi = lo + int(msg[i+1]); msg[i+1] >= 0x80 || hi > len(msg) {
			var ok bool
			if lo, hi, ok = canonical.Message(msg, i, canonical.Tag1); !ok {
				return last, false
			}
		}
		v := 0
		if id >= 0 && t.fields[id].head.stands(msg[:hi], lo) { // the name that followed last time
			v = lo + t.fields[id].head.size - 1
		} else {
			name, next, ok := canonical.Message(msg[:hi], lo, canonical.Tag1)
			if !ok {
				return last, false
			}
			if id, v = t.find(g, msg[name:next], last), next; id < 0 {
				return last, false
			}
		}
		at, end, ok := canonical.Message(msg[:hi], v, canonical.Tag2)
		f := &t.fields[id]
		if !ok || end != hi || f.mark == a.mark {
			return last, false
		}
		if f.to != nil && f.one(msg[:hi], at) {
			f.form.learn(msg[i:hi], at+canonical.HeadSize-i, a.mark)
		} else if !a.rec.plain(f, id, msg[:hi], at) {
			return last, false
		}
		f.mark = a.mark
		i, last = hi, id
	}
	return last, true
}

// A direct is a list that a record has added to a column whose numbers are read to where they
// are kept.
type direct struct {
	to    *column
	id    int32 // of the field
	count int
}

// plain adds the entry of a Feature, which is b[i:].
func (r *record) plain(f *field, id int32, b []byte, i int) bool {
	f.single = false
	if f.to != nil && i < len(b) {
		switch values := f.to.numbers.values; {
		case b[i] == canonical.Int64Tag && f.to.kind == example.Int64List:
			before := values.Ints()
			all, ok := canonical.AppendInt64s(before, b, i)
			if ok {
				values.SetInts(all)
				r.direct = append(r.direct, direct{f.to, id, len(all) - len(before)})
			}
			return ok
		case b[i] == canonical.FloatTag && f.to.kind == example.FloatList:
			before := values.Floats()
			all, ok := canonical.AppendFloats(before, b, i)
			if ok {
				values.SetFloats(all)
				r.direct = append(r.direct, direct{f.to, id, len(all) - len(before)})
			}
			return ok
		}
	}
	f.entry = int32(len(r.entries))
	e := entry{field: id}
	if i == len(b) || !f.listed && !f.read {
		r.entries = append(r.entries, e)
		return true
	}
	var ok bool
	switch b[i] {
	case canonical.Int64Tag:
		e.kind, e.lo = example.Int64List, len(r.ints)
		var v int64
		if v, ok = canonical.Int64(b, i); ok {
			r.ints = append(r.ints, v)
		} else {
			r.ints, ok = canonical.AppendInt64s(r.ints, b, i)
		}
		e.hi = len(r.ints)
	case canonical.FloatTag:
		e.kind, e.lo = example.FloatList, len(r.floats)
		var v float32
		if v, ok = canonical.Float(b, i); ok {
			r.floats = append(r.floats, v)
		} else {
			r.floats, ok = canonical.AppendFloats(r.floats, b, i)
		}
		e.hi = len(r.floats)
	case canonical.BytesTag:
		e.kind, e.lo = example.BytesList, len(r.bytes)
		ok = r.plainBytes(b, i)
		e.hi = len(r.bytes)
	}
	f.last = e.kind
	r.entries = append(r.entries, e)
	return ok
}

func (r *record) plainBytes(b []byte, i int) bool {
	if v, ok := canonical.Bytes(b, i); ok {
		r.bytes = append(r.bytes, v)
		return true
	}
	i, ok := canonical.List(b, i)
	for ok && i < len(b) {
		var lo, hi int
		if lo, hi, ok = canonical.Message(b, i, canonical.Tag1); ok {
			r.bytes = append(r.bytes, b[lo:hi])
			i = hi
		}
	}
	return ok
}

package stats

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/plain"
)

// The fast way to read a map of features. It knows the one form that every writer
// writes: every field in its usual place and in one piece, every name once. Of
// anything else it says so, and the map is read again by way of package example. What
// it accepts means the same there.

// headOf is how an entry of a map begins whose key is name: its tag and length, and the
// tag of what follows. It is "" for a name whose length takes more than a byte.
func headOf(name string) string {
	if len(name) > 0x7f {
		return ""
	}
	return string([]byte{plain.Tag1, byte(len(name))}) + name + string(rune(plain.Tag2))
}

// fast reads the features of the Example or SequenceExample msg that are in the map of
// field 1. If it returns false, what it has added must be cut off again.
func (a *Accumulator) fast(msg []byte, g group) bool {
	last := int32(-1)
	for i := 0; i < len(msg); {
		lo, hi, ok := plain.Message(msg, i, plain.Tag1)
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
		id, at, hi := t.guess(g, last), 0, 0
		// First the entry of the name that followed last time, with lengths of a byte each.
		if head := t.head(id); head != "" && len(msg)-i > 2+len(head) && msg[i] == plain.Tag1 && msg[i+1] < 0x80 &&
			int(msg[i+2+len(head)])+len(head)+1 == int(msg[i+1]) && string(msg[i+2:i+2+len(head)]) == head {
			at, hi = i+3+len(head), i+2+int(msg[i+1])
			if hi > len(msg) {
				return last, false
			}
		} else {
			lo, end, ok := plain.Message(msg, i, plain.Tag1)
			if !ok {
				return last, false
			}
			name, next, ok := plain.Message(msg[:end], lo, plain.Tag1)
			if !ok {
				return last, false
			}
			if at, hi, ok = plain.Message(msg[:end], next, plain.Tag2); !ok || hi != end {
				return last, false
			}
			id = t.find(g, msg[name:next], last)
		}
		f := &t.fields[id]
		if f.mark == a.mark || !a.rec.plain(f, id, msg[:hi], at) {
			return last, false
		}
		f.mark = a.mark
		i, last = hi, id
	}
	return last, true
}

// head is the head of a field; "" without one.
func (t *fieldTable) head(id int32) string {
	if id < 0 {
		return ""
	}
	return t.fields[id].head
}

// plain adds the entry of a Feature, which is b[i:].
func (r *record) plain(f *field, id int32, b []byte, i int) bool {
	f.entry = int32(len(r.entries))
	e := entry{field: id}
	if i == len(b) || !f.listed && !f.read {
		r.entries = append(r.entries, e)
		return true
	}
	var ok bool
	switch b[i] {
	case plain.Int64Tag:
		e.kind, e.lo = example.Int64List, len(r.ints)
		var v int64
		if v, ok = plain.Int64(b, i); ok {
			r.ints = append(r.ints, v)
		} else {
			r.ints, ok = plain.AppendInt64s(r.ints, b, i)
		}
		e.hi = len(r.ints)
	case plain.FloatTag:
		e.kind, e.lo = example.FloatList, len(r.floats)
		var v float32
		if v, ok = plain.Float(b, i); ok {
			r.floats = append(r.floats, v)
		} else {
			r.floats, ok = plain.AppendFloats(r.floats, b, i)
		}
		e.hi = len(r.floats)
	case plain.BytesTag:
		e.kind, e.lo = example.BytesList, len(r.bytes)
		ok = r.plainBytes(b, i)
		e.hi = len(r.bytes)
	}
	f.last = e.kind
	r.entries = append(r.entries, e)
	return ok
}

func (r *record) plainBytes(b []byte, i int) bool {
	if v, ok := plain.Bytes(b, i); ok {
		r.bytes = append(r.bytes, v)
		return true
	}
	i, ok := plain.List(b, i)
	for ok && i < len(b) {
		var lo, hi int
		if lo, hi, ok = plain.Message(b, i, plain.Tag1); ok {
			r.bytes = append(r.bytes, b[lo:hi])
			i = hi
		}
	}
	return ok
}

package example

import (
	"bytes"
	"slices"

	"github.com/tfparse/tfparse/internal/wire"
)

// A Builder encodes an Example without intermediate maps or values. The zero
// value is empty. Each name may be added once. Once it has grown to the size
// of its messages, a Builder that is Reset allocates nothing.
type Builder struct {
	buf     []byte  // encoded map entries, one after another
	entries []added // in the order they were added
	err     *Error
}

// An added entry is a range of Builder.buf, and the range of its name in it.
type added struct {
	lo, hi     int
	name, next int
}

// Int64s adds an int64_list; it copies.
func (b *Builder) Int64s(name string, v ...int64) { b.add(name, Int64s(v...)) }

// Floats adds a float_list; it copies.
func (b *Builder) Floats(name string, v ...float32) { b.add(name, Floats(v...)) }

// Bytes adds a bytes_list; it copies.
func (b *Builder) Bytes(name string, v ...[]byte) { b.add(name, Bytes(v...)) }

// Strings adds a bytes_list; it copies.
func (b *Builder) Strings(name string, v ...string) {
	var size int64
	for _, s := range v {
		size += wire.SizeField(int64(len(s)))
	}
	if !b.begin(name, wire.SizeField(size)) {
		return
	}
	b.buf = wire.AppendHeader(b.buf, int32(BytesList), size)
	for _, s := range v {
		b.buf = append(wire.AppendHeader(b.buf, 1, int64(len(s))), s...)
	}
	b.end()
}

// Unset adds a feature without kind.
func (b *Builder) Unset(name string) { b.add(name, Value{}) }

// Value adds v, whatever its kind; it copies.
func (b *Builder) Value(name string, v Value) {
	if v.Kind() == Malformed {
		b.fail(&Error{Offset: -1, Feature: name, Frame: -1, Err: ErrValue, Want: "values of one kind", Got: "several"})
		return
	}
	b.add(name, v)
}

func (b *Builder) add(name string, v Value) {
	l := v.layout()
	if b.begin(name, l.feature) {
		b.buf = v.append(b.buf, l)
		b.end()
	}
}

// begin appends an entry up to its value of the given size. It returns false
// if the message would become too large to be read.
func (b *Builder) begin(name string, size int64) bool {
	if n := wire.SizeField(entrySize(name, size)) + int64(len(b.buf)); wire.SizeField(n) > maxSize {
		b.fail(tooLarge(n))
	}
	if b.err != nil {
		return false
	}
	e := added{lo: len(b.buf)}
	b.buf = appendEntry(b.buf, name, size)
	e.next = len(b.buf) - int(wire.SizeField(size)-size)
	e.name = e.next - len(name)
	b.entries = append(b.entries, e)
	return true
}

func (b *Builder) end() { b.entries[len(b.entries)-1].hi = len(b.buf) }

func (b *Builder) fail(e *Error) {
	if b.err == nil {
		b.err = e
	}
}

// AppendBinary appends the encoded Example to dst, as [Example.AppendBinary]
// does. The error tells what could not be encoded: the first value that has
// several kinds, a name that was added twice, or a message that grew too
// large. What was added stays until Reset.
func (b *Builder) AppendBinary(dst []byte) ([]byte, error) {
	if b.err != nil {
		return dst, b.err
	}
	if len(b.entries) == 0 {
		return dst, nil
	}
	byName := func(x, y added) int { return bytes.Compare(b.buf[x.name:x.next], b.buf[y.name:y.next]) }
	if !slices.IsSortedFunc(b.entries, byName) {
		slices.SortFunc(b.entries, byName)
	}
	for i, e := range b.entries[1:] {
		if byName(b.entries[i], e) == 0 {
			name := string(b.buf[e.name:e.next])
			return dst, &Error{Offset: -1, Feature: name, Frame: -1, Err: ErrValue, Want: "each name once", Got: "it twice"}
		}
	}
	dst = slices.Grow(dst, int(wire.SizeField(int64(len(b.buf)))))
	dst = wire.AppendHeader(dst, fieldFeatures, int64(len(b.buf)))
	for _, e := range b.entries {
		dst = append(dst, b.buf[e.lo:e.hi]...)
	}
	return dst, nil
}

// Reset empties the Builder and keeps its memory.
func (b *Builder) Reset() {
	b.buf, b.entries, b.err = b.buf[:0], b.entries[:0], nil
}

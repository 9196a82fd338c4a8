package example

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/internal/encode"
	"github.com/tfparse/tfparse/internal/wire"
)

// A Value is the value of a feature: at most one field is not nil. The zero
// Value is a feature without kind; an empty list that is not nil is a kind
// without values, which TensorFlow treats differently.
type Value struct {
	Bytes  [][]byte
	Floats []float32
	Int64s []int64
}

// Bytes returns a bytes_list that aliases v.
func Bytes(v ...[]byte) Value {
	if v == nil {
		v = [][]byte{}
	}
	return Value{Bytes: v}
}

// Strings returns a bytes_list of v.
func Strings(v ...string) Value {
	b := make([][]byte, len(v))
	for i, s := range v {
		b[i] = []byte(s)
	}
	return Value{Bytes: b}
}

// Floats returns a float_list that aliases v.
func Floats(v ...float32) Value {
	if v == nil {
		v = []float32{}
	}
	return Value{Floats: v}
}

// Int64s returns an int64_list that aliases v.
func Int64s(v ...int64) Value {
	if v == nil {
		v = []int64{}
	}
	return Value{Int64s: v}
}

// Kind reports the kind: Unset if all fields are nil, Malformed if more than
// one is not.
func (v Value) Kind() Kind {
	k, n := Unset, 0
	if v.Bytes != nil {
		k, n = BytesList, n+1
	}
	if v.Floats != nil {
		k, n = FloatList, n+1
	}
	if v.Int64s != nil {
		k, n = Int64List, n+1
	}
	if n > 1 {
		return Malformed
	}
	return k
}

// Len reports the number of values.
func (v Value) Len() int { return len(v.Bytes) + len(v.Floats) + len(v.Int64s) }

// Equal reports whether kind and values are the same. Floats are compared by
// their bits: a NaN equals itself, and 0 is not -0.
func (v Value) Equal(w Value) bool {
	return v.Kind() == w.Kind() && slices.EqualFunc(v.Bytes, w.Bytes, bytes.Equal) &&
		slices.EqualFunc(v.Floats, w.Floats, sameBits) && slices.Equal(v.Int64s, w.Int64s)
}

// minSize returns a lower bound of the encoded size: the size of all values, with one byte
// for each integer.
func (v Value) minSize() int64 {
	n := 4*int64(len(v.Floats)) + int64(len(v.Int64s))
	for _, b := range v.Bytes {
		n += int64(len(b))
	}
	return n
}

// writeTo writes the Feature message. The caller has checked the kind.
func (v Value) writeTo(b *encode.Buffer) {
	switch v.Kind() {
	case BytesList:
		encode.Bytes(b, v.Bytes)
	case FloatList:
		b.Floats(v.Floats)
	case Int64List:
		b.Int64s(v.Int64s)
	}
}

// A Builder encodes an Example without intermediate maps or values. The zero
// value is empty. Each name may be added once. Once it has grown to the size
// of its messages, a Builder that is Reset allocates nothing.
type Builder struct {
	buf     encode.Buffer  // the encoded entries; it grows to the front
	entries []builderEntry // in the order in which they were added
	err     *Error         // the first error since Reset
}

// A builderEntry is an encoded map entry: a range of Builder.buf.
type builderEntry struct {
	name   string
	lo, hi int // counted from the end of the buffer
}

// Add adds a feature; it copies v. The zero Value is a feature without kind.
func (b *Builder) Add(name string, v Value) {
	if v.Kind() == Malformed {
		b.fail(errSeveralKinds("", name, -1))
		return
	}
	if b.canAdd(name, v.minSize()) {
		lo := b.buf.Len()
		v.writeTo(&b.buf)
		b.endEntry(name, lo)
	}
}

// AddStrings adds a bytes_list of strings, without the copy that [Strings] makes of them.
func (b *Builder) AddStrings(name string, v ...string) {
	least := int64(0)
	for _, s := range v {
		least += int64(len(s))
	}
	if b.canAdd(name, least) {
		lo := b.buf.Len()
		encode.Bytes(&b.buf, v)
		b.endEntry(name, lo)
	}
}

// canAdd reports whether a feature of at least minSize bytes may be added.
func (b *Builder) canAdd(name string, minSize int64) bool {
	if n := int64(b.buf.Len()) + int64(len(name)) + minSize; n > maxSize {
		b.fail(errSize(n))
	}
	return b.err == nil
}

// endEntry makes an entry of the value that was written since lo.
func (b *Builder) endEntry(name string, lo int) {
	b.buf.Entry(name, lo)
	b.entries = append(b.entries, builderEntry{name, lo, b.buf.Len()})
}

func (b *Builder) fail(e *Error) {
	if b.err == nil {
		b.err = e
	}
}

// AppendBinary appends the encoded Example to dst, as [Example.AppendBinary]
// does. The error is about the first value of several kinds, a name that was added
// twice, or the size of the message. The features stay until Reset.
func (b *Builder) AppendBinary(dst []byte) ([]byte, error) {
	if b.err != nil {
		return dst, b.err
	}
	if len(b.entries) == 0 {
		return dst, nil
	}
	byName := func(x, y builderEntry) int { return strings.Compare(x.name, y.name) }
	if !slices.IsSortedFunc(b.entries, byName) {
		slices.SortFunc(b.entries, byName)
	}
	for i, e := range b.entries[1:] {
		if b.entries[i].name == e.name {
			return dst, &Error{Path: PathTo("", e.name), Err: ErrValue, Want: "each name once", Got: "it twice"}
		}
	}
	size := int64(b.buf.Len())
	if wire.SizeField(size) > maxSize {
		return dst, errSize(size)
	}
	dst = slices.Grow(dst, int(wire.SizeField(size)))
	dst = wire.AppendHeader(dst, fieldFeatures, size)
	entries := b.buf.Bytes()
	for _, e := range b.entries {
		dst = append(dst, entries[len(entries)-e.hi:len(entries)-e.lo]...)
	}
	return dst, nil
}

// Reset empties the Builder and keeps its memory.
func (b *Builder) Reset() {
	b.buf.Reset()
	clear(b.entries)
	b.entries, b.err = b.entries[:0], nil
}

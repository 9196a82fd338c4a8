// Package encode writes Examples, SequenceExamples and lists of Examples as bytes. It is
// the one encoder of the module: packages example, feature and feature/bind all write
// through it, so equal data are equal bytes whichever of them wrote.
//
// A message stands behind its length, which depends on all lengths inside it. A Buffer is
// filled from its end to its beginning, as protobuf's sized marshalers do: a message is
// written before its length, so no length is computed twice or guessed. The order of
// calls is therefore that of the bytes, reversed: the last value first, then the name of
// its entry, then the entry before it.
//
//	mark := b.Len()
//	b.Int64s(values)      // the feature
//	b.Entry(name, mark)   // an entry of the map: the name, and what was written since mark
//	b.Field(1, mark)      // the map, as field 1 of the message
package encode

import "github.com/tfparse/tfparse/internal/wire"

// The numbers of the lists in a Feature, and of the values in a list.
const (
	fieldBytes  = 1
	fieldFloats = 2
	fieldInt64s = 3
	fieldValues = 1
)

// A Buffer holds what was written so far. The zero value is empty. It belongs to one
// goroutine.
type Buffer struct {
	b  []byte
	at int // what was written is b[at:]
}

// Reset empties b and keeps its memory.
func (b *Buffer) Reset() { b.at = len(b.b) }

// Len returns the number of bytes that were written. Before a message is written it is
// the mark that ends the message: see Field and Entry.
func (b *Buffer) Len() int { return len(b.b) - b.at }

// Bytes returns what was written, lent until the next call of another method.
func (b *Buffer) Bytes() []byte { return b.b[b.at:] }

// Since returns what was written since Len returned mark, lent as Bytes is.
func (b *Buffer) Since(mark int) []byte { return b.b[b.at : len(b.b)-mark] }

// reserve makes room for n bytes in front of what was written.
func (b *Buffer) reserve(n int) {
	if b.at >= n {
		return
	}
	used := b.Len()
	grown := make([]byte, max(2*len(b.b), used+n, 512))
	copy(grown[len(grown)-used:], b.Bytes())
	b.b, b.at = grown, len(grown)-used
}

// Varint writes a varint.
func (b *Buffer) Varint(v uint64) {
	n := wire.SizeVarint(v)
	b.reserve(n)
	b.at -= n
	wire.AppendVarint(b.b[b.at:b.at], v)
}

// Field makes a field of what was written since Len returned mark: it writes its length
// and its tag.
func (b *Buffer) Field(num int32, mark int) { b.header(num, b.Len()-mark) }

// header writes the tag and the length of a field of size bytes. The numbers of fields
// here are less than 16.
func (b *Buffer) header(num int32, size int) {
	tag := byte(num)<<3 | byte(wire.TypeBytes)
	if size < 0x80 && b.at >= 2 { // most are
		b.at -= 2
		b.b[b.at], b.b[b.at+1] = tag, byte(size)
		return
	}
	b.Varint(uint64(size))
	b.reserve(1)
	b.at--
	b.b[b.at] = tag
}

// Entry makes an entry of a map, with the given name, of what was written since Len
// returned mark.
func (b *Buffer) Entry(name string, mark int) {
	b.Field(2, mark)
	write(b, name)
	b.header(1, len(name))
	b.Field(1, mark)
}

// Int64s writes a Feature that has an int64_list, packed.
func (b *Buffer) Int64s(v []int64) {
	mark := b.Len()
	if len(v) > 0 {
		b.packInt64s(v)
		b.Field(fieldValues, mark)
	}
	b.Field(fieldInt64s, mark)
}

// Floats writes a Feature that has a float_list, packed.
func (b *Buffer) Floats(v []float32) {
	mark := b.Len()
	if n := 4 * len(v); n > 0 {
		b.reserve(n)
		b.at -= n
		wire.AppendPackedFloats(b.b[b.at:b.at], v)
		b.Field(fieldValues, mark)
	}
	b.Field(fieldFloats, mark)
}

// Bytes writes a Feature that has a bytes_list.
func Bytes[T string | []byte](b *Buffer, v []T) {
	mark := b.Len()
	for i := len(v) - 1; i >= 0; i-- {
		write(b, v[i])
		b.header(fieldValues, len(v[i]))
	}
	b.Field(fieldBytes, mark)
}

// write writes bytes as they are.
func write[T string | []byte](b *Buffer, s T) {
	b.reserve(len(s))
	b.at -= len(s)
	copy(b.b[b.at:], s)
}

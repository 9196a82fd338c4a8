// Package encode encodes Examples, SequenceExamples and ExampleListWithContexts. It is the only
// encoder of the module: packages example, feature and feature/bind write through it, so they write
// equal bytes for equal data.
//
// In protobuf a message follows its length, which depends on all lengths inside it. A Buffer is
// therefore filled from the end to the beginning, as protobuf's sized marshalers do: a message is
// written before its length, so no length is computed twice or guessed. Calls come in the reverse
// order of the bytes: the last value first, then the name of its entry, then the preceding entry.
//
//	mark := b.Len()
//	b.Int64s(values)      // the feature
//	b.Entry(name, mark)   // an entry of the map: the name, and the bytes written since mark
//	b.Field(1, mark)      // the map, as field 1 of the message
package encode

import "github.com/tfparse/tfparse/internal/wire"

// The field numbers of the lists in a Feature, and of the values in a list.
const (
	fieldBytes  = 1
	fieldFloats = 2
	fieldInt64s = 3
	fieldValues = 1
)

// Buffer holds encoded bytes. The zero value is empty. Not safe for concurrent use.
type Buffer struct {
	b  []byte // filled from its end
	at int    // the written bytes are b[at:]
}

// Reset empties b and keeps its memory.
func (b *Buffer) Reset() { b.at = len(b.b) }

// Len returns the number of bytes written. The caller saves it as the mark before it writes a
// message, for Field and Entry.
func (b *Buffer) Len() int { return len(b.b) - b.at }

// Bytes returns the bytes written, valid until the next call of another method.
func (b *Buffer) Bytes() []byte { return b.b[b.at:] }

// Since returns the bytes written since Len returned mark, valid as long as those of Bytes.
func (b *Buffer) Since(mark int) []byte { return b.b[b.at : len(b.b)-mark] }

// reserve ensures capacity for n bytes before the bytes written.
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

// Field writes the length and the tag of a field. Its body is the bytes written since Len returned
// mark.
func (b *Buffer) Field(num int32, mark int) { b.header(num, b.Len()-mark) }

// header writes the tag and the length of a field of size bytes. num must be less than 16.
func (b *Buffer) header(num int32, size int) {
	tag := byte(num)<<3 | byte(wire.TypeBytes)
	if size < 0x80 && b.at >= 2 { // most fields
		b.at -= 2
		b.b[b.at], b.b[b.at+1] = tag, byte(size)
		return
	}
	b.Varint(uint64(size))
	b.reserve(1)
	b.at--
	b.b[b.at] = tag
}

// Entry writes the name and the header of a map entry. Its value is the bytes written since Len
// returned mark.
func (b *Buffer) Entry(name string, mark int) {
	b.Field(2, mark)
	write(b, name)
	b.header(1, len(name))
	b.Field(1, mark)
}

// Int64s writes a Feature with an int64_list, packed.
func (b *Buffer) Int64s(v []int64) {
	mark := b.Len()
	if len(v) > 0 {
		b.packInt64s(v)
		b.Field(fieldValues, mark)
	}
	b.Field(fieldInt64s, mark)
}

// Floats writes a Feature with a float_list, packed.
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

// Bytes writes a Feature with a bytes_list.
func Bytes[T string | []byte](b *Buffer, v []T) {
	mark := b.Len()
	for i := len(v) - 1; i >= 0; i-- {
		write(b, v[i])
		b.header(fieldValues, len(v[i]))
	}
	b.Field(fieldBytes, mark)
}

// write writes bytes without a header.
func write[T string | []byte](b *Buffer, s T) {
	b.reserve(len(s))
	b.at -= len(s)
	copy(b.b[b.at:], s)
}

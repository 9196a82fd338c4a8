package canonical

import (
	"encoding/binary"

	"github.com/tfparse/tfparse/internal/simd"
	"github.com/tfparse/tfparse/internal/wire"
)

// The tags, by field number. The values in a list have Tag1.
const (
	Tag1 = 0x0a
	Tag2 = 0x12
	Tag3 = 0x1a
)

// The tags of the lists in a Feature.
const (
	BytesTag = Tag1
	FloatTag = Tag2
	Int64Tag = Tag3
)

// Functions that read a Feature take the message truncated at the end of the Feature, and the
// position where the Feature begins.

// Field reads the field at b[i] of a message whose fields are messages, such as Example: its
// number, 1 or 2, and the bounds of its body. The number is 0 for any other tag, or if the field is truncated.
func Field(b []byte, i int) (number, lo, hi int) {
	lo, hi, ok := Message(b, i, Tag1)
	if ok {
		return 1, lo, hi
	}
	if lo, hi, ok = Message(b, i, Tag2); ok {
		return 2, lo, hi
	}
	return 0, 0, 0
}

// Message reads a tag at b[i], which must equal tag, and a length, and returns the bounds of the
// body.
func Message(b []byte, i int, tag byte) (lo, hi int, ok bool) {
	if len(b)-i < 2 || b[i] != tag {
		return 0, 0, false
	}
	if n := int(b[i+1]); n < 0x80 && n <= len(b)-i-2 {
		return i + 2, i + 2 + n, true
	}
	lo, hi = wire.Length(b, i+1)
	return lo, hi, lo > 0
}

// Head returns the first HeadSize bytes of a Feature of n bytes, as a little-endian integer, if the Feature is one
// list with one packed chunk, or with one byte string, and each length has one byte.
func Head(tag byte, n int) uint32 { return uint32(tag) | Tag1<<16 | uint32(n-2)<<8 | uint32(n-4)<<24 }

// HeadSize is the number of bytes that Head returns.
const HeadSize = 4

// shortest and longest are the smallest and the largest size of a Feature for which Head is valid.
const (
	shortest = HeadSize
	longest  = 0x7f + 2
)

// Chunk returns where the only chunk of the list begins: the packed numbers, or the only value of a bytes list. The
// chunk ends where the Feature ends. It is empty if the Feature has no kind or the list is empty.
func Chunk(b []byte, i int, tag byte) (lo int, ok bool) {
	if n := len(b) - i; n >= shortest && n <= longest && binary.LittleEndian.Uint32(b[i:]) == Head(tag, n) {
		return i + 4, true
	}
	return chunk(b, i, tag)
}

// two returns n as a varint of two bytes.
func two(n int) uint64 { return uint64(n&0x7f | 0x80 | n>>7<<8) }

// chunk is Chunk for lengths of more than one byte and for empty lists.
func chunk(b []byte, i int, tag byte) (int, bool) {
	if i == len(b) {
		return i, true
	}
	if n := len(b) - i; n >= 6+0x80 && n < 1<<14 && binary.LittleEndian.Uint64(b[i:])<<16>>16 == uint64(tag)|two(n-3)<<8|Tag1<<24|two(n-6)<<32 {
		return i + 6, true
	}
	lo, hi, ok := Message(b, i, tag)
	if !ok || hi < len(b) {
		return 0, false
	}
	if lo == hi {
		return lo, true
	}
	lo, hi, ok = Message(b, lo, Tag1)
	return lo, ok && hi == len(b)
}

// Int64 reads the value of a Feature with one value. It rejects lists of any other length.
func Int64(b []byte, i int) (v int64, ok bool) {
	n := len(b) - i
	if n <= shortest || n > longest || binary.LittleEndian.Uint32(b[i:]) != Head(Int64Tag, n) {
		return 0, false
	}
	return wire.LastVarint(b, n-shortest)
}

// Float reads the value of a Feature with one value.
func Float(b []byte, i int) (v float32, ok bool) {
	if len(b)-i != 8 || binary.LittleEndian.Uint32(b[i:]) != Head(FloatTag, 8) {
		return 0, false
	}
	return wire.Float(b[i+4:]), true
}

// Bytes reads the value of a Feature with one value. The result aliases b.
func Bytes(b []byte, i int) (v []byte, ok bool) {
	n := len(b) - i
	if n >= shortest && n <= longest && binary.LittleEndian.Uint32(b[i:]) == Head(BytesTag, n) {
		return b[i+4:], true
	}
	lo, hi, ok := Message(b, i, BytesTag)
	if !ok || hi < len(b) {
		return nil, false
	}
	if lo, hi, ok = Message(b, lo, Tag1); !ok || hi < len(b) {
		return nil, false
	}
	return b[lo:], true
}

// AppendInt64s appends the values to dst. It may overwrite dst[len:cap] after the result.
func AppendInt64s(dst []int64, b []byte, i int) ([]int64, bool) {
	lo, ok := Chunk(b, i, Int64Tag)
	if !ok {
		return dst, false
	}
	dst, _, next := wire.FillInt64s(dst, b, lo)
	return dst, next >= 0
}

// AppendFloats appends the values to dst.
func AppendFloats(dst []float32, b []byte, i int) ([]float32, bool) {
	lo, ok := Chunk(b, i, FloatTag)
	if !ok || (len(b)-lo)%4 != 0 {
		return dst, false
	}
	return simd.AppendFloats(dst, b[lo:]), true
}

// List returns where the body of a bytes list begins. The list must fill the Feature, so the body ends where the
// Feature ends. Its values are fields with Tag1. A Feature without a kind counts as an empty list.
func List(b []byte, i int) (lo int, ok bool) {
	if i == len(b) {
		return i, true
	}
	lo, hi, ok := Message(b, i, BytesTag)
	return lo, ok && hi == len(b)
}

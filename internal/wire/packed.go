package wire

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

const msb = 0x8080808080808080 // the continuation bits of eight bytes

// CountVarints is the number of varints that end in b, sound or not.
func CountVarints(b []byte) int {
	more := 0 // bytes with the continuation bit
	n := len(b)
	for ; len(b) >= 8; b = b[8:] {
		more += bits.OnesCount64(binary.LittleEndian.Uint64(b) & msb)
	}
	for _, c := range b {
		more += int(c >> 7)
	}
	return n - more
}

// CheckVarints reports whether b holds sound varints and nothing else. It returns
// the position of the first that is not sound and its fault, or 0 and len(b).
func CheckVarints(b []byte) (at, next int) {
	i := 0
	for i < len(b) {
		if len(b)-i >= 8 && binary.LittleEndian.Uint64(b[i:])&msb == 0 {
			i += 8
			continue
		}
		_, next := Varint(b, i)
		if next < 0 {
			return i, next
		}
		i = next
	}
	return 0, i
}

// AppendInt64s appends a packed list of varints to dst, growing it at most
// once. If one is not sound it returns dst as it came, the position of that
// varint in b, and its fault; else 0 and len(b).
func AppendInt64s(dst []int64, b []byte) (vals []int64, at, next int) {
	count := CountVarints(b)
	start := len(dst)
	dst = slices.Grow(dst, count)[:start+count]
	out := dst[start:]
	if count == len(b) { // every varint is one byte
		for i, c := range b {
			out[i] = int64(c)
		}
		return dst, 0, len(b)
	}
	i := 0
	for n := range out {
		if len(b)-i < 2 { // only one byte is left, and it ends a varint
			out[n] = int64(b[i])
			i++
			continue
		}
		c, d := b[i], b[i+1]
		switch {
		case c < 0x80:
			out[n] = int64(c)
			i++
		case d < 0x80:
			out[n] = int64(c&0x7f) | int64(d)<<7
			i += 2
		default:
			if len(b)-i >= 10 {
				v, size := long(b[i : i+10])
				if size > 0 {
					out[n] = v
					i += size
					continue
				}
			}
			v, next := varint(b, i)
			if next < 0 {
				return dst[:start], i, next
			}
			out[n] = int64(v)
			i = next
		}
	}
	if i < len(b) { // the last varint does not end
		_, next := varint(b, i)
		return dst[:start], i, next
	}
	return dst, 0, i
}

// long reads a varint in ten bytes. Its size is 0 if it is not sound.
func long(b []byte) (v int64, size int) {
	x := binary.LittleEndian.Uint64(b)
	if last := ^x & msb; last != 0 {
		bit := bits.TrailingZeros64(last) // the continuation bit of the byte that ends it
		return gather(x & (1<<bit - 1)), bit/8 + 1
	}
	v = gather(x) | int64(b[8]&0x7f)<<56
	switch {
	case b[8] < 0x80:
		return v, 9
	case b[9] <= 1:
		return v | int64(b[9])<<63, 10
	}
	return 0, 0
}

// gather squeezes out the continuation bits of the eight bytes of a varint.
func gather(x uint64) int64 {
	x = x&0x007f007f007f007f | x&0x7f007f007f007f00>>1
	x = x&0x00003fff00003fff | x&0x3fff00003fff0000>>2
	x = x&0x000000000fffffff | x&0x0fffffff00000000>>4
	return int64(x)
}

// AppendFloats appends a packed list of little-endian float32, bit for bit.
// What follows the last whole one is left out: check len(b)%4 first.
func AppendFloats(dst []float32, b []byte) []float32 {
	n := len(b) / 4
	start := len(dst)
	dst = slices.Grow(dst, n)[:start+n]
	out := dst[start:]
	for len(out) >= 4 && len(b) >= 16 {
		out[0] = math.Float32frombits(binary.LittleEndian.Uint32(b))
		out[1] = math.Float32frombits(binary.LittleEndian.Uint32(b[4:]))
		out[2] = math.Float32frombits(binary.LittleEndian.Uint32(b[8:]))
		out[3] = math.Float32frombits(binary.LittleEndian.Uint32(b[12:]))
		out, b = out[4:], b[16:]
	}
	for i := range out {
		out[i] = Float(b[4*i:])
	}
	return dst
}

// Float reads the float32 at the start of b, which must have four bytes.
func Float(b []byte) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b))
}

// AppendPackedInt64s appends v as a packed body.
func AppendPackedInt64s(b []byte, v []int64) []byte {
	for _, x := range v {
		b = AppendVarint(b, uint64(x))
	}
	return b
}

// AppendPackedFloats appends v as a packed body.
func AppendPackedFloats(b []byte, v []float32) []byte {
	b = slices.Grow(b, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

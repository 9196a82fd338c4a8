package wire

import "math/bits"

// Varint reads a varint at b[i]. Padding (more bytes than needed) is allowed, as everywhere in
// protobuf; more than 64 bits are an Overflow.
func Varint(b []byte, i int) (v uint64, next int) {
	if uint(i) < uint(len(b)) && b[i] < 0x80 {
		return uint64(b[i]), i + 1
	}
	return varint(b, i)
}

// varint is Varint without the fast path for one byte.
func varint(b []byte, i int) (v uint64, next int) {
	if i >= len(b) {
		return 0, Truncated
	}
	b = b[i:]
	if len(b) > 10 {
		b = b[:10]
	}
	for n, c := range b {
		v |= uint64(c&0x7f) << (7 * n)
		if c < 0x80 {
			if n == 9 && c > 1 {
				return 0, Overflow
			}
			return v, i + n + 1
		}
	}
	if len(b) == 10 {
		return 0, Overflow
	}
	return 0, Truncated
}

// SizeVarint returns the size of v as a varint, in bytes.
func SizeVarint(v uint64) int {
	return (9*bits.Len64(v|1) + 64) / 64 // one byte per 7 bits, without a division by 7
}

// AppendVarint appends v in its shortest form.
func AppendVarint(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// Length reads the length of a body at b[i] and returns the bounds of the body. If the length is
// damaged or exceeds b, lo is the fault.
func Length(b []byte, i int) (lo, hi int) {
	if uint(i) < uint(len(b)) {
		n := int(b[i])
		if n < 0x80 && n < len(b)-i {
			return i + 1, i + 1 + n
		}
		if i+1 < len(b) && n >= 0x80 && b[i+1] < 0x80 {
			if n += int(b[i+1])<<7 - 0x80; n <= len(b)-i-2 {
				return i + 2, i + 2 + n
			}
		}
	}
	return length(b, i)
}

func length(b []byte, i int) (lo, hi int) {
	n, lo := varint(b, i)
	if lo < 0 {
		return lo, 0
	}
	if n > uint64(len(b)-lo) {
		return Truncated, 0
	}
	return lo, lo + int(n)
}

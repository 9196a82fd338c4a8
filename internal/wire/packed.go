package wire

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/tfparse/tfparse/internal/simd"
)

const msb = 0x8080808080808080 // the continuation bits of eight bytes

// CountVarints returns the number of varints that end in b, valid or not.
func CountVarints(b []byte) int {
	more := 0 // bytes with the continuation bit
	n := len(b)
	for ; len(b) >= 32; b = b[32:] { // four words are combined for one OnesCount64
		x := binary.LittleEndian.Uint64(b)&msb>>7 | binary.LittleEndian.Uint64(b[8:])&msb>>6
		y := binary.LittleEndian.Uint64(b[16:])&msb>>5 | binary.LittleEndian.Uint64(b[24:])&msb>>4
		more += bits.OnesCount64(x | y)
	}
	for ; len(b) >= 8; b = b[8:] {
		more += bits.OnesCount64(binary.LittleEndian.Uint64(b) & msb)
	}
	for _, c := range b {
		more += int(c >> 7)
	}
	return n - more
}

// CheckVarints checks that b consists of valid varints. It returns 0 and len(b), or the position of
// the first invalid varint and its fault.
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

// CountSound returns the number of varints in b[i:]. ok is false if one is invalid or if one has ten
// bytes, whose validity it does not check.
func CountSound(b []byte, i int) (n int, ok bool) {
	if i >= len(b) {
		return 0, i == len(b)
	}
	n = len(b) - i
	if 8 <= n && n <= 64 { // most lists
		more := moreBits(b[len(b)-8:]) << (n - 8)
		for at := 0; at < n-8; at += 8 {
			more |= moreBits(b[i+at:]) << at
		}
		return n - bits.OnesCount64(more), NineBits(more) == 0 && b[len(b)-1] < 0x80
	}
	run := 0                   // number of bytes in a row before b[i] with a continuation bit
	for more := uint64(0); ; { // the continuation bits of up to 64 bytes
		if len(b)-i >= 64 {
			more = MoreBits((*[32]byte)(b[i:])) | MoreBits((*[32]byte)(b[i+32:]))<<32
			i += 64
		} else {
			more = 0
			at := 0
			for ; len(b)-i >= 8; i += 8 {
				more |= moreBits(b[i:]) << at
				at += 8
			}
			if i < len(b) {
				x, left := word(b, i)
				more |= (x & left & msb) * mask >> 56 << at
				i = len(b)
			}
		}
		if more != 0 {
			n -= bits.OnesCount64(more)
			if NineBits(more) != 0 || run+bits.TrailingZeros64(^more) > 8 {
				return 0, false
			}
		}
		if i == len(b) {
			return n, b[i-1] < 0x80
		}
		run = bits.LeadingZeros64(^more)
	}
}

// NineBits returns the bits of more that begin a run of nine. If more is a mask of continuation bits
// and there is no such run, each varint has at most nine bytes.
func NineBits(more uint64) uint64 {
	eight := more & (more >> 1)
	eight &= eight >> 2
	eight &= eight >> 4
	return eight & (more >> 8)
}

// MoreBits returns the continuation bits of 32 bytes, one bit per byte.
func MoreBits(w *[32]byte) uint64 {
	return moreBits(w[:]) | moreBits(w[8:])<<8 | moreBits(w[16:])<<16 | moreBits(w[24:])<<24
}

// moreBits returns the continuation bits of eight bytes, one bit per byte.
func moreBits(b []byte) uint64 { return (binary.LittleEndian.Uint64(b) & msb) * mask >> 56 }

// AppendInt64s appends a packed list of varints to dst, which grows at most once. at is 0 and next
// is len(b). If a varint is invalid, it returns dst unchanged, the position of the varint, and its fault.
func AppendInt64s(dst []int64, b []byte) (vals []int64, at, next int) {
	start := len(dst)
	count := CountVarints(b)
	dst = slices.Grow(dst, count)[:start+count]
	out, i := dst[start:], 0
	for !simd.Wide() && len(b) >= 64 && i < simd.Before {
		v, next := Varint(b, i)
		if next < 0 {
			return dst[:start], i, next
		}
		out[0] = int64(v)
		out, i = out[1:], next
	}
	n, i := simd.Varints(out, b, i)
	if _, at, next = unpack(out[n:], b, i); next < 0 {
		return dst[:start], at, next
	}
	return dst, 0, next
}

// FillInt64s is AppendInt64s for the list b[i:] and for a dst with a capacity of its own: it may
// overwrite dst[len:cap] after the result.
func FillInt64s(dst []int64, b []byte, i int) (vals []int64, at, next int) {
	start := len(dst)
	if cap(dst)-start < len(b)-i { // else the capacity is enough for any count
		dst = slices.Grow(dst, CountVarints(b[i:]))
	}
	out := dst[start:cap(dst)]
	n, i := simd.Varints(out, b, i)
	if i < len(b) {
		var k int
		if k, at, next = unpack(out[n:], b, i); next < 0 {
			return dst[:start], at, next
		}
		n += k
	}
	return dst[:start+n], 0, len(b)
}

// AppendFloats appends a packed list of little-endian float32, bit for bit. It ignores a last
// value of less than four bytes: check len(b)%4 first.
func AppendFloats(dst []float32, b []byte) []float32 { return simd.AppendFloats(dst, b) }

// Float reads the float32 at the start of b, which must have at least four bytes.
func Float(b []byte) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b))
}

// AppendPackedFloats appends v as the body of a packed list.
func AppendPackedFloats(b []byte, v []float32) []byte { return simd.AppendFloatBytes(b, v) }

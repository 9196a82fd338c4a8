package wire

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/tfparse/tfparse/internal/simd"
)

// AppendPackedInt64s appends v as a packed body. AppendVarint, in a loop, does the
// same; this does not branch on the size of each, which is mispredicted most of the
// time: what fits eight bytes is spread out in a register, and eight bytes are
// written, of which the next value overwrites those too many. Where the processor has a
// kernel for it, that does so with eight values at a time, if there is PackRoom behind
// the body.
func AppendPackedInt64s(b []byte, v []int64) []byte {
	const longest, spare = 10, 8
	for {
		n, k := simd.PackVarints(b[len(b):cap(b)], v)
		b, v = b[:len(b)+n], v[k:]
		if len(v) == 0 {
			return b
		}
		part := v[:min(len(v), 64)]
		if room := cap(b) - len(b); room < longest*len(part) {
			size := int(SizePackedInt64s(part))
			if size > room {
				b = slices.Grow(b, size+PackRoom)
				continue
			}
			if room < size+spare { // just enough
				for _, x := range part {
					b = AppendVarint(b, uint64(x))
				}
				v = v[len(part):]
				continue
			}
		}
		b = b[:pack(b[:cap(b)], len(b), part)]
		v = v[len(part):]
	}
}

// PackRoom is how much room AppendPackedInt64s likes to have behind what it appends.
const PackRoom = 64

// pack writes varints from b[i:] on and returns where they end. It writes up to eight
// bytes behind them.
func pack(b []byte, i int, v []int64) int {
	for len(v) >= 8 { // many lists are of small numbers
		w := v[:8:8]
		if uint64(w[0]|w[1]|w[2]|w[3]|w[4]|w[5]|w[6]|w[7]) >= 0x80 {
			i = packAny(b, i, w)
		} else {
			x := w[0] | w[1]<<8 | w[2]<<16 | w[3]<<24 | w[4]<<32 | w[5]<<40 | w[6]<<48 | w[7]<<56
			binary.LittleEndian.PutUint64(b[i:], uint64(x))
			i += 8
		}
		v = v[8:]
	}
	return packAny(b, i, v)
}

func packAny(b []byte, i int, v []int64) int {
	for len(v) >= 2 {
		if u := uint64(v[0] | v[1]); u < 1<<28 { // two of up to four bytes, one in each half
			x := uint64(v[0]) | uint64(v[1])<<32
			x = x&0x00003fff00003fff | x&0x0fffc0000fffc000<<2
			x += x & 0x3f803f803f803f80
			y := x >> 8 & 0x007fffff007fffff // the bytes behind each
			y |= y >> 8 & 0x0000ffff0000ffff
			y |= y >> 8 & 0x0000ffff0000ffff // and all of those
			more := (y + 0x007f7f7f007f7f7f) & msb
			x |= more
			n := 8 + 8*bits.OnesCount64(more&0xffffffff)
			binary.LittleEndian.PutUint64(b[i:], x&0xffffffff|x>>32<<(n&63))
			i += 2 + bits.OnesCount64(more)
		} else {
			for _, s := range v[:2] {
				u := uint64(s)
				if u >= 1<<56 {
					i += binary.PutUvarint(b[i:], u)
					continue
				}
				x := spread(u)
				more := moreOf(x)
				binary.LittleEndian.PutUint64(b[i:], x|more)
				i += 1 + bits.OnesCount64(more)
			}
		}
		v = v[2:]
	}
	if len(v) > 0 {
		i += binary.PutUvarint(b[i:], uint64(v[0]))
	}
	return i
}

// moreOf returns the continuation bits of a varint that is spread out: of all bytes
// before the last that is not 0.
func moreOf(x uint64) uint64 {
	y := x >> 8
	y |= y >> 8
	y |= y >> 16
	y |= y >> 32
	return (y + 0x7f7f7f7f7f7f7f7f) & msb
}

// spread puts the 56 bits of u, seven by seven, into the bytes of a number. It is the
// inverse of gather.
func spread(u uint64) uint64 {
	x := u&0x0fffffff | u&0x00fffffff0000000<<4
	x = x&0x00003fff00003fff | x&0x0fffc0000fffc000<<2
	return x + x&0x3f803f803f803f80 // adding shifts by one
}

// SizePackedInt64s is the size of v as a packed body.
func SizePackedInt64s(v []int64) int64 {
	n := 0
	for _, x := range v {
		n += (bits.Len64(uint64(x)|1)*37 + 222) >> 8 // a seventh, rounded up
	}
	return int64(n)
}

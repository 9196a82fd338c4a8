package encode

import (
	"encoding/binary"
	"math/bits"
)

// packInt64s writes varints, the last value first. A loop over Varint does the same, but branches
// on the size of each value, which is mispredicted most of the time for IDs and takes three times as
// long. Instead, a value of at most eight bytes is spread out in a register, and all eight bytes are
// stored; the next store overwrites the bytes before the varint. TestPack compares the two.
func (b *Buffer) packInt64s(v []int64) {
	const longest, part = binary.MaxVarintLen64, 64
	for len(v) > 0 {
		k := max(len(v)-part, 0)
		b.reserve(longest*(len(v)-k) + 8)
		b.at = pack(b.b, b.at, v[k:])
		v = v[:k]
	}
}

// pack writes the varints of v so that the last one ends at b[at], and returns the position of the
// first one. It may overwrite the eight bytes before that position.
func pack(b []byte, at int, v []int64) int {
	for len(v) >= 8 { // many lists have small numbers only
		w := v[len(v)-8:]
		v = v[:len(v)-8]
		if uint64(w[0]|w[1]|w[2]|w[3]|w[4]|w[5]|w[6]|w[7]) >= 0x80 {
			at = packAny(b, at, w)
			continue
		}
		at -= 8
		binary.LittleEndian.PutUint64(b[at:], uint64(w[0]|w[1]<<8|w[2]<<16|w[3]<<24|w[4]<<32|w[5]<<40|w[6]<<48|w[7]<<56))
	}
	return packAny(b, at, v)
}

// packAny is pack without the test for small numbers.
func packAny(b []byte, at int, v []int64) int {
	for ; len(v) >= 2; v = v[:len(v)-2] {
		u, w := uint64(v[len(v)-2]), uint64(v[len(v)-1])
		if u|w >= 1<<28 {
			at = packOne(b, packOne(b, at, w), u)
			continue
		}
		// Two values of at most four bytes each, one in each half of a word, seven bits per byte.
		x := u | w<<32
		x = x&0x00003fff00003fff | x&0x0fffc0000fffc000<<2
		x += x & 0x3f803f803f803f80 // the addition shifts these bits left by one
		n, m := size(x&0xffffffff), size(x>>32)
		x = x&0xffffffff | x>>32<<(8*n&63)
		x |= (0x808080>>((32-8*n)&63) | 0x808080>>((32-8*m)&63)<<(8*n&63))
		n += m
		binary.LittleEndian.PutUint64(b[at-8:], x<<((64-8*n)&63))
		at -= int(n)
	}
	if len(v) > 0 {
		at = packOne(b, at, uint64(v[0]))
	}
	return at
}

// size returns the size of a varint, in bytes, whose bits are spread out in x.
func size(x uint64) uint { return uint(bits.Len64(x|1)+7) >> 3 }

// packOne is pack for one value.
func packOne(b []byte, at int, u uint64) int {
	if u >= 1<<56 {
		var long [binary.MaxVarintLen64]byte
		n := binary.PutUvarint(long[:], u)
		at -= n
		copy(b[at:], long[:n])
		return at
	}
	x := u&0x0fffffff | u&0x00fffffff0000000<<4
	x = x&0x00003fff00003fff | x&0x0fffc0000fffc000<<2
	x += x & 0x3f803f803f803f80
	n := size(x)
	x |= 0x80808080808080 >> ((64 - 8*n) & 63) // all bytes but the last one have the continuation bit
	binary.LittleEndian.PutUint64(b[at-8:], x<<((64-8*n)&63))
	return at - int(n)
}

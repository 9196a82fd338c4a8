package wire

import (
	"encoding/binary"
	"slices"
)

// This file is the fast path of AppendInt64s. The slow path is a loop over Varint; the tests
// compare the two.
//
// A word is eight bytes of b. The ends of a word are its bytes without the continuation bit: each is
// the last byte of a varint.

// unpack decodes the varints of b[i:] into out and returns their number. out must have an element
// for each byte without the continuation bit; elements after the results may be overwritten. at is 0
// and next is len(b), or they are the position of the first invalid varint and its fault.
func unpack(out []int64, b []byte, i int) (n, at, next int) {
	if len(b)-i >= 16 {
		x := binary.LittleEndian.Uint64(b[i:])
		if size := shapes[^x&msb*mask>>56].same; size > 0 { // perhaps all varints have this size
			k := unpackSized(out[n:], b[i:], int(size))
			n += k
			i += k * int(size)
		}
	}
	// Decode a fixed number of varints per word and keep the complete ones: a branch on their sizes
	// is mispredicted most of the time.
	for i+8 <= len(b) && n+8 <= len(out) {
		x := binary.LittleEndian.Uint64(b[i:])
		ends := ^x & msb
		o := out[n : n+8 : n+8]
		if ends == msb {
			unpackWord(o, x)
			i, n = i+8, n+8
			continue
		}
		if ends == 0 {
			v, size := long(b, i)
			if size < 0 {
				return n, i, size
			}
			o[0] = v
			i, n = i+size, n+1
			continue
		}
		s := &shapes[ends*mask>>56]
		i += int(s.size)
		n += int(s.count)
		x &^= msb
		if s.short { // decode two at a time
			y := gatherTwo(x<<(s.left[0]&63)>>(s.right[0]&63) | x<<(s.left[1]&63)>>(s.right[1]&63)<<32)
			z := gatherTwo(x<<(s.left[2]&63)>>(s.right[2]&63) | x<<(s.left[3]&63)>>(s.right[3]&63)<<32)
			o[0] = int64(uint32(y))
			o[1] = int64(y >> 32)
			o[2] = int64(uint32(z))
			o[3] = int64(z >> 32)
		} else {
			o[0] = gather(x << (s.left[0] & 63) >> (s.right[0] & 63))
			o[1] = gather(x << (s.left[1] & 63) >> (s.right[1] & 63))
		}
	}
	// The last varints: read and write within the bounds only.
	for i < len(b) {
		x, left := word(b, i)
		s := &shapes[^x&msb&left*mask>>56]
		if s.count == 0 {
			v, size := long(b, i)
			if size < 0 {
				return n, i, size
			}
			out[n] = v
			i, n = i+size, n+1
			continue
		}
		x &^= msb
		for k := range s.count4 {
			out[n] = gather(x << (s.left[k&3] & 63) >> (s.right[k&3] & 63))
			n++
		}
		i += int(s.size4)
	}
	return n, 0, i
}

// word reads up to eight bytes of b from i on. left is a mask of the bytes read.
func word(b []byte, i int) (x, left uint64) {
	n := len(b) - i
	switch {
	case n >= 8:
		return binary.LittleEndian.Uint64(b[i:]), 1<<64 - 1
	case len(b) >= 8:
		x = binary.LittleEndian.Uint64(b[len(b)-8:]) >> (64 - 8*n&63)
	default:
		for j, c := range b[i:] {
			x |= uint64(c) << (8 * j)
		}
	}
	return x, 1<<(8*n&63) - 1
}

// shape says where the first four varints of a word are, as shifts: left and then right moves one
// varint to the low bits. Entries beyond the last varint are unused.
type shape struct {
	left, right [4]uint8 // shifts that isolate each varint
	short       bool     // the first two to four varints have at most four bytes each
	size, count uint8    // total size and number of the short varints; if not short, of the first two
	size4       uint8    // total size of the first four varints
	count4      uint8    // number of varints, at most 4
	same        uint8    // the size of all complete varints, if they have the same size and it is not 1
	_           [2]uint8 // pads an element of shapes to 16 bytes
}

// mask is a factor: a word of ends times mask has the ends as bits in its highest byte.
const mask = 0x0002040810204081

// shapes is indexed by the ends of a word, one bit each.
var shapes = func() (table [256]shape) {
	for ends := range table {
		s := &table[ends]
		var sizes []uint8
		for i, last := uint8(0), uint8(0); i < 8; i++ {
			if ends>>i&1 == 1 {
				sizes = append(sizes, i+1-last)
				last = i + 1
			}
		}
		var upTo [9]uint8 // total size of the first n varints
		short := 0        // number of varints of at most four bytes before any longer one
		for n, size := range sizes {
			upTo[n+1] = upTo[n] + size
			if n < 4 {
				s.left[n] = 64 - 8*upTo[n+1]
				s.right[n] = 64 - 8*size
			}
			if short == n && n < 4 && size <= 4 {
				short++
			}
		}
		n := min(len(sizes), 2)
		if short > 1 {
			s.short, n = true, short
		}
		s.count, s.size = uint8(n), upTo[n]
		s.count4, s.size4 = uint8(min(len(sizes), 4)), upTo[min(len(sizes), 4)]
		if len(sizes) > 0 && sizes[0] > 1 && !slices.ContainsFunc(sizes, func(n uint8) bool { return n != sizes[0] }) {
			s.same = sizes[0]
		}
	}
	return table
}()

// unpackWord decodes eight varints of one byte.
func unpackWord(out []int64, x uint64) {
	out = out[:8]
	out[0] = int64(x & 0xff)
	out[1] = int64(x >> 8 & 0xff)
	out[2] = int64(x >> 16 & 0xff)
	out[3] = int64(x >> 24 & 0xff)
	out[4] = int64(x >> 32 & 0xff)
	out[5] = int64(x >> 40 & 0xff)
	out[6] = int64(x >> 48 & 0xff)
	out[7] = int64(x >> 56)
}

// unpackSized decodes varints of size bytes, 2 to 8, until one has another size or less than a word
// is left. It returns their number.
func unpackSized(out []int64, b []byte, size int) (n int) {
	width := uint(8*size) & 63
	all := uint64(1)<<width - 1 // 0 for a shift of 64
	if size == 8 {
		all = 1<<64 - 1
	}
	more := all & msb
	want := more >> 8 // the continuation bits of all bytes but the last
	i := 0
	if size <= 4 { // two varints per word
		double, wants := all|all<<width, want|want<<width
		for i+8 <= len(b) && n+2 <= len(out) {
			x := binary.LittleEndian.Uint64(b[i:]) & double
			if x&msb != wants {
				return n
			}
			x &^= msb
			y := gatherTwo(x&all | x>>width<<32)
			o := out[n : n+2 : n+2]
			o[0], o[1] = int64(uint32(y)), int64(y>>32)
			i, n = i+2*size, n+2
		}
		return n
	}
	for i+8 <= len(b) && n < len(out) {
		x := binary.LittleEndian.Uint64(b[i:]) & all
		if x&msb != want {
			return n
		}
		out[n] = gather(x &^ msb)
		i, n = i+size, n+1
	}
	return n
}

// LastVarint reads the last size bytes of b, at least one, as one varint. ok is false if they are
// not exactly one valid varint.
func LastVarint(b []byte, size int) (v int64, ok bool) {
	if size > 8 && size <= 10 {
		w := b[len(b)-size:]
		x := binary.LittleEndian.Uint64(w)
		v = gather(x&^msb) | int64(w[8]&0x7f)<<56
		if size == 9 {
			return v, ^x&msb == 0 && w[8] < 0x80
		}
		return v | int64(w[9])<<63, ^x&msb == 0 && w[8] >= 0x80 && w[9] <= 1
	}
	if size > 8 || len(b) < 8 {
		v, next := Varint(b, len(b)-size)
		return int64(v), next == len(b)
	}
	return FirstVarint(binary.LittleEndian.Uint64(b[len(b)-8:])>>((64-8*size)&63), size)
}

// FirstVarint reads the first size bytes of a word, 1 to 8, as one varint. ok is false if they are
// not exactly one varint.
func FirstVarint(x uint64, size int) (v int64, ok bool) {
	all := uint64(1<<64-1) >> ((64 - 8*size) & 63)
	x &= all
	return gather(x &^ msb), x&msb == msb&(all>>8)
}

// FillShort appends the varints of b[lo:hi], a short list, to a dst with a capacity of its own: it
// may overwrite dst[len:cap] after the result. b must have at least eight bytes after hi. ok is
// false if a varint is invalid or has more than eight bytes.
func FillShort(dst []int64, b []byte, lo, hi int) (vals []int64, ok bool) {
	n := len(dst)
	if cap(dst)-n < hi-lo+4 {
		dst = slices.Grow(dst, hi-lo+4)
	}
	out := dst[:cap(dst)]
	for lo < hi {
		x := binary.LittleEndian.Uint64(b[lo:])
		x |= msb << uint(8*(hi-lo)) // bytes after the list must not look like ends
		s := &shapes[^x&msb*mask>>56]
		o := out[n : n+4 : n+4]
		x &^= msb
		if s.short {
			y := gatherTwo(x<<(s.left[0]&63)>>(s.right[0]&63) | x<<(s.left[1]&63)>>(s.right[1]&63)<<32)
			z := gatherTwo(x<<(s.left[2]&63)>>(s.right[2]&63) | x<<(s.left[3]&63)>>(s.right[3]&63)<<32)
			o[0] = int64(uint32(y))
			o[1] = int64(y >> 32)
			o[2] = int64(uint32(z))
			o[3] = int64(z >> 32)
			lo += int(s.size)
			n += int(s.count)
			continue
		}
		if s.count4 == 0 {
			return dst, false
		}
		o[0] = gather(x << (s.left[0] & 63) >> (s.right[0] & 63))
		o[1] = gather(x << (s.left[1] & 63) >> (s.right[1] & 63))
		o[2] = gather(x << (s.left[2] & 63) >> (s.right[2] & 63))
		o[3] = gather(x << (s.left[3] & 63) >> (s.right[3] & 63))
		lo += int(s.size4)
		n += int(s.count4)
	}
	return out[:n], true
}

// long reads a varint of any size; it is fast for nine and ten bytes. If the varint is invalid,
// size is the fault.
func long(b []byte, i int) (v int64, size int) {
	if i+10 <= len(b) {
		w := b[i : i+10]
		x := binary.LittleEndian.Uint64(w)
		v = gather(x&^msb) | int64(w[8]&0x7f)<<56
		switch {
		case ^x&msb != 0:
		case w[8] < 0x80:
			return v, 9
		case w[9] <= 1:
			return v | int64(w[9])<<63, 10
		}
	}
	x, next := varint(b, i)
	if next < 0 {
		return 0, next
	}
	return int64(x), next - i
}

// gather removes the continuation bits, which must be 0, from the bytes of a varint of at most
// eight bytes.
func gather(x uint64) int64 {
	x -= x & 0x7f007f007f007f00 >> 1
	x = x&0x00003fff00003fff | x&0x3fff00003fff0000>>2
	x = x&0x000000000fffffff | x&0x0fffffff00000000>>4
	return int64(x)
}

// gatherTwo is gather for two varints of up to four bytes, one in each half of x.
func gatherTwo(x uint64) uint64 {
	x -= x & 0x7f007f007f007f00 >> 1
	return x&0x00003fff00003fff | x&0x3fff00003fff0000>>2
}

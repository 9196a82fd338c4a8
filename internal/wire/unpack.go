package wire

import (
	"encoding/binary"
	"slices"
)

// The fast part of AppendInt64s: Varint, in a loop, does the same. The tests compare
// the two.
//
// A word is eight bytes of b; ends are the bytes of it without the continuation
// bit, each the last of a varint.

// unpack decodes the varints of b[i:] into out, which has an element at least for each
// byte that ends one, and returns how many there are. Elements behind them may be
// written over. Or it returns the position of the first varint that is not sound and
// its fault; else 0 and len(b).
func unpack(out []int64, b []byte, i int) (n, at, next int) {
	if len(b)-i >= 16 {
		x := binary.LittleEndian.Uint64(b[i:])
		if size := shapes[^x&msb*mask>>56].same; size > 0 { // perhaps all have one size
			k := unpackSized(out[n:], b[i:], int(size))
			n += k
			i += k * int(size)
		}
	}
	// Varints of any sizes: a branch that depends on them is mispredicted most of
	// the time. So four are taken from a word, whether they are there or not, and as many
	// are kept as there were.
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
		if s.short { // two in one
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
	// The rest, with nothing read or written that is not there.
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

// word reads up to eight bytes of b from i on. The bytes that are there are left.
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

// A shape says where in a word its first four varints stand: what to shift it by, to
// the left and back, so that it is alone. Those that are not there are anywhere.
type shape struct {
	left, right [4]uint8
	short       bool  // two to four varints have at most four bytes each
	size, count uint8 // of those, or else of the first two
	size4       uint8 // of the first four
	count4      uint8
	same        uint8 // the size of all that are there, if they have one and it is not 1
	_           [2]uint8
}

// mask moves the ends of a word, times it, into the highest byte.
const mask = 0x0002040810204081

// shapes is by the ends of a word, as one bit each.
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
		var upTo [9]uint8 // the size of the first n
		short := 0        // of at most four bytes, before any longer
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

// unpackSized decodes varints of 2 to 8 bytes as long as they have that size and a
// word can be read. It returns how many it decoded.
func unpackSized(out []int64, b []byte, size int) (n int) {
	width := uint(8*size) & 63
	all := uint64(1)<<width - 1 // 0 for a shift of 64
	if size == 8 {
		all = 1<<64 - 1
	}
	more := all & msb
	want := more >> 8 // all of them but the last
	i := 0
	if size <= 4 { // two in a word
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

// LastVarint reads the last size bytes of b, at least one, as one varint. ok is false if
// they are not, or not with certainty.
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

// FirstVarint reads the first size bytes of a word, 1 to 8, as one varint. ok is false if
// they are not.
func FirstVarint(x uint64, size int) (v int64, ok bool) {
	all := uint64(1<<64-1) >> ((64 - 8*size) & 63)
	x &= all
	return gather(x &^ msb), x&msb == msb&(all>>8)
}

// FillShort appends the varints of b[lo:hi] to a dst whose capacity is not shared: it may
// write behind the result. It is for short lists with at least eight bytes behind them in
// b. ok is false if one is not sound, or has more than eight bytes.
func FillShort(dst []int64, b []byte, lo, hi int) (vals []int64, ok bool) {
	n := len(dst)
	if cap(dst)-n < hi-lo+4 {
		dst = slices.Grow(dst, hi-lo+4)
	}
	out := dst[:cap(dst)]
	for lo < hi {
		x := binary.LittleEndian.Uint64(b[lo:])
		x |= msb << uint(8*(hi-lo)) // what is not in the list ends nothing
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

// long reads a varint of any size, but made for nine and ten bytes. If it is not sound
// the size is the fault.
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

// gather squeezes out the continuation bits, which must be 0, of the bytes of a varint
// of up to eight.
func gather(x uint64) int64 {
	x -= x & 0x7f007f007f007f00 >> 1
	x = x&0x00003fff00003fff | x&0x3fff00003fff0000>>2
	x = x&0x000000000fffffff | x&0x0fffffff00000000>>4
	return int64(x)
}

// gatherTwo is gather for two varints of up to four bytes, one in each half.
func gatherTwo(x uint64) uint64 {
	x -= x & 0x7f007f007f007f00 >> 1
	return x&0x00003fff00003fff | x&0x3fff00003fff0000>>2
}

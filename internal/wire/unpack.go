package wire

import "encoding/binary"

// The fast part of AppendInt64s: Varint, in a loop, does the same. The tests compare
// the two.
//
// A word is eight bytes of b; ends are the bytes of it without the continuation
// bit, each the last of a varint.

// unpack decodes the varints of b into out, which has one element for each byte that
// ends one. It returns the position of the first that is not sound and its fault, or
// 0 and len(b).
func unpack(out []int64, b []byte) (at, next int) {
	i, n := 0, 0
	if size := len(b) / max(len(out), 1); size <= 8 && size*len(out) == len(b) { // perhaps all have one size
		if size == 1 {
			unpackBytes(out, b)
			return 0, len(b)
		}
		n = unpackSized(out, b, size)
		i = n * size
	}
	// Varints of any sizes: a branch that depends on them is mispredicted most of
	// the time. So four are taken from a word, whether they are there or not, and as many
	// are kept as there were.
	for i+8 <= len(b) && n+4 <= len(out) {
		x := binary.LittleEndian.Uint64(b[i:])
		ends := ^x & msb
		if ends == msb {
			unpackWord(out[n:n+8], x)
			i, n = i+8, n+8
			continue
		}
		if ends == 0 {
			v, size := long(b, i)
			if size < 0 {
				return i, size
			}
			out[n] = v
			i, n = i+size, n+1
			continue
		}
		s := &shapes[ends*mask>>56]
		o := out[n : n+4 : n+4]
		o[0] = gather(x << (s.left[0] & 63) >> (s.right[0] & 63))
		o[1] = gather(x << (s.left[1] & 63) >> (s.right[1] & 63))
		o[2] = gather(x << (s.left[2] & 63) >> (s.right[2] & 63))
		o[3] = gather(x << (s.left[3] & 63) >> (s.right[3] & 63))
		i += int(s.size)
		n += int(s.count)
	}
	// The rest, with nothing read or written that is not there.
	for i < len(b) {
		x, left := word(b, i)
		s := &shapes[^x&msb&left*mask>>56]
		if s.count == 0 {
			v, size := long(b, i)
			if size < 0 {
				return i, size
			}
			out[n] = v
			i, n = i+size, n+1
			continue
		}
		for k := range s.count {
			out[n+int(k)] = gather(x << (s.left[k&3] & 63) >> (s.right[k&3] & 63))
		}
		i += int(s.size)
		n += int(s.count)
	}
	return 0, i
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
// the left and back, so that one is left. Those that are not there are anywhere.
type shape struct {
	left, right [4]uint8
	size, count uint8 // of them all
	_           [6]uint8
}

// mask moves the ends of a word, times it, into the highest byte.
const mask = 0x0002040810204081

// shapes is by the ends of a word, as one bit each.
var shapes = func() (table [256]shape) {
	for ends := range table {
		s := &table[ends]
		for i := range uint8(8) {
			if ends>>i&1 == 1 && s.count < 4 {
				s.left[s.count] = 64 - 8*(i+1)
				s.right[s.count] = 64 - 8*(i+1-s.size)
				s.size = i + 1
				s.count++
			}
		}
	}
	return table
}()

// unpackBytes decodes varints of one byte.
func unpackBytes(out []int64, b []byte) {
	for len(b) >= 8 && len(out) >= 8 {
		unpackWord(out, binary.LittleEndian.Uint64(b))
		out, b = out[8:], b[8:]
	}
	for i, c := range b {
		out[i] = int64(c)
	}
}

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
			o := out[n : n+2 : n+2]
			o[0] = int64(gatherShort(x & all))
			o[1] = int64(gatherShort(x >> width))
			i, n = i+2*size, n+2
		}
		return n
	}
	for i+8 <= len(b) && n < len(out) {
		x := binary.LittleEndian.Uint64(b[i:]) & all
		if x&msb != want {
			return n
		}
		out[n] = gather(x)
		i, n = i+size, n+1
	}
	return n
}

// LastVarint reads the last size bytes of b, at least one, as one varint. ok is false if
// they are not, or not with certainty.
func LastVarint(b []byte, size int) (v int64, ok bool) {
	if size > 8 || len(b) < 8 {
		v, next := Varint(b, len(b)-size)
		return int64(v), next == len(b)
	}
	x := binary.LittleEndian.Uint64(b[len(b)-8:]) >> ((64 - 8*size) & 63)
	return gather(x), x&msb == msb&(1<<((8*size-8)&63)-1)
}

// long reads a varint of any size, but made for nine and ten bytes. If it is not sound
// the size is the fault.
func long(b []byte, i int) (v int64, size int) {
	if i+10 <= len(b) {
		w := b[i : i+10]
		x := binary.LittleEndian.Uint64(w)
		v = gather(x) | int64(w[8]&0x7f)<<56
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

// gather squeezes out the continuation bits of the bytes of a varint of up to eight.
func gather(x uint64) int64 {
	x &^= msb
	x -= x & 0x7f007f007f007f00 >> 1
	x = x&0x00003fff00003fff | x&0x3fff00003fff0000>>2
	x = x&0x000000000fffffff | x&0x0fffffff00000000>>4
	return int64(x)
}

// gatherShort is gather for up to four bytes.
func gatherShort(x uint64) uint64 {
	x &^= msb
	x -= x & 0x7f007f00 >> 1
	return x&0x3fff | x&0x3fff0000>>2
}

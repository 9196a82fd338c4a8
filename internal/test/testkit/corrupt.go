package testkit

import "iter"

// Cuts returns b cut short at every length from 0 to len(b)-1, with that
// length. Each cut has no capacity beyond its length, so that a read past the
// end cannot find the bytes that were cut off.
func Cuts(b []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for n := range len(b) {
			if !yield(n, append(make([]byte, 0, n), b[:n]...)) {
				return
			}
		}
	}
}

// Flips returns b with each of its bits flipped in turn, first the lowest bit
// of the first byte, with the number of the bit: bit i is bit i%8 of byte i/8.
// The slice is the same each time and is valid until the next.
func Flips(b []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		c := append(make([]byte, 0, len(b)), b...)
		for i := range 8 * len(b) {
			c[i/8] ^= 1 << (i % 8)
			ok := yield(i, c)
			c[i/8] ^= 1 << (i % 8)
			if !ok {
				return
			}
		}
	}
}

// Overwrites returns b with every run of len(with) bytes overwritten by with in
// turn, with the offset. The slice is the same each time and is valid until
// the next.
func Overwrites(b, with []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		c := append(make([]byte, 0, len(b)), b...)
		for i := 0; i+len(with) <= len(b); i++ {
			copy(c[i:], with)
			ok := yield(i, c)
			copy(c[i:], b[i:i+len(with)])
			if !ok {
				return
			}
		}
	}
}

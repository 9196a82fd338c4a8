package canonical

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// names is a set of names that stand in one map. It has their hashes instead of the names,
// in a table on the stack as long as they are few. Two names with the same hash are taken
// for a repeated name, and the message takes the slow path, which sorts the names and so
// takes no more than n log n steps. The same happens when a name finds no place near its
// own: no chosen names make a message slower than that, whether or not they collide.
//
// Sorting the names of every message took 44% of the time of checking it.
type names struct {
	small [smallSlots]uint32 // hashes; none is 0
	large []uint32           // instead, once there are more
	n     int
}

const (
	smallSlots = 1 << 8 // for half as many names
	maxSlots   = 1 << 20
	maxProbes  = 32
)

// nameSeeds make hashes that differ from process to process.
var nameSeeds = [2]uint64{rand.Uint64(), rand.Uint64()}

// mix folds the 128-bit product of two words into one word, so that each bit of the result
// depends on all bits of both. The caller must combine each word with a secret by exclusive
// or, because keys may be chosen so that they collide.
func mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

// hashName returns the hash of b[lo:hi], which is not 0. It takes half the time of
// maphash.Bytes: names are short. The sum h starts with a secret, so each word is mixed with one.
func hashName(b []byte, lo, hi int) uint32 {
	size := hi - lo
	h, last := uint64(size)^nameSeeds[0], uint64(0)
	switch {
	case size > 8:
		last = binary.LittleEndian.Uint64(b[hi-8:])
		for ; lo+8 < hi; lo += 8 {
			h = mix(h^binary.LittleEndian.Uint64(b[lo:]), nameSeeds[1])
		}
	case lo+8 <= len(b):
		last = binary.LittleEndian.Uint64(b[lo:]) << (64 - 8*uint(size)) // 0 if the name is empty
	default:
		for _, c := range b[lo:hi] {
			last = last>>8 | uint64(c)<<56
		}
	}
	return uint32(mix(h, last^nameSeeds[1])>>32) | 1
}

// add adds the name b[lo:hi]. It is not ok if the name has been added before, or might have been, or
// there are too many.
func (s *names) add(b []byte, lo, hi int) (ok bool) {
	h := hashName(b, lo, hi)
	slots := s.small[:]
	if s.large != nil {
		slots = s.large
	}
	if 2*s.n >= len(slots) {
		if slots = s.grow(); slots == nil {
			return false
		}
	}
	s.n++
	return insert(slots, h)
}

// insert puts a hash into the first free slot, beginning with the one that its highest bits
// select. Each step is longer by one than the step before: with steps of one a half full
// table has long runs of used slots, and one set of 100 names in a hundred was refused.
func insert(slots []uint32, h uint32) bool {
	at := int(h >> (32 - bits.TrailingZeros(uint(len(slots)))))
	for i := range maxProbes {
		switch slot := &slots[at&(len(slots)-1)]; *slot {
		case 0:
			*slot = h
			return true
		case h:
			return false
		}
		at += i + 1
	}
	return false
}

// grow moves all to a table of four times the size, which it returns, or nil.
func (s *names) grow() []uint32 {
	old := s.small[:]
	if s.large != nil {
		old = s.large
	}
	if len(old) == maxSlots {
		return nil
	}
	slots := make([]uint32, 4*len(old))
	for _, h := range old {
		if h != 0 && !insert(slots, h) {
			return nil
		}
	}
	s.large = slots
	return slots
}

// reset makes the set empty.
func (s *names) reset() {
	if s.n > 0 {
		*s = names{} // a large table is not cleared: the next map may be small
	}
}

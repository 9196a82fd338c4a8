package plain

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// names is a set of names that stand in one map. It has their hashes instead of the names,
// in a table on the stack as long as they are few. Two names with the same hash are taken
// for a repeated name, and the message takes the slow path, which sorts the names and so
// takes no more than n log n steps. The same happens when a name finds no place near its
// own: no chosen names make a message slower than that, whether or not they collide.
//
// Sorting the names of every message took 44% of the time of checking it.
type names struct {
	small [smallSlots]uint32 // hashes, none of which is 0
	large []uint32           // instead, once there are more
	n     int
}

const (
	smallSlots = 1 << 8 // for half as many names
	maxSlots   = 1 << 20
	maxProbes  = 32
)

// nameSeed makes hashes that differ from process to process. It is odd.
var nameSeed = maphash.String(maphash.MakeSeed(), "") | 1

// hashName returns the hash of b[lo:hi], which is not 0. It takes half the time of
// maphash.Bytes: names are short.
func hashName(b []byte, lo, hi int) uint32 {
	size := hi - lo
	h, last := uint64(size), uint64(0)
	switch {
	case size > 8:
		last = binary.LittleEndian.Uint64(b[hi-8:])
		for ; lo+8 < hi; lo += 8 {
			h = bits.RotateLeft64((h^binary.LittleEndian.Uint64(b[lo:]))*nameSeed, 29)
		}
	case lo+8 <= len(b):
		last = binary.LittleEndian.Uint64(b[lo:]) << (64 - 8*uint(size)) // 0 if the name is empty
	default:
		for _, c := range b[lo:hi] {
			last = last>>8 | uint64(c)<<56
		}
	}
	h = bits.ReverseBytes64((h^last)*nameSeed) * nameSeed
	return uint32(h>>32) | 1
}

// add adds the name b[lo:hi]. It returns false if the name has been added before, or might
// have been, or there are too many.
func (s *names) add(b []byte, lo, hi int) bool {
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

// insert puts a hash into the first free slot from that on which its highest bits say.
func insert(slots []uint32, h uint32) bool {
	at := int(h >> (32 - bits.TrailingZeros(uint(len(slots)))))
	for range maxProbes {
		switch slot := &slots[at&(len(slots)-1)]; *slot {
		case 0:
			*slot = h
			return true
		case h:
			return false
		}
		at++
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

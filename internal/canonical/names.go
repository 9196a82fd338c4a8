package canonical

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// nameSet detects repeated names in one map. It stores hashes instead of names, up to 128 of them in a table on the
// stack. Two names with the same hash count as a repeated name; then the message takes the slow path, which sorts
// the names in n log n steps. The same happens if insert finds no free slot for a name. Names chosen to collide
// therefore cost no more than the slow path.
//
// Sorting the names of every message took 44% of the time of a check.
type nameSet struct {
	small [smallSlots]uint32 // hashes; 0: a free slot
	large []uint32           // replaces small once there are more names
	n     int                // number of names
}

const (
	smallSlots = 1 << 8 // for up to 128 names
	maxSlots   = 1 << 20
	maxProbes  = 32 // slots that insert tries for one hash
)

// nameSeeds makes hashes differ from process to process.
var nameSeeds = [2]uint64{rand.Uint64(), rand.Uint64()}

// mix folds the 128-bit product of two words into one word, so that each bit of the result
// depends on all bits of both. The caller must XOR each word with a secret first, because
// names may be chosen to collide.
func mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

// hashName returns the hash of b[lo:hi], never 0. It takes half the time of maphash.Bytes,
// because names are short. h starts as a secret, so each word is combined with a secret before mix.
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

// add adds the name b[lo:hi]. ok is false if the set has a name with the same hash, or is full.
func (s *nameSet) add(b []byte, lo, hi int) (ok bool) {
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

// insert puts a hash into the first free slot of its probe sequence. It reports false if the hash is in the table
// already, or after maxProbes used slots. The distance to the next probe grows by one each time: with a distance of
// one a half-full table has long runs of used slots, and 1% of the sets of 100 names were rejected.
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

// grow moves all hashes to a table of four times the size and returns it; nil if the limit is reached.
func (s *nameSet) grow() []uint32 {
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

// reset empties the set.
func (s *nameSet) reset() {
	if s.n > 0 {
		*s = nameSet{} // a large table is dropped, not cleared: the next map may be small
	}
}

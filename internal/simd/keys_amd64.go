//go:build !purego

package simd

import "golang.org/x/sys/cpu"

// findsKeys reports whether the processor and the system have what the kernel needs.
var findsKeys = hasVBMI2 && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ

// FindsKeys reports whether Map.Find finds anything.
func FindsKeys() bool { return findsKeys }

// Find goes through the entries of a map, from b[i] to its end. It puts the value of each
// into the slot of its key, with the round, and its key into order from order[n] on, which has
// room for all keys. at is the key before, or len(slots) where there is none. Each key must be
// the one that is expected, or is looked up if hashed is true. It stops before the first entry
// that has another form or key, or whose key has the round already, or, if it is looked up, that is
// shorter than ten bytes.
//
// b must have something to read at i, and end before 2 GiB.
func (m *Map) Find(b []byte, i int, hashed bool, at int, slots []Slot, round uint64, order []int32, n int) (stop, last, count int) {
	if !findsKeys || len(slots) == 0 {
		return i, at, n
	}
	if hashed {
		return findKeys(&b[0], len(b), i, &m.Heads[0], &m.Table[0], m.Factor, m.Shift, at, &slots[0], round, &order[0], n)
	}
	return findKeys(&b[0], len(b), i, &m.Heads[0], &m.Next[0], 0, 0, at, &slots[0], round, &order[0], n)
}

//go:noescape
func findKeys(b *byte, end, i int, heads *Head, keys *int32, factor uint64, shift, at int, slots *Slot, round uint64, order *int32, n int) (stop, last, count int)

// Prefetch has the memory behind b fetched, as much as b has: records often stand one behind the
// other, and are about as long. It reads nothing.
func Prefetch(b []byte) {
	if len(b) > 0 {
		prefetch(&b[0], len(b))
	}
}

//go:noescape
func prefetch(b *byte, size int)

//go:build !purego

package simd

import "golang.org/x/sys/cpu"

// findsKeys reports whether the processor and the system support the kernel.
var findsKeys = hasVBMI2 && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512DQ

// FindsKeys reports whether Map.Find finds keys on this machine.
func FindsKeys() bool { return findsKeys }

// Find reads the entries of a map, from b[i] to its end. For each entry it puts the bounds of the value and the
// round into the slot of the key, and the key into order, from order[n] on; order must have an element for each
// key. at is the previous key, or len(slots) before the first key. If hashed is true it looks up keys in Table;
// else each key must be the key that Next expects. Find stops before the first entry that has another encoding or
// key, or whose key has the round already, or, if hashed is true, that is shorter than ten bytes. It
// returns the position where it stopped, the last key, and n plus the number of keys found.
//
// b[i] must exist, and b must have less than 2 GiB.
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

// Prefetch prefetches the len(b) bytes after b into the cache: records are often adjacent, and of about the same
// size. It reads nothing.
func Prefetch(b []byte) {
	if len(b) > 0 {
		prefetch(&b[0], len(b))
	}
}

//go:noescape
func prefetch(b *byte, size int)

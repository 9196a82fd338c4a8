//go:build !amd64 || purego

package simd

// FindsKeys reports whether Map.Find finds keys on this machine.
func FindsKeys() bool { return false }

// Find finds nothing on this platform.
func (m *Map) Find(b []byte, i int, hashed bool, at int, slots []Slot, round uint64, order []int32, n int) (stop, last, count int) {
	return i, at, n
}

// Prefetch does nothing on this platform.
func Prefetch(b []byte) {}

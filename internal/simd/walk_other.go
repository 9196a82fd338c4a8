//go:build !amd64 || purego

package simd

// Walks tells whether Walk does anything.
const Walks = false

// Walk does nothing here.
func (m *Map) Walk(b []byte, i int, hashed bool, at int, slots []Slot, round uint64, order []int32, n int) (stop, last, count int) {
	return i, at, n
}

// Prefetch does nothing here.
func Prefetch(b []byte) {}

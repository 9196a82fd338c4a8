package fresh

import (
	"runtime"
	"testing"
	"unsafe"
)

type mine float32

// TestMake makes slices of every kind, writes all of them, and looks whether they
// share memory.
func TestMake(t *testing.T) {
	check(t, func(i int) int64 { return int64(i) * -77 })
	check(t, func(i int) uint8 { return uint8(i) })
	check(t, func(i int) int16 { return int16(i) })
	check(t, func(i int) float32 { return float32(i) })
	check(t, func(i int) float64 { return float64(i) })
	check(t, func(i int) bool { return i%3 == 0 })
	check(t, func(i int) complex64 { return complex(float32(i), 1) })
	check(t, func(i int) complex128 { return complex(float64(i), 1) })
	check(t, func(i int) mine { return mine(i) })
	check(t, func(i int) string { return string(rune('a' + i%26)) })
}

func check[T comparable](t *testing.T, value func(int) T) {
	t.Helper()
	var kept [][]T
	for _, n := range []int{0, 1, 7, 1000, small, 100_000} {
		for range 3 {
			s := Make[T](n)
			if len(s) != n {
				t.Fatalf("%T: want %d values, got %d", s, n, len(s))
			}
			if n > 0 && uintptr(unsafe.Pointer(&s[0]))%unsafe.Alignof(s[0]) != 0 {
				t.Fatalf("%T: not aligned", s)
			}
			for i := range s {
				s[i] = value(i)
			}
			kept = append(kept, s)
		}
		runtime.GC()
	}
	for _, s := range kept {
		for i, v := range s {
			if v != value(i) {
				t.Fatalf("%T: value %d of %d was overwritten", s, i, len(s))
			}
		}
	}
}

// TestPointers proves that what may hold pointers is zero.
func TestPointers(t *testing.T) {
	for range 3 {
		for _, s := range Make[string](50_000) {
			if s != "" {
				t.Fatal("a string is not empty")
			}
		}
		for _, p := range Make[*int](50_000) {
			if p != nil {
				t.Fatal("a pointer is not nil")
			}
		}
	}
}

// TestNegative proves that a count that makes no sense is what it is for make.
func TestNegative(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a slice of -1 values was made")
		}
	}()
	Make[float32](-1)
}

func BenchmarkMake(b *testing.B) {
	const n = 5_000_000
	b.Run("way=fresh", func(b *testing.B) {
		for b.Loop() {
			Make[float32](n)
		}
	})
	b.Run("way=make", func(b *testing.B) {
		for b.Loop() {
			_ = make([]float32, n)
		}
	})
}

// Package fresh makes slices for results.
//
// Memory that make returns is all zeros. An operation that writes every value of its
// result does not need that, and for a large one the zeros are a good part of its
// time. This is the one place under ragged that uses package unsafe; with the build
// tag purego it does not.
package fresh

// small is how many bytes are zeroed without notice.
const small = 16 << 10

// Make returns a slice of n values, of which the caller must write every one before
// anybody else sees it: they may be anything. With the race detector they are never
// zero, so that a test shows what was not written. Types that have pointers, and
// others than the predeclared numbers and bool, are zero.
func Make[T any](n int) []T {
	switch any(*new(T)).(type) {
	case bool, int8, uint8:
		return spoil(dirty[T](n, 1))
	case int16, uint16:
		return spoil(dirty[T](n, 2))
	case int32, uint32, float32:
		return spoil(dirty[T](n, 4))
	case int64, uint64, float64, complex64:
		return spoil(dirty[T](n, 8))
	}
	return make([]T, n)
}

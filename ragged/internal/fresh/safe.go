//go:build purego

package fresh

// dirty returns a slice of n values.
func dirty[T any](n, size int) []T { return make([]T, n) }

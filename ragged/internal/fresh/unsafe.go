//go:build !purego

package fresh

import (
	"strings"
	"unsafe"
)

// dirty returns a slice of n values of so many bytes. Their type has no pointers.
//
// A Builder does not zero the memory into which it grows, which the collector knows
// to be without pointers. Large pieces begin at a page, so any number is aligned.
func dirty[T any](n, size int) []T {
	if n > maxBytes/size || n*size < small {
		return make([]T, n)
	}
	var b strings.Builder
	b.Grow(n * size)
	b.WriteByte(0) // so that there is a string to take the address of
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.StringData(b.String()))), n)
}

// maxBytes is how many can be asked for; make says what is wrong with more.
const maxBytes = int(^uint(0)>>1) / 2

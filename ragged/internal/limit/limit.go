// Package limit bounds the size of results whose size is given by a number.
//
// Such numbers are the depth of a one-hot vector, the width of a padded row and the number
// of segments. A program may take them from its input, and Go ends a program that asks for
// too much memory. So a result has at most [Free] bytes, or [Ratio] values for every value
// and row of the operands if that is more.
package limit

import (
	"fmt"
	"strconv"
	"unsafe"
)

const (
	// Free is the size in bytes that a result may have with any operands: 2 GiB, or
	// 128 MiB where an int has 32 bits.
	Free = 1 << (27 + (strconv.IntSize-32)/8)

	// Ratio is the number of values that a result may have for every value and row of
	// the operands.
	Ratio = 1 << 12
)

// An Error is returned for a result that would have too many values.
type Error struct {
	Sizes []int // their product is the number of values
	Limit int   // maximum number of values
}

// Error gives the sizes and the limit.
func (e *Error) Error() string {
	return fmt.Sprintf("sizes %v make more than %d values", e.Sizes, e.Limit)
}

// Values returns the product of sizes: the number of values of type T in a result. It fails
// with an Error if there are too many for operands with `given` values and rows. A negative
// size means that computing the size overflowed.
func Values[T any](given int, sizes ...int) (int, error) {
	const most = 1<<(strconv.IntSize-5) - 1 // maxValues of package ragged
	n, large := 1, false
	for _, size := range sizes {
		if size == 0 {
			return 0, nil
		}
		if large = large || size < 0 || n > most/size; !large {
			n *= size
		}
	}
	var v T
	allowed := most
	if given < most/Ratio {
		allowed = max(given*Ratio, Free/max(int(unsafe.Sizeof(v)), 1))
	}
	if large || n > allowed {
		return 0, &Error{Sizes: sizes, Limit: allowed}
	}
	return n, nil
}

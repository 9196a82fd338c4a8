// Package limit says how much an operation may make of a number alone.
//
// The depth of a one-hot vector, the width of a padded row or the number of
// segments is a number that nothing stands behind: a program that takes it from
// input would ask for all memory there is, and Go ends a program that asks for
// more. So a result may have [Free] bytes, or [Ratio] values for every value and
// row of the operands, if that is more.
package limit

import (
	"fmt"
	"strconv"
	"unsafe"
)

const (
	// Free is how many bytes of values a result may have whatever the operands are:
	// 2 GiB, or 128 MiB where an int has 32 bits.
	Free = 1 << (27 + (strconv.IntSize-32)/8)

	// Ratio is how many values a result may have for every value and row of the
	// operands.
	Ratio = 1 << 12
)

// An Error says that a result would have too many values.
type Error struct {
	Sizes []int // whose product is the number of values
	Limit int   // the greatest number of values allowed
}

// Error gives the sizes and the limit.
func (e *Error) Error() string {
	return fmt.Sprintf("sizes %v make more than %d values", e.Sizes, e.Limit)
}

// Values returns the product of sizes: how many values of type T a result has. It
// fails with an Error if these are too many for the values and rows of the operands. A
// negative size is one that could not be counted.
func Values[T any](given int, sizes ...int) (int, error) {
	const most = 1<<(strconv.IntSize-5) - 1 // what package ragged can count
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

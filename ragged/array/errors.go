package array

import (
	"fmt"

	"github.com/tfparse/tfparse/ragged"
)

// indexError returns the error for index i of an operand, in row-major order, which is not
// from 0 to limit-1. The axis and the row are those of the indexed tensor; axis -1 is none.
func indexError(op string, i, axis, row int, got any, limit int) error {
	switch {
	case axis == 0:
		op += ", axis 0"
	case axis > 0:
		op = fmt.Sprintf("%s, axis %d, row %d", op, axis, row)
	}
	return &ragged.ValueError{Op: op, At: []int{i}, Want: fmt.Sprintf("at least 0 and less than %d", limit), Got: got, Err: ragged.ErrIndex}
}

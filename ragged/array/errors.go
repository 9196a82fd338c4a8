package array

import (
	"fmt"

	"github.com/tfparse/tfparse/ragged"
)

// indexError returns the error for value i of the indices, in row-major order, which is not
// from 0 to limit-1. Axis and row are of the indexed tensor; axis -1 means that it has none.
func indexError(op string, i, axis, row int, got any, limit int) error {
	switch {
	case axis == 0:
		op += ", axis 0"
	case axis > 0:
		op = fmt.Sprintf("%s, axis %d, row %d", op, axis, row)
	}
	return &ragged.ValueError{Op: op, At: []int{i}, Want: fmt.Sprintf("at least 0 and less than %d", limit), Got: got, Err: ragged.ErrIndex}
}

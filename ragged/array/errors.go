package array

import (
	"fmt"

	"github.com/tfparse/tfparse/ragged"
)

// Integer are the types of indices.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// An IndexError says that an index, a partition number or a segment id is not one
// that there is. It wraps ragged.ErrIndex.
type IndexError struct {
	Op    string // the operation, such as "gather"
	Index int    // the position of the index among all of them, in row-major order
	Axis  int    // the axis that it points into; -1 if it points into none
	Row   int    // the row of that axis, counted over all rows; 0 for axis 0
	Got   string // the index, in decimal
	Limit int    // indices from 0 to Limit-1 are accepted
}

// Error gives the operation, the position, the axis and row, and what was wanted
// and got.
func (e *IndexError) Error() string {
	where := ""
	switch {
	case e.Axis == 0:
		where = "axis 0: "
	case e.Axis > 0:
		where = fmt.Sprintf("axis %d, row %d: ", e.Axis, e.Row)
	}
	return fmt.Sprintf("%v: %s: indices[%d]: %swant at least 0 and less than %d, got %s", ragged.ErrIndex, e.Op, e.Index, where, e.Limit, e.Got)
}

// Unwrap returns ragged.ErrIndex.
func (e *IndexError) Unwrap() error { return ragged.ErrIndex }

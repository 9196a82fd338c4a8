package recordbatch

import (
	"errors"
	"fmt"
	"sort"
)

// ErrType is the error of a type, name or shape that columns or records cannot have.
var ErrType = errors.New("unsupported column")

// ErrData is the error of data that contradict the type of their column, or that a record cannot hold.
var ErrData = errors.New("bad column data")

// An Error is an error in a column, or in one row of it.
type Error struct {
	Column string // name of the column; "" if the error is about a whole record
	Row    int    // index in the batch; -1 if the error is about the whole column
	Err    error  // the reason
}

// Error returns one line: the row, the column, the error.
func (e *Error) Error() string {
	text := e.Err.Error()
	if e.Column != "" || e.Row < 0 {
		text = fmt.Sprintf("column %q: %s", e.Column, text)
	}
	if e.Row >= 0 {
		text = fmt.Sprintf("row %d: %s", e.Row, text)
	}
	return text
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// An axis divides items into rows, as a ragged.Partition does.
type axis struct {
	splits []int64 // row splits, from 0 to the number of items; nil: all rows have the same length
	length int     // length of every row, if splits is nil
}

// rowStart returns the index of the first item of a row. For the row after the last one it is the number of items.
func (a axis) rowStart(row int) int {
	if a.splits != nil {
		return int(a.splits[row])
	}
	return row * a.length
}

// rowOf returns the row that contains an item of the innermost axis.
func rowOf(axes []axis, item int) int {
	for i := len(axes) - 1; i >= 0; i-- {
		a := axes[i]
		if a.splits != nil {
			item = sort.Search(len(a.splits)-1, func(row int) bool { return a.splits[row+1] > int64(item) })
		} else if a.length > 0 {
			item /= a.length
		}
	}
	return item
}

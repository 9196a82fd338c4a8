package recordbatch

import (
	"errors"
	"fmt"
	"sort"
)

// ErrType: a type, a name or a shape that columns or records do not have.
var ErrType = errors.New("unsupported column")

// ErrData: the data of a column contradict its type, or do not fit a record.
var ErrData = errors.New("bad column data")

// An Error is an error of one column, or of one value of it.
type Error struct {
	Column string // "" for an error of a whole record
	Row    int    // index in the batch; -1 for an error of the whole column
	Err    error
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
	splits []int64 // the start of every row, then the number of items; the first is 0. nil: all rows have one length
	length int     // of every row, if splits is nil
}

// rowStart returns the first item of a row; of the number of rows, the number of items.
func (a axis) rowStart(row int) int {
	if a.splits != nil {
		return int(a.splits[row])
	}
	return row * a.length
}

// rowOf returns the row of an item of the innermost axis.
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

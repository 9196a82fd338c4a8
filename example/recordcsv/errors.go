package recordcsv

import (
	"errors"
	"fmt"
	"strconv"
)

// The errors of CSV files, for errors.Is. An [*Error] wraps one of these, [io.ErrUnexpectedEOF] if
// compressed input is truncated, or the error of the source.
var (
	// ErrHeader: the header is missing, differs from that of the other files, or has a name that a
	// feature cannot have.
	ErrHeader = errors.New("not the wanted header")
	// ErrDelimiter: the header seems to have another delimiter than a comma.
	ErrDelimiter = errors.New("not the delimiter of the file")
	// ErrList: a list in brackets contains another list, or strings in Python's notation.
	ErrList = errors.New("not a list of values")
	// ErrCells: the number of cells of a row is not the number of columns.
	ErrCells = errors.New("wrong number of cells")
	// ErrQuote: a quote is misplaced or not closed.
	ErrQuote = errors.New("misplaced quote")
	// ErrNumber: a cell is not a number of the type of its column.
	ErrNumber = errors.New("not a number of the column's type")
	// ErrTooLarge: a row is larger than Options.MaxRowSize.
	ErrTooLarge = errors.New("row exceeds the size limit")
)

// Error is the error of a row, with its position. The caller adds the name of the file.
type Error struct {
	Row    int64  // ordinal of the row, from 0 after the header; -1 for the header
	Offset int64  // offset of the row in the uncompressed file, in bytes
	Line   int    // line of the error, from 1; 0: unknown
	Byte   int    // byte of the error in the line, from 1; 0: unknown
	Name   string // name of the column; "" if Column is 0
	Column int    // ordinal of the column, from 1; 0: the error concerns the whole row
	Detail string // the error in words
	Err    error  // one of the errors above, io.ErrUnexpectedEOF or the error of the source
}

// Error returns one line: the position, then the error.
func (e *Error) Error() string {
	var b []byte
	if e.Line > 0 {
		b = strconv.AppendInt(append(b, "line "...), int64(e.Line), 10)
		if e.Byte > 0 {
			b = strconv.AppendInt(append(b, ", byte "...), int64(e.Byte), 10)
		}
		b = append(b, ": "...)
	}
	if e.Column > 0 {
		b = fmt.Appendf(b, "column %d (%q): ", e.Column, e.Name)
	}
	if e.Detail == "" {
		return string(append(b, e.Err.Error()...))
	}
	return string(append(b, e.Detail...))
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

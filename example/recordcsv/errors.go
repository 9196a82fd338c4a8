package recordcsv

import (
	"errors"
	"fmt"
	"strconv"
)

// The errors of CSV files, for errors.Is. An [*Error] wraps one of these, [io.ErrUnexpectedEOF] if
// compressed input is cut, or the error of the source.
var (
	// ErrHeader: the header is missing, differs from that of the other files, or has names that
	// features cannot have.
	ErrHeader = errors.New("not the header that is wanted")
	// ErrDelimiter: another character than a comma seems to divide the header.
	ErrDelimiter = errors.New("not the delimiter of the file")
	// ErrList: brackets around a list hold another one, or strings in the notation of Python.
	ErrList = errors.New("not a list of values")
	// ErrCells: the number of cells of a row is not that of the columns.
	ErrCells = errors.New("wrong number of cells")
	// ErrQuote: a quote is misplaced or not closed.
	ErrQuote = errors.New("misplaced quote")
	// ErrNumber: a cell is not a number of the type of its column.
	ErrNumber = errors.New("no such number")
	// ErrTooLarge: a row is larger than Options.MaxRowSize.
	ErrTooLarge = errors.New("row exceeds the size limit")
)

// An Error says why a row cannot be read, and its position. The caller adds the name of the file.
type Error struct {
	Row    int64  // ordinal of the row, from 0 after the header; -1 for the header
	Offset int64  // of the row, in bytes of the uncompressed file
	Line   int    // of the fault, from 1; 0: unknown
	Byte   int    // of the fault in the line, from 1; 0: unknown
	Name   string // of the column; "" unless Column is above 0
	Column int    // the column, from 1; 0: the error is about the whole row
	Detail string // the error in words
	Err    error
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

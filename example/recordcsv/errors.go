package recordcsv

import (
	"errors"
	"fmt"
	"strconv"
)

// What can be wrong with a file, found with errors.Is. An [*Error] wraps one of these, [io.ErrUnexpectedEOF] where
// compressed input is cut, or what the source failed with.
var (
	// ErrHeader: there is no header, its names cannot be those of features, or it is not the header of the other files.
	ErrHeader = errors.New("not the header that is wanted")
	// ErrDelimiter: another character than a comma seems to divide the header.
	ErrDelimiter = errors.New("not the delimiter of the file")
	// ErrList: brackets around a list hold another one, or strings in the notation of Python.
	ErrList = errors.New("not a list of values")
	// ErrCells: a row has another number of cells than there are columns.
	ErrCells = errors.New("wrong number of cells")
	// ErrQuote: a quote stands where none may, or is not closed.
	ErrQuote = errors.New("misplaced quote")
	// ErrNumber: a cell of a column of numbers is no number, or none that the type can hold.
	ErrNumber = errors.New("no such number")
	// ErrTooLarge: a row is larger than Options.MaxRowSize.
	ErrTooLarge = errors.New("row exceeds the size limit")
)

// An Error says where a file cannot be read. The caller adds the name of the file.
type Error struct {
	Row    int64  // ordinal of the row, from 0 behind the header; -1 for the header
	Offset int64  // where the row begins, in bytes of the uncompressed file
	Line   int    // of the fault, from 1; 0 unknown
	Byte   int    // of the fault in the line, from 1; 0 unknown
	Name   string // of the column; "" unless Column is above 0
	Column int    // the column, from 1; 0 where the fault is that of a whole row
	Detail string // what is wrong, in words
	Err    error
}

// Error gives one line: where, then what.
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

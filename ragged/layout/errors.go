package layout

import (
	"errors"
	"fmt"
	"strconv"
)

var (
	ErrSyntax      = errors.New("layout: syntax error")                   // a text that is not a shape
	ErrInvalid     = errors.New("layout: invalid shape")                  // a shape or layout with a contradiction
	ErrRange       = errors.New("layout: out of range")                   // a dimension, index or position that does not exist
	ErrPadding     = errors.New("layout: a padding cell, not an element") // a position of the buffer without element
	ErrUnsupported = errors.New("layout: not defined for this shape")     // such as strides of a tiled array
	ErrMismatch    = errors.New("layout: shapes or buffers do not fit")   // two shapes, or a shape and its buffer
)

// An Error is about a shape, a text or an argument.
type Error struct {
	Offset int    // byte in the text; -1 without a text
	Detail string // the dimension and the numbers
	Err    error  // one of the errors above
}

// Error gives the kind of error, the byte and the detail.
func (e *Error) Error() string {
	s := e.Err.Error()
	if e.Offset >= 0 {
		s += " at byte " + strconv.Itoa(e.Offset)
	}
	return s + ": " + e.Detail
}

// Unwrap returns the kind of error.
func (e *Error) Unwrap() error { return e.Err }

func errorf(kind error, format string, args ...any) error {
	return &Error{Offset: -1, Detail: fmt.Sprintf(format, args...), Err: kind}
}

func invalidf(format string, args ...any) error { return errorf(ErrInvalid, format, args...) }

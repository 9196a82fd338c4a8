package layout

import (
	"errors"
	"fmt"
	"strconv"
)

var (
	ErrSyntax      = errors.New("layout: syntax error")                         // a text that is no shape
	ErrInvalid     = errors.New("layout: invalid shape")                        // a shape or layout that cannot be
	ErrRange       = errors.New("layout: out of range")                         // no such dimension, index or place
	ErrPadding     = errors.New("layout: a padding cell, not an element")       // inside the buffer
	ErrUnsupported = errors.New("layout: not defined for this shape")           // such as strides of tiles
	ErrMismatch    = errors.New("layout: shapes or buffers do not go together") // of two shapes, or a shape and its buffer
)

// An Error is what went wrong, and where in a text if there is one.
type Error struct {
	Offset int    // byte in the text, -1 if there is none
	Detail string // with the dimension and the numbers
	Err    error  // one of the errors above
}

// Error gives the kind of error, the place and the detail.
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

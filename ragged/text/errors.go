package text

import (
	"errors"
	"fmt"
)

var (
	// ErrValue is wrapped by every error about a value that an operation does not
	// take.
	ErrValue = errors.New("text: value not accepted")

	// ErrArgument is wrapped by every error about an argument that says how to work,
	// such as a number of buckets or a pattern.
	ErrArgument = errors.New("text: argument not accepted")
)

// A ValueError says which value of a tensor an operation does not take. It wraps
// ErrValue.
type ValueError struct {
	Op    string // the operation, such as "to number"
	Index int    // the position of the value among all of the tensor, in row-major order
	Want  string // the rule, such as "an int32"
	Got   string // the value, cut if it is long, and quoted if it is a string
}

// Error gives the operation, the position, and what was wanted and got.
func (e *ValueError) Error() string {
	return fmt.Sprintf("%v: %s: values[%d]: want %s, got %s", ErrValue, e.Op, e.Index, e.Want, e.Got)
}

// Unwrap returns ErrValue.
func (e *ValueError) Unwrap() error { return ErrValue }

// quoted writes a string for an error.
func quoted(s string) string {
	const most = 64
	if len(s) > most {
		return fmt.Sprintf("%q... (%d bytes)", s[:most], len(s))
	}
	return fmt.Sprintf("%q", s)
}

func argumentErrorf(op, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrArgument, op, fmt.Sprintf(format, args...))
}

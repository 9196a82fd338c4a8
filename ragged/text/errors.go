package text

import (
	"errors"
	"fmt"
)

// ErrArgument is wrapped by every error about an argument that is not a tensor, such as a
// number of buckets or a pattern.
var ErrArgument = errors.New("text: argument not accepted")

// quoted returns the beginning of a string for an error.
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

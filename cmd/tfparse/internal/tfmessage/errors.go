package tfmessage

import (
	"fmt"
	"strings"
)

// A DecodeError is an error with its position in a record, for this package and for package protomessage.
type DecodeError struct {
	Offset int    // byte in the record
	Path   string // names of the fields around it, joined by "."; "": the record itself
	Err    error  // the reason
}

// Error returns the reason with its position.
func (e *DecodeError) Error() string {
	text := fmt.Sprintf("message does not decode: at byte %d: ", e.Offset)
	if e.Path != "" {
		text += e.Path + ": "
	}
	return text + strings.TrimPrefix(e.Err.Error(), "model: ")
}

// Unwrap returns the reason.
func (e *DecodeError) Unwrap() error { return e.Err }

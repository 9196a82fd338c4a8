package jsonscan

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// A SyntaxError is a fault in the grammar of JSON, or text that is not UTF-8.
type SyntaxError struct {
	Column int // of the fault, in bytes from 1
	Err    error
}

// Error gives one line: where, then what.
func (e *SyntaxError) Error() string { return fmt.Sprintf("column %d: %v", e.Column, e.Err) }

// Unwrap returns e.Err.
func (e *SyntaxError) Unwrap() error { return e.Err }

// CheckSyntax checks that text is UTF-8 and one JSON value, not nested beyond the limit of
// encoding/json, which is 10,000; nil if it is. The error has the words of encoding/json.
//
// A line that a Cursor could not read, or that does not hold what is wanted, is
// given to it first, so that a fault in the grammar comes before all others.
func CheckSyntax(text []byte) *SyntaxError {
	if !utf8.Valid(text) {
		return &SyntaxError{invalidUTF8(text) + 1, errors.New("line is not UTF-8")}
	}
	if json.Valid(text) {
		return nil
	}
	var raw json.RawMessage
	err := json.Unmarshal(text, &raw)
	column := len(text)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		column = int(syntax.Offset)
	}
	return &SyntaxError{max(column, 1), err}
}

func invalidUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(b)
}

package raggedjson

import (
	"strconv"
	"strings"
)

// An Error says where in a line something cannot be read. The caller adds the file
// and the line.
type Error struct {
	Column  int    // of the fault in the line, in bytes from 1
	Part    string // "context", "sequence", "examples[3]"; empty in an Example
	Feature string // the name in the spec; empty outside a feature
	Path    []int  // from the feature's value to the list or value at fault
	Err     error
}

// Error gives one line: where, then what.
func (e *Error) Error() string {
	b := strconv.AppendInt([]byte("column "), int64(e.Column), 10)
	b = append(b, ": "...)
	if e.Part != "" {
		b = append(append(b, e.Part...), ": "...)
	}
	if e.Feature != "" {
		b = append(strconv.AppendQuote(append(b, "feature "...), e.Feature), ": "...)
	}
	for _, i := range e.Path {
		b = append(strconv.AppendInt(append(b, '['), int64(i), 10), ']')
	}
	if len(e.Path) > 0 {
		b = append(b, ": "...)
	}
	return string(append(b, strings.ReplaceAll(e.Err.Error(), "\n", " ")...))
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

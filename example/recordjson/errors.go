package recordjson

import (
	"errors"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/example"
)

// An Error says where in a message or in a line something cannot be printed
// or read. The caller adds the file and the record or line. A fault in the
// bytes of a message is an [*example.Error] instead.
type Error struct {
	Column  int    // of the fault in the line, in bytes from 1; 0 when printing
	Part    string // "context", "feature_lists", "examples[3]"; empty in an Example
	Feature string // the name in the message; empty outside a feature
	Frame   int    // of a feature list, from 0; -1 outside a frame
	Value   int    // the value in the list, from 0; -1 outside a value
	Err     error
}

// Error gives one line: where, then what.
func (e *Error) Error() string {
	var b []byte
	if e.Column > 0 {
		b = append(strconv.AppendInt(append(b, "column "...), int64(e.Column), 10), ": "...)
	}
	if e.Part != "" {
		b = append(append(b, e.Part...), ": "...)
	}
	if e.Feature != "" {
		b = append(strconv.AppendQuote(append(b, "feature "...), e.Feature), ": "...)
	}
	if e.Frame >= 0 {
		b = append(strconv.AppendInt(append(b, "frame "...), int64(e.Frame), 10), ": "...)
	}
	if e.Value >= 0 {
		b = append(strconv.AppendInt(append(b, "value "...), int64(e.Value), 10), ": "...)
	}
	return string(append(b, strings.ReplaceAll(e.Err.Error(), "\n", " ")...))
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// at adds to err, which comes from one feature, where that stands.
func at(err error, part, feature string, frame, value int) error {
	fault, ok := errors.AsType[*example.Error](err)
	if !ok {
		return &Error{Part: part, Feature: feature, Frame: frame, Value: value, Err: err}
	}
	placed := *fault
	if placed.Part == "" {
		placed.Part = part
	}
	if placed.Feature == "" {
		placed.Feature = feature
	}
	if placed.Frame < 0 {
		placed.Frame = frame
	}
	return &placed
}

// inExample moves an error in one example of a list to its place in the list.
func inExample(err error, index, offset int) error {
	part := "examples[" + strconv.Itoa(index) + "]"
	if fault, ok := errors.AsType[*example.Error](err); ok {
		placed := *fault
		placed.Part = part
		if placed.Offset >= 0 {
			placed.Offset += offset
		}
		return &placed
	}
	if fault, ok := errors.AsType[*Error](err); ok {
		placed := *fault
		placed.Part = part
		return &placed
	}
	return err
}

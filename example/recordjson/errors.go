package recordjson

import (
	"errors"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/example"
)

// An Error says where in a message or in a line something cannot be printed
// or read, here and in package raggedjson. The caller adds the file and the record or
// line. A fault in the bytes of a message is an [*example.Error] instead.
type Error struct {
	example.Path       // Feature is the name in the spec, if there is one
	Column       int   // of the fault in the line, in bytes from 1; 0 when printing
	Nested       []int // in lines of package raggedjson: the indices of lists, from the feature's value to the fault
	Err          error
}

// Error gives one line: where, then what.
func (e *Error) Error() string {
	var b []byte
	if e.Column > 0 {
		b = append(strconv.AppendInt(append(b, "column "...), int64(e.Column), 10), ": "...)
	}
	if where := e.Path.String(); where != "" {
		b = append(append(b, where...), ": "...)
	}
	for _, i := range e.Nested {
		b = append(strconv.AppendInt(append(b, '['), int64(i), 10), ']')
	}
	if len(e.Nested) > 0 {
		b = append(b, ": "...)
	}
	return string(append(b, strings.ReplaceAll(e.Err.Error(), "\n", " ")...))
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// What an Encoder cannot decide, found with errors.Is. ErrMixedTypes is settled by the type
// that NewEncoder takes, ErrMixedKinds by its kinds.
var (
	ErrMixedTypes = errors.New("lines are of several types")
	ErrMixedKinds = errors.New("values are of several kinds")
)

// A sentinelError is an error with a text of its own that wraps a sentinel.
type sentinelError struct {
	text     string
	sentinel error
}

func (d *sentinelError) Error() string { return d.text }

func (d *sentinelError) Unwrap() error { return d.sentinel }

// addPath adds to err, which comes from one feature, where that stands.
func addPath(err error, part, feature string, step, value int) error {
	fault, ok := errors.AsType[*example.Error](err)
	if !ok {
		path := example.PathTo(part, feature)
		path.Step, path.Value = step, value
		return &Error{Path: path, Err: err}
	}
	placed := *fault
	if placed.Part == "" {
		placed.Part = part
	}
	if placed.Feature == "" {
		placed.Feature = feature
	}
	if placed.Step < 0 {
		placed.Step = step
	}
	return &placed
}

// encloseError moves an error in one example of a list to its place in the list.
func encloseError(err error, index, offset int) error {
	part := "examples[" + strconv.Itoa(index) + "]"
	if fault, ok := errors.AsType[*example.Error](err); ok {
		placed := *fault
		placed.Enclose(part, offset)
		return &placed
	}
	if fault, ok := errors.AsType[*Error](err); ok {
		placed := *fault
		placed.Part = part
		return &placed
	}
	return err
}

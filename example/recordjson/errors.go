package recordjson

import (
	"errors"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/example"
)

// Error is the error of a value that cannot be printed, or of a line that cannot be read, here and in
// package raggedjson. The caller adds the file and the record or line. For damage in the bytes of a
// message the error is an [*example.Error].
type Error struct {
	example.Path       // Feature is the name in the spec, if there is a spec
	Column       int   // byte of the error in the line, from 1; 0 when printing
	Nested       []int // in lines of package raggedjson: indices of the nested lists that contain the error
	Err          error
}

// Error returns one line: the position, then the error.
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

// Errors for lines that an Encoder cannot decide, for errors.Is. For ErrMixedTypes give NewEncoder a type,
// for ErrMixedKinds give it kinds.
var (
	ErrMixedTypes = errors.New("lines are of several types")
	ErrMixedKinds = errors.New("values are of several kinds")
)

// sentinelError wraps a sentinel and has a text of its own.
type sentinelError struct {
	text     string
	sentinel error
}

func (d *sentinelError) Error() string { return d.text }

func (d *sentinelError) Unwrap() error { return d.sentinel }

// addPath adds the path of the feature to err.
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

// encloseError adds the position of an example in its list to an error.
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

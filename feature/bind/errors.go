package bind

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
)

// ErrRange: the Go type cannot hold the value of the record, or the record cannot hold the value of
// the Go type. A [feature.Error] wraps it.
var ErrRange = errors.New("feature: value does not fit the type")

// Error is returned if a record does not fit the struct or a struct cannot be encoded. It adds the
// Go field to a [feature.Error].
type Error struct {
	Record int    // ordinal of the record in All; -1 elsewhere
	Field  string // path within the struct, with indices if known: "Docs[3].Steps"
	Err    error  // a *feature.Error
}

// Error returns one line: the record, the field, and the text of Err.
func (e *Error) Error() string {
	text := "field " + e.Field + ": " + e.Err.Error()
	if e.Record >= 0 {
		return "record " + strconv.Itoa(e.Record) + ": " + text
	}
	return text
}

// recordError adds the index of the record in All to an error.
func recordError(i int, err error) error {
	switch e := err.(type) {
	case *Error:
		e.Record = i
		return e
	case *feature.Error:
		e.Record = i
		return e
	}
	return fmt.Errorf("record %d: %w", i, err)
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// TypeError is one error in a struct type or its tags, returned by New.
type TypeError struct {
	Type  reflect.Type // the struct
	Field string       // path of the field; "": the error concerns the whole struct
	Tag   string       // the tfparse tag of the field
	Err   error        // may be a *feature.SpecError
}

// Error returns one line: the type, the field, its tag, and the text of Err.
func (e *TypeError) Error() string {
	b := fmt.Appendf(nil, "type %v: ", e.Type)
	if e.Field != "" {
		b = append(append(b, "field "...), e.Field...)
		if e.Tag != "" {
			b = append(strconv.AppendQuote(append(b, " (tag "...), e.Tag), ')')
		}
		b = append(b, ": "...)
	}
	return string(append(b, e.Err.Error()...))
}

// Unwrap returns e.Err.
func (e *TypeError) Unwrap() error { return e.Err }

// valueError is an error of a value inside a field. Each caller prepends its index to the path.
type valueError struct {
	path      string // such as "[3][0]"
	first     int    // the first index of path
	err       error
	want, got string
}

// inIndex adds an index to the front of the path.
func (e *valueError) inIndex(i int) *valueError {
	if e != nil {
		e.path, e.first = "["+strconv.Itoa(i)+"]"+e.path, i
	}
	return e
}

// newError returns the error of a field. unit is the step or example, and level the partition, or -1.
func (f *field) newError(unit, level int, key string, e *valueError) error {
	in := &feature.Error{Path: example.PathTo("", f.name), Group: f.group, Err: e.err, Want: e.want, Got: e.got}
	in.Key, in.Partition = key, level
	if f.group == feature.InExamples || f.group == feature.InSequence {
		in.Step = unit
	}
	return &Error{Record: -1, Field: f.fieldPath(unit) + e.path, Err: in}
}

// fieldPath returns the path of the field; in a list of examples it includes the index of the example.
func (f *field) fieldPath(unit int) string {
	if f.group == feature.InExamples && unit >= 0 {
		return f.parent + "[" + strconv.Itoa(unit) + "]." + f.path
	}
	if f.parent != "" {
		return f.parent + "." + f.path
	}
	return f.path
}

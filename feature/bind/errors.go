package bind

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
)

// ErrRange: a value that its Go type cannot hold, or one of a Go type that a record
// cannot hold. A [feature.Error] wraps it.
var ErrRange = errors.New("feature: value does not fit the type")

// An Error is a record that does not fit the struct, or a struct that cannot be
// encoded. It adds the Go field to what the error inside says.
type Error struct {
	Record int    // ordinal of the record in All; -1 elsewhere
	Field  string // the path from the struct, with indices where known: "Docs[3].Steps"
	Err    error  // a *feature.Error
}

// Error gives one line: the record, the field, then what Err says.
func (e *Error) Error() string {
	text := "field " + e.Field + ": " + e.Err.Error()
	if e.Record >= 0 {
		return "record " + strconv.Itoa(e.Record) + ": " + text
	}
	return text
}

// recordError says which record of All an error is about.
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

// A TypeError is one fault of a struct type or of its tags: New finds it, before
// any record is read.
type TypeError struct {
	Type  reflect.Type // the struct
	Field string       // the path of the field; "" if the fault is not in one
	Tag   string       // what it says for tfparse
	Err   error        // may be a *feature.SpecError
}

// Error gives one line: the type, the field, its tag, and what is wrong.
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

// A fault is what is wrong with the value of a field. The way to it is found while
// the error goes up: each caller puts its index in front.
type fault struct {
	path      string // "[3][0]"
	first     int    // the 3
	err       error
	want, got string
}

// at adds the index that the caller went by.
func (e *fault) at(i int) *fault {
	if e != nil {
		e.path, e.first = "["+strconv.Itoa(i)+"]"+e.path, i
	}
	return e
}

// fail makes the error for a field; unit is the step or example at fault, if there
// are such, and level the partition, or -1.
func (f *field) fail(unit, level int, key string, e *fault) error {
	in := &feature.Error{Path: example.PathTo("", f.name), Group: f.group, Err: e.err, Want: e.want, Got: e.got}
	in.Key, in.Partition = key, level
	if f.group == feature.InExamples || f.group == feature.InSequence {
		in.Step = unit
	}
	return &Error{Record: -1, Field: f.at(unit) + e.path, Err: in}
}

// at is the path of a field; of a field in a list of examples, with the number of
// the example.
func (f *field) at(unit int) string {
	if f.group == feature.InExamples && unit >= 0 {
		return f.part + "[" + strconv.Itoa(unit) + "]." + f.path
	}
	if f.part != "" {
		return f.part + "." + f.path
	}
	return f.path
}

package feature

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/ragged"
)

// The errors of records and columns. An [*Error] wraps one of these, or an error of
// package example for a record that does not decode.
var (
	// ErrMissing: a required feature, or a required feature list, is absent.
	ErrMissing = errors.New("feature: required feature is missing")
	// ErrCount: the number of values does not fit the shape.
	ErrCount = errors.New("feature: wrong number of values")
	// ErrPartition: the data of a row partition do not fit its items.
	ErrPartition = ragged.ErrPartition
	// ErrSteps: the feature lists of one column have different numbers of steps.
	ErrSteps = errors.New("feature: steps do not align")
	// ErrIndex: a sparse feature has another number of indices than of values, or an index outside its size.
	ErrIndex = errors.New("feature: sparse indices do not fit")
	// ErrLimit: a record exceeds a limit of the ParserOptions.
	ErrLimit = errors.New("feature: limit exceeded")
	// ErrNoColumn: there is no column of that name, or it has another type.
	ErrNoColumn = errors.New("feature: no such column")
	// ErrColumn: a column given to be encoded does not fit its feature.
	ErrColumn = errors.New("feature: column does not fit the spec")
)

// An Error says why a record does not fit the Spec, or a column its feature. Path.Record is
// the index among the records of one call, Path.Byte the offset of the fault, or of the feature.
// Group takes the place of Path.Part. The caller knows the file, and adds it.
type Error struct {
	example.Path
	Group Group  // the map of the Spec that has Path.Feature
	Whole bool   // the error is about the message, not about one feature
	Want  string // what the spec requires, unless Err is an *example.Error
	Got   string // what the record has
	Err   error  // one of the errors above, or an *example.Error
}

// Error returns one line, the coordinates from the outside in.
func (e *Error) Error() string {
	var b []byte
	if e.Record >= 0 {
		b = append(strconv.AppendInt(append(b, "record "...), int64(e.Record), 10), ": "...)
	}
	if !e.Whole {
		b = strconv.AppendQuote(append(b, e.Group.prefix()...), e.Feature)
		if e.Key != e.Feature {
			b = append(strconv.AppendQuote(append(b, " (key "...), e.Key), ')')
		}
		b = append(b, ": "...)
	}
	var inner *example.Error
	is := errors.As(e.Err, &inner)
	if e.Step >= 0 && !(is && inner.Step >= 0) {
		what := "step "
		if e.Group == InExamples {
			what = "example "
		}
		b = append(strconv.AppendInt(append(b, what...), int64(e.Step), 10), ": "...)
	}
	if e.Partition >= 0 {
		b = append(strconv.AppendInt(append(b, "partition "...), int64(e.Partition), 10), ": "...)
	}
	if is {
		return string(append(b, e.Err.Error()...))
	}
	text := strings.TrimPrefix(e.Err.Error(), "feature: ")
	b = append(b, strings.TrimPrefix(text, "ragged: ")...)
	if e.Want != "" {
		b = append(append(b, ": want "...), e.Want...)
	}
	if e.Got != "" {
		b = append(append(b, ", got "...), e.Got...)
	}
	if e.Byte >= 0 {
		b = append(strconv.AppendInt(append(b, " (byte "...), int64(e.Byte), 10), ')')
	}
	return string(b)
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// A SpecError is one error in a Spec.
type SpecError struct {
	Group   Group
	Feature string // the name of the feature; "" is a name too
	Whole   bool   // the error is about the spec, not about one feature
	Err     error
}

// Error returns one line: the feature, then the error.
func (e *SpecError) Error() string {
	if e.Whole {
		return "spec: " + e.Err.Error()
	}
	return e.Group.prefix() + strconv.Quote(e.Feature) + ": " + e.Err.Error()
}

// Unwrap returns e.Err.
func (e *SpecError) Unwrap() error { return e.Err }

// locate copies the position and the texts of an error of package example; base is the
// offset of its message in the record.
func (e *Error) locate(base int) {
	var inner *example.Error
	if !errors.As(e.Err, &inner) {
		return
	}
	e.Want, e.Got = inner.Want, inner.Got
	if inner.Byte >= 0 {
		inner.Byte += base
		e.Byte = inner.Byte
	}
	if inner.Step >= 0 {
		e.Step = inner.Step
	}
}

// newError returns an error about a feature and the key that it was read from.
func newError(g Group, feature, key string, err error) *Error {
	e := &Error{Path: example.PathTo("", feature), Group: g, Err: err}
	e.Key = key
	return e
}

// inPartition adds the level of the partition that the error is about; -1 means no partition.
func (e *Error) inPartition(level int) *Error {
	e.Partition = level
	return e
}

// recordError adds the index of a record to an error.
func recordError(i int, err error) error {
	if e, ok := err.(*Error); ok {
		e.Record = i
		return e
	}
	return fmt.Errorf("record %d: %w", i, err)
}

package example

import (
	"errors"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/internal/wire"
)

// The errors of messages. An [*Error] wraps one of these, or [io.ErrUnexpectedEOF] where a message ends inside a
// field or a length exceeds the message that contains it.
var (
	// ErrWireType: a field number, wire type or group that protobuf does not
	// allow, or a known field with a wire type that is not its own.
	ErrWireType = errors.New("example: unexpected wire type")
	// ErrOverflow: a varint of more than 64 bits.
	ErrOverflow = errors.New("example: varint overflow")
	// ErrKind: a feature holds values of another kind than asked for.
	ErrKind = errors.New("example: feature holds another kind")
	// ErrAmbiguous: TensorFlow and other decoders read different values from
	// these bytes.
	ErrAmbiguous = errors.New("example: ambiguous encoding")
	// ErrEntry: a map entry without exactly one key and one value.
	ErrEntry = errors.New("example: map entry is not one key and one value")
	// ErrPacked: a packed float list whose length is not a multiple of four.
	ErrPacked = errors.New("example: packed floats end inside a value")
	// ErrValue: a Value with lists of several kinds, a name that is added twice to a
	// Builder, or changes of an Edit that conflict.
	ErrValue = errors.New("example: value cannot be encoded")
	// ErrTooLarge: an encoding of more than 2 GiB - 1, the limit of protobuf.
	ErrTooLarge = errors.New("example: message exceeds 2 GiB - 1")

	errNoFeatures = errors.New("example: no message with features")
)

// An Error says why and where a message does not decode, or cannot be encoded. In errors of
// encoders Path.Byte is -1. Path.Feature is a feature or a feature list.
type Error struct {
	Path
	Want string // what the format requires; may be empty
	Got  string // what the message has; may be empty
	Err  error  // io.ErrUnexpectedEOF or one of the errors of this package
}

// Error returns one line: the path, the error, Want and Got.
func (e *Error) Error() string {
	b := e.appendOuter([]byte("example: "))
	b = append(b, strings.TrimPrefix(e.Err.Error(), "example: ")...)
	if e.Byte >= 0 {
		b = strconv.AppendInt(append(b, " at byte "...), int64(e.Byte), 10)
	}
	sep := ": "
	if e.Want != "" {
		b = append(append(append(b, sep...), "want "...), e.Want...)
		sep = ", "
	}
	if e.Got != "" {
		b = append(append(append(b, sep...), "got "...), e.Got...)
	}
	return string(b)
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// newError returns an Error at byte off+i of the message.
func newError(off, i int, err error, want, got string) *Error {
	e := &Error{Path: PathTo("", ""), Want: want, Got: got, Err: err}
	e.Byte = off + i
	return e
}

// fieldError returns the error of the field at b[i], for a fault that wire.Next returned.
func fieldError(b []byte, off, i, fault int) *Error {
	e := newError(off, i, wire.Err(fault), "", "")
	switch fault {
	case wire.Truncated:
		if tag, at := wire.Varint(b, i); at > 0 && wire.Type(tag&7) == wire.TypeBytes {
			if n, lo := wire.Varint(b, at); lo > 0 {
				e.Want = strconv.FormatUint(n, 10) + " bytes"
				e.Got = strconv.Itoa(len(b)-lo) + " left"
			}
		}
	case wire.Overflow:
		e.Err, e.Want = ErrOverflow, "at most 64 bits"
	default:
		e.Err, e.Got = ErrWireType, wire.Err(fault).Error()
	}
	return e
}

// typeError returns the error of a known field with another wire type.
func typeError(off, i int, name string, t wire.Type) *Error {
	return newError(off, i, ErrWireType, name+" as LEN", t.String())
}

// addPath adds a part and a name to the path of an *Error that lacks them.
func addPath(err error, part, name string) error {
	if e, ok := err.(*Error); ok {
		if e.Part == "" {
			e.Part = part
		}
		if e.Feature == "" {
			e.Feature = name
		}
	}
	return err
}

// A Path is the position of a fault within a record. A name that does not apply or is not known is empty; such an
// index is -1. [PathTo] returns a Path with names only. Errors of this package, of package feature and of package
// recordjson have one.
type Path struct {
	Record    int    // ordinal of the record among those of one call, such as feature.Parser.Parse
	Part      string // part of the message: "context", "feature_lists", "examples[3]"; empty in an Example
	Feature   string // the name of the feature or feature list
	Key       string // the key in the message, where a spec gives the feature another name
	Step      int    // index of the step in a feature list, or of the example in a list of examples
	Partition int    // level of the row partition, 0 the outermost
	Value     int    // index of the value in the list
	Byte      int    // offset from the beginning of the message
}

// PathTo returns the path to a feature in a part of a message.
func PathTo(part, feature string) Path {
	return Path{Record: -1, Part: part, Feature: feature, Step: -1, Partition: -1, Value: -1, Byte: -1}
}

// Enclose moves the path of a fault in an encoded Example to the message that encloses the
// Example: the Example is a part of it and begins at offset.
func (p *Path) Enclose(part string, offset int) {
	p.Part = part
	if p.Byte >= 0 {
		p.Byte += offset
	}
}

// String returns the path from the outside in:
// `record 3: context: feature "a": step 2: byte 17`.
func (p Path) String() string {
	b := p.appendOuter(nil)
	if p.Byte >= 0 {
		return string(strconv.AppendInt(append(b, "byte "...), int64(p.Byte), 10))
	}
	return string(b[:max(len(b)-len(": "), 0)])
}

// appendOuter appends all elements except the byte, each with a colon after it.
func (p Path) appendOuter(b []byte) []byte {
	b = appendIndex(b, "record ", p.Record)
	if p.Part != "" {
		b = append(append(b, p.Part...), ": "...)
	}
	if p.Feature != "" {
		b = strconv.AppendQuote(append(b, "feature "...), p.Feature)
		if p.Key != "" && p.Key != p.Feature {
			b = append(strconv.AppendQuote(append(b, " (key "...), p.Key), ')')
		}
		b = append(b, ": "...)
	}
	b = appendIndex(b, "step ", p.Step)
	b = appendIndex(b, "partition ", p.Partition)
	return appendIndex(b, "value ", p.Value)
}

// appendIndex appends what an index counts, the index and a colon, if it is known.
func appendIndex(b []byte, counts string, i int) []byte {
	if i < 0 {
		return b
	}
	return append(strconv.AppendInt(append(b, counts...), int64(i), 10), ": "...)
}

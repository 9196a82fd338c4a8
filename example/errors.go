package example

import (
	"errors"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/internal/wire"
)

// What can be wrong with a message. An [*Error] wraps one of these, or
// [io.ErrUnexpectedEOF] where a message ends inside a field or a length
// reaches past the message it stands in.
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
	// ErrValue: a Value with lists of more than one kind, or a name given twice
	// to a Builder.
	ErrValue = errors.New("example: value cannot be encoded")
	// ErrTooLarge: an encoding of more than 2 GiB - 1, which no reader takes.
	ErrTooLarge = errors.New("example: message exceeds 2 GiB - 1")

	errNoFeatures = errors.New("example: no message with features")
)

// An Error says where in a message decoding or encoding failed. When encoding, no byte is
// known. A feature list, like a feature, is Path.Feature.
type Error struct {
	Path
	Want string // what was expected; may be empty
	Got  string // what was found; may be empty
	Err  error  // io.ErrUnexpectedEOF or one of the errors of this package
}

// Error gives one line: where, what, wanted and got.
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

// newError is an Error at byte i of b, where b begins at off in the message.
func newError(off, i int, err error, want, got string) *Error {
	e := &Error{Path: PathTo("", ""), Want: want, Got: got, Err: err}
	e.Byte = off + i
	return e
}

// fieldError explains the fault that wire.Next found in the field at b[i].
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

// typeError is a known field with a wire type that is not its own.
func typeError(off, i int, name string, t wire.Type) *Error {
	return newError(off, i, ErrWireType, name+" as LEN", t.String())
}

// in adds to err, if it is an *Error, what the caller knows of the place.
func in(err error, part, name string) error {
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

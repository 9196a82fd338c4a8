package model

import (
	"errors"
	"fmt"
)

// What can be wrong with a model. An [*Error] wraps one of these, one of the errors of tensors,
// [io.ErrUnexpectedEOF] where the file or a message ends inside a field, or an error of
// the wire format.
var (
	// ErrNotModel: the file is not a SavedModel.
	ErrNotModel = errors.New("not a SavedModel")
	// ErrLimit: the file exceeds a limit of this package.
	ErrLimit = errors.New("over the limit")
	// ErrMessage: a field that has another type than TensorFlow's, a name that is
	// not UTF-8, or a map with a key twice.
	ErrMessage = errors.New("unexpected message")
	// ErrNoSignature: the model has no signature of that name.
	ErrNoSignature = errors.New("no such signature")
)

// An Error says where in a saved_model.pb, or in a TensorProto, reading failed.
type Error struct {
	File   string // as it was opened, empty for Read; or "TensorProto"
	Offset int64  // in the file, or in the TensorProto
	Field  string // the message, such as "meta_graphs.signature_def"
	Detail string // what was wanted or found; may be empty
	Err    error
}

// Error gives one line: file, byte, field and what is wrong.
func (e *Error) Error() string {
	s := "model: "
	if e.File != "" {
		s += e.File + ": "
	}
	s += fmt.Sprintf("byte %d: ", e.Offset)
	if e.Field != "" {
		s += e.Field + ": "
	}
	s += e.Err.Error()
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

// Unwrap returns what went wrong.
func (e *Error) Unwrap() error { return e.Err }

package model

import (
	"errors"
	"fmt"
)

// Errors of models. An [*Error] wraps one of these, one of the errors of tensors,
// [io.ErrUnexpectedEOF] if the file or a message ends inside a field, or an error of the wire
// format.
var (
	// ErrNotModel is about a file that is not a SavedModel.
	ErrNotModel = errors.New("not a SavedModel")
	// ErrLimit is about a file that exceeds a limit of this package.
	ErrLimit = errors.New("over the limit")
	// ErrMessage is about a field of another type than in TensorFlow, a name that is not
	// UTF-8, or a map with a key twice.
	ErrMessage = errors.New("unexpected message")
	// ErrNoSignature is about a signature that the model does not have.
	ErrNoSignature = errors.New("no such signature")
)

// An Error is about a byte of a saved_model.pb or of a TensorProto.
type Error struct {
	File   string // as it was opened, empty for Read; or "TensorProto"
	Offset int64  // in the file or in the TensorProto
	Field  string // path of the message, such as "meta_graphs.signature_def"
	Detail string // what was wanted or got; may be empty
	Err    error  // one of the errors above
}

// Error gives the file, the byte, the field and the error.
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

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

package model

import (
	"errors"
	"fmt"
)

// Errors of models. An [*Error] wraps one of these, one of the errors of tensors,
// [io.ErrUnexpectedEOF] if the file or a message ends inside a field, or an error of the wire
// format.
var (
	// ErrNotModel means that a file is not a SavedModel.
	ErrNotModel = errors.New("not a SavedModel")
	// ErrLimit means that a file exceeds a limit of this package.
	ErrLimit = errors.New("over the limit")
	// ErrMessage means that a field has another type than in TensorFlow, a name is not
	// UTF-8, or a map has a duplicate key.
	ErrMessage = errors.New("unexpected message")
	// ErrNoSignature means that the model lacks a signature.
	ErrNoSignature = errors.New("no such signature")
)

// An Error is an error at a byte of a saved_model.pb or of a TensorProto.
type Error struct {
	File   string // name passed to Open; empty for Read; "TensorProto" for a tensor
	Offset int64  // offset in the file or in the TensorProto, in bytes
	Field  string // path of the message, such as "meta_graphs.signature_def"
	Detail string // what was wanted or got; may be empty
	Err    error  // ErrMessage, for example: see the errors above
}

// Error returns one line: the file, the offset, the field and the error.
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

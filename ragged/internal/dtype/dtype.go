// Package dtype has TensorFlow's names of Go types.
package dtype

import "reflect"

// Name returns TensorFlow's name of the dtype of a Go type: int is int64 and []byte is
// string. For any other type it returns the name of the Go type.
func Name[T any]() string {
	switch typ := reflect.TypeFor[T](); typ {
	case reflect.TypeFor[int]():
		return "int64"
	case reflect.TypeFor[[]byte]():
		return "string"
	default:
		return typ.String()
	}
}

package model

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tfparse/tfparse/internal/wire"
)

// A Tensor is a dense tensor: what a TensorProto holds.
type Tensor struct {
	DType DType
	Shape Shape // every size is known

	// Bytes are the elements of numbers and bools in row-major order, little-endian,
	// as tensor_content has them: float16 and bfloat16 as their bits, a complex number as
	// two floats. It is nil for strings.
	Bytes []byte

	// Strings are the elements of a tensor of strings.
	Strings []string
}

// An Element is the Go type of the elements of a tensor. A Bool is a bool, a String a
// string, and a quantized integer its plain one.
type Element interface {
	bool | string | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | complex64 | complex128
}

// Errors of tensors.
var (
	// ErrTensor: a TensorProto that contradicts itself, or that holds less or more than its
	// shape says.
	ErrTensor = errors.New("broken TensorProto")
	// ErrDType: a type that has no elements here, or another one than was asked for.
	ErrDType = errors.New("unexpected dtype")
)

// MaxFill is the size to which [DecodeTensor] extends a tensor whose values are not all in
// the message, in bytes; a string counts as 16.
const MaxFill = 64 << 20

// maxDims is the limit of TensorFlow.
const maxDims = 254

// sizes of elements, in bytes; 0 for types that are not values here.
var sizes = [firstUnlisted]int8{Float32: 4, Float64: 8, Int32: 4, Uint8: 1, Int16: 2, Int8: 1, String: 16, Complex64: 8, Int64: 8, Bool: 1,
	QInt8: 1, QUint8: 1, QInt32: 4, BFloat16: 2, QInt16: 2, QUint16: 2, Uint16: 2, Complex128: 16, Float16: 2, Uint32: 4, Uint64: 8,
	Float8E5M2: 1, Float8E4M3FN: 1}

// size is that of an element, 0 if the type is not one of values.
func (d DType) size() int {
	if d < firstUnlisted {
		return int(sizes[d])
	}
	return 0
}

// elements returns the number of elements of a shape. ok is false if a size is negative or the
// number of bytes of the elements overflows.
func (s Shape) elements(size int) (n int, ok bool) {
	product := int64(1)
	for _, d := range s {
		if d < 0 || d > 0 && product > math.MaxInt64/d {
			return 0, false
		}
		product *= d
	}
	return int(product), product <= math.MaxInt/int64(max(size, 1))
}

// Len returns the number of elements.
func (t Tensor) Len() int {
	if t.DType == String {
		return len(t.Strings)
	}
	return len(t.Bytes) / max(t.DType.size(), 1)
}

// check compares the elements of a tensor with its shape.
func (t Tensor) check() error {
	size := t.DType.size()
	if size == 0 {
		return fmt.Errorf("%w: %v", ErrDType, t.DType)
	}
	n, ok := t.Shape.elements(size)
	switch {
	case !ok || t.Shape == nil:
		return fmt.Errorf("%w: shape %v", ErrTensor, t.Shape)
	case t.DType == String && len(t.Bytes) > 0 || t.DType != String && t.Strings != nil:
		return fmt.Errorf("%w: a tensor of %v with elements of another type", ErrTensor, t.DType)
	case t.DType == String && len(t.Strings) != n:
		return fmt.Errorf("%w: %d strings for shape %v", ErrTensor, len(t.Strings), t.Shape)
	case t.DType != String && len(t.Bytes) != n*size:
		return fmt.Errorf("%w: %d bytes of %v for shape %v, want %d", ErrTensor, len(t.Bytes), t.DType, t.Shape, n*size)
	}
	return nil
}

// NewTensor makes a tensor of elements in row-major order. Without a shape it is a vector; for
// a scalar see the example. The elements are copied, but strings keep their memory. It fails if
// the shape is not that of the elements.
func NewTensor[T Element](values []T, shape ...int64) (Tensor, error) {
	if shape == nil {
		shape = []int64{int64(len(values))}
	}
	t := Tensor{Shape: shape}
	switch v := any(values).(type) {
	case []string:
		t.DType, t.Strings = String, slices.Clone(v)
		if v == nil {
			t.Strings = []string{}
		}
	default:
		t.DType = dtypeOf[T]()
		t.Bytes = appendValues(make([]byte, 0, len(values)*t.DType.size()), values)
	}
	if err := t.check(); err != nil {
		return Tensor{}, fmt.Errorf("model: %w", err)
	}
	return t, nil
}

// dtypeOf returns the type of tensors of T.
func dtypeOf[T Element]() DType {
	switch any(*new(T)).(type) {
	case bool:
		return Bool
	case string:
		return String
	case int8:
		return Int8
	case int16:
		return Int16
	case int32:
		return Int32
	case int64:
		return Int64
	case uint8:
		return Uint8
	case uint16:
		return Uint16
	case uint32:
		return Uint32
	case uint64:
		return Uint64
	case float32:
		return Float32
	case float64:
		return Float64
	case complex64:
		return Complex64
	}
	return Complex128
}

// appendValues appends elements, little-endian.
func appendValues[T Element](b []byte, values []T) []byte {
	switch v := any(values).(type) {
	case []float32: // by far the most common, with those of int64
		return wire.AppendPackedFloats(b, v)
	case []int64:
		for _, x := range v {
			b = binary.LittleEndian.AppendUint64(b, uint64(x))
		}
		return b
	}
	b, _ = binary.Append(b, binary.LittleEndian, values) // fails for types without a size only
	return b
}

// ValuesOf returns the elements of a tensor in row-major order. The slice is new. The error wraps
// ErrDType if they are of another type than T.
func ValuesOf[T Element](t Tensor) ([]T, error) {
	values, err := valuesOf[T](t)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return values, nil
}

func valuesOf[T Element](t Tensor) ([]T, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	var zero T
	want := dtypeOf[T]()
	if plain(t.DType) != want {
		return nil, fmt.Errorf("%w: want %v for %T, got %v", ErrDType, want, zero, t.DType)
	}
	values := make([]T, t.Len())
	switch v := any(values).(type) {
	case []string:
		copy(v, t.Strings)
		return values, nil
	case []int64:
		for i := range v {
			v[i] = int64(binary.LittleEndian.Uint64(t.Bytes[8*i:]))
		}
		return values, nil
	}
	_, err := binary.Decode(t.Bytes, binary.LittleEndian, values)
	return values, err
}

// plain returns the type without quantization, and the one of the bits of short floats.
func plain(d DType) DType {
	switch d {
	case QInt8:
		return Int8
	case QUint8, Float8E5M2, Float8E4M3FN:
		return Uint8
	case QInt16:
		return Int16
	case QUint16, Float16, BFloat16:
		return Uint16
	case QInt32:
		return Int32
	}
	return d
}

// AppendTensor appends a tensor as a TensorProto: numbers as tensor_content, strings as
// string_val. It fails, and returns dst as it came, if the elements do not fit the shape.
func AppendTensor(dst []byte, t Tensor) ([]byte, error) {
	if err := t.check(); err != nil {
		return dst, fmt.Errorf("model: %w", err)
	}
	return t.append(dst), nil
}

func (t Tensor) append(b []byte) []byte {
	b = appendTensorHead(b, t.DType, t.Shape)
	for _, s := range t.Strings {
		b = append(wire.AppendHeader(b, 8, int64(len(s))), s...)
	}
	if len(t.Bytes) > 0 {
		b = append(wire.AppendHeader(b, 4, int64(len(t.Bytes))), t.Bytes...)
	}
	return b
}

// appendTensorHead appends dtype and tensor_shape.
func appendTensorHead(b []byte, d DType, s Shape) []byte {
	b = wire.AppendVarint(wire.AppendTag(b, 1, wire.TypeVarint), uint64(d))
	size := int64(0)
	for _, dim := range s {
		size += wire.SizeField(sizeDim(dim))
	}
	b = wire.AppendHeader(b, 2, size)
	for _, dim := range s {
		b = wire.AppendHeader(b, 2, sizeDim(dim))
		if dim != 0 {
			b = wire.AppendVarint(wire.AppendTag(b, 1, wire.TypeVarint), uint64(dim))
		}
	}
	return b
}

// sizeDim is the size of a Dim.
func sizeDim(dim int64) int64 {
	if dim == 0 {
		return 0
	}
	return 1 + int64(wire.SizeVarint(uint64(dim)))
}

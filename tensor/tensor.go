// Package tensor has dense tensors of all of TensorFlow's dtypes, and two encodings of them as bytes: the
// message TensorProto, which tf.io.serialize_tensor writes and TensorFlow Serving sends, and raw bytes,
// which NumPy's tobytes writes and tf.io.decode_raw reads. Ragged tensors are in package ragged.
//
// [Decode] and [Append] read and write TensorProto. Like Serving, Decode accepts some messages that
// Python rejects: strings in tensor_content, and string tensors without values. It rejects
// messages that TensorFlow reads only in part or wrongly:
//
//   - values beyond the last element, and half a complex number: TensorFlow drops them
//   - values in the field of another type: TensorFlow reads zeros
//   - values out of the range of the type, such as 256 for uint8: TensorFlow wraps them
//   - strings in both tensor_content and string_val: TensorFlow drops those in string_val
//   - variants and resources
//   - more than [MaxFill] elements that are not in the message
package tensor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/internal/wire"
)

// A Tensor is a dense tensor, the value of a TensorProto.
type Tensor struct {
	DType DType
	Shape Shape // without unknown sizes

	// Bytes are the elements of a tensor of numbers or bools in row-major order,
	// little-endian, as in tensor_content: float16 and bfloat16 as their bits, a complex
	// number as two floats, a 4-bit integer as a byte. It is nil for strings.
	Bytes []byte

	// Strings are the elements of a tensor of strings. It is nil for other dtypes.
	Strings []string
}

// An Element is the Go type of a tensor's elements. Quantized integers have the type of plain
// integers.
type Element interface {
	bool | string | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | complex64 | complex128
}

// Errors of tensors.
var (
	// ErrTensor means that a TensorProto contradicts itself, for example that the number of
	// elements differs from the shape.
	ErrTensor = errors.New("broken TensorProto")
	// ErrDType means that a dtype is not supported or not the requested one.
	ErrDType = errors.New("unexpected dtype")
	// ErrLimit means that a TensorProto asks for more than MaxFill elements that it does not contain.
	ErrLimit = errors.New("over the limit")
)

// MaxFill is the maximum number of elements that [Decode] adds to a tensor whose message does not
// contain all of them: 15 bytes can ask TensorFlow for 2^31.
const MaxFill = 1 << 20

// MaxRank is the maximum rank in TensorFlow.
const MaxRank = 254

// elementSizes are the sizes of elements in bytes, 0 for unsupported types.
var elementSizes = [firstUnlisted]int8{Float32: 4, Float64: 8, Int32: 4, Uint8: 1, Int16: 2, Int8: 1, String: 16, Complex64: 8, Int64: 8, Bool: 1,
	QInt8: 1, QUint8: 1, QInt32: 4, BFloat16: 2, QInt16: 2, QUint16: 2, Uint16: 2, Complex128: 16, Float16: 2, Uint32: 4, Uint64: 8,
	Float8E5M2: 1, Float8E4M3FN: 1, Int4: 1, Uint4: 1}

// Size returns the size of an element in bytes, 0 for an unsupported type.
func (d DType) Size() int {
	if d < firstUnlisted {
		return int(elementSizes[d])
	}
	return 0
}

// elements returns the number of elements of a shape. It is not ok if a dimension is negative or the
// size in bytes overflows.
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
	return len(t.Bytes) / max(t.DType.Size(), 1)
}

// checkElements compares the elements of a tensor with its shape.
func (t Tensor) checkElements() error {
	size := t.DType.Size()
	if size == 0 {
		return fmt.Errorf("%w: %v", ErrDType, t.DType)
	}
	n, ok := t.Shape.elements(size)
	switch {
	case !ok || t.Shape == nil:
		return fmt.Errorf("%w: shape %v is unknown or too large", ErrTensor, t.Shape)
	case t.DType == String && len(t.Bytes) > 0 || t.DType != String && t.Strings != nil:
		return fmt.Errorf("%w: a tensor of %v with elements of another type", ErrTensor, t.DType)
	case t.DType == String && len(t.Strings) != n:
		return fmt.Errorf("%w: want %d strings for shape %v, got %d", ErrTensor, n, t.Shape, len(t.Strings))
	case t.DType != String && len(t.Bytes) != n*size:
		return fmt.Errorf("%w: want %d bytes of %v for shape %v, got %d", ErrTensor, n*size, t.DType, t.Shape, len(t.Bytes))
	}
	return nil
}

// New makes a tensor from elements in row-major order. Without a shape it is a vector; the shape of a
// scalar is []int64{}. It copies values, but not the bytes of strings. It fails if the number of
// elements differs from the shape.
func New[T Element](values []T, shape ...int64) (Tensor, error) {
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
		t.Bytes = appendValues(make([]byte, 0, len(values)*t.DType.Size()), values)
	}
	if err := t.checkElements(); err != nil {
		return Tensor{}, fmt.Errorf("tensor: %w", err)
	}
	return t, nil
}

// dtypeOf returns the dtype of tensors of T.
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
	case []float32: // fast path, as for int64
		return wire.AppendPackedFloats(b, v)
	case []int64:
		for _, x := range v {
			b = binary.LittleEndian.AppendUint64(b, uint64(x))
		}
		return b
	}
	b, _ = binary.Append(b, binary.LittleEndian, values) // fails only for types without a fixed size
	return b
}

// ValuesOf returns a copy of the elements of a tensor in row-major order. If they do not have type T,
// the error wraps ErrDType.
func ValuesOf[T Element](t Tensor) ([]T, error) {
	values, err := valuesOf[T](t)
	if err != nil {
		return nil, fmt.Errorf("tensor: %w", err)
	}
	return values, nil
}

// valuesOf is ValuesOf without the prefix "tensor: " of errors.
func valuesOf[T Element](t Tensor) ([]T, error) {
	if err := t.checkElements(); err != nil {
		return nil, err
	}
	var zero T
	want := dtypeOf[T]()
	if elementDType(t.DType) != want {
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

// elementDType returns the dtype of the Go elements. Quantized and 4-bit integers are plain integers, and floats
// of 8 or 16 bits are unsigned integers with their bits.
func elementDType(d DType) DType {
	switch d {
	case QInt8, Int4:
		return Int8
	case QUint8, Uint4, Float8E5M2, Float8E4M3FN:
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

// Append appends a tensor as a TensorProto: numbers as tensor_content, strings as string_val. It
// fails and returns dst unchanged if the elements do not fit the shape.
func Append(dst []byte, t Tensor) ([]byte, error) {
	if err := t.checkElements(); err != nil {
		return dst, fmt.Errorf("tensor: %w", err)
	}
	return t.appendProto(dst), nil
}

// appendProto is Append without the check.
func (t Tensor) appendProto(b []byte) []byte {
	b = AppendHead(b, t.DType, t.Shape)
	for _, s := range t.Strings {
		b = append(wire.AppendHeader(b, 8, int64(len(s))), s...)
	}
	if len(t.Bytes) > 0 {
		b = append(wire.AppendHeader(b, 4, int64(len(t.Bytes))), t.Bytes...)
	}
	return b
}

// AppendHead appends dtype and tensor_shape.
func AppendHead(b []byte, d DType, s Shape) []byte {
	b = wire.AppendVarint(wire.AppendTag(b, 1, wire.TypeVarint), uint64(d))
	size := int64(0)
	for _, dim := range s {
		size += wire.SizeField(SizeDim(dim))
	}
	b = wire.AppendHeader(b, 2, size)
	for _, dim := range s {
		b = wire.AppendHeader(b, 2, SizeDim(dim))
		if dim != 0 {
			b = wire.AppendVarint(wire.AppendTag(b, 1, wire.TypeVarint), uint64(dim))
		}
	}
	return b
}

// SizeDim returns the size of an encoded Dim.
func SizeDim(dim int64) int64 {
	if dim == 0 {
		return 0
	}
	return 1 + int64(wire.SizeVarint(uint64(dim)))
}

// A DType is the type of the elements of a tensor. Its values are those of TensorFlow's DataType.
// Package feature supports three of these types.
type DType uint8

// The types of TensorFlow. String prints other types as numbers.
const (
	Invalid       DType = 0
	Float32       DType = 1
	Float64       DType = 2
	Int32         DType = 3
	Uint8         DType = 4
	Int16         DType = 5
	Int8          DType = 6
	String        DType = 7
	Complex64     DType = 8
	Int64         DType = 9
	Bool          DType = 10
	QInt8         DType = 11
	QUint8        DType = 12
	QInt32        DType = 13
	BFloat16      DType = 14
	QInt16        DType = 15
	QUint16       DType = 16
	Uint16        DType = 17
	Complex128    DType = 18
	Float16       DType = 19
	Resource      DType = 20
	Variant       DType = 21
	Uint32        DType = 22
	Uint64        DType = 23
	Float8E5M2    DType = 24
	Float8E4M3FN  DType = 25
	Int4          DType = 29
	Uint4         DType = 30
	firstUnlisted DType = 31
)

var dtypeNames = [firstUnlisted]string{"invalid", "float32", "float64", "int32", "uint8", "int16", "int8", "string", "complex64",
	"int64", "bool", "qint8", "quint8", "qint32", "bfloat16", "qint16", "quint16", "uint16", "complex128", "float16", "resource",
	"variant", "uint32", "uint64", "float8_e5m2", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz", "int4", "uint4"}

// String returns TensorFlow's name for the type, such as "int64" or "float16", or
// "float32_ref" for a variable of TensorFlow 1.
func (d DType) String() string {
	if d < firstUnlisted {
		return dtypeNames[d]
	}
	const ref = 100 // added to a type for references to it
	if d > ref && d < ref+firstUnlisted {
		return dtypeNames[d-ref] + "_ref"
	}
	return fmt.Sprintf("dtype(%d)", uint8(d))
}

// MarshalText returns the name of the type.
func (d DType) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText sets d from the name of a type of elements. TensorFlow's short names "half", "float" and
// "double" are float16, float32 and float64.
func (d *DType) UnmarshalText(text []byte) error {
	name := string(text)
	if long, ok := map[string]string{"half": "float16", "float": "float32", "double": "float64"}[name]; ok {
		name = long
	}
	i := slices.Index(dtypeNames[:], name)
	if i < 0 || DType(i).Size() == 0 {
		return fmt.Errorf("tensor: %w: %q", ErrDType, name)
	}
	*d = DType(i)
	return nil
}

// A Shape contains the sizes of the axes of a tensor, -1 if unknown. The rank of a nil Shape is
// unknown; the Shape of a scalar is not nil and has length 0.
type Shape []int64

// String returns the shape as "[?, 3]", a nil Shape as "[...]".
func (s Shape) String() string {
	if s == nil {
		return "[...]"
	}
	dims := make([]string, len(s))
	for i, d := range s {
		dims[i] = "?"
		if d >= 0 {
			dims[i] = strconv.FormatInt(d, 10)
		}
	}
	return "[" + strings.Join(dims, ", ") + "]"
}

// Allows reports whether a tensor may have a shape, where s may have unknown sizes.
func (s Shape) Allows(shape Shape) bool {
	if s == nil {
		return true
	}
	for i, d := range shape {
		if i < len(s) && s[i] >= 0 && s[i] != d {
			return false
		}
	}
	return len(s) == len(shape)
}

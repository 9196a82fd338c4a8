package model

import (
	"fmt"
	"strconv"
	"strings"
)

// A DType is the type of a tensor's elements, with the numbers of TensorFlow's
// DataType. Package feature has three of them.
type DType uint8

// The types of TensorFlow that have a name here. Others are printed as numbers.
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
	firstUnlisted DType = 26
)

var dtypeNames = [firstUnlisted]string{"invalid", "float32", "float64", "int32", "uint8", "int16", "int8", "string", "complex64",
	"int64", "bool", "qint8", "quint8", "qint32", "bfloat16", "qint16", "quint16", "uint16", "complex128", "float16", "resource",
	"variant", "uint32", "uint64", "float8_e5m2", "float8_e4m3fn"}

// String returns TensorFlow's name for the type, such as "int64" or "float16", or
// "float32_ref" for a variable of TensorFlow 1.
func (d DType) String() string {
	if d < firstUnlisted {
		return dtypeNames[d]
	}
	const ref = 100 // added to the number of a type, it is that of references to it
	if d > ref && d < ref+firstUnlisted {
		return dtypeNames[d-ref] + "_ref"
	}
	return fmt.Sprintf("dtype(%d)", uint8(d))
}

// MarshalText returns the name of the type.
func (d DType) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// A Shape is the sizes of the axes of a tensor: -1 for one that is not known.
// A nil Shape is one whose rank is not known; a scalar has one of length 0.
type Shape []int64

// String writes the shape as "[?, 3]", and a nil one as "[...]".
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

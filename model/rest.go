package model

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/tfparse/tfparse/internal/jsonscan"
)

// AppendRESTRequest appends the body of a predict call to TensorFlow Serving's REST API, in its
// columnar form: {"signature_name": …, "inputs": {…}}. The row form, "instances", needs the
// same first dimension in every input, which row_splits and flat values do not have. Of the
// ModelSpec only the signature is in the body: name and version are in the URL.
//
// Strings that are not UTF-8 are {"b64": …} objects; NaN and infinities are the bare tokens that
// Serving reads, so such a body is no JSON for others.
//
// Serving reads no float16, bfloat16 and uint16 from JSON, a float64 perhaps with other last bits, and JSON cannot carry every tensor: an empty list says nothing of the dimensions inside it, so
// flat values of shape [0, 3] are an error that wraps ErrRequest. So is a name that is not UTF-8 or has a zero byte, and
// a string, not a list, for an only input named "b64", which Serving takes for base64. Over gRPC they can be sent.
//
// Serving has no defaults here: all inputs of the signature must be among the feeds.
func AppendRESTRequest(dst []byte, to ModelSpec, feeds []Feed) ([]byte, error) {
	b, err := to.appendREST(dst)
	if err != nil {
		return dst, err
	}
	b = append(b, `"inputs":{`...)
	for i := range feeds {
		f := &feeds[i]
		if f.Name == "" {
			return dst, fmt.Errorf("%w: input %d of dtype %v has no name in the signature: TensorFlow Serving cannot feed it", ErrRequest, i, f.DType)
		}
		if err := checkRESTName(f.Name); err != nil {
			return dst, fmt.Errorf("%w: input %w", ErrRequest, err)
		}
		if _, err := f.sizeTensor(); err != nil {
			return dst, err
		}
		switch f.DType {
		case Float32, Float64, Int64, Int32, Int16, Int8, Uint8, Uint32, Uint64, Bool, String:
		default:
			return dst, fmt.Errorf("%w: input %q: TensorFlow Serving reads no %v from JSON: send it over gRPC", ErrRequest, f.Name, f.DType)
		}
		if len(feeds) == 1 && f.Name == "b64" && f.DType == String && len(f.Shape) == 0 {
			return dst, fmt.Errorf("%w: a string for the only input %q would be read as base64: send it over gRPC", ErrRequest, f.Name)
		}
		for axis, d := range f.Shape {
			if d == 0 && axis < len(f.Shape)-1 {
				return dst, fmt.Errorf("%w: input %q has shape %v, and JSON has no empty list of that shape: send it over gRPC", ErrRequest, f.Name, Shape(f.Shape))
			}
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(jsonscan.AppendString(b, []byte(f.Name)), ':')
		at := 0
		b = f.appendJSON(b, f.Shape, &at)
	}
	return append(b, '}', '}'), nil
}

// appendJSON appends the elements from *at on as nested lists.
func (f *Feed) appendJSON(b []byte, shape []int64, at *int) []byte {
	if len(shape) == 0 {
		b = f.appendElement(b, *at)
		*at++
		return b
	}
	b = append(b, '[')
	for i := range shape[0] {
		if i > 0 {
			b = append(b, ',')
		}
		b = f.appendJSON(b, shape[1:], at)
	}
	return append(b, ']')
}

func (f *Feed) appendElement(b []byte, i int) []byte {
	switch {
	case i < len(f.Int64s):
		return jsonscan.AppendInt(b, f.Int64s[i])
	case i < len(f.Int32s):
		return jsonscan.AppendInt(b, int64(f.Int32s[i]))
	case i < len(f.Floats):
		return appendRESTFloat(b, float64(f.Floats[i]), 32)
	case i < len(f.Strings):
		return appendRESTString(b, []byte(f.Strings[i]))
	}
	switch f.DType {
	case Bool:
		return strconv.AppendBool(b, f.Bytes[i] != 0)
	case Int8:
		return jsonscan.AppendInt(b, int64(int8(f.Bytes[i])))
	case Uint8:
		return jsonscan.AppendInt(b, int64(f.Bytes[i]))
	case Int16:
		return jsonscan.AppendInt(b, int64(int16(binary.LittleEndian.Uint16(f.Bytes[2*i:]))))
	case Uint32:
		return jsonscan.AppendInt(b, int64(binary.LittleEndian.Uint32(f.Bytes[4*i:])))
	case Uint64:
		return strconv.AppendUint(b, binary.LittleEndian.Uint64(f.Bytes[8*i:]), 10)
	}
	return appendRESTFloat(b, math.Float64frombits(binary.LittleEndian.Uint64(f.Bytes[8*i:])), 64)
}

// appendRESTFloat appends a float of 32 or 64 bits, with a point or an exponent: without one Serving takes it for an integer,
// which is another kind of feature, and has no -0.
func appendRESTFloat(b []byte, x float64, bits int) []byte {
	switch {
	case math.IsNaN(x):
		return append(b, "NaN"...)
	case math.IsInf(x, 1):
		return append(b, "Infinity"...)
	case math.IsInf(x, -1):
		return append(b, "-Infinity"...)
	}
	return jsonscan.AppendFloat(b, x, bits)
}

// appendRESTString appends a byte string.
func appendRESTString(b, s []byte) []byte {
	if utf8.Valid(s) {
		return jsonscan.AppendString(b, s)
	}
	return jsonscan.AppendBase64(b, s)
}

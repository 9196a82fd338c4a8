package model

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/tensor"
)

// AppendRESTRequest appends the body of a predict call to TensorFlow Serving's REST API, in columnar
// format: {"signature_name": …, "inputs": {…}}. The row format, "instances", requires the same
// first dimension for every input, which row_splits and flat values do not have. Of the ModelSpec,
// the body contains only the signature; name and version are in the URL.
//
// Strings that are not UTF-8 become {"b64": …} objects. NaN and infinities are bare tokens, which
// are not JSON but which Serving reads. Serving may change the last bits of a float64.
//
// Some tensors can be sent by gRPC but not as JSON. For these the error wraps ErrRequest: float16,
// bfloat16 and uint16, which Serving does not read; a shape such as [0, 3], whose inner dimensions an
// empty list lacks; a name that is not UTF-8 or has a zero byte; and a scalar string for the only
// input if its name is "b64", which Serving would decode as base64.
//
// Serving ignores defaults in REST calls: the feeds must contain all inputs of the signature.
func AppendRESTRequest(dst []byte, to ModelSpec, feeds []Feed) ([]byte, error) {
	b, err := to.appendREST(dst)
	if err != nil {
		return dst, err
	}
	b = append(b, `"inputs":{`...)
	for i := range feeds {
		f := &feeds[i]
		if f.Name == "" {
			return dst, fmt.Errorf("%w: input %d of dtype %v has no name: TensorFlow Serving cannot feed it", ErrRequest, i, f.DType)
		}
		if err := checkRESTName(f.Name); err != nil {
			return dst, fmt.Errorf("%w: input %w", ErrRequest, err)
		}
		if _, err := f.sizeTensor(); err != nil {
			return dst, err
		}
		switch f.DType {
		case tensor.Float32, tensor.Float64, tensor.Int64, tensor.Int32, tensor.Int16, tensor.Int8, tensor.Uint8, tensor.Uint32, tensor.Uint64, tensor.Bool, tensor.String:
		default:
			return dst, fmt.Errorf("%w: input %q: %v cannot be sent as JSON: use gRPC", ErrRequest, f.Name, f.DType)
		}
		if len(feeds) == 1 && f.Name == "b64" && f.DType == tensor.String && len(f.Shape) == 0 {
			return dst, fmt.Errorf("%w: the only input %q would be read as base64: use gRPC", ErrRequest, f.Name)
		}
		for axis, d := range f.Shape {
			if d == 0 && axis < len(f.Shape)-1 {
				return dst, fmt.Errorf("%w: input %q: shape %v cannot be sent as JSON: use gRPC", ErrRequest, f.Name, tensor.Shape(f.Shape))
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

// appendJSON appends a tensor as nested lists. It takes the elements from index *at and advances *at.
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
	case tensor.Bool:
		return strconv.AppendBool(b, f.Bytes[i] != 0)
	case tensor.Int8:
		return jsonscan.AppendInt(b, int64(int8(f.Bytes[i])))
	case tensor.Uint8:
		return jsonscan.AppendInt(b, int64(f.Bytes[i]))
	case tensor.Int16:
		return jsonscan.AppendInt(b, int64(int16(binary.LittleEndian.Uint16(f.Bytes[2*i:]))))
	case tensor.Uint32:
		return jsonscan.AppendInt(b, int64(binary.LittleEndian.Uint32(f.Bytes[4*i:])))
	case tensor.Uint64:
		return strconv.AppendUint(b, binary.LittleEndian.Uint64(f.Bytes[8*i:]), 10)
	}
	return appendRESTFloat(b, math.Float64frombits(binary.LittleEndian.Uint64(f.Bytes[8*i:])), 64)
}

// appendRESTFloat appends a float of 32 or 64 bits, with a decimal point or an exponent. Without them
// Serving would read an integer, which is another kind of feature and cannot be -0.
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

// AppendRESTExamplesRequest appends the body of a classify or regress call to TensorFlow Serving's
// REST API: {"signature_name": …, "examples": [{"name": [values…], …}, …]}. Of the ModelSpec, the
// body contains only the signature; name and version are in the URL.
//
// Serving infers the kind of a feature from its values: integers are int64, numbers with a decimal
// point or an exponent are float, strings and {"b64": …} objects are bytes. So floats are written
// with a point or an exponent, and NaN and infinities as bare tokens. A feature of kind Unset is an
// empty list.
//
// The error wraps ErrRequest and contains the record and the feature. It reports a record that does
// not decode, an empty list with a kind, a name that is not UTF-8 or has a zero byte, and a call
// without Examples. AppendExamplesRequest does not have the limits of JSON.
func AppendRESTExamplesRequest(dst []byte, to ModelSpec, records ...[]byte) ([]byte, error) {
	b, err := to.appendREST(dst)
	if err != nil {
		return dst, err
	}
	examples := make([]example.Example, len(records))
	for i, r := range records {
		if err := examples[i].UnmarshalBinary(r); err != nil {
			return dst, fmt.Errorf("%w: record %d: %w", ErrRequest, i, err)
		}
	}
	return restExamples(dst, b, "record", examples)
}

// AppendRESTExampleListRequest is AppendRESTExamplesRequest for one ExampleListWithContext, whose
// context is the member "context".
func AppendRESTExampleListRequest(dst []byte, to ModelSpec, record []byte) ([]byte, error) {
	b, err := to.appendREST(dst)
	if err != nil {
		return dst, err
	}
	list, err := decodeList(record)
	if err != nil {
		return dst, fmt.Errorf("%w: %w", ErrRequest, err)
	}
	if b, err = appendRESTExample(append(b, `"context":`...), list.Context); err != nil {
		return dst, fmt.Errorf("%w: context: %w", ErrRequest, err)
	}
	return restExamples(dst, append(b, ','), "example", list.Examples)
}

// appendREST appends the beginning of a body, up to the signature name.
func (s ModelSpec) appendREST(b []byte) ([]byte, error) {
	b = append(b, '{')
	if s.Signature == "" {
		return b, nil
	}
	if !utf8.ValidString(s.Signature) {
		return b, fmt.Errorf("%w: signature %q is not UTF-8", ErrRequest, s.Signature)
	}
	return append(jsonscan.AppendString(append(b, `"signature_name":`...), []byte(s.Signature)), ','), nil
}

// restExamples appends the member "examples" to b, and the end of the body.
func restExamples(dst, b []byte, noun string, examples []example.Example) (_ []byte, err error) {
	if len(examples) == 0 {
		return dst, fmt.Errorf("%w: want at least 1 Example, got 0", ErrRequest)
	}
	b = append(b, `"examples":[`...)
	for i, e := range examples {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendRESTExample(b, e); err != nil {
			return dst, fmt.Errorf("%w: %s %d: %w", ErrRequest, noun, i, err)
		}
	}
	return checkSize(dst, append(b, ']', '}'))
}

// appendRESTExample appends one Example.
func appendRESTExample(b []byte, e example.Example) ([]byte, error) {
	b = append(b, '{')
	for i, name := range slices.Sorted(maps.Keys(e)) {
		if err := checkRESTName(name); err != nil {
			return b, fmt.Errorf("feature %w", err)
		}
		v := e[name]
		if v.Kind() != example.Unset && v.Len() == 0 {
			return b, fmt.Errorf("feature %q: an empty %v cannot be sent as JSON: use gRPC", name, v.Kind())
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(jsonscan.AppendString(b, []byte(name)), ':', '[')
		for j := range v.Len() {
			if j > 0 {
				b = append(b, ',')
			}
			switch {
			case v.Int64s != nil:
				b = jsonscan.AppendInt(b, v.Int64s[j])
			case v.Floats != nil:
				b = appendRESTFloat(b, float64(v.Floats[j]), 32)
			default:
				b = appendRESTString(b, v.Bytes[j])
			}
		}
		b = append(b, ']')
	}
	return append(b, '}'), nil
}

// checkRESTName returns an error for the name of a feature or an input that cannot be sent as JSON.
// Serving reads names as C strings.
func checkRESTName(name string) error {
	switch {
	case !utf8.ValidString(name):
		return fmt.Errorf("%q is not UTF-8", name)
	case strings.Contains(name, "\x00"):
		return fmt.Errorf("%q has a zero byte: use gRPC", name)
	}
	return nil
}

package model

import (
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
// JSON cannot carry every tensor: an empty list says nothing of the dimensions inside it, so
// flat values of shape [0, 3] are an error that wraps ErrRequest. Over gRPC they can be sent.
func AppendRESTRequest(dst []byte, to ModelSpec, feeds []Feed) ([]byte, error) {
	b := append(dst, '{')
	if to.Signature != "" {
		if !utf8.ValidString(to.Signature) {
			return dst, fmt.Errorf("%w: signature %q is not UTF-8", ErrRequest, to.Signature)
		}
		b = append(jsonscan.AppendString(append(b, `"signature_name":`...), []byte(to.Signature)), ',')
	}
	b = append(b, `"inputs":{`...)
	for i := range feeds {
		f := &feeds[i]
		switch {
		case f.Name == "":
			return dst, fmt.Errorf("%w: input %d of dtype %v has no name in the signature: TensorFlow Serving cannot feed it", ErrRequest, i, f.DType)
		case !utf8.ValidString(f.Name):
			return dst, fmt.Errorf("%w: input %q is not UTF-8", ErrRequest, f.Name)
		}
		if _, err := f.sizeTensor(); err != nil {
			return dst, err
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
		switch x := float64(f.Floats[i]); {
		case math.IsNaN(x):
			return append(b, "NaN"...)
		case math.IsInf(x, 1):
			return append(b, "Infinity"...)
		case math.IsInf(x, -1):
			return append(b, "-Infinity"...)
		case x == 0 && math.Signbit(x):
			return append(b, "-0.0"...) // -0 is read as an integer, which has no sign
		default:
			return strconv.AppendFloat(b, x, 'g', -1, 32)
		}
	}
	s := f.Strings[i]
	if utf8.ValidString(s) {
		return jsonscan.AppendString(b, []byte(s))
	}
	b = append(b, '{')
	return append(jsonscan.AppendBase64Member(b, []byte(s)), '}')
}

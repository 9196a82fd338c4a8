package predictionlog

import (
	"fmt"
	"strconv"

	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/tensor"
)

// maxRepeated limits the elements of a record that are not in its bytes. A TensorProto may repeat its last value, so that
// 20 bytes have millions of elements.
const maxRepeated = 1 << 20

// appendTensor appends a TensorProto.
func (p *Printer) appendTensor(dst []byte, at span) ([]byte, error) {
	t, err := tensor.Decode(at.b)
	if err != nil {
		return dst, at.newError(err)
	}
	if p.repeated += max(t.Len()-len(at.b), 0); p.repeated > maxRepeated {
		return dst, at.newError(fmt.Errorf("%w: more than %d elements that are not in the record", model.ErrLimit, maxRepeated))
	}
	dst = append(append(append(dst, `{"dtype":"`...), t.DType.String()...), `","shape":[`...)
	dst = append(jsonscan.AppendInts(dst, t.Shape), `],"values":[`...)
	if dst, err = p.appendElements(dst, t); err != nil {
		return dst, at.newError(err)
	}
	return append(dst, ']', '}'), nil
}

// appendElements appends the elements of a tensor.
func (p *Printer) appendElements(dst []byte, t tensor.Tensor) ([]byte, error) {
	float := func(dst []byte, v float32) ([]byte, error) { return recordjson.AppendFloat32(dst, v, p.opts.NaN) }
	double := func(dst []byte, v float64) ([]byte, error) { return recordjson.AppendFloat64(dst, v, p.opts.NaN) }
	switch t.DType {
	case tensor.String:
		return appendList(dst, t.Strings, func(dst []byte, v string) ([]byte, error) { return recordjson.AppendText(dst, v, p.opts.Bytes) })
	case tensor.Bool:
		return appendNumbers(dst, t, func(dst []byte, v bool) ([]byte, error) { return strconv.AppendBool(dst, v), nil })
	case tensor.Int64:
		return appendNumbers(dst, t, intAppender[int64](p))
	case tensor.Int32, tensor.QInt32:
		return appendNumbers(dst, t, intAppender[int32](p))
	case tensor.Int16, tensor.QInt16:
		return appendNumbers(dst, t, intAppender[int16](p))
	case tensor.Int8, tensor.QInt8:
		return appendNumbers(dst, t, intAppender[int8](p))
	case tensor.Uint8, tensor.QUint8:
		return appendNumbers(dst, t, intAppender[uint8](p))
	case tensor.Uint16, tensor.QUint16:
		return appendNumbers(dst, t, intAppender[uint16](p))
	case tensor.Uint32:
		return appendNumbers(dst, t, intAppender[uint32](p))
	case tensor.Uint64:
		return appendNumbers(dst, t, func(dst []byte, v uint64) ([]byte, error) {
			if p.opts.Int64 == recordjson.Int64String {
				return strconv.AppendQuote(dst, strconv.FormatUint(v, 10)), nil
			}
			return strconv.AppendUint(dst, v, 10), nil
		})
	case tensor.Float32:
		return appendNumbers(dst, t, float)
	case tensor.Float64:
		return appendNumbers(dst, t, double)
	case tensor.Complex64: // the real and the imaginary part
		return appendNumbers(dst, t, func(dst []byte, v complex64) ([]byte, error) {
			return appendComplex(dst, real(v), imag(v), float)
		})
	case tensor.Complex128:
		return appendNumbers(dst, t, func(dst []byte, v complex128) ([]byte, error) {
			return appendComplex(dst, real(v), imag(v), double)
		})
	}
	// float16 and similar types: float32 represents all their values.
	values, err := t.Float32s()
	if err != nil {
		return dst, err
	}
	return appendList(dst, values, float)
}

// appendNumbers appends the elements of a tensor of the Go type T.
func appendNumbers[T tensor.Element](dst []byte, t tensor.Tensor, one func(dst []byte, v T) ([]byte, error)) ([]byte, error) {
	values, err := tensor.ValuesOf[T](t)
	if err != nil {
		return dst, err
	}
	return appendList(dst, values, one)
}

// appendList appends values, separated by commas.
func appendList[T any](dst []byte, values []T, one func(dst []byte, v T) ([]byte, error)) (_ []byte, err error) {
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = one(dst, v); err != nil {
			return dst, fmt.Errorf("value %d: %w", i, err)
		}
	}
	return dst, nil
}

// appendComplex appends a complex number as a list of two numbers.
func appendComplex[T any](dst []byte, re, im T, one func(dst []byte, v T) ([]byte, error)) ([]byte, error) {
	dst, err := one(append(dst, '['), re)
	if err != nil {
		return dst, err
	}
	if dst, err = one(append(dst, ','), im); err != nil {
		return dst, err
	}
	return append(dst, ']'), nil
}

// intAppender returns a function that appends an integer.
func intAppender[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32](p *Printer) func(dst []byte, v T) ([]byte, error) {
	return func(dst []byte, v T) ([]byte, error) { return recordjson.AppendInt64(dst, int64(v), p.opts.Int64), nil }
}

package predictionlog

import (
	"fmt"
	"strconv"

	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/model"
)

// maxFilled is how many elements of a record may not be in its bytes: a TensorProto of 20 bytes can have
// millions of them, the last value again and again.
const maxFilled = 1 << 20

// tensor appends a TensorProto.
func (p *Printer) tensor(dst []byte, at place) ([]byte, error) {
	t, err := model.DecodeTensor(at.b)
	if err != nil {
		return dst, at.fault(err)
	}
	if p.filled += max(t.Len()-len(at.b), 0); p.filled > maxFilled {
		return dst, at.fault(fmt.Errorf("%w: more than %d elements that are not in the record", model.ErrLimit, maxFilled))
	}
	dst = append(append(append(dst, `{"dtype":"`...), t.DType.String()...), `","shape":[`...)
	dst = append(jsonscan.AppendInts(dst, t.Shape), `],"values":[`...)
	if dst, err = p.elements(dst, t); err != nil {
		return dst, at.fault(err)
	}
	return append(dst, ']', '}'), nil
}

// elements appends the elements of a tensor.
func (p *Printer) elements(dst []byte, t model.Tensor) ([]byte, error) {
	float := func(dst []byte, v float32) ([]byte, error) { return recordjson.AppendFloat32(dst, v, p.opts.NaN) }
	double := func(dst []byte, v float64) ([]byte, error) { return recordjson.AppendFloat64(dst, v, p.opts.NaN) }
	switch t.DType {
	case model.String:
		return list(dst, t.Strings, func(dst []byte, v string) ([]byte, error) { return recordjson.AppendText(dst, v, p.opts.Bytes) })
	case model.Bool:
		return numbers(dst, t, func(dst []byte, v bool) ([]byte, error) { return strconv.AppendBool(dst, v), nil })
	case model.Int64:
		return numbers(dst, t, integerOf[int64](p))
	case model.Int32, model.QInt32:
		return numbers(dst, t, integerOf[int32](p))
	case model.Int16, model.QInt16:
		return numbers(dst, t, integerOf[int16](p))
	case model.Int8, model.QInt8:
		return numbers(dst, t, integerOf[int8](p))
	case model.Uint8, model.QUint8:
		return numbers(dst, t, integerOf[uint8](p))
	case model.Uint16, model.QUint16:
		return numbers(dst, t, integerOf[uint16](p))
	case model.Uint32:
		return numbers(dst, t, integerOf[uint32](p))
	case model.Uint64:
		return numbers(dst, t, func(dst []byte, v uint64) ([]byte, error) {
			if p.opts.Int64 == recordjson.Int64String {
				return strconv.AppendQuote(dst, strconv.FormatUint(v, 10)), nil
			}
			return strconv.AppendUint(dst, v, 10), nil
		})
	case model.Float32:
		return numbers(dst, t, float)
	case model.Float64:
		return numbers(dst, t, double)
	case model.Complex64: // the real and the imaginary part
		return numbers(dst, t, func(dst []byte, v complex64) ([]byte, error) {
			return pair(dst, real(v), imag(v), float)
		})
	case model.Complex128:
		return numbers(dst, t, func(dst []byte, v complex128) ([]byte, error) {
			return pair(dst, real(v), imag(v), double)
		})
	}
	// float16 and the like: every value of them is one of float32.
	values, err := t.Float32s()
	if err != nil {
		return dst, err
	}
	return list(dst, values, float)
}

// numbers appends the elements of a tensor whose Go type is T.
func numbers[T model.Element](dst []byte, t model.Tensor, one func(dst []byte, v T) ([]byte, error)) ([]byte, error) {
	values, err := model.ValuesOf[T](t)
	if err != nil {
		return dst, err
	}
	return list(dst, values, one)
}

// list appends values with commas between them.
func list[T any](dst []byte, values []T, one func(dst []byte, v T) ([]byte, error)) (_ []byte, err error) {
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

// pair appends a complex number.
func pair[T any](dst []byte, re, im T, one func(dst []byte, v T) ([]byte, error)) ([]byte, error) {
	dst, err := one(append(dst, '['), re)
	if err != nil {
		return dst, err
	}
	if dst, err = one(append(dst, ','), im); err != nil {
		return dst, err
	}
	return append(dst, ']'), nil
}

// integerOf returns what appends an integer.
func integerOf[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32](p *Printer) func(dst []byte, v T) ([]byte, error) {
	return func(dst []byte, v T) ([]byte, error) { return recordjson.AppendInt64(dst, int64(v), p.opts.Int64), nil }
}

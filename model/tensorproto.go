package model

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/tfparse/tfparse/internal/wire"
)

// DecodeTensor reads a TensorProto as TensorFlow Serving does, in each of its encodings: elements in
// tensor_content or in the field of the dtype, such as float_val. If there are fewer values than
// elements, which is how TensorFlow writes constants, the last value is repeated; without values
// they are zeros or empty strings. Strings may be in tensor_content too.
//
// Values that TensorFlow drops or wraps without an error are an [*Error]: values after the last
// element, in the field of another dtype, or out of range.
//
// Bytes of the result may share memory with b. Strings are views of one copy of b.
func DecodeTensor(b []byte) (Tensor, error) {
	d := tensorDecoder{b: b, valueField: -1}
	if err := d.scan(); err != nil {
		return Tensor{}, err
	}
	return d.tensor()
}

// A tensorDecoder reads a TensorProto in two passes: everything but the values, then the values.
type tensorDecoder struct {
	b       []byte // the TensorProto
	dtype   DType
	shape   Shape
	content []byte // tensor_content
	at      int    // offset of content in b

	valueField int32 // the field with values, -1 for none
	values     int   // number of values in it
}

// error returns the error for a byte of the message.
func (d *tensorDecoder) error(at int, err error, format string, args ...any) error {
	detail := fmt.Sprintf(format, args...)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		detail = "the message ends inside a field"
	}
	return &Error{File: "TensorProto", Offset: int64(at), Detail: detail, Err: err}
}

// maxField is the highest field of a TensorProto.
const maxField = 18

// wireTypes are the wire types of value fields that are not packed; packed ones are TypeBytes.
var wireTypes = [maxField + 1]wire.Type{5: wire.TypeFixed32, 6: wire.TypeFixed64, 7: wire.TypeVarint, 8: wire.TypeBytes,
	9: wire.TypeFixed32, 10: wire.TypeVarint, 11: wire.TypeVarint, 12: wire.TypeFixed64, 13: wire.TypeVarint, 14: wire.TypeBytes,
	15: wire.TypeBytes, 16: wire.TypeVarint, 17: wire.TypeVarint, 18: wire.TypeBytes}

// fieldNames are the names of fields, for errors.
var fieldNames = [maxField + 1]string{"", "dtype", "tensor_shape", "version_number", "tensor_content", "float_val", "double_val", "int_val",
	"string_val", "scomplex_val", "int64_val", "bool_val", "dcomplex_val", "half_val", "resource_handle_val", "variant_val", "uint32_val",
	"uint64_val", "float8_val"}

// valueField returns the field for the values of a dtype.
func valueField(d DType) int32 {
	switch d {
	case Float32:
		return 5
	case Float64:
		return 6
	case String:
		return 8
	case Complex64:
		return 9
	case Int64:
		return 10
	case Bool:
		return 11
	case Complex128:
		return 12
	case Float16, BFloat16:
		return 13
	case Uint32:
		return 16
	case Uint64:
		return 17
	case Float8E5M2, Float8E4M3FN:
		return 18
	}
	return 7
}

// scan reads everything but the values, and counts them.
func (d *tensorDecoder) scan() error {
	d.shape = Shape{}
	src := &source{} // counts the dimensions
	for i := 0; i < len(d.b); {
		f, next := wire.Next(d.b, i)
		if next < 0 {
			return d.error(i, wire.Err(next), "")
		}
		if f.Num > maxField {
			i = next // unknown to TensorFlow 2.21
			continue
		}
		want := wire.TypeBytes
		if f.Num == 1 || f.Num == 3 {
			want = wire.TypeVarint
		} else if f.Num > 4 && f.Type != wire.TypeBytes {
			want = wireTypes[f.Num]
		}
		if f.Type != want {
			return d.error(i, ErrMessage, "%s has wire type %v", fieldNames[f.Num], f.Type)
		}
		body := d.b[f.Lo:f.Hi]
		switch f.Num {
		case 1:
			v, _ := wire.Varint(d.b, f.Lo)
			if d.dtype = DType(v); v > math.MaxUint8 {
				return d.error(i, ErrDType, "%d", v)
			}
		case 2:
			// unknown_rank is ignored: without dimensions the tensor is a scalar.
			s, _, err := message{src: src, b: body, at: int64(f.Lo)}.sizes()
			if err != nil {
				return d.error(f.Lo, ErrTensor, "tensor_shape: %v", err)
			}
			d.shape = append(d.shape, s...)
		case 3: // version_number
		case 4:
			d.content, d.at = body, f.Lo
		default:
			if err := d.count(f); err != nil {
				return err
			}
		}
		i = next
	}
	return nil
}

// count adds the values of a field.
func (d *tensorDecoder) count(f wire.Field) error {
	n := 1
	if single := wireTypes[f.Num]; f.Type == wire.TypeBytes && single != wire.TypeBytes {
		switch single {
		case wire.TypeVarint:
			if at, next := wire.CheckVarints(d.b[f.Lo:f.Hi]); next < 0 {
				return d.error(f.Lo+at, wire.Err(next), "%s", fieldNames[f.Num])
			}
			n = wire.CountVarints(d.b[f.Lo:f.Hi])
		case wire.TypeFixed32:
			n = (f.Hi - f.Lo) / 4
		case wire.TypeFixed64:
			n = (f.Hi - f.Lo) / 8
		}
		if single == wire.TypeFixed32 && (f.Hi-f.Lo)%4 != 0 || single == wire.TypeFixed64 && (f.Hi-f.Lo)%8 != 0 {
			return d.error(f.Lo, ErrMessage, "%s ends inside a value", fieldNames[f.Num])
		}
	}
	if f.Num == 18 {
		n = f.Hi - f.Lo
		d.values = 0 // the last one counts
	}
	if n == 0 {
		return nil
	}
	if d.valueField >= 0 && d.valueField != f.Num {
		return d.error(f.Lo, ErrTensor, "values in %s and in %s", fieldNames[d.valueField], fieldNames[f.Num])
	}
	d.valueField = f.Num
	d.values += n
	return nil
}

// tensor makes the tensor.
func (d *tensorDecoder) tensor() (t Tensor, err error) {
	t = Tensor{DType: d.dtype, Shape: d.shape}
	size := d.dtype.size()
	if size == 0 {
		return Tensor{}, d.error(0, ErrDType, "%v", d.dtype)
	}
	n, ok := d.shape.elements(size)
	if !ok || len(d.shape) > maxDims || overflows(d.shape) {
		return Tensor{}, d.error(0, ErrTensor, "shape %v", d.shape)
	}
	want := valueField(d.dtype)
	perElement := 1
	if d.dtype == Complex64 || d.dtype == Complex128 {
		perElement = 2
	}
	switch {
	case d.valueField >= 0 && d.valueField != want:
		return Tensor{}, d.error(0, ErrTensor, "values of %v in %s", d.dtype, fieldNames[d.valueField])
	case len(d.content) > 0:
		if d.dtype == String {
			return d.stringContent(t, n)
		}
		if len(d.content) != n*size {
			return Tensor{}, d.error(d.at, ErrTensor, "tensor_content of %d bytes, want %d for %v of shape %v", len(d.content), n*size, d.dtype, d.shape)
		}
		if d.dtype == Bool {
			if err := d.checkBools(d.content); err != nil {
				return Tensor{}, err
			}
		}
		t.Bytes = d.content
		return t, nil
	case d.values%perElement != 0:
		return Tensor{}, d.error(0, ErrTensor, "half a complex number")
	case d.values/perElement > n:
		return Tensor{}, d.error(0, ErrTensor, "%d values in %s, want %d for shape %v", d.values/perElement, fieldNames[want], n, d.shape)
	case d.values/perElement < n && n > MaxFill/size:
		return Tensor{}, d.error(0, ErrLimit, "%d values for shape %v: more than %d bytes to fill", d.values/perElement, d.shape, MaxFill)
	}
	if d.dtype == String {
		t.Strings = make([]string, 0, n)
	} else {
		t.Bytes = make([]byte, 0, n*size)
	}
	if d.values > 0 {
		if err := d.read(&t); err != nil {
			return Tensor{}, err
		}
	}
	t.fill(n, size)
	return t, nil
}

// overflows reports whether the product of the sizes that are not 0 overflows, which TensorFlow
// refuses.
func overflows(s Shape) bool {
	product := int64(1)
	for _, d := range s {
		if d > 0 && product > math.MaxInt64/d {
			return true
		}
		product *= max(d, 1)
	}
	return false
}

// fill appends the last element, or zero if there is none, until there are n.
func (t *Tensor) fill(n, size int) {
	if t.DType == String {
		last := ""
		if len(t.Strings) > 0 {
			last = t.Strings[len(t.Strings)-1]
		}
		for len(t.Strings) < n {
			t.Strings = append(t.Strings, last)
		}
		return
	}
	last := make([]byte, size)
	if len(t.Bytes) > 0 {
		copy(last, t.Bytes[len(t.Bytes)-size:])
	}
	for len(t.Bytes) < n*size {
		t.Bytes = append(t.Bytes, last...)
	}
}

// checkBools returns an error for a bool that is neither 0 nor 1.
func (d *tensorDecoder) checkBools(b []byte) error {
	for i, c := range b {
		if c > 1 {
			return d.error(d.at+i, ErrTensor, "a bool of %d", c)
		}
	}
	return nil
}

// stringContent reads strings from tensor_content: the lengths of all, then the bytes of all.
func (d *tensorDecoder) stringContent(t Tensor, n int) (Tensor, error) {
	switch {
	case d.values > 0:
		return Tensor{}, d.error(d.at, ErrTensor, "strings in tensor_content and in string_val")
	case n > len(d.content): // each has a length
		return Tensor{}, d.error(d.at, ErrTensor, "tensor_content of %d bytes for %d strings", len(d.content), n)
	}
	bodies, total := 0, uint64(0)
	for range n {
		v, next := wire.Varint(d.content, bodies)
		if next < 0 {
			return Tensor{}, d.error(d.at+bodies, wire.Err(next), "tensor_content")
		}
		if v > uint64(len(d.content)) {
			return Tensor{}, d.error(d.at+bodies, ErrTensor, "a string of %d bytes in tensor_content of %d", v, len(d.content))
		}
		total += v
		bodies = next
	}
	if total != uint64(len(d.content)-bodies) {
		return Tensor{}, d.error(d.at+bodies, ErrTensor, "tensor_content has %d bytes of strings, want %d", len(d.content)-bodies, total)
	}
	t.Strings = make([]string, n)
	all := string(d.content[bodies:])
	at := 0
	for i := range t.Strings {
		v, next := wire.Varint(d.content, at)
		t.Strings[i], all = all[:v], all[v:]
		at = next
	}
	return t, nil
}

// read reads the values of d.valueField. Strings are views of one copy of the message, which takes 5
// allocations for 1,000 strings in place of 1,004.
func (d *tensorDecoder) read(t *Tensor) error {
	text := ""
	if t.DType == String {
		text = string(d.b)
	}
	for i := 0; i < len(d.b); {
		f, next := wire.Next(d.b, i)
		i = next
		if f.Num != d.valueField {
			continue
		}
		body := d.b[f.Lo:f.Hi]
		switch wireTypes[f.Num] {
		case wire.TypeBytes:
			if f.Num == 18 {
				t.Bytes = append(t.Bytes[:0], body...)
			} else {
				t.Strings = append(t.Strings, text[f.Lo:f.Hi])
			}
		case wire.TypeFixed32, wire.TypeFixed64:
			t.Bytes = append(t.Bytes, body...)
		default:
			for at := f.Lo; at < f.Hi; {
				v, next := wire.Varint(d.b, at)
				if err := d.number(t, v, at); err != nil {
					return err
				}
				at = next
			}
		}
	}
	return nil
}

// number appends the value of a varint.
func (d *tensorDecoder) number(t *Tensor, v uint64, at int) error {
	size := t.DType.size()
	if d.valueField == 7 || d.valueField == 13 { // int32 on the wire
		n := int64(int32(v))
		bits := 8 * size
		low, high := int64(-1)<<(bits-1), int64(1)<<(bits-1)-1
		switch t.DType {
		case Uint8, QUint8, Uint16, QUint16, Float16, BFloat16:
			low, high = 0, int64(1)<<bits-1
		}
		if n != int64(v) || n < low || n > high {
			return d.error(at, ErrTensor, "%d in %s is out of the range of %v", int64(v), fieldNames[d.valueField], t.DType)
		}
	}
	switch {
	case t.DType == Bool && v > 1:
		v = 1 // as in every protobuf decoder
	case t.DType == Uint32 && v > math.MaxUint32:
		return d.error(at, ErrTensor, "%d in uint32_val", v)
	}
	switch size {
	case 1:
		t.Bytes = append(t.Bytes, byte(v))
	case 2:
		t.Bytes = binary.LittleEndian.AppendUint16(t.Bytes, uint16(v))
	case 4:
		t.Bytes = binary.LittleEndian.AppendUint32(t.Bytes, uint32(v))
	default:
		t.Bytes = binary.LittleEndian.AppendUint64(t.Bytes, v)
	}
	return nil
}

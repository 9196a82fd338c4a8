package tensor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"github.com/tfparse/tfparse/internal/wire"
)

// An Error is an error at a byte of a TensorProto.
type Error struct {
	Byte   int    // offset in the TensorProto
	Detail string // what was wanted or got; may be empty
	Err    error  // ErrTensor, ErrDType, ErrLimit, io.ErrUnexpectedEOF, or an error of the wire format
}

// Error returns one line: the byte, the error and the detail.
func (e *Error) Error() string {
	s := fmt.Sprintf("TensorProto: byte %d: %v", e.Byte, e.Err)
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Decode decodes a TensorProto as tf.io.parse_tensor and TensorFlow Serving do. The elements may be in
// tensor_content or in the field of the dtype, such as float_val; strings, too, may be in
// tensor_content. If there are fewer values than elements, which is how TensorFlow writes
// constants, the last value is repeated. Without values, the elements are zeros or empty strings.
//
// Decode returns an [*Error] for values that TensorFlow drops or wraps silently: values after
// the last element, in the field of another dtype, or out of range.
//
// Bytes of the result may alias b. Strings are views of one copy of b.
func Decode(b []byte) (Tensor, error) {
	d := protoDecoder{b: b, valueField: -1}
	if err := d.scanFields(); err != nil {
		return Tensor{}, err
	}
	return d.makeTensor()
}

// A protoDecoder decodes a TensorProto in two steps: first it counts the values and reads all other
// fields, then it reads the values.
type protoDecoder struct {
	b             []byte // the TensorProto
	dtype         DType  // the last one in the message; Invalid if it has none
	shape         Shape  // sizes in tensor_shape; empty, not nil, for a scalar
	content       []byte // tensor_content
	contentOffset int    // offset of content in b

	valueField int32 // number of the field with values; -1 if no field has values
	values     int   // number of values in that field
}

// errorAt returns the error at a byte of the message.
func (d *protoDecoder) errorAt(at int, err error, format string, args ...any) error {
	detail := fmt.Sprintf(format, args...)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		detail = "the message ends inside a field"
	}
	return &Error{Byte: at, Detail: detail, Err: err}
}

// maxField is the highest field of a TensorProto.
const maxField = 18

// wireTypes are the wire types of fields. Values may be packed, in a field of TypeBytes.
var wireTypes = [maxField + 1]wire.Type{1: wire.TypeVarint, 2: wire.TypeBytes, 3: wire.TypeVarint, 4: wire.TypeBytes,
	5: wire.TypeFixed32, 6: wire.TypeFixed64, 7: wire.TypeVarint, 8: wire.TypeBytes,
	9: wire.TypeFixed32, 10: wire.TypeVarint, 11: wire.TypeVarint, 12: wire.TypeFixed64, 13: wire.TypeVarint, 14: wire.TypeBytes,
	15: wire.TypeBytes, 16: wire.TypeVarint, 17: wire.TypeVarint, 18: wire.TypeBytes}

// known reports whether a field is one of TensorProto. Like protobuf, TensorFlow skips a field of an unknown
// number, and one of a known number and another wire type.
func known(f wire.Field) bool {
	return f.Num <= maxField && (f.Type == wireTypes[f.Num] || f.Num > 4 && f.Type == wire.TypeBytes)
}

// maxGroups is how deep protobuf in C++ nests groups, and maxTag the bytes that it reads of a tag.
const maxGroups, maxTag = 100, 5

// nextField is wire.Next with the rules of protobuf in C++, which TensorFlow uses: a varint of ten bytes may have
// more than 64 bits, which are dropped; tags are shorter, and groups nest less deeply.
func nextField(b []byte, i int) (f wire.Field, next int) {
	tag, lo := wire.Varint(b, i)
	switch {
	case lo < 0:
		return f, lo
	case lo > i+maxTag:
		return f, wire.FieldNumber
	}
	f, next = wire.Next(b, i)
	if next == wire.Overflow && wire.Type(tag&7) == wire.TypeVarint && lo+10 <= len(b) && b[lo+9] < 0x80 {
		return wire.Field{Num: int32(tag >> 3), Type: wire.TypeVarint, Lo: lo, Hi: lo + 10}, lo + 10
	}
	if next > 0 && f.Type == wire.TypeStartGroup {
		for depth, at := 0, i; at < next; {
			tag, lo := wire.Varint(b, at)
			switch wire.Type(tag & 7) {
			case wire.TypeStartGroup:
				if depth++; depth > maxGroups {
					return f, wire.Depth
				}
				at = lo
			case wire.TypeEndGroup:
				depth--
				at = lo
			default:
				_, at = wire.Next(b, at)
			}
		}
	}
	return f, next
}

// varint64 returns the lower 64 bits of a varint.
func varint64(b []byte) (v uint64) {
	for i, c := range b {
		v |= uint64(c&0x7f) << (7 * i)
	}
	return v
}

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

// scanFields reads all fields except the values, and counts the values.
func (d *protoDecoder) scanFields() error {
	d.shape = Shape{}
	for i := 0; i < len(d.b); {
		f, next := nextField(d.b, i)
		switch {
		case next < 0:
			return d.errorAt(i, wire.Err(next), "")
		case !known(f):
		case f.Num == 1:
			v := varint64(d.b[f.Lo:f.Hi])
			if d.dtype = DType(v); int32(v) < 0 || int32(v) > math.MaxUint8 {
				return d.errorAt(i, ErrDType, "%d", int32(v))
			}
		case f.Num == 2:
			if err := d.scanShape(f.Lo, f.Hi); err != nil {
				return err
			}
		case f.Num == 3: // version_number
		case f.Num == 4:
			d.content, d.contentOffset = d.b[f.Lo:f.Hi], f.Lo
		default:
			if err := d.countValues(f); err != nil {
				return err
			}
		}
		i = next
	}
	return nil
}

// scanShape appends the dimensions of a tensor_shape. It ignores unknown_rank: without dimensions the
// tensor is a scalar.
func (d *protoDecoder) scanShape(lo, hi int) error {
	return d.eachField(lo, hi, func(f wire.Field) error {
		if f.Num != 2 || f.Type != wire.TypeBytes {
			return nil
		}
		size := int64(0)
		err := d.eachField(f.Lo, f.Hi, func(f wire.Field) error {
			switch {
			case f.Num == 1 && f.Type == wire.TypeVarint:
				size = int64(varint64(d.b[f.Lo:f.Hi]))
			case f.Num == 2 && f.Type == wire.TypeBytes && !utf8.Valid(d.b[f.Lo:f.Hi]):
				return d.errorAt(f.Lo, ErrTensor, "the name of a dimension is not UTF-8")
			}
			return nil
		})
		d.shape = append(d.shape, size)
		return err
	})
}

// eachField calls yield with every field of the message d.b[lo:hi].
func (d *protoDecoder) eachField(lo, hi int, yield func(wire.Field) error) error {
	for i := lo; i < hi; {
		f, next := nextField(d.b[:hi], i)
		if next < 0 {
			return d.errorAt(i, wire.Err(next), "tensor_shape")
		}
		if err := yield(f); err != nil {
			return err
		}
		i = next
	}
	return nil
}

// countValues adds the values of a field.
func (d *protoDecoder) countValues(f wire.Field) error {
	n := 1
	if single := wireTypes[f.Num]; f.Type == wire.TypeBytes && single != wire.TypeBytes {
		switch single {
		case wire.TypeVarint:
			if at, next := wire.CheckVarints(d.b[f.Lo:f.Hi]); next < 0 {
				return d.errorAt(f.Lo+at, wire.Err(next), "%s", fieldNames[f.Num])
			}
			n = wire.CountVarints(d.b[f.Lo:f.Hi])
		case wire.TypeFixed32:
			n = (f.Hi - f.Lo) / 4
		case wire.TypeFixed64:
			n = (f.Hi - f.Lo) / 8
		}
		if single == wire.TypeFixed32 && (f.Hi-f.Lo)%4 != 0 || single == wire.TypeFixed64 && (f.Hi-f.Lo)%8 != 0 {
			return d.errorAt(f.Lo, ErrTensor, "%s ends inside a value", fieldNames[f.Num])
		}
	}
	if f.Num == 18 {
		n = f.Hi - f.Lo
		d.values = 0 // only the last float8_val counts
	}
	if n == 0 {
		return nil
	}
	if d.valueField >= 0 && d.valueField != f.Num {
		return d.errorAt(f.Lo, ErrTensor, "want values in one field, got %s and %s", fieldNames[d.valueField], fieldNames[f.Num])
	}
	d.valueField = f.Num
	d.values += n
	return nil
}

// makeTensor makes the tensor.
func (d *protoDecoder) makeTensor() (t Tensor, err error) {
	t = Tensor{DType: d.dtype, Shape: d.shape}
	size := d.dtype.Size()
	if size == 0 {
		return Tensor{}, d.errorAt(0, ErrDType, "%v", d.dtype)
	}
	n, ok := d.shape.elements(size)
	if !ok || len(d.shape) > MaxRank || overflows(d.shape) {
		return Tensor{}, d.errorAt(0, ErrTensor, "shape %v is unknown or too large", d.shape)
	}
	want := valueField(d.dtype)
	perElement := 1
	if d.dtype == Complex64 || d.dtype == Complex128 {
		perElement = 2
	}
	switch {
	case d.valueField >= 0 && d.valueField != want:
		return Tensor{}, d.errorAt(0, ErrTensor, "want values of %v in %s, got %s", d.dtype, fieldNames[want], fieldNames[d.valueField])
	case len(d.content) > 0:
		if d.dtype == String {
			return d.stringContent(t, n)
		}
		if len(d.content) != n*size {
			return Tensor{}, d.errorAt(d.contentOffset, ErrTensor, "tensor_content of %d bytes, want %d for %v of shape %v", len(d.content), n*size, d.dtype, d.shape)
		}
		if d.dtype == Bool {
			if err := d.checkBools(d.content); err != nil {
				return Tensor{}, err
			}
		}
		t.Bytes = d.content
		return t, nil
	case d.values%perElement != 0:
		return Tensor{}, d.errorAt(0, ErrTensor, "the last complex number has only one part")
	case d.values/perElement > n:
		return Tensor{}, d.errorAt(0, ErrTensor, "%d values in %s, want %d for shape %v", d.values/perElement, fieldNames[want], n, d.shape)
	case n-d.values/perElement > MaxFill:
		return Tensor{}, d.errorAt(0, ErrLimit, "%d values for shape %v: more than %d elements to fill", d.values/perElement, d.shape, MaxFill)
	}
	if d.dtype == String {
		t.Strings = make([]string, 0, n)
	} else {
		t.Bytes = make([]byte, 0, n*size)
	}
	if d.values > 0 {
		if err := d.readValues(&t); err != nil {
			return Tensor{}, err
		}
	}
	t.fillElements(n, size)
	return t, nil
}

// overflows reports whether the product of the nonzero sizes overflows. TensorFlow rejects such a
// shape even if it has no elements.
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

// fillElements appends copies of the last element, or zeros, until there are n elements.
func (t *Tensor) fillElements(n, size int) {
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
func (d *protoDecoder) checkBools(b []byte) error {
	for i, c := range b {
		if c > 1 {
			return d.errorAt(d.contentOffset+i, ErrTensor, "want a bool of 0 or 1, got %d", c)
		}
	}
	return nil
}

// stringContent reads strings from tensor_content, which has the lengths of all strings followed by
// their bytes.
func (d *protoDecoder) stringContent(t Tensor, n int) (Tensor, error) {
	switch {
	case d.values > 0:
		return Tensor{}, d.errorAt(d.contentOffset, ErrTensor, "want strings in one field, got tensor_content and string_val")
	case n > len(d.content): // each string has a length of at least a byte
		return Tensor{}, d.errorAt(d.contentOffset, ErrTensor, "want a length for each of %d strings in %d bytes", n, len(d.content))
	}
	bodies, total := 0, uint64(0)
	for range n {
		v, next := wire.Varint(d.content, bodies)
		if next < 0 {
			return Tensor{}, d.errorAt(d.contentOffset+bodies, wire.Err(next), "tensor_content")
		}
		if v > uint64(len(d.content)) {
			return Tensor{}, d.errorAt(d.contentOffset+bodies, ErrTensor, "a string of %d bytes in tensor_content of %d", v, len(d.content))
		}
		total += v
		bodies = next
	}
	if total != uint64(len(d.content)-bodies) {
		return Tensor{}, d.errorAt(d.contentOffset+bodies, ErrTensor, "tensor_content has %d bytes of strings, want %d", len(d.content)-bodies, total)
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

// readValues reads the values of d.valueField. Strings are views of one copy of the message: 5
// allocations for 1,000 strings instead of 1,004.
func (d *protoDecoder) readValues(t *Tensor) error {
	text := ""
	if t.DType == String {
		text = string(d.b)
	}
	for i := 0; i < len(d.b); {
		f, next := nextField(d.b, i)
		i = next
		if f.Num != d.valueField || !known(f) {
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
			if f.Type == wire.TypeVarint {
				if err := d.appendNumber(t, varint64(body), f.Lo); err != nil {
					return err
				}
				continue
			}
			for at := f.Lo; at < f.Hi; {
				v, next := wire.Varint(d.b, at)
				if err := d.appendNumber(t, v, at); err != nil {
					return err
				}
				at = next
			}
		}
	}
	return nil
}

// appendNumber appends the value of a varint.
func (d *protoDecoder) appendNumber(t *Tensor, v uint64, at int) error {
	size := t.DType.Size()
	if d.valueField == 7 || d.valueField == 13 { // int32 on the wire: protobuf drops the upper bits
		n := int64(int32(v))
		bits := 8 * size
		if t.DType == Int4 || t.DType == Uint4 {
			bits = 4
		}
		low, high := int64(-1)<<(bits-1), int64(1)<<(bits-1)-1
		switch t.DType {
		case Uint4, Uint8, QUint8, Uint16, QUint16, Float16, BFloat16:
			low, high = 0, int64(1)<<bits-1
		}
		if n < low || n > high {
			return d.errorAt(at, ErrTensor, "%d in %s is out of the range of %v", n, fieldNames[d.valueField], t.DType)
		}
	}
	if t.DType == Bool {
		v = min(v, 1) // as in every protobuf decoder
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

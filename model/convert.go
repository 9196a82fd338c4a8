package model

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tensor"
)

// A Conversion selects how Feeds converts the values of a column to the dtype of an input: int64 to
// other integers, bool and floats; float32 to float64, float16 and bfloat16. A value out of the range
// of the dtype is always an error, and so is a number other than 0 and 1 for a bool.
type Conversion uint8

const (
	NoConversion Conversion = iota // no conversion: dtypes must be equal; text "none"
	ExactValues                    // a value that would be rounded is an error; text "exact"
	RoundFloats                    // a value is rounded to the nearest float, as by tf.cast; text "round"
)

var conversionNames = [...]string{"none", "exact", "round"}

// String returns the text form.
func (c Conversion) String() string {
	if int(c) < len(conversionNames) {
		return conversionNames[c]
	}
	return fmt.Sprintf("Conversion(%d)", uint8(c))
}

// MarshalText returns the text form.
func (c Conversion) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText parses the text form.
func (c *Conversion) UnmarshalText(text []byte) error {
	i := slices.Index(conversionNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("want one of none, exact, round, got %q", text)
	}
	*c = Conversion(i)
	return nil
}

// convertible reports whether there is a conversion between two dtypes.
func convertible(from feature.DType, to tensor.DType) bool {
	switch to {
	case tensor.Int32, tensor.Int16, tensor.Int8, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64, tensor.Bool, tensor.Float32:
		return from == feature.Int64
	case tensor.Float64, tensor.Float16, tensor.BFloat16:
		return from == feature.Int64 || from == feature.Float32
	}
	return false
}

// convert converts the values of a feed to its dtype, in the buffers of the feed. It returns the index
// of the first value that does not fit, or -1.
func (f *Feed) convert(c Conversion) (bad int) {
	ints, floats := f.Int64s, f.Floats
	f.Int64s, f.Floats = nil, nil
	switch f.DType {
	case tensor.Int32:
		f.ints32 = slices.Grow(f.ints32, len(ints))
		for i, v := range ints {
			if v != int64(int32(v)) {
				return i
			}
			f.ints32 = append(f.ints32, int32(v))
		}
		f.Int32s = f.ints32
		return -1
	case tensor.Float32:
		f.floats = slices.Grow(f.floats, len(ints))
		for i, v := range ints {
			x := float32(v)
			if c == ExactValues && !isInt(float64(x), v) {
				return i
			}
			f.floats = append(f.floats, x)
		}
		f.Floats = f.floats
		return -1
	}
	f.bytes = slices.Grow(f.bytes, (len(ints)+len(floats))*f.DType.Size())
	switch f.DType {
	case tensor.Bool:
		for i, v := range ints {
			if v != 0 && v != 1 {
				return i
			}
			f.bytes = append(f.bytes, byte(v))
		}
		bad = -1
	case tensor.Int8:
		f.bytes, bad = appendNarrow[int8](f.bytes, ints, 1)
	case tensor.Uint8:
		f.bytes, bad = appendNarrow[uint8](f.bytes, ints, 1)
	case tensor.Int16:
		f.bytes, bad = appendNarrow[int16](f.bytes, ints, 2)
	case tensor.Uint16:
		f.bytes, bad = appendNarrow[uint16](f.bytes, ints, 2)
	case tensor.Uint32:
		f.bytes, bad = appendNarrow[uint32](f.bytes, ints, 4)
	case tensor.Uint64:
		f.bytes, bad = appendNarrow[uint64](f.bytes, ints, 8)
	default:
		bad = f.appendFloats(ints, floats, c)
	}
	f.Bytes = f.bytes
	return bad
}

// appendNarrow appends values as integers of size bytes. It stops at the first value that does not
// fit T and returns its index, else -1.
func appendNarrow[T int8 | int16 | uint8 | uint16 | uint32 | uint64](b []byte, values []int64, size int) (_ []byte, bad int) {
	for i, v := range values {
		x := T(v)
		if int64(x) != v || v < 0 && x > 0 {
			return b, i
		}
		for at := 0; at < size; at++ {
			b = append(b, byte(v>>(8*at)))
		}
	}
	return b, -1
}

// isInt reports whether x equals v. The float64 of the largest int64 is 2^63, out of range.
func isInt(x float64, v int64) bool { return x < 1<<63 && int64(x) == v }

// appendFloats appends values as float64, float16 or bfloat16. It stops at the first value that does
// not fit and returns its index, else -1.
func (f *Feed) appendFloats(ints []int64, floats []float32, c Conversion) (bad int) {
	if f.DType == tensor.Float64 {
		for i, v := range ints {
			if c == ExactValues && !isInt(float64(v), v) {
				return i
			}
			f.bytes = binary.LittleEndian.AppendUint64(f.bytes, math.Float64bits(float64(v)))
		}
		for _, v := range floats {
			f.bytes = binary.LittleEndian.AppendUint64(f.bytes, math.Float64bits(float64(v)))
		}
		return -1
	}
	to, from := tensor.ToFloat16, tensor.FromFloat16
	if f.DType == tensor.BFloat16 {
		to, from = tensor.ToBFloat16, tensor.FromBFloat16
	}
	for i := range len(ints) + len(floats) {
		var v float32
		if i < len(ints) {
			if v = float32(ints[i]); c == ExactValues && !isInt(float64(v), ints[i]) {
				return i
			}
		} else {
			v = floats[i]
		}
		bits := to(v)
		back := from(bits)
		if back != v && v == v && (c == ExactValues || math.IsInf(float64(back), 0)) {
			return i
		}
		f.bytes = binary.LittleEndian.AppendUint16(f.bytes, bits)
	}
	return -1
}

// convertFeed converts the values of a feed to the dtype of the input, for a column of n rows.
// starts returns the index of the first value of a row, for errors.
func (b *inputBinding) convertFeed(f *Feed, n int, starts func(row int) int) error {
	if f.DType == dtypeFor(b.dtype) {
		return nil
	}
	ints, floats := f.Int64s, f.Floats
	bad := f.convert(b.convert)
	if bad < 0 {
		return nil
	}
	row := 0
	for row < n-1 && starts(row+1) <= bad {
		row++
	}
	var got string
	if ints != nil {
		got = strconv.FormatInt(ints[bad], 10)
	} else {
		got = strconv.FormatFloat(float64(floats[bad]), 'g', -1, 32)
	}
	want := fmt.Sprintf("values of %v", f.DType)
	switch f.DType {
	case tensor.Float64, tensor.Float32, tensor.Float16, tensor.BFloat16:
		if b.convert == ExactValues {
			want += " without rounding"
		}
	}
	return b.errorFor(want, fmt.Sprintf("%s in row %d, value %d", got, row, bad-starts(row)))
}

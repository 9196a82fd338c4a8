package model

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/feature"
)

// A Conversion says whether the values of a column become those of another type, where an input has
// one that no column has: from int64 to other integers, to bool and to floats; from float32 to
// float64, float16 and bfloat16. A value out of the range of the type is always an error, and so is a number
// but 0 and 1 for a bool.
type Conversion uint8

const (
	NoConversion Conversion = iota // a column feeds an input of its own type; text "none"
	ExactValues                    // a value that the type does not have is an error; text "exact"
	RoundFloats                    // it becomes the float next to it, as tf.cast makes it; text "round"
)

var conversionNames = [...]string{"none", "exact", "round"}

// String gives the text form.
func (c Conversion) String() string {
	if int(c) < len(conversionNames) {
		return conversionNames[c]
	}
	return fmt.Sprintf("Conversion(%d)", uint8(c))
}

// MarshalText gives the text form.
func (c Conversion) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads the text form.
func (c *Conversion) UnmarshalText(text []byte) error {
	i := slices.Index(conversionNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("want one of none, exact, round, got %q", text)
	}
	*c = Conversion(i)
	return nil
}

// convertible reports whether there is a conversion.
func convertible(from feature.DType, to DType) bool {
	switch to {
	case Int32, Int16, Int8, Uint8, Uint16, Uint32, Uint64, Bool, Float32:
		return from == feature.Int64
	case Float64, Float16, BFloat16:
		return from == feature.Int64 || from == feature.Float32
	}
	return false
}

// convert replaces the values of a feed by those of its type, in memory of the feed. It returns the index of the
// first one that does not fit, or -1.
func (f *Feed) convert(c Conversion) (bad int) {
	ints, floats := f.Int64s, f.Floats
	f.Int64s, f.Floats = nil, nil
	switch f.DType {
	case Int32:
		f.ints32 = slices.Grow(f.ints32, len(ints))
		for i, v := range ints {
			if v != int64(int32(v)) {
				return i
			}
			f.ints32 = append(f.ints32, int32(v))
		}
		f.Int32s = f.ints32
		return -1
	case Float32:
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
	f.bytes = slices.Grow(f.bytes, (len(ints)+len(floats))*f.DType.size())
	switch f.DType {
	case Bool:
		for i, v := range ints {
			if v != 0 && v != 1 {
				return i
			}
			f.bytes = append(f.bytes, byte(v))
		}
		bad = -1
	case Int8:
		f.bytes, bad = appendNarrow[int8](f.bytes, ints, 1)
	case Uint8:
		f.bytes, bad = appendNarrow[uint8](f.bytes, ints, 1)
	case Int16:
		f.bytes, bad = appendNarrow[int16](f.bytes, ints, 2)
	case Uint16:
		f.bytes, bad = appendNarrow[uint16](f.bytes, ints, 2)
	case Uint32:
		f.bytes, bad = appendNarrow[uint32](f.bytes, ints, 4)
	case Uint64:
		f.bytes, bad = appendNarrow[uint64](f.bytes, ints, 8)
	default:
		bad = f.appendFloats(ints, floats, c)
	}
	f.Bytes = f.bytes
	return bad
}

// appendNarrow appends integers of size bytes, up to the first one that T does not have.
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

// isInt reports whether x is v. A float64 just above the largest int64 is 2^63.
func isInt(x float64, v int64) bool { return x < 1<<63 && int64(x) == v }

// appendFloats appends values as float64, float16 or bfloat16, up to the first one that does not fit.
func (f *Feed) appendFloats(ints []int64, floats []float32, c Conversion) (bad int) {
	if f.DType == Float64 {
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
	to, from := toFloat16, fromFloat16
	if f.DType == BFloat16 {
		to, from = toBFloat16, fromBFloat16
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

// converted makes the values of a feed those of the input's type, for a column of n rows. starts returns where the values of
// a row begin.
func (b *binding) converted(f *Feed, n int, starts func(row int) int) error {
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
	case Float64, Float32, Float16, BFloat16:
		if b.convert == ExactValues {
			want += " without rounding"
		}
	}
	return b.fail(want, fmt.Sprintf("%s in row %d, value %d of it", got, row, bad-starts(row)))
}

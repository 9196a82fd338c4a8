package model

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/feature"
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
func convertible(from feature.DType, to DType) bool {
	switch to {
	case Int32, Int16, Int8, Uint8, Uint16, Uint32, Uint64, Bool, Float32:
		return from == feature.Int64
	case Float64, Float16, BFloat16:
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
	case Float64, Float32, Float16, BFloat16:
		if b.convert == ExactValues {
			want += " without rounding"
		}
	}
	return b.errorFor(want, fmt.Sprintf("%s in row %d, value %d", got, row, bad-starts(row)))
}

// Float32s returns the elements of a tensor of float32, float16, bfloat16, or one of the two
// 8-bit floats, which float32 represents exactly. The slice is new. For another dtype the error
// wraps ErrDType.
func (t Tensor) Float32s() ([]float32, error) {
	if t.DType == Float32 {
		return ValuesOf[float32](t)
	}
	if err := t.checkElements(); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	values := make([]float32, t.Len())
	for i := range values {
		switch t.DType {
		case Float16:
			values[i] = fromFloat16(binary.LittleEndian.Uint16(t.Bytes[2*i:]))
		case BFloat16:
			values[i] = fromBFloat16(binary.LittleEndian.Uint16(t.Bytes[2*i:]))
		case Float8E5M2: // the upper half of a float16
			values[i] = fromFloat16(uint16(t.Bytes[i]) << 8)
		case Float8E4M3FN:
			values[i] = fromFloat8E4M3FN(t.Bytes[i])
		default:
			return nil, fmt.Errorf("model: %w: want floats of at most 32 bits, got %v", ErrDType, t.DType)
		}
	}
	return values, nil
}

// fromFloat16 returns the value of a float16: 5 bits of exponent, 10 of fraction.
func fromFloat16(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10)&31, uint32(h)&1023
	switch exponent {
	case 0: // a multiple of 2^-24, a normal number of float32
		v := float32(fraction) * (1.0 / (1 << 24))
		return math.Float32frombits(sign | math.Float32bits(v))
	case 31:
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}

// toFloat16 rounds a float32 to the nearest float16, halves to even.
func toFloat16(x float32) uint16 {
	bits := math.Float32bits(x)
	sign, bits := uint16(bits>>31)<<15, bits&(1<<31-1)
	switch {
	case bits > 255<<23: // NaN
		return sign | 31<<10 | 1<<9
	case bits >= 143<<23: // 2^16 and above
		return sign | 31<<10
	case bits < 113<<23: // below 2^-14: the lowest bits of the sum are multiples of 2^-24
		return sign | uint16(math.Float32bits(math.Float32frombits(bits)+0.5)-math.Float32bits(0.5))
	}
	return sign | uint16((bits-112<<23+1<<12-1+bits>>13&1)>>13)
}

// toBFloat16 is toFloat16 for bfloat16, the upper half of a float32.
func toBFloat16(x float32) uint16 {
	bits := math.Float32bits(x)
	if x != x {
		return uint16(bits>>16) | 1<<6
	}
	return uint16((bits + 1<<15 - 1 + bits>>16&1) >> 16)
}

// fromBFloat16 returns the value of a bfloat16.
func fromBFloat16(b uint16) float32 { return math.Float32frombits(uint32(b) << 16) }

// fromFloat8E4M3FN returns the value of a float8 with 4 bits of exponent and 3 of fraction. It has no
// infinities; NaN has all bits except the sign set.
func fromFloat8E4M3FN(b byte) float32 {
	sign, exponent, fraction := uint32(b>>7)<<31, uint32(b>>3)&15, uint32(b)&7
	switch {
	case b&127 == 127:
		return math.Float32frombits(sign | 255<<23 | 1<<22)
	case exponent == 0:
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*(1.0/512)))
	}
	return math.Float32frombits(sign | (exponent+120)<<23 | fraction<<20)
}

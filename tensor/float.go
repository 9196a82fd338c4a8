package tensor

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
)

// ShortFloat returns a float64 whose shortest decimal reads back as element i of a tensor of float16,
// bfloat16 or 8-bit floats, and has no more digits than that needs: 0.1 for the float16 0.0999755859375.
func (t Tensor) ShortFloat(i int) float64 {
	read := func(b uint16) float64 {
		small := Tensor{DType: t.DType, Bytes: []byte{byte(b), byte(b >> 8)}}
		return float64(small.smallFloat(0))
	}
	bits, sign := uint16(t.Bytes[i*t.DType.Size()]), 1.0
	if t.DType.Size() == 2 {
		bits = binary.LittleEndian.Uint16(t.Bytes[2*i:])
	}
	if top := uint16(1) << (8*t.DType.Size() - 1); bits >= top {
		bits, sign = bits-top, -1
	}
	v := read(bits)
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return math.Copysign(v, sign)
	}
	below, above := read(bits-1), read(bits+1)
	if math.IsInf(above, 0) || math.IsNaN(above) {
		above = v + (v - below)
	}
	for digits := 1; ; digits++ {
		short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64)
		if short == v || short > (below+v)/2 && short < (v+above)/2 {
			return sign * short
		}
	}
}

// Float32s returns the elements of a tensor of float32, float16, bfloat16, or one of the two
// 8-bit floats, which float32 represents exactly. The slice is new. For another dtype the error
// wraps ErrDType.
func (t Tensor) Float32s() ([]float32, error) {
	if t.DType == Float32 {
		return ValuesOf[float32](t)
	}
	if err := t.checkElements(); err != nil {
		return nil, fmt.Errorf("tensor: %w", err)
	}
	switch t.DType {
	case Float16, BFloat16, Float8E5M2, Float8E4M3FN:
	default:
		return nil, fmt.Errorf("tensor: %w: want floats of at most 32 bits, got %v", ErrDType, t.DType)
	}
	values := make([]float32, t.Len())
	for i := range values {
		values[i] = t.smallFloat(i)
	}
	return values, nil
}

// smallFloat returns element i of a tensor of floats of 8 or 16 bits.
func (t Tensor) smallFloat(i int) float32 {
	switch t.DType {
	case Float16:
		return FromFloat16(binary.LittleEndian.Uint16(t.Bytes[2*i:]))
	case BFloat16:
		return FromBFloat16(binary.LittleEndian.Uint16(t.Bytes[2*i:]))
	case Float8E5M2: // the upper half of a float16
		return FromFloat16(uint16(t.Bytes[i]) << 8)
	}
	return fromFloat8E4M3FN(t.Bytes[i])
}

// FromFloat16 returns the value of a float16: 5 bits of exponent, 10 of fraction.
func FromFloat16(h uint16) float32 {
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

// ToFloat16 rounds a float32 to the nearest float16, halves to even.
func ToFloat16(x float32) uint16 {
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

// ToBFloat16 is ToFloat16 for bfloat16, the upper half of a float32.
func ToBFloat16(x float32) uint16 {
	bits := math.Float32bits(x)
	if x != x {
		return uint16(bits>>16) | 1<<6
	}
	return uint16((bits + 1<<15 - 1 + bits>>16&1) >> 16)
}

// FromBFloat16 returns the value of a bfloat16.
func FromBFloat16(b uint16) float32 { return math.Float32frombits(uint32(b) << 16) }

// ToFloat8E5M2 is ToFloat16 for float8_e5m2: 5 bits of exponent, 2 of fraction. NaN keeps the bits of its fraction that there is
// space for.
func ToFloat8E5M2(x float32) byte {
	bits := math.Float32bits(x)
	sign := byte(bits>>31) << 7
	if x != x {
		if fraction := byte(bits>>21) & 3; fraction > 0 {
			return sign | 31<<2 | fraction
		}
		return sign | 31<<2 | 2
	}
	return sign | byte(min(roundFloat8(x, 2, 15), 31<<2))
}

// ToFloat8E4M3FN is ToFloat16 for float8_e4m3fn: 4 bits of exponent, 3 of fraction. It has no infinities, so values of 464 and more
// become NaN, except that 464 is a half and becomes 448, the largest number.
func ToFloat8E4M3FN(x float32) byte {
	sign := byte(math.Float32bits(x)>>31) << 7
	if x != x {
		return sign | 127
	}
	return sign | byte(min(roundFloat8(x, 3, 7), 127))
}

// roundFloat8 returns the bits of the nearest float8, halves to even, without the sign. They are above those of the largest number
// if x is too large.
func roundFloat8(x float32, fractionBits, bias int) uint32 {
	bits := math.Float32bits(x) & (1<<31 - 1)
	if bits < uint32(128-bias)<<23 { // a multiple of the least positive number
		return uint32(math.RoundToEven(math.Ldexp(float64(math.Float32frombits(bits)), bias-1+fractionBits)))
	}
	shift := 23 - fractionBits
	bits = (bits + 1<<(shift-1) - 1 + bits>>shift&1) >> shift
	return bits - uint32(127-bias)<<fractionBits
}

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

package model

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Float32s returns the elements of a tensor of float32, or of a type whose values float32 has all:
// float16, bfloat16, and the two of 8 bits. The slice is new. The error wraps ErrDType if the tensor is
// of another type.
func (t Tensor) Float32s() ([]float32, error) {
	if t.DType == Float32 {
		return ValuesOf[float32](t)
	}
	if err := t.check(); err != nil {
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
			return nil, fmt.Errorf("model: %w: %v is no type of floats with at most 32 bits", ErrDType, t.DType)
		}
	}
	return values, nil
}

// fromFloat16 returns the value of a float16: 5 bits of exponent, 10 of fraction.
func fromFloat16(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10)&31, uint32(h)&1023
	switch exponent {
	case 0: // a multiple of 2^-24, which float32 has as a normal number
		v := float32(fraction) * (1.0 / (1 << 24))
		return math.Float32frombits(sign | math.Float32bits(v))
	case 31:
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}

// toFloat16 returns the float16 next to a float32, of two that lie equally near the even one.
func toFloat16(x float32) uint16 {
	bits := math.Float32bits(x)
	sign, bits := uint16(bits>>31)<<15, bits&(1<<31-1)
	switch {
	case bits > 255<<23: // NaN
		return sign | 31<<10 | 1<<9
	case bits >= 143<<23: // 2^16 and above
		return sign | 31<<10
	case bits < 113<<23: // below 2^-14: a multiple of 2^-24, which the sum has in its lowest bits
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

// fromFloat8E4M3FN returns the value of a float8: 4 bits of exponent, 3 of fraction, no infinities, and a NaN where
// all bits but the sign are set.
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

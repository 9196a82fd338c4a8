package tensor_test

import (
	"errors"
	"math"
	"testing"

	"github.com/tfparse/tfparse/tensor"
)

// slowFloat returns the value of a short float by its definition. infinite means that the highest exponent
// encodes infinities and NaN.
func slowFloat(bits uint16, exponentBits, fractionBits int, infinite bool) float64 {
	fraction := float64(bits & (1<<fractionBits - 1))
	exponent := int(bits>>fractionBits) & (1<<exponentBits - 1)
	bias := 1<<(exponentBits-1) - 1
	v := math.Ldexp(fraction+math.Ldexp(1, fractionBits), exponent-bias-fractionBits)
	switch {
	case infinite && exponent == 1<<exponentBits-1 && fraction == 0:
		v = math.Inf(1)
	case infinite && exponent == 1<<exponentBits-1, !infinite && bits&(1<<(exponentBits+fractionBits)-1) == 1<<(exponentBits+fractionBits)-1:
		v = math.NaN()
	case exponent == 0:
		v = math.Ldexp(fraction, 1-bias-fractionBits)
	}
	if bits>>(exponentBits+fractionBits)&1 != 0 {
		return math.Copysign(v, -1)
	}
	return v
}

func TestFloat32s(t *testing.T) {
	for _, c := range []struct {
		dtype              tensor.DType
		exponent, fraction int
		infinite           bool
	}{{tensor.Float16, 5, 10, true}, {tensor.BFloat16, 8, 7, true}, {tensor.Float8E5M2, 5, 2, true}, {tensor.Float8E4M3FN, 4, 3, false}} {
		var x tensor.Tensor
		n := 1 << (1 + c.exponent + c.fraction)
		x.DType, x.Shape = c.dtype, tensor.Shape{int64(n)}
		for i := range n {
			x.Bytes = append(x.Bytes, byte(i))
			if n > 256 {
				x.Bytes = append(x.Bytes, byte(i>>8))
			}
		}
		got, err := x.Float32s()
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			want := slowFloat(uint16(i), c.exponent, c.fraction, c.infinite)
			if math.IsNaN(want) != math.IsNaN(float64(v)) || !math.IsNaN(want) && math.Float32bits(v) != math.Float32bits(float32(want)) {
				t.Fatalf("%v %#x: %v, want %v", c.dtype, i, v, want)
			}
		}
	}
	plain, err := tensor.New([]float32{0.1, 2})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := plain.Float32s(); err != nil || len(got) != 2 || got[0] != 0.1 {
		t.Errorf("%v, %v", got, err)
	}
	wide, err := tensor.New([]float64{0.1})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := wide.Float32s(); !errors.Is(err, tensor.ErrDType) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestToFloat8 converts each float8 there and back, and rounds the numbers between two of them by the definition.
func TestToFloat8(t *testing.T) {
	for _, c := range []struct {
		exponent, fraction int
		infinite           bool
		convert            func(float32) byte
		over               byte // of numbers beyond the largest one
	}{{5, 2, true, tensor.ToFloat8E5M2, 0x7c}, {4, 3, false, tensor.ToFloat8E4M3FN, 0x7f}} {
		value := func(b byte) float64 { return slowFloat(uint16(b), c.exponent, c.fraction, c.infinite) }
		var largest byte
		for b := range byte(128) {
			v := value(b)
			if math.IsNaN(v) || math.IsInf(v, 0) {
				continue
			}
			largest = b
			for sign := range byte(2) {
				if got := c.convert(float32(value(b | sign<<7))); got != b|sign<<7 {
					t.Errorf("%v: %#x, want %#x", value(b|sign<<7), got, b|sign<<7)
				}
			}
			if b == 0 {
				continue
			}
			half := float32(v+value(b-1)) / 2 // exact
			even := b - b&1
			for x, want := range map[float32]byte{half: even, math.Nextafter32(half, 0): b - 1, math.Nextafter32(half, float32(v)): b} {
				if got := c.convert(x); got != want {
					t.Errorf("%v: %#x, want %#x", x, got, want)
				}
			}
		}
		step := value(largest) - value(largest-1)
		half := float32(value(largest) + step/2)
		even := largest
		if largest&1 != 0 {
			even = c.over
		}
		for x, want := range map[float32]byte{half: even, math.Nextafter32(half, 0): largest, math.Nextafter32(half, 1e9): c.over, 1e30: c.over, float32(math.Inf(1)): c.over, -1e30: c.over | 0x80} {
			if got := c.convert(x); got != want {
				t.Errorf("%v: %#x, want %#x", x, got, want)
			}
		}
		if got := value(c.convert(float32(math.NaN()))); !math.IsNaN(got) {
			t.Errorf("NaN becomes %v", got)
		}
	}
}

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

package num_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/num"
)

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// million is a tensor of a million rows of 0 to 10 values.
func million[T num.Number](b *testing.B) ragged.Tensor[T] {
	r := rand.New(rand.NewPCG(1, 1))
	lengths, n := make([]int64, 1_000_000), int64(0)
	for i := range lengths {
		lengths[i] = int64(r.IntN(11))
		n += lengths[i]
	}
	values := make([]T, n)
	for i := range values {
		values[i] = T(1 + r.IntN(100))
	}
	return must(ragged.New(values, nil, must(ragged.FromRowLengths(lengths))(b)))(b)
}

// BenchmarkElementwise runs one operation on a million rows of five values each, on average. Compare
// with TensorFlow's eager operations on the same tensor.
func BenchmarkElementwise(b *testing.B) {
	b.Run("dtype=float32", func(b *testing.B) { elementwise[float32](b, 4) })
	b.Run("dtype=int64", func(b *testing.B) { elementwise[int64](b, 8) })
}

func elementwise[T interface{ int64 | float32 }](b *testing.B, size int) {
	x := million[T](b)
	other := x.Clone() // equal partitions in other memory
	column := must(ragged.Dense(make([]T, x.Len()), x.Len(), 1))(b)
	three := ragged.Scalar[T](3)
	for _, c := range []struct {
		name string
		f    func() error
	}{
		{"add", func() error { _, err := num.Add(x, x); return err }},
		{"add/equal-rows", func() error { _, err := num.Add(x, other); return err }},
		{"add/scalar", func() error { _, err := num.Add(x, three); return err }},
		{"add/column", func() error { _, err := num.Add(x, column); return err }},
		{"less", func() error { _, err := num.Less(x, x); return err }},
		{"maximum", func() error { _, err := num.Maximum(x, x); return err }},
		{"floordiv", func() error { _, err := num.FloorDiv(x, x); return err }},
		{"floordiv/scalar", func() error { _, err := num.FloorDiv(x, three); return err }},
		{"abs", func() error { num.Abs(x); return nil }},
		{"clip", func() error { num.Clip(x, 10, 50); return nil }},
		{"cast", func() error { _, err := num.Cast[float64](x); return err }},
	} {
		b.Run("op="+c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(size * x.Size()))
			for b.Loop() {
				if err := c.f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFloats runs one function of floats on a million rows.
func BenchmarkFloats(b *testing.B) {
	x := million[float32](b)
	for _, c := range []struct {
		name string
		f    func(ragged.Tensor[float32]) ragged.Tensor[float32]
	}{
		{"sqrt", num.Sqrt[float32]}, {"exp", num.Exp[float32]}, {"log", num.Log[float32]}, {"tanh", num.Tanh[float32]}, {"sigmoid", num.Sigmoid[float32]}, {"relu", num.Relu[float32]},
	} {
		b.Run("op="+c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(4 * x.Size()))
			for b.Loop() {
				c.f(x)
			}
		})
	}
}

package ragged_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tfparse/tfparse/ragged"
)

// million is a tensor of a million rows of 0 to 10 values.
func million(b *testing.B) ragged.Tensor[float32] {
	r := rand.New(rand.NewPCG(1, 1))
	lengths, n := make([]int64, 1_000_000), int64(0)
	for i := range lengths {
		lengths[i] = int64(r.IntN(11))
		n += lengths[i]
	}
	values := make([]float32, n)
	for i := range values {
		values[i] = r.Float32()
	}
	b.ReportAllocs()
	return must(ragged.New(values, nil, must(ragged.FromRowLengths(lengths))(b)))(b)
}

// BenchmarkOperations runs one operation on a million rows of five values each, on average.
// Compare with TensorFlow's eager operations on the same tensor.
func BenchmarkOperations(b *testing.B) {
	x := million(b)
	column := must(ragged.Dense(make([]float32, x.Len()), x.Len(), 1))(b)
	box := must(x.ToDense(ragged.Scalar[float32](-1), nil))(b)
	sparse := x.Sparse()
	rows := rand.New(rand.NewPCG(1, 1)).Perm(x.Len())
	add := func(a, b float32) float32 { return a + b }
	for name, f := range map[string]func(){
		"to dense":        func() { _, _ = x.ToDense(ragged.Scalar[float32](0), nil) },
		"to dense, 7":     func() { _, _ = x.ToDense(ragged.Scalar[float32](7), nil) },
		"to sparse":       func() { x.Sparse() },
		"from sparse":     func() { _, _ = ragged.FromSparse(sparse) },
		"from dense":      func() { _, _ = ragged.FromDensePadding(box, 1, ragged.Scalar[float32](-1)) },
		"concat axis 0":   func() { _, _ = ragged.Concat(0, x, x) },
		"concat axis 1":   func() { _, _ = ragged.Concat(1, x, x) },
		"add":             func() { _, _ = ragged.Zip(x, x, add) },
		"add scalar":      func() { _, _ = ragged.Zip(x, ragged.Scalar[float32](1), add) },
		"add column":      func() { _, _ = ragged.Zip(x, column, add) },
		"slice rows":      func() { _, _ = x.Index(ragged.SliceFrom(10)) },
		"slice every row": func() { _, _ = x.Index(ragged.SliceAll(), ragged.SliceTo(3)) },
		"reverse rows":    func() { _, _ = x.Index(ragged.SliceAll(), ragged.SliceAll().By(-1)) },
		"take":            func() { x.Take(rows...) },
		"row lengths":     func() { _, _ = x.RowLengths(1) },
		"sum of all rows": func() { sumRows(x) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(4 * x.Size()))
			for b.Loop() {
				f()
			}
		})
	}
}

func sumRows(x ragged.Tensor[float32]) []float32 {
	sums := make([]float32, x.Len())
	for i, row := range x.Rows() {
		for _, v := range row.Values() {
			sums[i] += v
		}
	}
	return sums
}

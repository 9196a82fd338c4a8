package num_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/num"
)

// BenchmarkReduce reduces a million rows of five values each, on average. Compare with TensorFlow's
// eager operations on the same tensor.
func BenchmarkReduce(b *testing.B) {
	x := million[float32](b)
	ints := million[int64](b)
	column := must(ragged.New(x.Values(), []int{1}, x.Partition(0)))(b)
	half := must(ragged.Uniform(2, int64(x.Len()/2)))(b)
	pairs := must(ragged.Wrap(x, half))(b)
	ids := make([]int32, x.Len())
	r := rand.New(rand.NewPCG(2, 2))
	for i := range ids {
		ids[i] = int32(r.IntN(1000))
	}
	byID := ragged.Vector(ids...)
	mask := must(num.Greater(x, ragged.Scalar[float32](99)))(b)
	for _, bench := range []struct {
		name string
		size int
		run  func() error
	}{
		{"sum/rows", 4, errOf(num.Sum, x, num.Over(1))},
		{"sum/rows/int64", 8, errOf(num.Sum, ints, num.Over(1))},
		{"sum/rows/inner=1", 4, errOf(num.Sum, column, num.Over(1))},
		{"sum/columns", 4, errOf(num.Sum, x, num.Over(0))},
		{"sum/pairs", 4, errOf(num.Sum, pairs, num.Over(1))},
		{"sum/all", 4, errOf(num.Sum, x, num.OverAll())},
		{"max/rows", 4, errOf(num.Max, x, num.Over(1))},
		{"mean/rows", 4, errOf(num.Mean[float32, float32], x, num.Over(1))},
		{"mean/rows/int64", 8, errOf(num.Mean[float64, int64], ints, num.Over(1))},
		{"mean/columns", 4, errOf(num.Mean[float32, float32], x, num.Over(0))},
		{"std/rows", 4, errOf(num.Std[float32, float32], x, num.Over(1))},
		{"any/rows", 1, errOf(num.Any, mask, num.Over(1))},
		{"segment sum", 4, func() error { _, err := num.SegmentSum(x, byID, 1000); return err }},
		{"cumulative sum/rows", 4, func() error { _, err := num.CumSum(x, 1, nil); return err }},
		{"cumulative sum/columns", 4, func() error { _, err := num.CumSum(x, 0, nil); return err }},
		{"bincount", 8, func() error { _, err := num.Bincount[int32](ints, nil); return err }},
		{"sparse bincount/rows", 8, func() error {
			_, err := num.SparseBincount(ints, &num.BincountOptions{PerRow: true})
			return err
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(bench.size * x.Size()))
			for b.Loop() {
				if err := bench.run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func errOf[T, R any](f func(ragged.Tensor[T], num.Axes) (ragged.Tensor[R], error), t ragged.Tensor[T], over num.Axes) func() error {
	return func() error {
		_, err := f(t, over)
		return err
	}
}

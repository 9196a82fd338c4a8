package nn_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
	"github.com/tfparse/tfparse/ragged/nn"
)

// BenchmarkLookup looks up the embeddings of a million rows of five IDs each, on average. Compare
// with TensorFlow's eager operations on the same data.
func BenchmarkLookup(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	lengths, n := make([]int64, 1_000_000), int64(0)
	for i := range lengths {
		lengths[i] = int64(r.IntN(11))
		n += lengths[i]
	}
	values, weights := make([]int64, n), make([]float32, n)
	for i := range values {
		values[i], weights[i] = int64(r.IntN(1024)), r.Float32()
	}
	ids := must(ragged.New(values, nil, must(ragged.FromRowLengths(lengths))(b)))(b)
	w := must(operand.Like(ids, weights))(b)
	for _, size := range []int{1, 4, 16} {
		cells := make([]float32, 1024*size)
		for i := range cells {
			cells[i] = r.Float32()
		}
		table := must(ragged.Dense(cells, 1024, size))(b)
		for _, bench := range []struct {
			name string
			run  func() error
		}{
			{"every", func() error { _, err := nn.Lookup(table, ids, nil); return err }},
			{"rows", func() error { _, err := nn.LookupRows(table, ids, nil); return err }},
			{"rows/weights", func() error {
				_, err := nn.LookupRows(table, ids, &nn.RowsOptions[float32]{Weights: &w})
				return err
			}},
		} {
			b.Run(fmt.Sprintf("%s/size=%d", bench.name, size), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(n * int64(4*size))
				for b.Loop() {
					if err := bench.run(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// must returns a function that fails the test if there is an error.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

package array_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/array"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// million is a tensor of a million rows of 0 to 10 values.
func million(b testing.TB) ragged.Tensor[float32] {
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
	return must(ragged.New(values, nil, must(ragged.FromRowLengths(lengths))(b)))(b)
}

// An operation is one iteration of a benchmark.
type operation struct {
	name string
	f    func() error
}

// operations are on a million rows of five values each, on average. Compare with TensorFlow's eager
// operations on the same tensor.
func operations(b testing.TB) []operation {
	r := rand.New(rand.NewPCG(2, 2))
	x := million(b)
	perm := make([]int64, x.Len())
	for i, row := range r.Perm(x.Len()) {
		perm[i] = int64(row)
	}
	shuffled := ragged.Vector(perm...)
	words := ragged.Map(x, func(v float32) string { return "word"[:int(v*5)] })
	rowMask, valueMask := make([]bool, x.Len()), make([]bool, x.Size())
	for i := range rowMask {
		rowMask[i] = r.IntN(2) == 0
	}
	for i := range valueMask {
		valueMask[i] = r.IntN(2) == 0
	}
	rows := ragged.Vector(rowMask...)
	values := must(operand.Like(x, valueMask))(b)
	// An index for every row that has a value.
	p := must(ragged.FromRowSplits(starts(x)))(b)
	first := must(ragged.New(make([]int64, p.NumValues()), nil, p))(b)
	partitions := ragged.Map(shuffled, func(v int64) int64 { return v % 100 })
	y := ragged.Map(x, func(v float32) float32 { return -v })
	return []operation{
		{"gather rows", func() error { _, err := array.Gather(x, shuffled, nil); return err }},
		{"gather rows of strings", func() error { _, err := array.Gather(words, shuffled, nil); return err }},
		{"batch gather", func() error { _, err := array.Gather(x, first, &array.GatherOptions{BatchDims: -1}); return err }},
		{"mask rows", func() error { _, err := array.BooleanMask(x, rows); return err }},
		{"mask values", func() error { _, err := array.BooleanMask(x, values); return err }},
		{"concat axis 0", func() error { _, err := ragged.Concat(0, x, x); return err }},
		{"concat axis 1", func() error { _, err := ragged.Concat(1, x, x); return err }},
		{"stack axis 1", func() error { _, err := array.Stack(1, x, x); return err }},
		{"tile axis 1", func() error { _, err := array.Tile(x, 1, 2); return err }},
		{"reverse rows", func() error { _, err := array.Reverse(x, []int{1}); return err }},
		{"where", func() error { _, err := array.Where(values, x, y); return err }},
		{"coordinates", func() error { _, err := array.Coordinates(values); return err }},
		{"dynamic partition", func() error { _, err := array.StackDynamicPartitions(x, partitions, 100); return err }},
		{"sort", func() error { array.Sort(x, false); return nil }},
	}
}

func BenchmarkOperations(b *testing.B) {
	for _, op := range operations(b) {
		b.Run(op.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(4 * 5_000_000)
			for b.Loop() {
				if err := op.f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// starts returns splits of rows of length 1 where x has a value, and 0 elsewhere.
func starts(x ragged.Tensor[float32]) []int64 {
	p := x.Partition(0)
	splits, at := make([]int64, 1, p.NumRows()+1), int64(0)
	for _, n := range p.AppendLengths(nil) {
		splits = append(splits, at+min(n, 1))
		at = splits[len(splits)-1]
	}
	return splits
}

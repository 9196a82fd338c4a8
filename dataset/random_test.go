package dataset_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/ragged"
)

// randomTensor makes a tensor of up to three partitions, some of them uniform, and an
// inner shape.
func randomTensor(r *rand.Rand) tensor {
	rows := r.IntN(8)
	n := rows
	parts := make([]ragged.Partition, r.IntN(4))
	for i := range parts {
		lengths := make([]int64, n)
		same := int64(r.IntN(3))
		uniform := r.IntN(3) == 0
		for j := range lengths {
			if lengths[j] = same; !uniform {
				lengths[j] = int64(r.IntN(4))
			}
		}
		var err error
		if uniform {
			parts[i], err = ragged.Uniform(same, int64(n))
		} else {
			parts[i], err = ragged.FromRowLengths(lengths)
		}
		if err != nil {
			panic(err)
		}
		n = parts[i].NumValues()
	}
	inner := [][]int{nil, {2}, {0}, {2, 1}}[r.IntN(4)]
	size := n
	for _, d := range inner {
		size *= d
	}
	values := make([]int64, size)
	for i := range values {
		values[i] = r.Int64N(100)
	}
	if len(parts) == 0 {
		t, err := ragged.Dense(values, append([]int{n}, inner...)...)
		if err != nil {
			panic(err)
		}
		return t
	}
	t, err := ragged.New(values, inner, parts...)
	if err != nil {
		panic(err)
	}
	return t
}

// TestBatchUnbatch divides random tensors into rows and batches these again, in batches of any size:
// no row is lost, and batches equal the slices of the tensor.
func TestBatchUnbatch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		whole := randomTensor(r)
		n := 1 + r.IntN(4)
		drop := r.IntN(2) == 0
		batches, err := dataset.Slices(whole).Batch(n, &dataset.BatchOptions{DropRemainder: drop}).Collect()
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for _, b := range batches {
			want := whole.Slice(at, min(at+n, whole.Len()))
			if !ragged.Equal(b, want) || b.RaggedRank() != want.RaggedRank() || !slices.Equal(b.Shape(), want.Shape()) {
				t.Fatalf("batch of rows from %d of %v: want %v, got %v", at, whole, want, b)
			}
			at += want.Len()
		}
		if left := whole.Len() - at; !drop && left != 0 || left >= n {
			t.Fatalf("batches of %d: %d rows of %d are left over", n, left, whole.Len())
		}
		rows, err := dataset.Slices(whole).Batch(n, nil).Unbatch().Collect()
		if err != nil || len(rows) != whole.Len() {
			t.Fatalf("want %d rows, got %d, %v", whole.Len(), len(rows), err)
		}
		for i, row := range rows {
			if !ragged.Equal(row, whole.Row(i)) {
				t.Fatalf("row %d: want %v, got %v", i, whole.Row(i), row)
			}
		}
	}
}

// TestSparse is TestBatchUnbatch with sparse tensors and a dense tensor.
func TestSparse(t *testing.T) {
	type pair struct {
		s ragged.Sparse[int64]
		d tensor
	}
	s := dataset.Sparse("s", func(p *pair) *ragged.Sparse[int64] { return &p.s })
	d := dataset.Tensor("d", func(p *pair) *tensor { return &p.d }, dataset.Spec{})
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		rows := 1 + r.IntN(6)
		whole := pair{s: ragged.Sparse[int64]{Shape: []int64{int64(rows), 4, 3}}, d: ragged.Vector(make([]int64, rows)...)}
		for row := range rows {
			for cell := range 12 {
				if r.IntN(4) == 0 {
					whole.s.Indices = append(whole.s.Indices, int64(row), int64(cell/3), int64(cell%3))
					whole.s.Values = append(whole.s.Values, r.Int64())
				}
			}
		}
		got, err := dataset.SlicesOf(whole, s, d).Batch(rows, nil).Collect()
		if err != nil || len(got) != 1 {
			t.Fatalf("%d batches, %v", len(got), err)
		}
		if g, w := got[0].s, whole.s; !slices.Equal(g.Indices, w.Indices) || !slices.Equal(g.Values, w.Values) || !slices.Equal(g.Shape, w.Shape) {
			t.Fatalf("want %v, got %v", w, g)
		}
	}
	for name, bad := range map[string]ragged.Sparse[int64]{
		"a row that does not exist": {Indices: []int64{1, 0}, Values: []int64{1}, Shape: []int64{1, 1}},
		"a row before another":      {Indices: []int64{1, 0, 0, 0}, Values: []int64{1, 2}, Shape: []int64{2, 1}},
		"a negative row":            {Indices: []int64{-1, 0}, Values: []int64{1}, Shape: []int64{1, 1}},
		"too few coordinates":       {Indices: []int64{0}, Values: []int64{1}, Shape: []int64{1, 1}},
		"a negative size":           {Shape: []int64{-1, 1}},
		"a scalar":                  {},
		"a vector":                  {Shape: []int64{2}},
	} {
		if err := errOf(dataset.SlicesOf(pair{s: bad}, s)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	a, b := pair{s: ragged.Sparse[int64]{Shape: []int64{2}}}, pair{s: ragged.Sparse[int64]{Shape: []int64{3, 1}}}
	source := func(yield func(pair, error) bool) { _ = yield(a, nil) && yield(b, nil) }
	if err := errOf(dataset.From(source).WithComponents(s).Batch(2, nil)); err == nil {
		t.Error("ranks 1 and 2: no error")
	}
	a.s.Shape = []int64{2, 5}
	got, err := dataset.From(source).WithComponents(s).Batch(2, nil).Collect()
	if err != nil || !slices.Equal(got[0].s.Shape, []int64{2, 3, 5}) {
		t.Errorf("want the larger size of every axis, got %v, %v", got, err)
	}
}

// TestSparseRows slices a sparse tensor of very many rows: empty rows take no memory.
func TestSparseRows(t *testing.T) {
	type element struct{ s ragged.Sparse[int64] }
	s := dataset.Sparse("s", func(e *element) *ragged.Sparse[int64] { return &e.s })
	whole := element{ragged.Sparse[int64]{Indices: []int64{1, 0}, Values: []int64{7}, Shape: []int64{1 << 30, 1}}}
	got, err := dataset.SlicesOf(whole, s).Take(3).Collect()
	if err != nil || len(got) != 3 || !slices.Equal(got[1].s.Values, []int64{7}) || len(got[2].s.Values) != 0 {
		t.Errorf("got %v, %v", got, err)
	}
}

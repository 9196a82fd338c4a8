package nn_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/nn"
)

// A grid is a matrix as a slice of rows.
type grid [][]int64

func randomGrid(r *rand.Rand, rows, cols int) grid {
	g := make(grid, rows)
	for i := range g {
		g[i] = make([]int64, cols)
		for j := range g[i] {
			g[i][j] = r.Int64N(9) - 4
		}
	}
	return g
}

func (g grid) transposed(cols int) grid {
	out := make(grid, cols)
	for i := range out {
		out[i] = make([]int64, len(g))
		for j := range g {
			out[i][j] = g[j][i]
		}
	}
	return out
}

func (g grid) times(h grid, cols int) grid {
	out := make(grid, len(g))
	for i := range g {
		out[i] = make([]int64, cols)
		for j := range cols {
			for k := range h {
				out[i][j] += g[i][k] * h[k][j]
			}
		}
	}
	return out
}

// TestMatMulBatch multiplies matrices of random sizes, with and without partitions.
func TestMatMulBatch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	for range 1500 {
		batch := r.IntN(4)
		opts := nn.MatMulOptions{TransposeA: r.IntN(3) == 0, TransposeB: r.IntN(3) == 0}
		as, bs, want := make([]grid, batch), make([]grid, batch), make([]grid, batch)
		for i := range want {
			rows, inner, cols := 1+r.IntN(3), 1+r.IntN(3), 1+r.IntN(3)
			a, b := randomGrid(r, rows, inner), randomGrid(r, inner, cols)
			want[i] = a.times(b, cols)
			if as[i] = a; opts.TransposeA {
				as[i] = a.transposed(inner)
			}
			if bs[i] = b; opts.TransposeB {
				bs[i] = b.transposed(cols)
			}
		}
		a, b := must(ragged.FromSlices[int64](as))(t), must(ragged.FromSlices[int64](bs))(t)
		expected := must(ragged.FromSlices[int64](want))(t)
		got := must(nn.MatMul(a, b, &opts))(t)
		if err := got.Validate(); err != nil || !ragged.Equal(got, expected) {
			t.Fatalf("%v times %v, %+v: got %v, %v, want %v", a, b, opts, got, err, expected)
		}
		for i := range want { // each matrix alone
			got := must(nn.MatMul(a.Row(i), b.Row(i), &opts))(t)
			if got.RaggedRank() != 0 || !slices.Equal(got.Values(), expected.Row(i).Values()) {
				t.Fatalf("%v times %v, %+v: got %v, want %v", a.Row(i), b.Row(i), opts, got, expected.Row(i))
			}
		}
		// A batch with one more axis.
		above := must(ragged.FromRowLengths([]int64{int64(batch), 0}))(t)
		deep := must(nn.MatMul(must(ragged.Wrap(a, above))(t), must(ragged.Wrap(b, above))(t), &opts))(t)
		if !ragged.Equal(deep.Items(), expected) || deep.Len() != 2 {
			t.Fatalf("%v times %v below another axis, %+v: got %v", a, b, opts, deep)
		}
	}
}

// TestMatMulUniform multiplies matrices of one size, dense and with partitions.
func TestMatMulUniform(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 5))
	for range 1500 {
		batch, rows, inner, cols := r.IntN(3), r.IntN(4), r.IntN(4), r.IntN(4)
		outer := 1 + r.IntN(2)
		opts := nn.MatMulOptions{TransposeA: r.IntN(2) == 0, TransposeB: r.IntN(2) == 0}
		dense := func(m, n int, transpose bool) (ragged.Tensor[int64], []grid) {
			var values []int64
			grids := make([]grid, outer*batch)
			for i := range grids {
				grids[i] = randomGrid(r, m, n)
				stored := grids[i]
				if transpose {
					stored = stored.transposed(n)
				}
				for _, row := range stored {
					values = append(values, row...)
				}
			}
			if transpose {
				m, n = n, m
			}
			return must(ragged.Dense(values, outer, batch, m, n))(t), grids
		}
		a, as := dense(rows, inner, opts.TransposeA)
		b, bs := dense(inner, cols, opts.TransposeB)
		var want []int64
		for i := range as {
			for _, row := range as[i].times(bs[i], cols) {
				want = append(want, row...)
			}
		}
		shape := []int{outer, batch, rows, cols}
		check := func(a, b ragged.Tensor[int64]) {
			t.Helper()
			got := must(nn.MatMul(a, b, &opts))(t)
			if !slices.Equal(got.Values(), want) || !slices.Equal(got.BoundingShape(), must(ragged.Dense(want, shape...))(t).BoundingShape()) && len(want) > 0 {
				t.Fatalf("%v times %v, %+v: got %v of shape %v, want %v of shape %v", a, b, opts, got, got.Shape(), want, shape)
			}
			if a.RaggedRank() == 0 && b.RaggedRank() == 0 && !slices.Equal(got.Shape(), shape) {
				t.Fatalf("%v times %v, %+v: got the shape %v, want %v", a, b, opts, got.Shape(), shape)
			}
		}
		check(a, b)
		for _, levels := range [][2]int{{0, 3}, {3, 0}, {1, 2}, {2, 1}, {3, 3}, {0, 1}, {2, 2}} {
			x, y := a, b
			if levels[0] > 0 {
				x = must(ragged.FromDense(a, levels[0]))(t)
			}
			if levels[1] > 0 {
				y = must(ragged.FromDense(b, levels[1]))(t)
			}
			check(x, y)
		}
	}
}

// TestMatMulTransposedInner keeps an axis of the inner shape uniform when it becomes the
// rows of the product.
func TestMatMulTransposedInner(t *testing.T) {
	p := must(ragged.FromRowLengths([]int64{1, 2}))(t)
	a := must(ragged.New([]int64{1, 2, 3, 4, 5, 6}, []int{2}, p))(t)
	b := must(ragged.New([]int64{1, 1, 1}, []int{1}, p))(t)
	got := must(nn.MatMul(a, b, &nn.MatMulOptions{TransposeA: true}))(t)
	if n, uniform := got.Partition(0).UniformLen(); !uniform || n != 2 || !slices.Equal(got.Values(), []int64{1, 2, 8, 10}) {
		t.Errorf("got %v of shape %v, want rows of 2 that are known to be uniform", got, got.Shape())
	}
}

// TestMatMulUnknownSizes multiplies ragged matrices without rows, whose number of columns is
// unknown.
func TestMatMulUnknownSizes(t *testing.T) {
	a := must(ragged.FromSlices[int64]([][][]int64{{}, {{1, 2}}}))(t)
	b := must(ragged.FromSlices[int64]([][][]int64{{{1}, {2}, {3}}, {{4}, {5}}}))(t)
	got := must(nn.MatMul(a, b, nil))(t)
	if want := must(ragged.FromSlices[int64]([][][]int64{{}, {{14}}}))(t); !ragged.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestMatMulErrors(t *testing.T) {
	vector := ragged.Vector[int64](1, 2)
	square := must(ragged.Dense(make([]int64, 4), 2, 2))(t)
	three := must(ragged.Dense(make([]int64, 12), 3, 2, 2))(t)
	two := must(ragged.Dense(make([]int64, 8), 2, 2, 2))(t)
	uneven := must(ragged.FromSlices[int64]([][]int64{{1, 2}, {3}}))(t)
	batch := must(ragged.FromSlices[int64]([][][]int64{{{1, 2}}, {{3}, {4}}}))(t)
	wide := must(ragged.FromSlices[int64]([][][]int64{{{1, 2, 3}}, {{3}, {4}}}))(t)
	deep := must(ragged.Wrap(batch, must(ragged.FromRowLengths([]int64{2}))(t)))(t)
	other := must(ragged.Wrap(batch, must(ragged.FromRowLengths([]int64{1, 1}))(t)))(t)
	for name, err := range map[string]error{
		"vectors":         second(nn.MatMul(vector, vector, nil)),
		"ranks":           second(nn.MatMul(square, two, nil)),
		"batches":         second(nn.MatMul(two, three, nil)),
		"ragged batches":  second(nn.MatMul(batch, three, nil)),
		"batches of rows": second(nn.MatMul(deep, other, nil)),
		"uneven rows":     second(nn.MatMul(uneven, square, nil)),
		"uneven right":    second(nn.MatMul(square, uneven, nil)),
		"inner sizes":     second(nn.MatMul(batch, wide, nil)),
		"dense sizes":     second(nn.MatMul(must(ragged.Dense(make([]int64, 6), 2, 3))(t), square, nil)),
		"uneven in batch": second(nn.MatMul(must(ragged.FromSlices[int64]([][][]int64{{{1, 2}, {3}}}))(t), batch.Slice(0, 1), nil)),
	} {
		if !errors.Is(err, ragged.ErrShape) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMatMulClaims multiplies matrices without values whose product is large.
func TestMatMulClaims(t *testing.T) {
	tall := must(ragged.Dense[int64](nil, 1<<16, 0))(t)
	wide := must(ragged.Dense[int64](nil, 0, 1<<16))(t)
	if _, err := nn.MatMul(tall, wide, nil); !errors.Is(err, ragged.ErrShape) {
		t.Errorf("a product of nothing: %v", err)
	}
	batch := must(ragged.New[int64](nil, []int{0}, must(ragged.FromRowLengths([]int64{1 << 16}))(t)))(t)
	if _, err := nn.MatMul(batch, must(ragged.Dense[int64](nil, 1, 0, 1<<16))(t), nil); !errors.Is(err, ragged.ErrShape) {
		t.Errorf("a batch of products of nothing: %v", err)
	}
	if got := must(nn.MatMul(tall.Slice(0, 3), must(ragged.Dense[int64](nil, 0, 2))(t), nil))(t); !slices.Equal(got.Values(), make([]int64, 6)) {
		t.Errorf("zeros: %v", got)
	}
}

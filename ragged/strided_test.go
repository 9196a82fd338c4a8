package ragged_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/ragged"
)

// TestWriteDense compares with ToDense, in any order of the axes, cropped and padded.
func TestWriteDense(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		cell := 1 + r.IntN(3)
		var values, outer, inner []int64
		for range r.IntN(4) {
			rows := r.IntN(4)
			for range rows {
				items := r.IntN(4)
				for range items * cell {
					values = append(values, 1+r.Int64N(9))
				}
				inner = append(inner, int64(items))
			}
			outer = append(outer, int64(rows))
		}
		x := must(ragged.New(values, []int{cell}, must(ragged.FromRowLengths(outer))(t), must(ragged.FromRowLengths(inner))(t)))(t)
		sizes := x.DenseShape()
		for i := range 3 {
			if r.IntN(3) == 0 {
				sizes[i] = r.IntN(5)
			}
		}
		dense, err := x.ToDense(ragged.Scalar[int64](-1), sizes)
		if err != nil {
			t.Fatal(err)
		}
		strides, n := make([]int64, len(sizes)), int64(1)
		for _, axis := range r.Perm(len(sizes)) {
			strides[axis] = n
			n *= int64(sizes[axis])
		}
		dst := make([]int64, n)
		if err := x.WriteDense(dst, sizes, strides, -1); err != nil {
			t.Fatal(err)
		}
		index := make([]int, len(sizes))
		for _, want := range dense.Values() {
			at := int64(0)
			for axis, i := range index {
				at += int64(i) * strides[axis]
			}
			if dst[at] != want {
				t.Fatalf("%v as %v with strides %v: %v", x, sizes, strides, dst)
			}
			for axis := len(index) - 1; axis >= 0; axis-- {
				if index[axis]++; index[axis] < sizes[axis] {
					break
				}
				index[axis] = 0
			}
		}
	}
}

func TestWriteDenseErrors(t *testing.T) {
	x, err := ragged.FromSlices[int64]([][]int64{{1, 2}, {}, {3}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		room    int
		sizes   []int
		strides []int64
	}{
		{"too small", 5, nil, []int64{2, 1}},
		{"too few strides", 6, nil, []int64{1}},
		{"too few sizes", 6, []int{3}, []int64{2, 1}},
		{"negative stride", 6, nil, []int64{-2, 1}},
		{"stride beyond counting", 6, nil, []int64{1 << 62, 1 << 62}},
	} {
		dst := make([]int64, c.room)
		if err := x.WriteDense(dst, c.sizes, c.strides, 0); !errors.Is(err, ragged.ErrShape) {
			t.Errorf("%s: %v", c.name, err)
		}
		if slices.Max(dst) != 0 {
			t.Errorf("%s: wrote %v", c.name, dst)
		}
	}
}

package ragged_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/ragged"
)

// running is the first tensor in TensorFlow's guides.
func running(t testing.TB) ragged.Tensor[int64] {
	p := must(ragged.FromRowSplits([]int64{0, 4, 4, 7, 8, 8}))(t)
	return must(ragged.New([]int64{3, 1, 4, 1, 5, 9, 2, 6}, nil, p))(t)
}

// TestShape follows TensorFlow's table of static shapes.
func TestShape(t *testing.T) {
	p := func(splits ...int64) ragged.Partition { return must(ragged.FromRowSplits(splits))(t) }
	u := func(l, n int64) ragged.Partition { return must(ragged.Uniform(l, n))(t) }
	n := func(size int, inner []int, parts ...ragged.Partition) ragged.Tensor[bool] {
		return must(ragged.New(make([]bool, size), inner, parts...))(t)
	}
	for _, c := range []struct {
		tensor     ragged.Tensor[bool]
		want       []int
		raggedRank int
	}{
		{n(4, nil, p(0, 1, 4)), []int{2, -1}, 1},
		{n(9, nil, p(0, 3, 6, 9)), []int{3, -1}, 1}, // equal rows do not make an axis uniform
		{n(9, nil, u(3, 3)), []int{3, 3}, 1},
		{n(14, []int{2}, p(0, 2, 5, 6, 6, 7)), []int{5, -1, 2}, 1},
		{n(12, []int{2, 2}, p(0, 2, 2, 3)), []int{3, -1, 2, 2}, 1},
		{n(12, []int{2, 2}, p(0, 1, 3, 3), p(0, 2, 2, 3)), []int{3, -1, -1, 2, 2}, 2},
		{n(10, nil, u(2, 2), p(0, 3, 5, 9, 10)), []int{2, 2, -1}, 2},
		{n(0, []int{0}, p(0, 2, 3)), []int{2, -1, 0}, 1},
		{n(6, []int{3}), []int{2, 3}, 0},
		{ragged.Scalar(true), []int{}, 0},
		{ragged.Vector(true, false), []int{2}, 0},
		{ragged.Tensor[bool]{}, []int{0}, 0},
	} {
		if got := c.tensor.Shape(); !slices.Equal(got, c.want) {
			t.Errorf("got shape %v, want %v", got, c.want)
		}
		if c.tensor.Rank() != len(c.want) || c.tensor.RaggedRank() != c.raggedRank {
			t.Errorf("%v: rank %d, ragged rank %d", c.want, c.tensor.Rank(), c.tensor.RaggedRank())
		}
	}
}

// TestNewRefuses gives New arguments that do not fit together.
func TestNewRefuses(t *testing.T) {
	p := func(splits ...int64) ragged.Partition { return must(ragged.FromRowSplits(splits))(t) }
	for name, call := range map[string]func() error{
		"too few values":       func() error { _, err := ragged.New(make([]int, 2), nil, p(0, 3)); return err },
		"too many values":      func() error { _, err := ragged.New(make([]int, 4), nil, p(0, 3)); return err },
		"half an item":         func() error { _, err := ragged.New(make([]int, 5), []int{2}); return err },
		"items without values": func() error { _, err := ragged.New([]int{}, []int{0}); return err },
		"values of no item":    func() error { _, err := ragged.New(make([]int, 1), []int{0}, p(0, 3)); return err },
		"broken chain":         func() error { _, err := ragged.New(make([]int, 2), nil, p(0, 2), p(0, 2)); return err },
		"negative size":        func() error { _, err := ragged.New(make([]int, 2), []int{-1}, p(0, 2)); return err },
		"shape too large":      func() error { _, err := ragged.New([]int{}, []int{1 << 30, 1 << 30, 1 << 30}, p(0)); return err },
		"shape too large, but for a 0": func() error {
			_, err := ragged.Dense([]int{}, 1<<30, 0, 1<<30, 1<<30)
			return err
		},
		"dense of other size": func() error { _, err := ragged.Dense(make([]int, 5), 2, 3); return err },
		"scalar of nothing":   func() error { _, err := ragged.Dense([]int{}); return err },
		"wrap a scalar":       func() error { _, err := ragged.Wrap(ragged.Scalar(1), p(0, 1)); return err },
	} {
		if err := call(); !errors.Is(err, ragged.ErrShape) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestViewsShare checks that rows and slices allocate nothing, share memory, and that append to
// one does not overwrite the values after it.
func TestViewsShare(t *testing.T) {
	inner := must(ragged.FromRowSplits([]int64{0, 2, 2, 3, 6, 6, 8}))(t)
	outer := must(ragged.FromRowSplits([]int64{0, 3, 3, 6}))(t)
	values := []int64{1, 2, 3, 4, 5, 6, 7, 8}
	x := must(ragged.New(values, nil, outer, inner))(t)
	y := must(ragged.Dense(values, 2, 2, 2))(t)

	row := x.Row(2).Row(0)
	if v := row.Values(); !slices.Equal(v, []int64{4, 5, 6}) || &v[0] != &values[3] || cap(v) != 3 {
		t.Errorf("row is %v with capacity %d", v, cap(v))
	}
	if v := append(row.Values(), 100); v[3] != 100 || values[6] != 7 {
		t.Errorf("appending to a row wrote into the next: %v", values)
	}
	sum := int64(0)
	for what, f := range map[string]func(){
		"row":           func() { sum += x.Row(2).Values()[0] },
		"row of a row":  func() { sum += x.Row(0).Row(2).Values()[0] },
		"dense row":     func() { sum += y.Row(1).Row(0).Row(1).Item() },
		"slice":         func() { sum += x.Slice(1, 3).Values()[0] + int64(x.Slice(0, 2).Len()) },
		"rows":          func() { walk(x, &sum) },
		"partition":     func() { sum += int64(x.Slice(1, 3).Partition(1).NumRows()) },
		"items, flat":   func() { sum += int64(x.Items().Len() + x.Flat().Len()) },
		"index":         func() { z, _ := x.Index(ragged.At(2), ragged.At(0)); sum += z.Values()[0] },
		"index a range": func() { z, _ := x.Index(ragged.SliceFrom(1)); sum += z.Values()[0] },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", what, n)
		}
	}
	if sum == 0 {
		t.Error("nothing was read")
	}
}

func walk(x ragged.Tensor[int64], sum *int64) {
	for _, row := range x.Rows() {
		for _, cell := range row.Rows() {
			for _, v := range cell.Values() {
				*sum += v
			}
		}
	}
}

// TestValidate changes the slices that a tensor was made from.
func TestValidate(t *testing.T) {
	splits := []int64{0, 2, 3}
	x := must(ragged.New([]int64{1, 2, 3}, nil, must(ragged.FromRowSplits(splits))(t)))(t)
	if err := x.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][]int64{{0, 3, 2}, {0, 2, 9}, {0, 9, 9}} {
		copy(splits, bad)
		if err := x.Validate(); err == nil {
			t.Errorf("splits %v pass", bad)
		}
	}
}

// TestEqual compares partitions by their row splits only.
func TestEqual(t *testing.T) {
	p := func(splits ...int64) ragged.Partition { return must(ragged.FromRowSplits(splits))(t) }
	a := must(ragged.New([]int64{1, 2, 3, 4}, nil, p(0, 2, 4)))(t)
	u := must(ragged.New([]int64{1, 2, 3, 4}, nil, must(ragged.Uniform(2, 2))(t)))(t)
	if !ragged.Equal(a, u) || !ragged.Equal(u, a) {
		t.Error("a uniform partition is not equal to its splits")
	}
	for name, b := range map[string]ragged.Tensor[int64]{
		"other values": must(ragged.New([]int64{1, 2, 3, 5}, nil, p(0, 2, 4)))(t),
		"other rows":   must(ragged.New([]int64{1, 2, 3, 4}, nil, p(0, 1, 4)))(t),
		"more rows":    must(ragged.New([]int64{1, 2, 3, 4}, nil, p(0, 2, 4, 4)))(t),
		"dense":        must(ragged.Dense([]int64{1, 2, 3, 4}, 2, 2))(t),
		"a vector":     ragged.Vector[int64](1, 2, 3, 4),
		"inner shape":  must(ragged.New([]int64{1, 2, 3, 4}, []int{1}, p(0, 2, 4)))(t),
	} {
		if ragged.Equal(a, b) || ragged.Equal(b, a) {
			t.Errorf("%v equals %s", a, name)
		}
	}
	if ragged.Equal(ragged.Scalar(1), ragged.Vector(1)) {
		t.Error("a scalar equals a vector")
	}
	if !ragged.EqualFunc(a, ragged.Map(a, func(v int64) float64 { return float64(v) }), func(v int64, f float64) bool { return float64(v) == f }) {
		t.Error("EqualFunc")
	}
}

package ragged_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/ragged"
)

// TestConcat joins random tensors along every axis on which they can be joined.
func TestConcat(t *testing.T) {
	r := seeded(t, 12)
	for range 1000 {
		axes, levels := randomAxes(r, 1+r.IntN(4))
		along := r.IntN(len(axes))
		// Axes above the joined axis must be equal in all operands, so they are uniform
		// here. The same is true of axes in the inner shape below it.
		for k := range along {
			axes[k].ragged = false
		}
		lists, tensors := make([]tree, 1+r.IntN(3)), []ragged.Tensor[int64](nil)
		for i := range lists {
			mine := slices.Clone(axes)
			if !mine[along].ragged {
				mine[along].size = r.IntN(3)
			}
			x, tr := random(t, r, mine, levels)
			lists[i], tensors = tr, append(tensors, x)
		}
		got, err := ragged.Concat(along-r.IntN(2)*len(axes), tensors...)
		if err != nil {
			t.Fatalf("%v on axis %d: %v", tensors, along, err)
		}
		same(t, got, joined(lists, along), "%v on axis %d", tensors, along)
		for axis, n := range got.Shape() {
			if uniform := !axes[axis].ragged; uniform != (n >= 0) {
				t.Fatalf("%v on axis %d has the shape %v", tensors, along, got.Shape())
			}
		}
	}
}

func joined(xs []tree, axis int) tree {
	out := tree{list: true}
	if axis == 0 {
		for _, x := range xs {
			out.kids = append(out.kids, x.kids...)
		}
		return out
	}
	for i := range xs[0].kids {
		var rows []tree
		for _, x := range xs {
			rows = append(rows, x.kids[i])
		}
		out.kids = append(out.kids, joined(rows, axis-1))
	}
	return out
}

// TestConcatRefuses joins tensors that cannot be joined.
func TestConcatRefuses(t *testing.T) {
	x := running(t)
	two := must(ragged.FromSlices[int64]([][]int64{{1}, {2}}))(t)
	deep := must(ragged.FromSlices[int64]([][][]int64{{{1}}, {{2, 3}}}))(t)
	other := must(ragged.FromSlices[int64]([][][]int64{{{1}, {2}}, {}}))(t)
	pairs := must(ragged.FromSlices[int64]([][][2]int64{{{1, 2}}, {{3, 4}}}))(t)
	longer := must(ragged.FromSlices[int64]([][][2]int64{{{1, 2}, {3, 4}}, {}}))(t)
	_, err := ragged.Concat(2, deep, other)
	if want := "ragged: values do not fit the shape: concat on axis 2: operand 1: axis 1, row 0: want length 1, got 2"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	for name, c := range map[string]struct {
		axis     int
		operands []ragged.Tensor[int64]
	}{
		"nothing":                    {0, nil},
		"an axis too far":            {2, []ragged.Tensor[int64]{x, x}},
		"an axis too far back":       {-3, []ragged.Tensor[int64]{x, x}},
		"an axis too far, for one":   {2, []ragged.Tensor[int64]{x}},
		"two ranks":                  {0, []ragged.Tensor[int64]{x, deep}},
		"rows of other number":       {1, []ragged.Tensor[int64]{x, two}},
		"other rows above":           {2, []ragged.Tensor[int64]{deep, other}},
		"other rows above the inner": {2, []ragged.Tensor[int64]{pairs, longer}},
		"other inner size":           {0, []ragged.Tensor[int64]{pairs, must(ragged.FromSlices[int64]([][][3]int64{{}}))(t)}},
		"dense of other width": {0, []ragged.Tensor[int64]{
			must(ragged.Dense([]int64{1, 2}, 1, 2))(t), must(ragged.Dense([]int64{1, 2, 3}, 1, 3))(t),
		}},
	} {
		if got, err := ragged.Concat(c.axis, c.operands...); !errors.Is(err, ragged.ErrShape) && !errors.Is(err, ragged.ErrIndex) {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
}

// TestTake takes rows of random tensors.
func TestTake(t *testing.T) {
	r := seeded(t, 13)
	for range 500 {
		x, tr := randomTensor(t, r)
		if x.Len() == 0 {
			continue
		}
		var rows []int
		byRow := tree{list: true}
		for range r.IntN(6) {
			row := r.IntN(x.Len())
			rows, byRow.kids = append(rows, row), append(byRow.kids, tr.kids[row])
		}
		same(t, x.Take(rows...), byRow, "rows %v of %v", rows, x)
	}
	for name, f := range map[string]func(){
		"a row past the end":   func() { running(t).Take(0, 5) },
		"a negative row":       func() { running(t).Take(-1) },
		"a slice past the end": func() { running(t).Slice(1, 6) },
		"row 5 of 5":           func() { running(t).Row(5) },
		"a row of a scalar":    func() { ragged.Scalar(1).Row(0) },
		"the item of many":     func() { running(t).Item() },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

package ragged_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/ragged"
)

var errLengths = errors.New("lengths differ")

// broadcast is the definition, item by item: on every axis both trees have the same number of
// items, or one tree has one item and its axis is uniform in its shape.
func broadcast(a, b tree, sa, sb []int) (tree, error) {
	for len(sa) < len(sb) {
		a, sa = tree{list: true, kids: []tree{a}}, append([]int{1}, sa...)
	}
	for len(sb) < len(sa) {
		b, sb = tree{list: true, kids: []tree{b}}, append([]int{1}, sb...)
	}
	// Sizes are compared even if there are no rows of that size.
	for i := range sa {
		if x, y := sa[i], sb[i]; x >= 0 && y >= 0 && x != y && x != 1 && y != 1 {
			return tree{}, errLengths
		}
	}
	var walk func(a, b tree, axis int) (tree, error)
	walk = func(a, b tree, axis int) (tree, error) {
		if axis == len(sa) {
			return tree{value: 1000*a.value + b.value}, nil
		}
		out := tree{list: true}
		n := len(a.kids)
		if sa[axis] == 1 {
			n = len(b.kids)
		}
		if sa[axis] != 1 && sb[axis] != 1 && len(a.kids) != len(b.kids) {
			return out, errLengths
		}
		for i := range n {
			x, y := i, i
			if sa[axis] == 1 {
				x = 0
			}
			if sb[axis] == 1 {
				y = 0
			}
			kid, err := walk(a.kids[x], b.kids[y], axis+1)
			if err != nil {
				return out, err
			}
			out.kids = append(out.kids, kid)
		}
		return out, nil
	}
	return walk(a, b, 0)
}

// TestZip pairs random tensors. Most pairs are made to fit: some axes of the first tensor are
// left out of the second or have size 1 there.
func TestZip(t *testing.T) {
	r := seeded(t, 14)
	done, refused := 0, 0
	for range 5000 {
		axes, levels := randomAxes(r, 1+r.IntN(4))
		for k := range axes { // so that rows sometimes agree
			if axes[k].size == 0 && r.IntN(4) > 0 {
				axes[k].size = 2
			}
		}
		seed := r.Uint64()
		a, ta := random(t, seeded(t, seed), axes, levels)
		// The same axes, except that some have size 1 and some are missing.
		other := slices.Clone(axes)
		for k := range other {
			if r.IntN(4) == 0 && !slices.ContainsFunc(axes, func(x axis) bool { return x.ragged }) {
				other[k].size = 1
			}
		}
		if r.IntN(3) == 0 && levels == 0 {
			other = other[r.IntN(len(other)+1):]
		}
		if r.IntN(4) == 0 {
			other, levels = randomAxes(r, r.IntN(4))
		} else if len(other) > 0 {
			levels = min(levels, len(other)-1)
		}
		b, tb := random(t, seeded(t, seed), other, levels)
		if r.IntN(3) == 0 && b.Rank() > 0 && b.Len() > 0 { // a single row: axis 0 has the uniform size 1
			b, tb = b.Slice(0, 1), tree{list: true, kids: tb.kids[:1]}
		}
		if r.IntN(2) == 0 {
			a, ta, b, tb = b, tb, a, ta
		}
		got, err := ragged.Zip(a, b, func(x, y int64) int64 { return 1000*x + y })
		want, wantErr := broadcast(ta, tb, a.Shape(), b.Shape())
		switch {
		case err == nil && wantErr == nil:
			same(t, got, want, "%v of shape %v and %v of shape %v", a, a.Shape(), b, b.Shape())
			done++
		case err == nil || wantErr == nil:
			t.Fatalf("%v of shape %v and %v of shape %v: got %v (%v), want %v (%v)", a, a.Shape(), b, b.Shape(), got, err, want, wantErr)
		default:
			if be, ok := errors.AsType[*ragged.BroadcastError](err); !ok || be.A == be.B || !errors.Is(err, ragged.ErrShape) {
				t.Fatalf("%v", err)
			}
			refused++
		}
	}
	if done < 2000 || refused < 300 {
		t.Errorf("%d pairs, %d refused", done, refused)
	}
}

// TestBlocks pairs tensors of more values than a block has. For all shapes, the blocks have the
// values that BroadcastTo makes of the complete operands.
func TestBlocks(t *testing.T) {
	r := seeded(t, 16)
	lengths := make([]int64, 700)
	n := int64(0)
	for i := range lengths {
		lengths[i] = r.Int64N(9) * r.Int64N(2)
		n += lengths[i]
	}
	count := func(shape ...int) ragged.Tensor[int] {
		size, _ := ragged.SizeOf(shape)
		values := make([]int, size)
		for i := range values {
			values[i] = i
		}
		return must(ragged.Dense(values, shape...))(t)
	}
	rows := must(ragged.FromRowLengths(lengths))(t)
	flat := must(ragged.Wrap(count(int(n)), rows))(t)
	cells := must(ragged.Wrap(count(int(n), 3, 2), rows))(t)
	deep := must(ragged.Wrap(flat, must(ragged.Uniform(7, 100))(t)))(t)
	for _, c := range []struct {
		name string
		a, b ragged.Tensor[int]
	}{
		{"alike", flat, flat},
		{"scalar", flat, count()},
		{"scalar and cells", cells, count()},
		{"column", flat, count(700, 1)},
		{"one", flat, count(1, 1)},
		{"cells and rows", cells, count(700, 1, 1, 1)},
		{"cells and a vector", cells, count(2)},
		{"cells and their column", cells, count(3, 1)},
		{"cells and a column of each", cells, count(700, 1, 3, 1)},
		{"deep and rows", deep, count(100, 1, 1)},
		{"deep and rows of rows", deep, count(100, 7, 1)},
		{"deep and one level", deep, count(7, 1)},
		{"both stretch", must(ragged.FromDense(count(60, 1), 1))(t), count(1, 50)},
		{"ragged rows again and again", must(ragged.Wrap(flat, must(ragged.Uniform(700, 1))(t)))(t), count(3, 1, 1)},
	} {
		for range 2 {
			shape := must(ragged.BroadcastShape(c.a, c.b))(t)
			wantA := must(ragged.BroadcastTo(c.a, shape))(t).Values()
			wantB := must(ragged.BroadcastTo(c.b, shape))(t).Values()
			if len(wantA) <= 1024 {
				t.Fatalf("%s: %d values are one block", c.name, len(wantA))
			}
			done := 0
			out, err := ragged.ZipSlices(c.a, c.b, func(dst []int, a, b []int) error {
				end := done + len(dst)
				if end == done || !slices.Equal(a, wantA[done:end]) || !slices.Equal(b, wantB[done:end]) {
					t.Fatalf("%s: the block from %d on: got %v and %v", c.name, done, a, b)
				}
				copy(dst, a)
				done = end
				return nil
			})
			if err != nil || done != len(wantA) || !ragged.SameShape(out, shape) || !slices.Equal(out.Values(), wantA) {
				t.Errorf("%s: %d of %d values, %v", c.name, done, len(wantA), err)
			}
			stop := errors.New("stop")
			out, err = ragged.ZipSlices(c.a, c.b, func([]int, []int, []int) error { return stop })
			if err != stop || !ragged.SameShape(out, shape) {
				t.Errorf("%s: got %v", c.name, err)
			}
			c.a, c.b = c.b, c.a
		}
	}
}

// TestBroadcastTo repeats random tensors and refuses to stretch the target.
func TestBroadcastTo(t *testing.T) {
	r := seeded(t, 15)
	done := 0
	for range 2000 {
		a, ta := randomTensor(t, r)
		b, tb := randomTensor(t, r)
		got, err := ragged.BroadcastTo(a, b)
		if err != nil {
			continue
		}
		done++
		if !slices.Equal(got.Shape(), b.Shape()) {
			t.Fatalf("%v to the shape of %v has the shape %v", a, b, got.Shape())
		}
		want, err := broadcast(ta, tb, a.Shape(), b.Shape())
		if err != nil {
			t.Fatalf("%v to the shape of %v: %v", a, b, err)
		}
		same(t, ragged.Map(got, func(v int64) int64 { return v }), upper(want), "%v to the shape of %v", a, b)
	}
	if done < 200 {
		t.Errorf("%d pairs", done)
	}
	if got := must(ragged.BroadcastTo(ragged.Scalar(7), ragged.Scalar("")))(t); got.Rank() != 0 || got.Item() != 7 {
		t.Errorf("a scalar to a scalar gives %v", got)
	}
	if _, err := ragged.BroadcastTo(ragged.Vector(1, 2), ragged.Vector(1)); !errors.Is(err, ragged.ErrShape) {
		t.Errorf("the target was stretched: %v", err)
	}
}

// upper replaces each pair of values of broadcast by its first value.
func upper(x tree) tree {
	out := tree{list: x.list, value: x.value / 1000}
	for _, kid := range x.kids {
		out.kids = append(out.kids, upper(kid))
	}
	return out
}

// TestBroadcastError checks that errors name the axis, the row and the lengths.
func TestBroadcastError(t *testing.T) {
	a := must(ragged.FromSlices[int]([][]int{{1, 2}, {3, 4, 5, 6}, {7}}))(t)
	b := must(ragged.Dense(make([]int, 12), 3, 4))(t)
	_, err := ragged.Zip(a, b, func(x, y int) int { return x })
	if be, ok := errors.AsType[*ragged.BroadcastError](err); !ok || *be != (ragged.BroadcastError{Axis: 1, Row: 0, A: 2, B: 4}) {
		t.Errorf("got %v", err)
	}
	_, err = ragged.Zip(ragged.Vector(1, 2), ragged.Vector(1, 2, 3), func(x, y int) int { return x })
	if err == nil || err.Error() != "ragged: values do not fit the shape: broadcast: axis 0: sizes 2 and 3" {
		t.Errorf("got %v", err)
	}
}

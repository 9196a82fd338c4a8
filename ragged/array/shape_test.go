package array_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/array"
)

// fromEnd sometimes counts an axis from the end.
func fromEnd(r *rand.Rand, axis, rank int) int { return axis - r.IntN(2)*rank }

func naiveStack(ts []tree, axis int) tree {
	if axis == 0 {
		return list(ts...)
	}
	out := list()
	for i := range ts[0].kids {
		var below []tree
		for _, t := range ts {
			below = append(below, t.kids[i])
		}
		out.kids = append(out.kids, naiveStack(below, axis-1))
	}
	return out
}

func checkStack(t testing.TB, r *rand.Rand) {
	s := random(t, r, 0)
	var operands []ragged.Tensor[int64]
	var trees []tree
	rank := len(s.axes)
	axis := r.IntN(rank + 1)
	for range 1 + r.IntN(3) {
		x := s
		switch {
		case axis == 0 && s.levels > 0: // any shape of the same rank fits
			axes := slices.Clone(s.axes)
			for k := range axes[:s.levels+1] {
				axes[k] = axisOf(r, k)
			}
			x = build(t, r, grow(r, axes, func() int64 { return int64(r.IntN(9)) }), axes, max(s.levels, randomLevels(r, axes)))
		case r.IntN(2) == 0: // the same shape with another number of partitions
			x = build(t, r, s.tree, s.axes, randomLevels(r, s.axes))
		}
		operands, trees = append(operands, x.tensor), append(trees, x.tree)
	}
	got, err := array.Stack(fromEnd(r, axis, rank+1), operands...)
	if err != nil {
		t.Fatalf("%v on axis %d: %v", operands, axis, err)
	}
	same(t, got, naiveStack(trees, axis), "%v on axis %d", operands, axis)
}

// axisOf is a random axis; the first is uniform.
func axisOf(r *rand.Rand, k int) axis {
	return axis{ragged: k > 0 && r.IntN(2) == 0, size: r.IntN(4)}
}

func naiveExpand(t tree, axis int) tree {
	if axis == 0 {
		return list(t)
	}
	out, _ := t.each(func(k tree) (tree, error) { return naiveExpand(k, axis-1), nil })
	return out
}

func checkExpand(t testing.TB, r *rand.Rand) {
	s := random(t, r, 0)
	x, tr, shape := s.tensor, s.tree, s.uniform()
	var axes []int // axes that were added, by their index at that time
	for range 1 + r.IntN(3) {
		axis := r.IntN(x.Rank() + 1)
		var err error
		was := x
		if x, err = array.ExpandDims(x, fromEnd(r, axis, x.Rank()+1)); err != nil {
			t.Fatalf("%v before axis %d: %v", was, axis, err)
		}
		tr, axes, shape = naiveExpand(tr, axis), append(axes, axis), slices.Insert(shape, axis, true)
		same(t, x, tr, "%v before axis %d", was, axis)
		if got := uniformAxes(x); !slices.Equal(got, shape) {
			t.Fatalf("%v before axis %d: uniform axes %v, want %v", was, axis, got, shape)
		}
	}
	// Remove the axes again, one by one or the last two together.
	for i := len(axes) - 1; i >= 0; i-- {
		was, away := x, []int{fromEnd(r, axes[i], x.Rank())}
		if i > 0 && r.IntN(2) == 0 && axes[i-1] < axes[i] {
			i--
			away = append(away, axes[i])
		}
		x = must(array.Squeeze(x, away))(t)
		if x.Rank() != was.Rank()-len(away) {
			t.Fatalf("%v without axes %v has rank %d", was, away, x.Rank())
		}
	}
	same(t, x, s.tree, "squeezing what was added to %v before axes %v", s.tensor, axes)
}

func naiveTile(t tree, multiples []int) tree {
	if !t.list {
		return t
	}
	once, _ := t.each(func(k tree) (tree, error) { return naiveTile(k, multiples[1:]), nil })
	return list(slices.Repeat(once.kids, multiples[0])...)
}

func checkTile(t testing.TB, r *rand.Rand) {
	s := random(t, r, 0)
	multiples := make([]int, len(s.axes))
	for i := range multiples {
		multiples[i] = r.IntN(4)
	}
	got, err := array.Tile(s.tensor, multiples...)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, naiveTile(s.tree, multiples), "%v by %v", s.tensor, multiples)
	if u := uniformAxes(got); !slices.Equal(u, s.uniform()) || got.RaggedRank() != s.levels {
		t.Fatalf("%v by %v has shape %v", s.tensor, multiples, got.Shape())
	}
}

func naiveReverse(t tree, axes []int, depth int) tree {
	if !t.list {
		return t
	}
	out, _ := t.each(func(k tree) (tree, error) { return naiveReverse(k, axes, depth+1), nil })
	if slices.Contains(axes, depth) {
		slices.Reverse(out.kids)
	}
	return out
}

func checkReverse(t testing.TB, r *rand.Rand) {
	s := random(t, r, 0)
	var axes, given []int
	for axis := range s.axes {
		if r.IntN(2) == 0 {
			axes, given = append(axes, axis), append(given, fromEnd(r, axis, len(s.axes)))
		}
	}
	got := must(array.Reverse(s.tensor, given))(t)
	same(t, got, naiveReverse(s.tree, axes, 0), "%v on axes %v", s.tensor, given)
	if u := uniformAxes(got); !slices.Equal(u, s.uniform()) {
		t.Fatalf("%v on axes %v has shape %v", s.tensor, given, got.Shape())
	}
}

// naiveCut takes items lo to hi-1 of an axis.
func naiveCut(t tree, axis, lo, hi int) tree {
	if axis == 0 {
		return list(t.kids[lo:hi]...)
	}
	out, _ := t.each(func(k tree) (tree, error) { return naiveCut(k, axis-1, lo, hi), nil })
	return out
}

func checkSplit(t testing.TB, r *rand.Rand) {
	s := random(t, r, 1)
	axis := r.IntN(len(s.axes))
	size := s.axes[axis].size
	if axis == 0 {
		size = len(s.tree.kids)
	}
	var sizes []int
	for left := size; left > 0 || r.IntN(3) == 0; {
		n := r.IntN(left + 1)
		sizes, left = append(sizes, n), left-n
	}
	parts, err := array.SplitSizes(s.tensor, fromEnd(r, axis, len(s.axes)), sizes...)
	if s.axes[axis].ragged {
		if err == nil {
			t.Fatalf("%v is split on the ragged axis %d", s.tensor, axis)
		}
		return
	}
	if err != nil || len(parts) != len(sizes) {
		t.Fatalf("%v on axis %d by %v: %d parts, %v", s.tensor, axis, sizes, len(parts), err)
	}
	at := 0
	for i, p := range parts {
		same(t, p, naiveCut(s.tree, axis, at, at+sizes[i]), "%v on axis %d by %v, part %d", s.tensor, axis, sizes, i)
		at += sizes[i]
	}
	n := 1 + r.IntN(4)
	halves, err := array.Split(s.tensor, axis, n)
	if (err == nil) != (size%n == 0 || n == 1) {
		t.Fatalf("%v on axis %d into %d: %v", s.tensor, axis, n, err)
	}
	for i, p := range halves {
		same(t, p, naiveCut(s.tree, axis, i*size/n, (i+1)*size/n), "%v on axis %d into %d, part %d", s.tensor, axis, n, i)
	}
}

package array_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/array"
)

var errNaive = errors.New("the definition does not allow it")

// naivePick takes an item for every index of a tree.
func naivePick(t, indices tree) (tree, error) {
	if indices.list {
		return indices.each(func(k tree) (tree, error) { return naivePick(t, k) })
	}
	if indices.value < 0 || indices.value >= int64(len(t.kids)) {
		return t, errNaive
	}
	return t.kids[indices.value], nil
}

func naiveGather(t, indices tree, axis, batch int) (tree, error) {
	switch {
	case batch > 0:
		if len(t.kids) != len(indices.kids) {
			return t, errNaive
		}
		out := list()
		for i, k := range t.kids {
			r, err := naiveGather(k, indices.kids[i], axis-1, batch-1)
			if err != nil {
				return t, err
			}
			out.kids = append(out.kids, r)
		}
		return out, nil
	case axis > 0:
		return t.each(func(k tree) (tree, error) { return naiveGather(k, indices, axis-1, 0) })
	}
	return naivePick(t, indices)
}

// shortest returns the length of the shortest row of an axis, and 0 without rows.
func shortest(t tree, axis int) int {
	if axis == 0 {
		return len(t.kids)
	}
	n := -1
	for _, k := range t.kids {
		if m := shortest(k, axis-1); n < 0 || m < n {
			n = m
		}
	}
	return max(n, 0)
}

// growBelow makes a tree that has the axes of t down to a depth, and random axes below.
func growBelow(r *rand.Rand, t tree, depth int, axes []axis, value func() int64) tree {
	if depth == 0 {
		return grow(r, axes, value)
	}
	out, _ := t.each(func(k tree) (tree, error) { return growBelow(r, k, depth-1, axes, value), nil })
	return out
}

// indexInto returns indices for an axis; batch is the number of batch dimensions. One index in a
// hundred is out of range.
func indexInto(t testing.TB, r *rand.Rand, s sample, axis, batch int) sample {
	limit := shortest(s.tree, axis)
	value := func() int64 {
		if r.IntN(100) == 0 {
			return int64(limit + r.IntN(3))
		}
		return int64(r.IntN(max(limit, 1)))
	}
	axes := slices.Clone(s.axes[:batch])
	for range r.IntN(3) {
		axes = append(axes, axisOf(r, len(axes)))
		if s.levels == 0 && r.IntN(4) > 0 {
			axes[len(axes)-1].ragged = false
		}
	}
	levels := randomLevels(r, axes)
	if s.levels == 0 && !anyRagged(axes) && r.IntN(2) == 0 {
		levels = 0 // dense operands
	}
	return build(t, r, growBelow(r, s.tree, batch, axes[batch:], value), axes, levels)
}

func anyRagged(axes []axis) bool {
	return slices.ContainsFunc(axes, func(a axis) bool { return a.ragged })
}

func checkGather(t testing.TB, r *rand.Rand) {
	s := random(t, r, 1)
	batch := r.IntN(len(s.axes))
	axis := batch + r.IntN(len(s.axes)-batch)
	ix := indexInto(t, r, s, axis, batch)
	opts := &array.GatherOptions{Axis: axis, BatchDims: batch}
	if r.IntN(2) == 0 {
		opts.Axis = axis - len(s.axes)
	}
	if r.IntN(2) == 0 && batch < len(ix.axes) {
		opts.BatchDims = batch - len(ix.axes)
	}
	want, wantErr := naiveGather(s.tree, ix.tree, axis, batch)
	got, err := array.Gather(s.tensor, ix.tensor, opts)
	agree(t, got, err, want, wantErr, "%v at %v with %+v", s.tensor, ix.tensor, *opts)
	if err == nil {
		return
	}
	if e, ok := errors.AsType[*ragged.ValueError](err); !ok || !strings.HasPrefix(e.Op, fmt.Sprintf("gather, axis %d", axis)) {
		t.Fatalf("%v at %v with %+v: %v", s.tensor, ix.tensor, *opts, err)
	}
}

func checkBatchGather(t testing.TB, r *rand.Rand) {
	s := random(t, r, 1)
	batch := r.IntN(len(s.axes))
	limit := shortest(s.tree, batch)
	axes := append(slices.Clone(s.axes[:batch]), axisOf(r, batch))
	ix := build(t, r, growBelow(r, s.tree, batch, axes[batch:], func() int64 { return int64(r.IntN(max(limit, 1))) }), axes, randomLevels(r, axes))
	want, wantErr := naiveGather(s.tree, ix.tree, batch, batch)
	got, err := array.Gather(s.tensor, ragged.Map(ix.tensor, func(v int64) uint8 { return uint8(v) }), &array.GatherOptions{BatchDims: -1})
	agree(t, got, err, want, wantErr, "%v at %v", s.tensor, ix.tensor)
}

// naiveTuple follows an index tuple.
func naiveTuple(t tree, at []tree) (tree, error) {
	for _, k := range at {
		if k.value < 0 || k.value >= int64(len(t.kids)) {
			return t, errNaive
		}
		t = t.kids[k.value]
	}
	return t, nil
}

func naiveGatherND(t, indices tree, rank int) (tree, error) {
	if rank == 1 {
		return naiveTuple(t, indices.kids)
	}
	return indices.each(func(k tree) (tree, error) { return naiveGatherND(t, k, rank-1) })
}

// tuple returns random coordinates on n axes of a tree, sometimes out of range.
func tuple(r *rand.Rand, t tree, n int) []tree {
	var at []tree
	for range n {
		v := int64(r.IntN(max(len(t.kids), 1)))
		if r.IntN(100) == 0 {
			v += int64(len(t.kids))
		}
		if at = append(at, leaf(v)); v < int64(len(t.kids)) {
			t = t.kids[v]
		} else {
			t = list()
		}
	}
	return at
}

func checkGatherND(t testing.TB, r *rand.Rand) {
	s := random(t, r, 0)
	n := r.IntN(len(s.axes) + 1)
	var axes []axis
	for range r.IntN(3) {
		axes = append(axes, axisOf(r, len(axes)))
	}
	levels := randomLevels(r, axes)
	tr := growBelow(r, grow(r, axes, func() int64 { return 0 }), len(axes), []axis{{size: n}}, func() int64 { return 0 })
	var fill func(tr tree, rank int) tree
	fill = func(tr tree, rank int) tree {
		if rank == 0 {
			return list(tuple(r, s.tree, n)...)
		}
		out, _ := tr.each(func(k tree) (tree, error) { return fill(k, rank-1), nil })
		return out
	}
	axes = append(axes, axis{size: n})
	ix := build(t, r, fill(tr, len(axes)-1), axes, levels)
	if len(axes) == 1 {
		ix.tensor = must(ragged.Dense(slices.Clone(treeValues(ix.tree)), n))(t) // not a view, whose size may differ
	}
	want, wantErr := naiveGatherND(s.tree, ix.tree, len(axes))
	if len(axes) == 1 && n == 1 && s.levels > 0 {
		want = list(want) // as TensorFlow has it
	}
	got, err := array.GatherND(s.tensor, ix.tensor)
	agree(t, got, err, want, wantErr, "%v at %v", s.tensor, ix.tensor)
}

// treeValues returns the values of a tree.
func treeValues(t tree) []int64 {
	if !t.list {
		return []int64{t.value}
	}
	out := []int64{}
	for _, k := range t.kids {
		out = append(out, treeValues(k)...)
	}
	return out
}

func naiveGatherOr(t, indices tree, batch int, missing tree) tree {
	if batch > 0 {
		out := list()
		for i, k := range t.kids {
			out.kids = append(out.kids, naiveGatherOr(k, indices.kids[i], batch-1, missing))
		}
		return out
	}
	out, _ := indices.each(func(k tree) (tree, error) {
		if k.value < 0 || k.value >= int64(len(t.kids)) {
			return missing, nil
		}
		return t.kids[k.value], nil
	})
	return out
}

func checkBatchGatherOr(t testing.TB, r *rand.Rand) {
	s := random(t, r, 1)
	batch := r.IntN(len(s.axes))
	axes := append(slices.Clone(s.axes[:batch]), axisOf(r, batch))
	ix := build(t, r, growBelow(r, s.tree, batch, axes[batch:], func() int64 { return int64(r.IntN(6) - 2) }), axes, randomLevels(r, axes))
	// A missing item has the uniform axes below the ragged axes, and rows of length 1 for
	// partitions.
	first := max(batch, s.levels) + 1
	m := build(t, r, grow(r, s.axes[first:], func() int64 { return -9 }), s.axes[first:], 0)
	if len(m.axes) > 0 {
		m.tensor = must(ragged.Dense(treeValues(m.tree), m.tensor.Shape()...))(t)
		if shape := s.tensor.InnerShape(); len(shape) > 0 {
			m.tensor = must(ragged.Dense(slices.Repeat([]int64{-9}, sizeOf(shape[len(shape)-len(m.axes):])), shape[len(shape)-len(m.axes):]...))(t)
			m.tree = treeOf(m.tensor)
		}
	}
	missing := m.tree
	for k := batch; k < s.levels; k++ {
		missing = list(missing)
	}
	got, err := array.BatchGatherOr(s.tensor, ix.tensor, m.tensor)
	if err != nil {
		t.Fatalf("%v at %v or %v: %v", s.tensor, ix.tensor, m.tensor, err)
	}
	same(t, got, naiveGatherOr(s.tree, ix.tree, batch, missing), "%v at %v or %v", s.tensor, ix.tensor, m.tensor)
}

func sizeOf(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func naiveMask(t, mask tree, rank int) tree {
	out := list()
	for i, k := range t.kids {
		switch {
		case rank > 1:
			out.kids = append(out.kids, naiveMask(k, mask.kids[i], rank-1))
		case mask.kids[i].value != 0:
			out.kids = append(out.kids, k)
		}
	}
	return out
}

// asBool converts numbers to bools: all except 0 are true.
func asBool(t ragged.Tensor[int64]) ragged.Tensor[bool] {
	return ragged.Map(t, func(v int64) bool { return v != 0 })
}

func bit(r *rand.Rand) func() int64 { return func() int64 { return int64(r.IntN(2)) } }

func checkBooleanMask(t testing.TB, r *rand.Rand) {
	s := random(t, r, 1)
	rank := 1 + r.IntN(len(s.axes))
	m := build(t, r, growBelow(r, s.tree, rank, nil, bit(r)), s.axes[:rank], randomLevels(r, s.axes[:rank]))
	got, err := array.BooleanMask(s.tensor, asBool(m.tensor))
	if err != nil {
		t.Fatalf("%v by %v: %v", s.tensor, m.tensor, err)
	}
	same(t, got, naiveMask(s.tree, m.tree, rank), "%v by %v", s.tensor, m.tensor)
	if got.RaggedRank() != max(s.levels, rank-1) {
		t.Fatalf("%v by %v has ragged rank %d", s.tensor, m.tensor, got.RaggedRank())
	}
	// Axes above the axis whose items the mask selects stay uniform, except those that leave the
	// inner shape of a ragged tensor.
	for axis, uniform := range uniformAxes(got)[:max(rank-1, 1)] {
		if want := axis == 0 || !s.axes[axis].ragged && (s.levels == 0 || axis <= s.levels); uniform != want {
			t.Fatalf("%v by %v has shape %v", s.tensor, m.tensor, got.Shape())
		}
	}
}

func naiveWhere(c, x, y tree) tree {
	if !c.list {
		if c.value != 0 {
			return x
		}
		return y
	}
	out := list()
	for i, k := range c.kids {
		out.kids = append(out.kids, naiveWhere(k, x.kids[i], y.kids[i]))
	}
	return out
}

func checkWhere(t testing.TB, r *rand.Rand) {
	s := random(t, r, 0)
	c := build(t, r, growBelow(r, s.tree, len(s.axes), nil, bit(r)), s.axes, randomLevels(r, s.axes))
	y := build(t, r, growBelow(r, s.tree, len(s.axes), nil, func() int64 { return -int64(r.IntN(9)) }), s.axes, randomLevels(r, s.axes))
	x, xt := s.tensor, s.tree
	if r.IntN(3) == 0 {
		x = ragged.Scalar[int64](77)
		xt = growBelow(r, s.tree, len(s.axes), nil, func() int64 { return 77 })
	}
	got, err := array.Where(asBool(c.tensor), x, y.tensor)
	if err != nil {
		t.Fatalf("%v, %v, %v: %v", c.tensor, x, y.tensor, err)
	}
	same(t, got, naiveWhere(c.tree, xt, y.tree), "%v, %v, %v", c.tensor, x, y.tensor)
}

func checkWhereRows(t testing.TB, r *rand.Rand) {
	s := random(t, r, 1)
	axes := slices.Clone(s.axes)
	for k := 1; k <= s.levels; k++ {
		axes[k] = axisOf(r, k)
	}
	axes[0].size = len(s.tree.kids)
	y := build(t, r, grow(r, axes, func() int64 { return -1 }), axes, max(s.levels, randomLevels(r, axes)))
	cond, want := make([]bool, len(s.tree.kids)), list()
	for i := range cond {
		if cond[i] = r.IntN(2) == 0; cond[i] {
			want.kids = append(want.kids, s.tree.kids[i])
		} else {
			want.kids = append(want.kids, y.tree.kids[i])
		}
	}
	got, err := array.WhereRows(cond, s.tensor, y.tensor)
	if err != nil {
		t.Fatalf("%v, %v, %v: %v", cond, s.tensor, y.tensor, err)
	}
	same(t, got, want, "%v, %v, %v", cond, s.tensor, y.tensor)
}

func naiveCoordinates(t tree, at []int64) []tree {
	if !t.list {
		if t.value == 0 {
			return nil
		}
		row := list()
		for _, v := range at {
			row.kids = append(row.kids, leaf(v))
		}
		return []tree{row}
	}
	var out []tree
	for i, k := range t.kids {
		out = append(out, naiveCoordinates(k, append(slices.Clone(at), int64(i)))...)
	}
	return out
}

func checkCoordinates(t testing.TB, r *rand.Rand) {
	axes, levels := randomAxes(r, r.IntN(5))
	s := build(t, r, grow(r, axes, bit(r)), axes, levels)
	got := must(array.Coordinates(asBool(s.tensor)))(t)
	same(t, got, list(naiveCoordinates(s.tree, nil)...), "%v", s.tensor)
	if shape := got.Shape(); len(shape) != 2 || shape[1] != len(axes) {
		t.Fatalf("%v: the coordinates have shape %v", s.tensor, shape)
	}
}

// TestIndexError checks that an error gives the position of the index.
func TestIndexError(t *testing.T) {
	x := must(ragged.FromSlices[string]([][]string{{"a", "b", "c"}, {"d"}, {}, {"e"}}))(t)
	for name, c := range map[string]struct {
		run  func() error
		want string
	}{
		"rows": {func() error { _, err := array.Gather(x, ragged.Vector(0, 4), nil); return err },
			"ragged: index out of range: gather, axis 0: at [1]: want at least 0 and less than 4, got 4"},
		"axis 1": {func() error {
			_, err := array.Gather(x, ragged.Scalar(0), &array.GatherOptions{Axis: 1})
			return err
		}, "ragged: index out of range: gather, axis 1, row 2: at [0]: want at least 0 and less than 0, got 0"},
		"a batch": {func() error {
			_, err := array.Gather(x, must(ragged.FromSlices[int32]([][]int32{{0, 2}, {0, 1}, {}, {}}))(t), &array.GatherOptions{BatchDims: -1})
			return err
		}, "ragged: index out of range: gather, axis 1, row 1: at [3]: want at least 0 and less than 1, got 1"},
		"coordinates": {func() error {
			_, err := array.GatherND(x, must(ragged.FromSlices[int]([][2]int{{0, 2}, {3, -1}}))(t))
			return err
		}, "ragged: index out of range: gather nd, axis 1, row 3: at [3]: want at least 0 and less than 1, got -1"},
		"a partition": {func() error { _, err := array.DynamicPartition(x, ragged.Vector(0, 1, 0, 7), 2); return err },
			"ragged: index out of range: stack dynamic partitions: at [3]: want at least 0 and less than 2, got 7"},
	} {
		err := c.run()
		if fmt.Sprint(err) != c.want || !errors.Is(err, ragged.ErrIndex) {
			t.Errorf("%s:\ngot  %v\nwant %s", name, err, c.want)
		}
	}
}

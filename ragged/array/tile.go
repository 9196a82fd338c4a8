package array

import (
	"math"
	"slices"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// Tile repeats a tensor along every axis. There is one multiple, at least 0, for each
// axis. On a ragged axis every row is repeated by itself:
//
//	Tile([[1 2] [3]], 1, 2)     [[1 2 1 2] [3 3]]
//	Tile([[1 2] [3]], 2, 1)     [[1 2] [3] [1 2] [3]]
//
// The ragged rank stays, and uniform axes stay uniform. The values are new.
// TensorFlow calls it tile.
func Tile[T any](t ragged.Tensor[T], multiples ...int) (ragged.Tensor[T], error) {
	var none ragged.Tensor[T]
	if len(multiples) != t.Rank() {
		return none, operand.Shapef("tile", "want %d multiples, one per axis, got %d", t.Rank(), len(multiples))
	}
	for axis, m := range multiples {
		if m < 0 {
			return none, operand.Shapef("tile", "axis %d: want a multiple of at least 0, got %d", axis, m)
		}
	}
	if t.Rank() == 0 {
		return t, nil
	}
	given := operand.Given(t)
	if err := operand.TooMany[T]("tile", given, append([]int{t.Size()}, multiples...)...); err != nil {
		return none, err
	}
	// The ranges are the rows or items of t that make the result on the current level.
	if t.Len() == 0 {
		multiples = append([]int{1}, multiples[1:]...) // the same result, without empty ranges
	}
	if err := operand.TooMany[rowRange]("tile", given, multiples[0]); err != nil {
		return none, err
	}
	ranges := slices.Repeat([]rowRange{{0, t.Len()}}, multiples[0])
	parts := t.Partitions()
	for level, p := range parts {
		m := multiples[level+1]
		above := multiples[:level+2]
		if p.NumValues() == 0 {
			above = above[:level+1] // no row is repeated
		}
		if err := operand.TooMany[rowRange]("tile", given, append([]int{p.NumRows()}, above...)...); err != nil {
			return none, err
		}
		var err error
		if parts[level], ranges, err = tileLevel(p, ranges, m); err != nil {
			return none, operand.Within("tile", err)
		}
	}
	inner := t.InnerShape()
	tiled := slices.Clone(inner)
	for i, m := range multiples[1+len(parts):] {
		var err error
		if tiled[i], err = ragged.SizeOf([]int{tiled[i], m}); err != nil {
			return none, operand.Within("tile", err)
		}
	}
	items := 0
	for _, r := range ranges {
		items += r.hi - r.lo
	}
	out := make([]T, 0, items*product(tiled))
	if src := t.Values(); slices.Equal(inner, tiled) {
		cell := product(inner)
		for _, r := range ranges {
			out = append(out, src[r.lo*cell:r.hi*cell]...)
		}
	} else if len(src) > 0 {
		cell, from := product(inner), tiledCells(inner, tiled)
		for _, r := range ranges {
			for item := r.lo; item < r.hi; item++ {
				for _, c := range from {
					out = append(out, src[item*cell+c])
				}
			}
		}
	}
	if len(parts) == 0 {
		return ragged.Dense(out, append([]int{items}, tiled...)...)
	}
	return ragged.New(out, tiled, parts...)
}

// A rowRange is rows lo to hi-1 of a level, or items.
type rowRange struct{ lo, hi int }

// tileLevel returns the partition of the rows in the ranges, every row repeated m times, and
// the ranges of the values, which are rows of the level below.
func tileLevel(p ragged.Partition, ranges []rowRange, m int) (ragged.Partition, []rowRange, error) {
	rows := 0
	for _, r := range ranges {
		rows += r.hi - r.lo
	}
	var below []rowRange
	if m != 1 && p.NumValues() > 0 {
		below = make([]rowRange, 0, rows*m)
	}
	splits, at := make([]int64, 1, rows+1), int64(0)
	for _, r := range ranges {
		if m == 1 {
			below = append(below, valuesOf(p, r))
		}
		for row := r.lo; row < r.hi; row++ {
			lo, hi := p.Bounds(row)
			at += int64((hi - lo) * m)
			splits = append(splits, at)
			if m != 1 && lo < hi {
				for range m {
					below = append(below, rowRange{lo, hi})
				}
			}
		}
	}
	if n, ok := p.UniformLen(); ok {
		n, err := ragged.SizeOf([]int{n, m})
		if err != nil {
			return p, nil, err
		}
		p, err := ragged.Uniform(int64(n), int64(rows))
		return p, below, err
	}
	p, err := ragged.FromRowSplits(splits)
	return p, below, err
}

// valuesOf returns the values of a range of rows.
func valuesOf(p ragged.Partition, r rowRange) rowRange {
	if r.lo == r.hi {
		return rowRange{}
	}
	lo, _ := p.Bounds(r.lo)
	_, hi := p.Bounds(r.hi - 1)
	return rowRange{lo, hi}
}

// tiledCells returns for each value of a tiled dense shape the index of its origin in the
// shape. No size is 0.
func tiledCells(shape, tiled []int) []int {
	from := make([]int, product(tiled))
	for i := range from {
		rest, stride := i, 1
		for axis := len(tiled) - 1; axis >= 0; axis-- {
			from[i] += rest % tiled[axis] % shape[axis] * stride
			rest /= tiled[axis]
			stride *= shape[axis]
		}
	}
	return from
}

// product multiplies sizes that were checked.
func product(sizes []int) int {
	n := 1
	for _, d := range sizes {
		n *= d
	}
	return n
}

// Split divides a tensor along a uniform axis into n parts of the same size; a negative axis
// counts from the end. With n = 1 the axis may be ragged. On axis 0 the parts are views.
// TensorFlow calls it split.
func Split[T any](t ragged.Tensor[T], axis, n int) ([]ragged.Tensor[T], error) {
	if n < 1 {
		return nil, operand.Shapef("split", "want at least 1 part, got %d", n)
	}
	if n == 1 {
		if _, err := operand.Axis("split: axis", axis, t.Rank()); err != nil {
			return nil, err
		}
		return []ragged.Tensor[T]{t}, nil
	}
	axis, size, err := uniformAxis(t, axis)
	if err != nil {
		return nil, err
	}
	if size%n != 0 {
		return nil, operand.Shapef("split", "axis %d of size %d does not divide into %d parts", axis, size, n)
	}
	if err := operand.TooMany[ragged.Tensor[T]]("split", operand.Given(t), n); err != nil {
		return nil, err
	}
	return splitAxis(t, axis, slices.Repeat([]int{size / n}, n))
}

// SplitSizes is Split into parts of given sizes, whose sum is the size of the axis.
// TensorFlow calls it split, with a list of sizes.
func SplitSizes[T any](t ragged.Tensor[T], axis int, sizes ...int) ([]ragged.Tensor[T], error) {
	axis, size, err := uniformAxis(t, axis)
	if err != nil {
		return nil, err
	}
	total := 0
	for i, n := range sizes {
		if n < 0 {
			return nil, operand.Shapef("split", "part %d: want a size of at least 0, got %d", i, n)
		}
		if n > math.MaxInt-total {
			return nil, operand.Shapef("split", "axis %d: want sizes that add up to %d, got more", axis, size)
		}
		total += n
	}
	if total != size {
		return nil, operand.Shapef("split", "axis %d: want sizes that add up to %d, got %d", axis, size, total)
	}
	return splitAxis(t, axis, sizes)
}

// uniformAxis returns an axis, counted from 0, and its size. It fails for a ragged axis.
func uniformAxis[T any](t ragged.Tensor[T], axis int) (pos, size int, err error) {
	pos, err = operand.Axis("split: axis", axis, t.Rank())
	if err != nil {
		return 0, 0, err
	}
	if size = t.Shape()[pos]; size < 0 {
		return 0, 0, operand.Shapef("split", "axis %d is ragged", pos)
	}
	return pos, size, nil
}

// splitAxis returns parts of given sizes, one after another.
func splitAxis[T any](t ragged.Tensor[T], axis int, sizes []int) ([]ragged.Tensor[T], error) {
	parts := make([]ragged.Tensor[T], len(sizes))
	keys := slices.Repeat([]ragged.Key{ragged.SliceAll()}, axis+1)
	at := 0
	for i, n := range sizes {
		if axis == 0 {
			parts[i] = t.Slice(at, at+n)
		} else {
			keys[axis] = ragged.Slice(at, at+n)
			var err error
			if parts[i], err = t.Index(keys...); err != nil {
				return nil, operand.Within("split", err)
			}
		}
		at += n
	}
	return parts, nil
}

// Reverse reverses the order of items on axes; negative axes count from the end. On a
// ragged axis every row is reversed by itself. An axis must not be given twice.
// Uniform axes stay uniform. The values are new, unless there are no axes.
// TensorFlow calls it reverse.
func Reverse[T any](t ragged.Tensor[T], axes []int) (ragged.Tensor[T], error) {
	keys := slices.Repeat([]ragged.Key{ragged.SliceAll()}, t.Rank())
	seen := make([]bool, t.Rank())
	for _, axis := range axes {
		pos, err := operand.Axis("reverse: axis", axis, t.Rank())
		if err != nil {
			return ragged.Tensor[T]{}, err
		}
		if seen[pos] {
			return ragged.Tensor[T]{}, operand.Shapef("reverse", "axis %d is given twice", pos)
		}
		seen[pos], keys[pos] = true, ragged.SliceAll().By(-1)
	}
	switch {
	case len(axes) == 0:
		return t, nil
	case len(axes) == 1 && seen[t.Rank()-1]: // the partitions stay
		values := slices.Clone(t.Values())
		lastRows(t, func(lo, hi int) { slices.Reverse(values[lo:hi]) })
		return operand.Like(t, values)
	}
	return t.Index(keys...)
}

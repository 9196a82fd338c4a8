package array

import (
	"slices"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// Tile repeats a tensor along every axis. There is one multiple for each axis, and none is
// negative. On a ragged axis every row is repeated by itself:
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
	// The result, on the current level, as ranges of rows or items of t.
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

// A rowRange is the rows of a level, or the items, from lo up to but without hi.
type rowRange struct{ lo, hi int }

// tileLevel returns the partition of the rows in the ranges, every row repeated m times, and
// the ranges of the level below.
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

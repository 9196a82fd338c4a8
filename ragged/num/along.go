package num

import (
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/limit"
	"github.com/tfparse/tfparse/ragged/internal/refuse"
)

// along combines the values over one axis.
func along[T, A any](t ragged.Tensor[T], axis int, k kernel[T, A]) (ragged.Tensor[A], error) {
	switch levels := t.RaggedRank(); {
	case axis > levels || levels == 0:
		return alongUniform(t, axis, k)
	case axis == levels:
		return alongRows(t, k)
	}
	return alongColumns(t, axis, k)
}

// alongUniform combines over an axis below the partitions.
func alongUniform[T, A any](t ragged.Tensor[T], axis int, k kernel[T, A]) (ragged.Tensor[A], error) {
	shape := t.Flat().Shape()
	axis -= t.RaggedRank()
	outer, n, block := blocks(shape, axis)
	shape = slices.Delete(shape, axis, axis+1)
	out, err := filled(shape, k.start, refuse.Given(t))
	if err != nil {
		return ragged.Tensor[A]{}, err
	}
	values := t.Values()
	for o := range outer {
		if block == 1 {
			out[o] = k.fold(k.start, values[o*n:(o+1)*n])
			continue
		}
		acc := out[o*block : (o+1)*block]
		for i := o * n; i < (o+1)*n; i++ {
			k.into(acc, values[i*block:(i+1)*block])
		}
	}
	if t.RaggedRank() == 0 {
		return ragged.Dense(out, shape...)
	}
	return ragged.New(out, shape[1:], t.Partitions()...)
}

// blocks cuts a dense shape at an axis: values stand in outer rows of n blocks. If
// one of them is 0 there are no values.
func blocks(shape []int, axis int) (outer, n, block int) {
	outer, block = 1, 1
	for _, size := range shape[:axis] {
		outer *= size
	}
	for _, size := range shape[axis+1:] {
		block *= size
	}
	return outer, shape[axis], block
}

// alongRows combines over the last ragged axis: the items of every row.
func alongRows[T, A any](t ragged.Tensor[T], k kernel[T, A]) (ragged.Tensor[A], error) {
	last := t.RaggedRank() - 1
	p, inner, values := t.Partition(last), t.InnerShape(), t.Values()
	rows := p.NumRows()
	shape := append([]int{rows}, inner...)
	out, err := made[A](shape, refuse.Given(t))
	if err != nil {
		return ragged.Tensor[A]{}, err
	}
	if len(inner) == 0 {
		for r := range out {
			out[r] = k.empty
			if lo, hi := p.Bounds(r); lo < hi {
				out[r] = k.fold(k.start, values[lo:hi])
			}
		}
	} else if len(out) > 0 {
		cell := len(out) / rows
		for r := range rows {
			acc := out[r*cell : (r+1)*cell]
			lo, hi := p.Bounds(r)
			if lo == hi {
				fill(acc, k.empty)
				continue
			}
			fill(acc, k.start)
			for i := lo; i < hi; i++ {
				k.into(acc, values[i*cell:(i+1)*cell])
			}
		}
	}
	if last == 0 {
		return ragged.Dense(out, shape...)
	}
	return ragged.New(out, inner, t.Partitions()[:last]...)
}

// alongColumns combines over an axis that has ragged ones below it: the rows that
// stand side by side are laid over each other, position by position.
func alongColumns[T, A any](t ragged.Tensor[T], axis int, k kernel[T, A]) (ragged.Tensor[A], error) {
	l, err := layerColumns(t.Partitions(), axis)
	if err != nil {
		return ragged.Tensor[A]{}, err
	}
	out, err := overlay(t, l, k)
	if err != nil {
		return ragged.Tensor[A]{}, err
	}
	inner := t.InnerShape()
	if axis > 0 {
		return ragged.New(out, inner, slices.Concat(t.Partitions()[:axis-1], l.parts)...)
	}
	// All rows are one group: its partition is axis 0 of the result.
	if len(l.parts) == 1 {
		return ragged.Dense(out, append([]int{l.items}, inner...)...)
	}
	return ragged.New(out, inner, l.parts[1:]...)
}

// overlay combines the items of t into the ones that they are laid over.
func overlay[T, A any](t ragged.Tensor[T], l layers, k kernel[T, A]) ([]A, error) {
	shape := append([]int{l.items}, t.InnerShape()...)
	out, err := filled(shape, k.start, refuse.Given(t))
	if err != nil || len(out) == 0 {
		return out, err
	}
	cell, values := len(out)/l.items, t.Values()
	p := t.Partition(t.RaggedRank() - 1)
	for r, at := range l.starts {
		lo, hi := p.Bounds(r)
		k.into(out[at*cell:(at+hi-lo)*cell], values[lo*cell:hi*cell])
	}
	return out, nil
}

// Layers say how rows are laid over each other: rows of one group become one row, as
// long as the longest of them. What stands at the same position is a group of the
// level below.
type layers struct {
	parts  []ragged.Partition // of the result, beginning with one row per group
	starts []int              // by row of the innermost partition: the item of the result where it begins
	items  int                // of the result; every one has something laid over it
}

// layerColumns groups what stands side by side along an axis, which has a partition
// below it.
func layerColumns(parts []ragged.Partition, axis int) (layers, error) {
	if axis == 0 {
		return layer(parts, make([]int, parts[0].NumRows()), 1, false)
	}
	above := parts[axis-1]
	group := make([]int, 0, above.NumValues())
	for r := range above.NumRows() {
		for range above.RowLen(r) {
			group = append(group, r)
		}
	}
	width, uniform := above.UniformLen()
	return layer(parts[axis:], group, above.NumRows(), uniform && width > 0)
}

// layer lays the rows of partitions over each other. It is given the group of every
// row of the outermost one, the number of groups, and whether it is certain, from the
// uniform axes alone, that no group is empty.
func layer(parts []ragged.Partition, group []int, groups int, full bool) (layers, error) {
	var l layers
	for level, p := range parts {
		rows := p.NumRows()
		splits := make([]int64, groups+1)
		for r, g := range group {
			splits[g+1] = max(splits[g+1], int64(p.RowLen(r)))
		}
		for g := range groups {
			splits[g+1] += splits[g]
		}
		l.items = int(splits[groups])
		merged, err := ragged.FromRowSplits(splits)
		if width, uniform := p.UniformLen(); uniform && full {
			merged, err = ragged.Uniform(int64(width), int64(groups))
		}
		if err != nil {
			return l, err
		}
		l.parts = append(l.parts, merged)
		if level == len(parts)-1 {
			l.starts = make([]int, rows)
			for r, g := range group {
				l.starts[r] = int(splits[g])
			}
			break
		}
		below := make([]int, p.NumValues())
		for r, g := range group {
			lo, hi := p.Bounds(r)
			for i := lo; i < hi; i++ {
				below[i] = int(splits[g]) + i - lo
			}
		}
		group, groups, full = below, l.items, true
	}
	return l, nil
}

// filled returns the values of a dense shape, all the same.
func filled[T any](shape []int, v T, given int) ([]T, error) {
	out, err := made[T](shape, given)
	fill(out, v)
	return out, err
}

// made returns the values of a dense shape, all 0, unless they are too many for
// operands that have `given` values and rows; see package limit.
func made[T any](shape []int, given int) ([]T, error) {
	n, err := limit.Values[T](given, shape...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ragged.ErrShape, err)
	}
	return make([]T, n), nil
}

func fill[T any](out []T, v T) {
	for i := range out {
		out[i] = v
	}
}

// shapeErrorf says in which operation operands do not fit.
func shapeErrorf(op, format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", op, ragged.ErrShape, fmt.Sprintf(format, args...))
}

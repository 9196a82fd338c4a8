package num

import (
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/limit"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// along combines values over one axis.
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
	out, err := newFilled(shape, k.start, operand.Given(t))
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

// blocks divides a dense shape at an axis: there are outer rows of n blocks, each with
// block values. If one of the numbers is 0 there are no values.
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
	out, err := newValues[A](shape, operand.Given(t))
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

// alongColumns combines over an axis above a ragged axis, whose rows are combined position by
// position.
func alongColumns[T, A any](t ragged.Tensor[T], axis int, k kernel[T, A]) (ragged.Tensor[A], error) {
	l, err := overlapColumns(t.Partitions(), axis)
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
	// All rows are in one group, whose only row is axis 0 of the result.
	if len(l.parts) == 1 {
		return ragged.Dense(out, append([]int{l.items}, inner...)...)
	}
	return ragged.New(out, inner, l.parts[1:]...)
}

// overlay combines the items of t into the items of the result.
func overlay[T, A any](t ragged.Tensor[T], l overlap, k kernel[T, A]) ([]A, error) {
	shape := append([]int{l.items}, t.InnerShape()...)
	out, err := newFilled(shape, k.start, operand.Given(t))
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

// An overlap is the combination of rows position by position: the rows of one group become
// one row, as long as the longest row. Items at the same position are a group on the level
// below.
type overlap struct {
	parts  []ragged.Partition // partitions of the result; the first has one row for each group
	starts []int              // for each row of the innermost partition of the operand: index of its first item in the result
	items  int                // number of items of the result
}

// overlapColumns groups the items of each row of an axis, which has a partition below it.
func overlapColumns(parts []ragged.Partition, axis int) (overlap, error) {
	if axis == 0 {
		return overlapRows(parts, make([]int, parts[0].NumRows()), 1, false)
	}
	above := parts[axis-1]
	group := make([]int, 0, above.NumValues())
	for r := range above.NumRows() {
		for range above.RowLen(r) {
			group = append(group, r)
		}
	}
	width, uniform := above.UniformLen()
	return overlapRows(parts[axis:], group, above.NumRows(), uniform && width > 0)
}

// overlapRows combines the rows of partitions. The slice group has the group of every row of
// the outermost partition, groups is the number of groups, and full reports that no group can
// be empty, whatever the ragged row lengths are.
func overlapRows(parts []ragged.Partition, group []int, groups int, full bool) (overlap, error) {
	var l overlap
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

// newFilled returns the values of a dense shape, all equal to v.
func newFilled[T any](shape []int, v T, given int) ([]T, error) {
	out, err := newValues[T](shape, given)
	fill(out, v)
	return out, err
}

// newValues returns the values of a dense shape, all 0, or an error if they are too many for
// operands with `given` values and rows; see package limit.
func newValues[T any](shape []int, given int) ([]T, error) {
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

// shapeErrorf returns an error about operands that do not fit, with the operation.
func shapeErrorf(op, format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", op, ragged.ErrShape, fmt.Sprintf(format, args...))
}

package array

import (
	"slices"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// Stack makes the operands the items of a new axis, which is the given axis of the result; a
// negative axis counts from the end of the result. The operands have the same rank.
//
//	Stack(0, x, y)     [x, y]
//	Stack(1, x, y)     [[x[0], y[0]], [x[1], y[1]], …]
//
// On axis 0 the operands may have different shapes. On another axis the axes above must be
// equal in all operands, and if the new axis belongs to the inner shape, also the axes
// below.
//
// The same axes become ragged as in TensorFlow. The new axis belongs to the inner shape if
// it is the last or second to last, and below all ragged axes: dense matrices stacked on
// axis 1 or 2 are dense, and scalars become a vector. Otherwise the new axis becomes ragged,
// and so do the axes above it and the axis below it: vectors stacked on axis 0 become the
// rows of a ragged matrix.
//
// The values are new, except that the values of a single operand may be shared. TensorFlow
// calls it ragged.stack.
func Stack[T any](axis int, operands ...ragged.Tensor[T]) (ragged.Tensor[T], error) {
	var none ragged.Tensor[T]
	if len(operands) == 0 {
		return none, operand.Shapef("stack", "no operands")
	}
	rank, levels := operands[0].Rank(), 0
	for i, t := range operands {
		if t.Rank() != rank {
			return none, operand.Shapef("stack", "operand %d has rank %d, operand 0 has rank %d", i, t.Rank(), rank)
		}
		levels = max(levels, t.RaggedRank())
	}
	axis, err := operand.Axis("stack: axis", axis, rank+1)
	if err != nil {
		return none, err
	}
	switch {
	case rank == 0:
		values := make([]T, len(operands))
		for i, t := range operands {
			values[i] = t.Item()
		}
		return ragged.Vector(values...), nil
	case rank == 1 && axis == 0:
		return stackRows(operands)
	case axis > levels && axis >= rank-1: // within the inner shape
		return joinExpanded(axis, operands)
	}
	raised := make([]ragged.Tensor[T], len(operands))
	for i, t := range operands {
		if raised[i], err = withLevels(t, max(levels, axis, 1), false); err != nil {
			return none, operand.Within("stack", err)
		}
	}
	if axis == 0 {
		return stackRows(raised)
	}
	out, err := joinExpanded(axis, raised)
	if err != nil {
		return none, err
	}
	parts := out.Partitions()
	if parts[axis-1], err = evenRows(len(operands), parts[axis-1].NumRows()); err != nil {
		return none, operand.Within("stack", err)
	}
	out, err = ragged.New(out.Values(), out.InnerShape(), parts...)
	if err != nil {
		return none, operand.Within("stack", err)
	}
	return out, nil
}

// stackRows makes a row of every operand.
func stackRows[T any](operands []ragged.Tensor[T]) (ragged.Tensor[T], error) {
	lengths := make([]int64, len(operands))
	for i, t := range operands {
		lengths[i] = int64(t.Len())
	}
	p, err := ragged.FromRowLengths(lengths)
	if err != nil {
		return ragged.Tensor[T]{}, operand.Within("stack", err)
	}
	items, err := ragged.Concat(0, operands...)
	if err != nil {
		return ragged.Tensor[T]{}, operand.Within("stack", err)
	}
	return ragged.Wrap(items, p)
}

// joinExpanded gives every operand an axis of size 1 and joins them along it.
func joinExpanded[T any](axis int, operands []ragged.Tensor[T]) (ragged.Tensor[T], error) {
	expanded := make([]ragged.Tensor[T], len(operands))
	for i, t := range operands {
		var err error
		if expanded[i], err = ExpandDims(t, axis); err != nil {
			return ragged.Tensor[T]{}, operand.Within("stack", err)
		}
	}
	out, err := ragged.Concat(axis, expanded...)
	if err != nil {
		return ragged.Tensor[T]{}, operand.Within("stack", err)
	}
	return out, nil
}

// withLevels returns t with at least the given number of partitions, which is less than the
// rank: axes of the inner shape get partitions, either uniform or ragged.
func withLevels[T any](t ragged.Tensor[T], levels int, uniform bool) (ragged.Tensor[T], error) {
	if t.RaggedRank() >= levels {
		return t, nil
	}
	parts, inner := t.Partitions(), t.InnerShape()
	rows := t.Len() // number of rows of the next partition
	if len(parts) > 0 {
		rows = parts[len(parts)-1].NumValues()
	}
	for len(parts) < levels {
		p, err := ragged.Uniform(int64(inner[0]), int64(rows))
		if !uniform && err == nil {
			p, err = evenRows(inner[0], rows)
		}
		if err != nil {
			return ragged.Tensor[T]{}, err
		}
		parts, inner, rows = append(parts, p), inner[1:], p.NumValues()
	}
	return ragged.New(t.Values(), slices.Clone(inner), parts...)
}

// evenRows returns a ragged partition whose rows have the same length.
func evenRows(rowLen, rows int) (ragged.Partition, error) {
	splits := make([]int64, rows+1)
	for i := range splits {
		splits[i] = int64(i) * int64(rowLen)
	}
	return ragged.FromRowSplits(splits)
}

// ExpandDims adds an axis of size 1, which is the given axis of the result; a negative axis
// counts from the end of the result. The axis is uniform. The values are shared.
// TensorFlow calls it expand_dims.
func ExpandDims[T any](t ragged.Tensor[T], axis int) (ragged.Tensor[T], error) {
	axis, err := operand.Axis("expand dims: axis", axis, t.Rank()+1)
	if err != nil {
		return ragged.Tensor[T]{}, err
	}
	return t.Index(append(slices.Repeat([]ragged.Key{ragged.SliceAll()}, axis), ragged.NewAxis())...)
}

// Squeeze removes axes of size 1; negative axes count from the end. A ragged axis has
// size 1 if all its rows have length 1, also if there are no rows. A result without
// partitions is dense, a result without axes a scalar. The values are shared. Unlike
// TensorFlow's squeeze it removes only the given axes, also of a dense tensor.
func Squeeze[T any](t ragged.Tensor[T], axes []int) (ragged.Tensor[T], error) {
	var none ragged.Tensor[T]
	drop := make([]bool, t.Rank())
	for _, axis := range axes {
		axis, err := operand.Axis("squeeze: axis", axis, t.Rank())
		if err != nil {
			return none, err
		}
		drop[axis] = true
	}
	if len(axes) == 0 {
		return t, nil
	}
	if drop[0] && t.Len() != 1 {
		return none, operand.Shapef("squeeze", "axis 0: want size 1, got %d", t.Len())
	}
	var parts []ragged.Partition
	for level, p := range t.Partitions() {
		if !drop[level+1] {
			parts = append(parts, p)
			continue
		}
		for row := range p.NumRows() {
			if n := p.RowLen(row); n != 1 {
				return none, operand.Shapef("squeeze", "axis %d, row %d: want length 1, got %d", level+1, row, n)
			}
		}
	}
	below := t.RaggedRank() + 1 // the first axis of the inner shape
	var inner []int
	for i, n := range t.InnerShape() {
		switch {
		case !drop[below+i]:
			inner = append(inner, n)
		case n != 1:
			return none, operand.Shapef("squeeze", "axis %d: want size 1, got %d", below+i, n)
		}
	}
	if drop[0] && len(parts) > 0 {
		parts = parts[1:] // its only row is the new axis 0
	}
	switch {
	case len(parts) > 0:
		return ragged.New(t.Values(), inner, parts...)
	case !slices.Contains(drop[:below], false):
		return ragged.Dense(t.Values(), inner...)
	}
	items := t.Flat().Len()
	return ragged.Dense(t.Values(), append([]int{items}, inner...)...)
}

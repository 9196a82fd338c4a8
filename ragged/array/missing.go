package array

import (
	"slices"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
	"github.com/tfparse/tfparse/ragged/num"
)

// BatchGatherOr is Gather with BatchDims -1 and a default: a negative index, or an index
// beyond the row, gives missing, which has the shape of an item without its ragged axes.
// A missing ragged row has length 1, with missing in it. TensorFlow calls it
// batch_gather_with_default.
func BatchGatherOr[T any, I num.Integer](t ragged.Tensor[T], indices ragged.Tensor[I], missing ragged.Tensor[T]) (ragged.Tensor[T], error) {
	const op = "batch gather or"
	var none ragged.Tensor[T]
	batch := indices.Rank() - 1
	switch {
	case batch < 0:
		return none, operand.Shapef(op, "want indices of rank 1 or more, got a scalar")
	case t.Rank() <= batch:
		return none, operand.Shapef(op, "want a tensor of rank %d or more, got rank %d", batch+1, t.Rank())
	}
	cell := t.InnerShape() // shape of an item, without its ragged axes
	if under := batch - t.RaggedRank(); under > 0 {
		cell = cell[under:]
	}
	if missing.RaggedRank() > 0 || !slices.Equal(missing.Shape(), cell) {
		return none, operand.Shapef(op, "want a default of shape %v, got %v", cell, missing.Shape())
	}
	return gatherOr(op, t, asInts(indices), batch, 0, missing)
}

// gatherOr is BatchGatherOr for any number of batch dimensions. Errors call axis 0 base.
func gatherOr[T any](op string, t ragged.Tensor[T], indices ragged.Tensor[int], batch, base int, missing ragged.Tensor[T]) (ragged.Tensor[T], error) {
	if batch == 0 {
		// The default becomes a row after those of t; indices out of range select it.
		all, err := withRow(t, missing)
		if err != nil {
			return t, operand.Within(op, err)
		}
		return take(op, all, ragged.Map(indices, func(v int) int {
			if uint(v) < uint(t.Len()) {
				return v
			}
			return t.Len()
		}))
	}
	p, items, err := splitRows(t)
	if err != nil {
		return t, operand.Within(op, err)
	}
	if batch == 1 {
		at, err := flatIndices(op, p, indices, base+1, items.Len())
		if err != nil {
			return t, err
		}
		if items, err = withRow(items, missing); err != nil {
			return t, operand.Within(op, err)
		}
		out, err := take(op, items, at)
		if err != nil {
			return t, operand.Within(op, err)
		}
		return out, nil
	}
	q, below, err := splitRows(indices)
	if err != nil {
		return t, operand.Within(op, err)
	}
	if t.Len() != indices.Len() {
		return t, operand.Shapef(op, "axis %d: %d rows, but %d rows of indices", base, t.Len(), indices.Len())
	}
	if err := equalRows(op, base+1, p, q); err != nil {
		return t, err
	}
	out, err := gatherOr(op, items, below, batch-1, base+1, missing)
	if err != nil {
		return t, err
	}
	if t.RaggedRank() == 0 && indices.RaggedRank() == 0 {
		return ragged.Dense(out.Values(), append(indices.Shape(), t.Shape()[batch+1:]...)...)
	}
	return ragged.Wrap(out, p)
}

// withRow appends a row to a tensor: missing, with an axis of size 1 for every
// partition.
func withRow[T any](t, missing ragged.Tensor[T]) (ragged.Tensor[T], error) {
	shape := []int{1}
	row, err := ragged.Dense(missing.Values(), append(shape, missing.Shape()...)...)
	if err != nil {
		return t, err
	}
	for range t.RaggedRank() {
		one, err := evenRows(1, 1)
		if err != nil {
			return t, err
		}
		if row, err = ragged.Wrap(row, one); err != nil {
			return t, err
		}
	}
	return ragged.Concat(0, t, row)
}

// FillEmptyRows puts a value into every empty row of a matrix, and reports which rows
// were empty. The tensor must have ragged rank 1 and no inner shape. If no row is empty,
// the tensor is returned as it is, otherwise the values are new. TensorFlow calls it
// fill_empty_rows.
func FillEmptyRows[T any](t ragged.Tensor[T], v T) (filled ragged.Tensor[T], empty []bool, err error) {
	if t.RaggedRank() != 1 || t.Rank() != 2 {
		return filled, nil, operand.Shapef("fill empty rows", "want ragged rank 1 and rank 2, got %d and %d", t.RaggedRank(), t.Rank())
	}
	p, n := t.Partition(0), 0
	if err := operand.TooMany[T]("fill empty rows", operand.Given(t), p.NumRows(), 2); err != nil {
		return filled, nil, err
	}
	empty = make([]bool, p.NumRows())
	for row := range empty {
		if p.RowLen(row) == 0 {
			empty[row] = true
			n++
		}
	}
	if n == 0 {
		return t, empty, nil
	}
	src := t.Values()
	values, splits := make([]T, 0, len(src)+n), make([]int64, 1, len(empty)+1)
	for row, e := range empty {
		if e {
			values = append(values, v)
		} else {
			lo, hi := p.Bounds(row)
			values = append(values, src[lo:hi]...)
		}
		splits = append(splits, int64(len(values)))
	}
	if p, err = ragged.FromRowSplits(splits); err != nil {
		return filled, nil, operand.Within("fill empty rows", err)
	}
	filled, err = ragged.New(values, nil, p)
	return filled, empty, err
}

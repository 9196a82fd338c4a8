package array

import (
	"slices"

	"github.com/tfparse/tfparse/ragged"
)

// ExpandDims adds an axis of size 1 before the given one; a negative axis counts
// from the end of the result. The axis is uniform. The values are shared.
// TensorFlow calls it expand_dims.
func ExpandDims[T any](t ragged.Tensor[T], axis int) (ragged.Tensor[T], error) {
	axis, err := axisIn("expand dims: axis", axis, t.Rank()+1)
	if err != nil {
		return ragged.Tensor[T]{}, err
	}
	return t.Index(append(slices.Repeat([]ragged.Key{ragged.All()}, axis), ragged.NewAxis())...)
}

// Squeeze takes away axes of size 1; negative ones count from the end. A ragged axis
// has size 1 if all its rows have length 1, also if there are no rows. Without
// partitions left the result is dense, and without axes a scalar. The values are
// shared. Other than TensorFlow's squeeze it takes away nothing that is not asked
// for, also of a dense tensor.
func Squeeze[T any](t ragged.Tensor[T], axes ...int) (ragged.Tensor[T], error) {
	var none ragged.Tensor[T]
	drop := make([]bool, t.Rank())
	for _, axis := range axes {
		axis, err := axisIn("squeeze: axis", axis, t.Rank())
		if err != nil {
			return none, err
		}
		drop[axis] = true
	}
	if len(axes) == 0 {
		return t, nil
	}
	if drop[0] && t.Len() != 1 {
		return none, shapeErrorf("squeeze", "axis 0: want size 1, got %d", t.Len())
	}
	var parts []ragged.Partition
	for level, p := range t.Partitions() {
		if !drop[level+1] {
			parts = append(parts, p)
			continue
		}
		for row := range p.NumRows() {
			if n := p.RowLen(row); n != 1 {
				return none, shapeErrorf("squeeze", "axis %d, row %d: want length 1, got %d", level+1, row, n)
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
			return none, shapeErrorf("squeeze", "axis %d: want size 1, got %d", below+i, n)
		}
	}
	if drop[0] && len(parts) > 0 {
		parts = parts[1:] // its only row is what axis 0 is now
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

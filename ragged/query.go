package ragged

import "slices"

// BoundingShape returns the shape of the smallest dense tensor that t fits into: for an axis
// with a partition the length of the longest row, 0 if there are no rows; for any other axis
// its size. The slice is new. TensorFlow calls it RaggedTensor.bounding_shape.
func (t Tensor[T]) BoundingShape() []int {
	shape := make([]int, 0, t.Rank())
	if t.scalar {
		return shape
	}
	shape = append(shape, t.Len())
	lo, hi := t.lo, t.hi
	for _, p := range t.parts {
		shape = append(shape, p.Rows(lo, hi).MaxLen())
		lo, hi = p.split(lo), p.split(hi)
	}
	return append(shape, t.inner...)
}

// RowLengths returns the lengths of all rows of an axis, in the shape of the axes above it:
// a scalar for axis 0, a vector for axis 1, a ragged tensor below ragged axes. Negative axes
// count from the end. The values are new. TensorFlow calls it RaggedTensor.row_lengths.
func (t Tensor[T]) RowLengths(axis int) (Tensor[int64], error) {
	axis, err := axisIn("row lengths: axis", axis, t.Rank())
	if err != nil {
		return Tensor[int64]{}, err
	}
	if axis == 0 {
		return Scalar(int64(t.Len())), nil
	}
	parts := t.Partitions()
	if axis <= len(parts) {
		lengths := parts[axis-1].AppendLengths(nil)
		return Tensor[int64]{values: lengths, parts: parts[:axis-1], hi: t.Len()}, nil
	}
	above := t.inner[:axis-len(parts)-1]
	lo, hi := t.items()
	n := (hi - lo) * size(above)
	return Tensor[int64]{values: slices.Repeat([]int64{int64(t.inner[len(above)])}, n), parts: parts, inner: above, hi: t.Len()}, nil
}

// MergeDims merges the axes from outer to inner, both included, into one axis; negative axes
// count from the end. If outer is 0, partitions are removed, perhaps all. Otherwise the new
// axis is uniform if all merged axes are uniform. The values are shared. TensorFlow calls it
// RaggedTensor.merge_dims.
func (t Tensor[T]) MergeDims(outer, inner int) (Tensor[T], error) {
	outer, err := axisIn("merge dims: outer axis", outer, t.Rank())
	if err != nil {
		return Tensor[T]{}, err
	}
	inner, err = axisIn("merge dims: inner axis", inner, t.Rank())
	if err != nil {
		return Tensor[T]{}, err
	}
	if outer > inner {
		return Tensor[T]{}, indexErrorf("merge dims: outer axis %d is below inner axis %d", outer, inner)
	}
	if outer == inner {
		return t, nil
	}
	// Axes 1 to len(parts) belong to partitions, later axes to the inner shape.
	last := len(t.parts)
	if outer > last {
		merged := slices.Clone(t.inner[:outer-last])
		merged[len(merged)-1] = size(t.inner[outer-last-1 : inner-last])
		t.inner = append(merged, t.inner[inner-last:]...)
		return t, nil
	}
	cells := 1 // number of new items in one item
	if inner > last {
		cells = size(t.inner[:inner-last])
	}
	if outer == 0 {
		for range min(inner, last) {
			t = t.Items()
		}
		t.lo, t.hi = t.lo*cells, t.hi*cells
		if inner > last {
			t.inner = t.inner[inner-last:]
		}
		return t, nil
	}
	parts := t.Partitions()
	out := Tensor[T]{values: t.Values(), inner: t.inner, hi: t.Len()}
	out.parts = append(parts[:outer-1:outer-1], mergeParts(parts[outer-1:min(inner, last)], cells))
	if inner > last {
		out.inner = t.inner[inner-last:]
	} else {
		out.parts = append(out.parts, parts[inner:]...)
	}
	return out, nil
}

// mergeParts merges partitions, the outermost first, into one: it has the rows of the first
// and the values of the last, of which each counts as cells values.
func mergeParts(parts []Partition, cells int) Partition {
	rowLen, uniform := cells, true
	for _, p := range parts {
		n, ok := p.UniformLen()
		rowLen, uniform = rowLen*n, uniform && ok
	}
	if uniform {
		return Partition{uniform: true, rowLen: rowLen, nrows: parts[0].nrows}
	}
	splits := parts[0].AppendSplits(nil)
	for i, s := range splits {
		for _, p := range parts[1:] {
			s = int64(p.split(int(s)))
		}
		splits[i] = s * int64(cells)
	}
	return Partition{splits: splits}
}

// Wrap puts partitions, the outermost first, around items, which may be dense or ragged.
// Every partition must have as many values as the next has rows, and the last as many values
// as there are items. The memory is shared. TensorFlow's from_row_splits is Wrap with
// FromRowSplits, and so on for the other encodings.
func Wrap[T any](items Tensor[T], parts ...Partition) (Tensor[T], error) {
	if len(parts) == 0 {
		return items, nil
	}
	if items.scalar {
		return Tensor[T]{}, shapeErrorf("wrap: want items for rows, got a scalar")
	}
	if err := checkChain(parts); err != nil {
		return Tensor[T]{}, err
	}
	if want := parts[len(parts)-1].NumValues(); items.Len() != want {
		return Tensor[T]{}, shapeErrorf("wrap: want %d items for the last partition, got %d", want, items.Len())
	}
	parts = slices.Concat(parts, items.Partitions())
	if err := checkUniform(parts, items.inner); err != nil {
		return Tensor[T]{}, err
	}
	return Tensor[T]{values: items.Values(), parts: parts, inner: items.inner, hi: parts[0].NumRows()}, nil
}

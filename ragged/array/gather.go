package array

import (
	"slices"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
	"github.com/tfparse/tfparse/ragged/num"
)

// GatherOptions are the options of Gather. Nil means axis 0.
type GatherOptions struct {
	// BatchDims is the number of outer axes that the tensor and the indices share: the
	// indices of a batch are positions in the same batch of the tensor. A negative
	// number counts from the rank of the indices: with -1 it is TensorFlow's batch_gather.
	BatchDims int

	// Axis is the axis of the tensor that is indexed, at least BatchDims; a negative axis
	// counts from the end. 0 means BatchDims.
	Axis int
}

// Gather returns items of a tensor by their position on an axis. The result has the shape of
// t, with the axes of the indices (except batch dimensions) in place of the indexed axis:
//
//	Gather(t, [2 0], nil)          t[2], t[0]
//	Gather(t, [[2 0] [1]], nil)    [t[2], t[0]], [t[1]]
//	axis 1, [2 0]                  [t[0,2], t[0,0]], [t[1,2], t[1,0]], …
//	1 batch dimension, [[2] [0]]   [t[0,2]], [t[1,0]], …
//
// Indices are positions from 0 on. Every index is checked against the length of its row; an
// index out of range is a ragged.ValueError. (TensorFlow reads from the next row.) Batch
// dimensions must have the same rows in t and the indices; an axis of a dense tensor does not
// match a ragged axis.
//
// The partitions of ragged indices are kept. Axes of the inner shape of indices become
// ragged if they are above a ragged axis of t. Uniform axes of t stay uniform. If t and the
// indices are dense, so is the result. The values are new. TensorFlow calls it gather.
func Gather[T any, I num.Integer](t ragged.Tensor[T], indices ragged.Tensor[I], opts *GatherOptions) (ragged.Tensor[T], error) {
	var none ragged.Tensor[T]
	if opts == nil {
		opts = &GatherOptions{}
	}
	batch := opts.BatchDims
	if batch < 0 {
		batch += indices.Rank()
	}
	if batch < 0 || batch > indices.Rank() {
		return none, &ragged.AxisError{Name: "gather: batch dims", Axis: opts.BatchDims, Limit: indices.Rank() + 1}
	}
	if batch >= t.Rank() {
		return none, operand.Shapef("gather", "want fewer batch dimensions than the rank %d of the tensor, got %d", t.Rank(), batch)
	}
	axis := opts.Axis
	if axis == 0 {
		axis = batch
	}
	axis, err := operand.Axis("gather: axis", axis, t.Rank())
	if err != nil {
		return none, err
	}
	if axis < batch {
		return none, operand.Shapef("gather", "want an axis of at least the %d batch dimensions, got %d", batch, axis)
	}
	return gather("gather", t, asInts(indices), axis, batch, 0)
}

// asInts converts indices to int. An index that an int cannot hold becomes -1, which is out
// of range on every axis.
func asInts[I num.Integer](indices ragged.Tensor[I]) ragged.Tensor[int] {
	if t, ok := any(indices).(ragged.Tensor[int]); ok {
		return t
	}
	return ragged.Map(indices, func(v I) int {
		if i := int(v); I(i) == v && (i < 0) == (v < 0) {
			return i
		}
		return -1
	})
}

// gather is Gather with axes that were checked. Errors call axis 0 base.
func gather[T any](op string, t ragged.Tensor[T], indices ragged.Tensor[int], axis, batch, base int) (ragged.Tensor[T], error) {
	switch {
	case t.RaggedRank() == 0 && indices.RaggedRank() == 0:
		return gatherDense(op, t, indices, axis, batch, base)
	case batch > 1:
		return gatherBatches(op, t, indices, axis, batch, base)
	case axis > 1:
		// Below the batch dimension, or below axis 0, each row of axis 1 is a
		// tensor on its own.
		p, items, err := splitRows(t)
		if err != nil {
			return t, operand.Within(op, err)
		}
		if batch == 1 {
			if indices.Len() != t.Len() {
				return t, operand.Shapef(op, "axis %d: %d rows, but %d rows of indices", base, t.Len(), indices.Len())
			}
			rows := make([]int, 0, p.NumValues())
			for row := range p.NumRows() {
				for range p.RowLen(row) {
					rows = append(rows, row)
				}
			}
			indices = indices.Take(rows...)
		}
		out, err := gather(op, items, indices, axis-1, batch, base+1)
		if err != nil {
			return t, err
		}
		return ragged.Wrap(out, p)
	case axis == 1:
		p, items, err := splitRows(t)
		if err != nil {
			return t, operand.Within(op, err)
		}
		if batch == 1 {
			indices, err = flatIndices(op, p, indices, base+1, -1)
		} else {
			indices, err = flatIndicesOfAll(op, p, indices, base+1)
		}
		if err != nil {
			return t, err
		}
		return take(op, items, indices)
	}
	for i, v := range indices.Values() {
		if uint(v) >= uint(t.Len()) {
			return t, indexError(op, i, base, 0, v, t.Len())
		}
	}
	return take(op, t, indices)
}

// gatherBatches merges the outermost of several batch dimensions into the next.
func gatherBatches[T any](op string, t ragged.Tensor[T], indices ragged.Tensor[int], axis, batch, base int) (ragged.Tensor[T], error) {
	if n, m := t.Len(), indices.Len(); n != m {
		return t, operand.Shapef(op, "axis %d: %d rows, but %d rows of indices", base, n, m)
	}
	p, items, err := splitRows(t)
	if err != nil {
		return t, operand.Within(op, err)
	}
	q, below, err := splitRows(indices)
	if err != nil {
		return t, operand.Within(op, err)
	}
	if err := samePartition(op, base+1, p, q, t.RaggedRank() == 0, indices.RaggedRank() == 0); err != nil {
		return t, err
	}
	out, err := gather(op, items, below, axis-1, batch-1, base+1)
	if err != nil {
		return t, err
	}
	return ragged.Wrap(out, p)
}

// samePartition returns an error if batch dimensions differ in their rows. An axis of a dense
// tensor matches only a uniform axis.
func samePartition(op string, axis int, p, q ragged.Partition, denseP, denseQ bool) error {
	_, uniformP := p.UniformLen()
	_, uniformQ := q.UniformLen()
	if denseP && !uniformQ || denseQ && !uniformP {
		return operand.Shapef(op, "batch dimension %d is uniform in one operand and ragged in the other", axis)
	}
	return equalRows(op, axis, p, q)
}

// equalRows returns an error if the rows of two partitions differ in length.
func equalRows(op string, axis int, p, q ragged.Partition) error {
	if p.Equal(q) {
		return nil
	}
	if p.NumRows() != q.NumRows() {
		return operand.Shapef(op, "axis %d: want %d rows, got %d", axis, p.NumRows(), q.NumRows())
	}
	for row := range p.NumRows() {
		if n, m := p.RowLen(row), q.RowLen(row); n != m {
			return operand.Shapef(op, "axis %d, row %d: want length %d, got %d", axis, row, n, m)
		}
	}
	return operand.Shapef(op, "axis %d: row lengths differ", axis) // not reached
}

// splitRows returns the outermost partition of a tensor of rank 2 or more, and its items. A
// dense tensor gets a uniform partition.
func splitRows[T any](t ragged.Tensor[T]) (ragged.Partition, ragged.Tensor[T], error) {
	t, err := withLevels(t, 1, true)
	if err != nil {
		return ragged.Partition{}, t, err
	}
	return t.Partition(0), t.Items(), nil
}

// take returns the rows of t at the indices, in the shape of the indices, which are in range.
func take[T any](op string, t ragged.Tensor[T], indices ragged.Tensor[int]) (ragged.Tensor[T], error) {
	if indices.RaggedRank() > 0 {
		out, err := take(op, t, indices.Flat())
		if err != nil {
			return t, err
		}
		return ragged.Wrap(out, indices.Partitions()...)
	}
	if indices.Rank() == 0 {
		return t.Row(indices.Item()), nil
	}
	rows, err := takeRows(op, t, indices.Values())
	if err != nil {
		return t, err
	}
	shape := indices.Shape()
	if t.RaggedRank() == 0 {
		return ragged.Dense(rows.Values(), append(shape, t.InnerShape()...)...)
	}
	var parts []ragged.Partition
	for axis, n := range shape[1:] {
		p, err := evenRows(n, product(shape[:axis+1]))
		if err != nil {
			return t, err
		}
		parts = append(parts, p)
	}
	return ragged.Wrap(rows, parts...)
}

// takeRows is Tensor.Take with a limit on the size of the result, since a long row may be
// given many times.
func takeRows[T any](op string, t ragged.Tensor[T], rows []int) (ragged.Tensor[T], error) {
	// Check an upper bound first: all rows as long as the longest row.
	given, longest := operand.Given(t)+len(rows), product(t.InnerShape())
	for _, p := range t.Partitions() {
		longest = min(longest*p.MaxLen(), t.Size())
	}
	if operand.TooMany[T](op, given, len(rows), longest) != nil {
		n := 0
		for _, row := range rows {
			n += t.Row(row).Size()
			if err := operand.TooMany[T](op, given, n); err != nil {
				return t, err
			}
		}
	}
	return t.Take(rows...), nil
}

// flatIndices converts indices into rows of a partition to indices into its values. Row i of
// the indices belongs to row i of p. An index out of range becomes missing, or an error if
// missing is negative.
func flatIndices(op string, p ragged.Partition, indices ragged.Tensor[int], axis, missing int) (ragged.Tensor[int], error) {
	if n := indices.Len(); n != p.NumRows() {
		return indices, operand.Shapef(op, "axis %d: %d rows, but %d rows of indices", axis-1, p.NumRows(), n)
	}
	// q has the indices of each row, over all their axes.
	q, err := ragged.Uniform(1, int64(indices.Len()))
	if indices.Rank() > 1 && err == nil {
		q, err = rowsOfValues(indices)
	}
	if err != nil {
		return indices, operand.Within(op, err)
	}
	src := indices.Values()
	out := make([]int, len(src))
	for row := range p.NumRows() {
		lo, hi := p.Bounds(row)
		first, last := q.Bounds(row)
		for at := first; at < last; at++ {
			v := src[at]
			switch {
			case uint(v) < uint(hi-lo):
				out[at] = lo + v
			case missing >= 0:
				out[at] = missing
			default:
				return indices, indexError(op, at, axis, row, v, hi-lo)
			}
		}
	}
	return operand.Like(indices, out)
}

// rowsOfValues returns the partition of the flat values of a tensor of rank 2 or more into
// its rows.
func rowsOfValues[T any](t ragged.Tensor[T]) (ragged.Partition, error) {
	t, err := t.MergeDims(1, t.Rank()-1)
	if err != nil {
		return ragged.Partition{}, err
	}
	p, _, err := splitRows(t)
	return p, err
}

// flatIndicesOfAll is flatIndices for the same indices in every row of a partition. The
// result has one axis more.
func flatIndicesOfAll(op string, p ragged.Partition, indices ragged.Tensor[int], axis int) (ragged.Tensor[int], error) {
	rows, src := p.NumRows(), indices.Values()
	if err := operand.TooMany[int](op, rows+len(src), rows, len(src)); err != nil {
		return indices, err
	}
	out := make([]int, 0, rows*len(src))
	for row := range rows {
		lo, hi := p.Bounds(row)
		for at, v := range src {
			if uint(v) >= uint(hi-lo) {
				return indices, indexError(op, at, axis, row, v, hi-lo)
			}
			out = append(out, lo+v)
		}
	}
	if indices.RaggedRank() == 0 {
		return ragged.Dense(out, append([]int{rows}, indices.Shape()...)...)
	}
	first, err := ragged.Uniform(int64(indices.Len()), int64(rows))
	if err != nil {
		return indices, operand.Within(op, err)
	}
	parts := []ragged.Partition{first}
	for _, q := range indices.Partitions() {
		if err := operand.TooMany[int64](op, rows+q.NumRows(), rows, q.NumRows()); err != nil {
			return indices, err
		}
		repeated, _, err := tileLevel(q, slices.Repeat([]rowRange{{0, q.NumRows()}}, rows), 1)
		if err != nil {
			return indices, operand.Within(op, err)
		}
		parts = append(parts, repeated)
	}
	return ragged.New(out, indices.InnerShape(), parts...)
}

// gatherDense is gather for dense operands.
func gatherDense[T any](op string, t ragged.Tensor[T], indices ragged.Tensor[int], axis, batch, base int) (ragged.Tensor[T], error) {
	shape, by := t.Shape(), indices.Shape()
	for i := range batch {
		if shape[i] != by[i] {
			return t, operand.Shapef(op, "axis %d has size %d, but the indices have size %d", base+i, shape[i], by[i])
		}
	}
	outer, middle, limit, cell := product(shape[:batch]), product(shape[batch:axis]), shape[axis], product(shape[axis+1:])
	each := product(by[batch:]) // number of indices of a batch
	if err := operand.TooMany[T](op, operand.Given(t)+indices.Size(), outer, middle, each, cell); err != nil {
		return t, err
	}
	src, at := t.Values(), indices.Values()
	for i, v := range at {
		if uint(v) >= uint(limit) && middle > 0 {
			return t, indexError(op, i, base+axis, i/max(each, 1)*middle, v, limit)
		}
	}
	out := make([]T, 0, outer*middle*each*cell)
	for b := range outer {
		for m := range middle {
			row := (b*middle + m) * limit
			for _, v := range at[b*each : (b+1)*each] {
				out = append(out, src[(row+v)*cell:(row+v+1)*cell]...)
			}
		}
	}
	return ragged.Dense(out, slices.Concat(shape[:axis], by[batch:], shape[axis+1:])...)
}

// GatherND returns items of a tensor by their coordinates: the last axis of the indices,
// which belongs to their inner shape, has the positions on the first n axes of t. The result
// has the shape of the indices without their last axis, followed by the other axes of t:
//
//	GatherND(t, [[2 1] [0 0]])      t[2,1], t[0,0]
//	GatherND(t, [[2] [0]])          t[2], t[0]
//	GatherND(t, [2 1])              t[2,1]
//
// As in TensorFlow, a vector of one position makes an axis of size 1 if t is ragged.
// Positions count from 0; each position is checked against the length of its row. (TensorFlow
// reads from the next row.) Partitions of the indices are kept. The other axes of the indices
// become uniform partitions above ragged axes of t; a single axis becomes axis 0. The values
// are new. TensorFlow calls it gather_nd.
func GatherND[T any, I num.Integer](t ragged.Tensor[T], indices ragged.Tensor[I]) (ragged.Tensor[T], error) {
	const op = "gather nd"
	var none ragged.Tensor[T]
	if indices.Rank() == 0 {
		return none, operand.Shapef(op, "want indices of rank 1 or more, got a scalar")
	}
	shape := indices.Flat().Shape() // the last axis has the coordinates
	if indices.RaggedRank() > 0 && len(shape) == 1 {
		return none, operand.Shapef(op, "the last axis of the indices is ragged")
	}
	n := shape[len(shape)-1]
	if n > t.Rank() {
		return none, operand.Shapef(op, "want at most %d coordinates, got %d", t.Rank(), n)
	}
	outer := shape[:len(shape)-1]
	out, err := gatherTuples(op, t, asInts(indices).Values(), product(outer), n)
	if err != nil {
		return none, err
	}
	// The tensor out has a row for each tuple. Restore the outer axes of the indices,
	// which are flattened into the axis of tuples.
	switch {
	case out.RaggedRank() == 0 && len(outer) == 0:
		return dropFirst(out, t.RaggedRank() > 0 && n == 1)
	case len(outer) == 0:
		if t.RaggedRank() > 0 && n == 1 {
			return out, nil
		}
		return out.Row(0), nil
	case out.RaggedRank() == 0:
		if out, err = ragged.Dense(out.Values(), append(slices.Clone(outer), out.InnerShape()...)...); err != nil {
			return none, operand.Within(op, err)
		}
	default:
		for axis := len(outer) - 1; axis > 0; axis-- {
			p, err := ragged.Uniform(int64(outer[axis]), int64(product(outer[:axis])))
			if err != nil {
				return none, operand.Within(op, err)
			}
			if out, err = ragged.Wrap(out, p); err != nil {
				return none, operand.Within(op, err)
			}
		}
	}
	return ragged.Wrap(out, indices.Partitions()...)
}

// dropFirst returns the only row of a dense tensor, or the tensor itself if keep is set.
func dropFirst[T any](t ragged.Tensor[T], keep bool) (ragged.Tensor[T], error) {
	if keep {
		return t, nil
	}
	return ragged.Dense(t.Values(), t.InnerShape()...)
}

// gatherTuples returns the items at the positions of tuples of n positions each.
func gatherTuples[T any](op string, t ragged.Tensor[T], positions []int, tuples, n int) (ragged.Tensor[T], error) {
	if n == 0 {
		// An empty tuple selects the whole tensor.
		return repeatWhole(op, t, tuples)
	}
	parts, inner := t.Partitions(), t.InnerShape()
	rows := make([]int, tuples)
	for i := range rows {
		tuple := positions[i*n : (i+1)*n]
		if uint(tuple[0]) >= uint(t.Len()) {
			return t, indexError(op, i*n, 0, 0, tuple[0], t.Len())
		}
		at := tuple[0]
		for axis := 1; axis < n; axis++ {
			lo, hi := 0, 0
			if level := axis - 1; level < len(parts) {
				lo, hi = parts[level].Bounds(at)
			} else {
				size := inner[level-len(parts)]
				lo, hi = at*size, (at+1)*size
			}
			if v := tuple[axis]; uint(v) >= uint(hi-lo) {
				return t, indexError(op, i*n+axis, axis, at, v, hi-lo)
			}
			at = lo + tuple[axis]
		}
		rows[i] = at
	}
	t, err := t.MergeDims(0, n-1)
	if err != nil {
		return t, operand.Within(op, err)
	}
	return takeRows(op, t, rows)
}

// repeatWhole makes a tensor whose rows are all equal to t.
func repeatWhole[T any](op string, t ragged.Tensor[T], times int) (ragged.Tensor[T], error) {
	if err := operand.TooMany[T](op, operand.Given(t)+times, times, t.Size()); err != nil {
		return t, err
	}
	if t.RaggedRank() == 0 {
		out := slices.Repeat(t.Values(), times)
		return ragged.Dense(out, append([]int{times}, t.Shape()...)...)
	}
	if err := operand.TooMany[int64](op, operand.Given(t)+times, times, t.Len()); err != nil {
		return t, err
	}
	p, err := evenRows(t.Len(), times)
	if err != nil {
		return t, operand.Within(op, err)
	}
	rows := make([]int, 0, times*t.Len())
	for range times {
		for row := range t.Len() {
			rows = append(rows, row)
		}
	}
	return ragged.Wrap(t.Take(rows...), p)
}

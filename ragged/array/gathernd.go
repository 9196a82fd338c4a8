package array

import (
	"slices"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
	"github.com/tfparse/tfparse/ragged/num"
)

// GatherND returns items of a tensor by their coordinates: the last axis of the indices,
// which belongs to their inner shape, has the positions on the first n axes of t. The result
// has the shape of the indices without their last axis, followed by the other axes of t:
//
//	GatherND(t, [[2 1] [0 0]])      t[2,1], t[0,0]
//	GatherND(t, [[2] [0]])          t[2], t[0]
//	GatherND(t, [2 1])              t[2,1]
//
// But a vector of one position makes an axis of size 1 if t is ragged, as in TensorFlow.
// Positions count from 0; each is checked against the length of its row. (TensorFlow reads
// from the next row.) Partitions of the indices are kept. Their other axes become uniform
// partitions above ragged axes of t; if there is only one, it becomes the rows. The values
// are new. TensorFlow calls it gather_nd.
func GatherND[T any, I num.Integer](t ragged.Tensor[T], indices ragged.Tensor[I]) (ragged.Tensor[T], error) {
	const op = "gather nd"
	var none ragged.Tensor[T]
	if indices.Rank() == 0 {
		return none, operand.Shapef(op, "want indices of rank 1 or more, got a scalar")
	}
	shape := indices.Flat().Shape() // the axes of items and, at the end, the coordinates
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
	// The rows of out are the items of all outer axes.
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

// dropFirst returns the only row of a dense tensor, or the tensor itself.
func dropFirst[T any](t ragged.Tensor[T], keep bool) (ragged.Tensor[T], error) {
	if keep {
		return t, nil
	}
	return ragged.Dense(t.Values(), t.InnerShape()...)
}

// gatherTuples returns the items at the positions of tuples of n positions each.
func gatherTuples[T any](op string, t ragged.Tensor[T], positions []int, tuples, n int) (ragged.Tensor[T], error) {
	if n == 0 {
		// An empty tuple is the index of all of t.
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

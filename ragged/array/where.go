package array

import (
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// Where returns the values of x where cond is true, and the values of y elsewhere. The
// operands broadcast by the rules of ragged.BroadcastShape, but an axis of the result is
// uniform if it is a uniform partition of any operand. The values are new. TensorFlow calls
// it where; there a uniform axis does not match a ragged axis.
func Where[T any](cond ragged.Tensor[bool], x, y ragged.Tensor[T]) (ragged.Tensor[T], error) {
	const op = "where"
	var none ragged.Tensor[T]
	values, err := ragged.BroadcastShape(x, y)
	if err != nil {
		return none, operand.Within(op, err)
	}
	all, err := ragged.BroadcastShape(cond, values)
	if err != nil {
		return none, operand.Within(op, err)
	}
	c, err := ragged.BroadcastTo(cond, all)
	if err != nil {
		return none, operand.Within(op, err)
	}
	var sides [2][]T // values for false and for true
	for i, side := range []ragged.Tensor[T]{y, x} {
		if side, err = ragged.BroadcastTo(side, all); err != nil {
			return none, operand.Within(op, err)
		}
		sides[i] = side.Values()
	}
	out := make([]T, all.Size())
	for i, k := range c.Values() {
		which := 0 // an index, since a branch would be mispredicted
		if k {
			which = 1
		}
		out[i] = sides[which][i]
	}
	parts := all.Partitions()
	if len(parts) == 0 {
		return operand.Like(all, out)
	}
	rank := all.Rank()
	keepUniform(parts, rank-cond.Rank(), cond)
	keepUniform(parts, rank-x.Rank(), x)
	keepUniform(parts, rank-y.Rank(), y)
	return ragged.New(out, all.InnerShape(), parts...)
}

// keepUniform makes partitions uniform that are uniform in t, a tensor whose rank is less by
// offset.
func keepUniform[T any](parts []ragged.Partition, offset int, t ragged.Tensor[T]) {
	for level := range t.RaggedRank() {
		n, ok := t.Partition(level).UniformLen()
		if !ok {
			continue
		}
		p, err := ragged.Uniform(int64(n), int64(parts[level+offset].NumRows()))
		if err == nil && p.Equal(parts[level+offset]) {
			parts[level+offset] = p
		}
	}
}

// WhereRows returns row i of x if cond[i] is true, otherwise row i of y. The operands have
// the same rank and as many rows as cond; their rows may differ in length. The result has
// the larger ragged rank of x and y. The values are new. TensorFlow 1 calls it where.
func WhereRows[T any](cond []bool, x, y ragged.Tensor[T]) (ragged.Tensor[T], error) {
	const op = "where rows"
	if x.Rank() == 0 || x.Len() != len(cond) || y.Len() != len(cond) {
		return x, operand.Shapef(op, "want %d rows of both, got %d and %d", len(cond), x.Len(), y.Len())
	}
	both, err := ragged.Concat(0, x, y)
	if err != nil {
		return both, operand.Within(op, err)
	}
	rows := make([]int, len(cond))
	for i, k := range cond {
		if rows[i] = i; !k {
			rows[i] += len(cond)
		}
	}
	return both.Take(rows...), nil
}

// Coordinates returns the coordinates of all true values, in order: a dense matrix with a row
// for every true value and a column for every axis. TensorFlow calls it where, with one
// argument.
func Coordinates(cond ragged.Tensor[bool]) (ragged.Tensor[int64], error) {
	rank, keep := cond.Rank(), cond.Values()
	n := countTrue(keep)
	if rank == 0 {
		return ragged.Dense([]int64{}, n, 0)
	}
	w := coordinateWriter{parts: cond.Partitions(), inner: cond.InnerShape(), keep: keep, at: make([]int64, rank)}
	w.out = make([]int64, n*rank)
	if rank == 1 {
		w.writeValues(0, 0, len(keep))
		return ragged.Dense(w.out, n, rank)
	}
	for row := range cond.Len() {
		w.at[0] = int64(row)
		w.writeRow(1, row)
	}
	return ragged.Dense(w.out, n, rank)
}

// A coordinateWriter writes the coordinates of the true values of a tensor.
type coordinateWriter struct {
	parts []ragged.Partition // partitions of the tensor
	inner []int              // inner shape of the tensor
	keep  []bool             // flat values of the tensor
	at    []int64            // coordinates above the current axis
	out   []int64            // the result
	next  int                // index in out of the next coordinates
}

// writeRow writes the coordinates of the true values in a row of an axis.
func (w *coordinateWriter) writeRow(axis, row int) {
	lo, hi := 0, 0
	if axis <= len(w.parts) {
		lo, hi = w.parts[axis-1].Bounds(row)
	} else {
		n := w.inner[axis-1-len(w.parts)]
		lo, hi = row*n, (row+1)*n
	}
	if axis == len(w.at)-1 {
		w.writeValues(axis, lo, hi)
		return
	}
	for i := lo; i < hi; i++ {
		w.at[axis] = int64(i - lo)
		w.writeRow(axis+1, i)
	}
}

// writeValues is writeRow for the last axis, whose items are values.
func (w *coordinateWriter) writeValues(axis, lo, hi int) {
	rank := len(w.at)
	for i, k := range w.keep[lo:hi] {
		if !k {
			continue
		}
		cell := w.out[w.next : w.next+rank]
		copy(cell, w.at[:axis])
		cell[axis] = int64(i)
		w.next += rank
	}
}

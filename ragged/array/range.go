package array

import (
	"fmt"
	"math"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
	"github.com/tfparse/tfparse/ragged/num"
)

// RangeTo returns for every limit a row of the numbers 0, 1, 2, … below the limit. The limits
// are a vector, or a scalar for one row. See Range. TensorFlow calls it ragged.range, with
// one argument.
func RangeTo[T num.Number](limits ragged.Tensor[T]) (ragged.Tensor[T], error) {
	return Range(ragged.Scalar[T](0), limits, ragged.Scalar[T](1))
}

// Range returns for every start, limit and delta a row of the numbers start, start+delta,
// start+2*delta, … that are below the limit, or above the limit if delta is negative. The row
// is empty if start is not. Each argument is a vector or a scalar; vectors have the same
// length, and a scalar is for all rows. If all arguments are scalars, there is one row.
//
// As in TensorFlow floats are added in their own type, and the length of a row is computed in
// it: the fourth of 0, 0.1, … is 0.3 in float32 and 0.30000000000000004 in float64. A delta
// of 0 or NaN is an error, and so are an infinite row and too many values for the number of
// rows, see the package comment. TensorFlow calls it ragged.range.
func Range[T num.Number](starts, limits, deltas ragged.Tensor[T]) (ragged.Tensor[T], error) {
	const op = "range"
	var none ragged.Tensor[T]
	rows := -1
	for i, t := range []ragged.Tensor[T]{starts, limits, deltas} {
		name := [...]string{"starts", "limits", "deltas"}[i]
		switch {
		case t.Rank() > 1:
			return none, operand.Shapef(op, "want %s of rank 0 or 1, got rank %d", name, t.Rank())
		case t.Rank() == 1 && rows >= 0 && t.Len() != rows:
			return none, operand.Shapef(op, "want %d %s, got %d", rows, name, t.Len())
		case t.Rank() == 1:
			rows = t.Len()
		}
	}
	if rows < 0 {
		rows = 1
	}
	// at returns the start, limit or delta of a row.
	at := func(t ragged.Tensor[T], row int) T {
		if t.Rank() == 0 {
			row = 0
		}
		return t.Values()[row]
	}
	splits := make([]int64, rows+1)
	total := 0
	for row := range rows {
		start, limit, delta := at(starts, row), at(limits, row), at(deltas, row)
		if delta == 0 {
			return none, operand.Shapef(op, "row %d: want a delta other than 0", row)
		}
		n, ok := rangeLen(start, limit, delta)
		if !ok || n > uint64(math.MaxInt/16-total) {
			return none, operand.Shapef(op, "row %d is too long: from %v to %v by %v", row, start, limit, delta)
		}
		total += int(n)
		splits[row+1] = int64(total)
	}
	if err := operand.TooMany[T](op, rows, total); err != nil {
		return none, err
	}
	values := make([]T, total)
	for row := range rows {
		v, delta := at(starts, row), at(deltas, row)
		out := values[splits[row]:splits[row+1]]
		for i := range out {
			out[i] = v
			v += delta
		}
	}
	p, err := ragged.FromRowSplits(splits)
	if err != nil {
		return none, operand.Within(op, err)
	}
	return ragged.New(values, nil, p)
}

// rangeLen returns the length of a row, and false if it is infinite. The delta is not 0.
func rangeLen[T num.Number](start, limit, delta T) (n uint64, ok bool) {
	if delta > 0 && limit < start || delta < 0 && limit > start {
		return 0, true
	}
	if T(1)/2 == 0 { // integers
		// A difference may overflow T, but not uint64.
		far, step := uint64(limit)-uint64(start), uint64(delta)
		if delta < 0 {
			far, step = uint64(start)-uint64(limit), -uint64(delta)
		}
		n = far / step
		if far%step != 0 {
			n++
		}
		return n, true
	}
	size := math.Ceil(math.Abs(float64((limit - start) / delta)))
	if !(size < 1<<63) {
		return 0, false
	}
	return uint64(size), true
}

// OneHot replaces every index by a row of length depth, which has the value `on` at the index
// and the value `off` elsewhere. If the index is negative, or depth or more, all values are
// `off`. The row is a new axis of the result: the given axis, or the last for -1; other
// negative axes are an error. The axis belongs to the inner shape, below all ragged axes. The
// values are new. TensorFlow calls it one_hot.
func OneHot[T any, I num.Integer](indices ragged.Tensor[I], depth, axis int, on, off T) (ragged.Tensor[T], error) {
	const op = "one hot"
	var none ragged.Tensor[T]
	lowest := indices.RaggedRank() + 1 // the lowest axis that is accepted
	if indices.RaggedRank() == 0 {
		lowest = 0
	}
	if axis == -1 {
		axis = indices.Rank()
	}
	switch {
	case depth < 0:
		return none, operand.Shapef(op, "want a depth of at least 0, got %d", depth)
	case axis < lowest || axis > indices.Rank():
		return none, fmt.Errorf("%w: %s: axis: want from %d to %d, or -1, got %d", ragged.ErrIndex, op, lowest, indices.Rank(), axis)
	}
	if err := operand.TooMany[T](op, operand.Given(indices), indices.Size(), depth); err != nil {
		return none, err
	}
	// The indices are blocks of cells values. In the result a block has depth*cells values.
	shape := indices.Flat().Shape()
	axis -= indices.RaggedRank()
	cells := product(shape[axis:])
	src := indices.Values()
	out := make([]T, len(src)*depth)
	for i := range out {
		out[i] = off
	}
	for i, v := range src {
		if v < 0 || uint64(v) >= uint64(depth) {
			continue
		}
		block, cell := i/cells, i%cells
		out[(block*depth+int(v))*cells+cell] = on
	}
	shape = append(shape[:axis:axis], append([]int{depth}, shape[axis:]...)...)
	flat, err := ragged.Dense(out, shape...)
	if err != nil {
		return none, operand.Within(op, err)
	}
	return ragged.Wrap(flat, indices.Partitions()...)
}

package ragged

import (
	"fmt"
	"math"
	"slices"

	"github.com/tfparse/tfparse/ragged/internal/limit"
	"github.com/tfparse/tfparse/ragged/internal/short"
)

// A Sparse is a dense tensor of which only some values are stored, as TensorFlow's
// SparseTensor.
type Sparse[T any] struct {
	Indices []int64 // len(Shape) coordinates for every value
	Values  []T
	Shape   []int64 // shape of the dense tensor
}

// Index returns the coordinates of value i, a view of s.Indices. It panics if there is no such
// value.
func (s Sparse[T]) Index(i int) []int64 {
	rank := len(s.Shape)
	return s.Indices[i*rank : (i+1)*rank : (i+1)*rank]
}

// int64s converts sizes.
func int64s(sizes []int) []int64 {
	out := make([]int64, len(sizes))
	for i, n := range sizes {
		out[i] = int64(n)
	}
	return out
}

// ints returns the sizes of s; -1 for a size that an int cannot hold.
func (s Sparse[T]) ints() []int {
	out := make([]int, len(s.Shape))
	for i, n := range s.Shape {
		if out[i] = int(n); int64(out[i]) != n {
			out[i] = -1
		}
	}
	return out
}

// Sparse returns every value with its coordinates, in order; the shape is the
// bounding shape. The values are shared, indices and shape are new. TensorFlow calls it
// RaggedTensor.to_sparse.
func (t Tensor[T]) Sparse() Sparse[T] {
	shape := t.BoundingShape()
	s := Sparse[T]{Values: t.Values(), Shape: int64s(shape)}
	rank := len(shape)
	s.Indices = make([]int64, len(s.Values)*rank)
	switch {
	case len(s.Indices) == 0:
	case rank == 2 && len(t.parts) == 1 && !t.parts[0].uniform:
		short.Pairs(s.Indices, t.Partition(0).splits)
	default:
		c := coordinateWriter{dst: s.Indices, at: make([]int64, rank), parts: t.parts, shape: shape}
		c.writeItems(0, t.lo, t.hi)
	}
	return s
}

// A coordinateWriter writes the coordinates of all values of a tensor.
type coordinateWriter struct {
	dst   []int64     // part of the result that is not written yet
	at    []int64     // coordinates of the current item
	parts []Partition // partitions of the tensor
	shape []int       // bounding shape of the tensor
}

// writeItems writes items lo to hi-1 of an axis.
func (c *coordinateWriter) writeItems(axis, lo, hi int) {
	rank := len(c.at)
	if axis == rank-1 {
		dst := c.dst[:(hi-lo)*rank]
		c.dst = c.dst[len(dst):]
		if rank == 2 {
			for i := range hi - lo {
				dst[2*i], dst[2*i+1] = c.at[0], int64(i)
			}
			return
		}
		for i := range hi - lo {
			cell := dst[i*rank : (i+1)*rank]
			copy(cell, c.at[:rank-1])
			cell[rank-1] = int64(i)
		}
		return
	}
	for i := lo; i < hi; i++ {
		c.at[axis] = int64(i - lo)
		if axis < len(c.parts) {
			p := c.parts[axis]
			c.writeItems(axis+1, p.split(i), p.split(i+1))
		} else {
			c.writeItems(axis+1, 0, c.shape[axis+1])
		}
	}
}

// FromSparse makes a tensor of ragged rank 1 from a sparse matrix. Its entries are in row
// order, and fill every row from the left without a gap. Rows without entries are empty; the
// number of columns does not matter. The values are kept. TensorFlow calls it
// RaggedTensor.from_sparse.
//
// It allocates a split for every row of the shape, so there may be at most MaxEmptyRows more
// rows than entries.
func FromSparse[T any](s Sparse[T]) (Tensor[T], error) {
	if len(s.Shape) != 2 {
		return Tensor[T]{}, shapeErrorf("from sparse: want rank 2, got %d", len(s.Shape))
	}
	if err := s.check(); err != nil {
		return Tensor[T]{}, err
	}
	ids := make([]int64, len(s.Values))
	row, col := int64(-1), int64(0)
	for i := range s.Values {
		r, c := s.Indices[2*i], s.Indices[2*i+1]
		if r < 0 || r >= s.Shape[0] {
			return Tensor[T]{}, indexErrorf("from sparse: entry %d: row %d, but the shape has %d rows", i, r, s.Shape[0])
		}
		if r != row {
			if r < row {
				return Tensor[T]{}, shapeErrorf("from sparse: entry %d: row %d comes after row %d", i, r, row)
			}
			row, col = r, 0
		}
		if c != col {
			return Tensor[T]{}, shapeErrorf("from sparse: entry %d: row %d: want column %d, got %d", i, r, col, c)
		}
		ids[i] = r
		col++
	}
	p, err := FromValueRowIDs(ids, s.Shape[0])
	if err != nil {
		return Tensor[T]{}, err
	}
	return New(s.Values, nil, p)
}

// check compares the number of coordinates with the number of values, and refuses negative sizes.
// Large sizes are not an error: nothing is allocated for them.
func (s Sparse[T]) check() error {
	if len(s.Indices) != len(s.Values)*len(s.Shape) {
		return shapeErrorf("sparse: want %d coordinates for %d values of rank %d, got %d",
			len(s.Values)*len(s.Shape), len(s.Values), len(s.Shape), len(s.Indices))
	}
	for axis, n := range s.Shape {
		if n < 0 {
			return shapeErrorf("sparse: size %d of axis %d is negative", n, axis)
		}
	}
	return nil
}

// Dense returns the dense tensor, with pad where no value is stored. Indices must be within
// the shape, in row-major order, and different. The size of the result is limited as that
// of ToDense. TensorFlow calls it sparse.to_dense.
func (s Sparse[T]) Dense(pad T) (Tensor[T], error) {
	if err := s.check(); err != nil {
		return Tensor[T]{}, err
	}
	shape := s.ints()
	n, err := limit.Values[T](len(s.Values), shape...)
	if err != nil {
		return Tensor[T]{}, shapeErrorf("sparse: dense: %v", err)
	}
	values := slices.Repeat([]T{pad}, n)
	rank, last := len(s.Shape), -1
	for i, v := range s.Values {
		at := 0
		for axis, c := range s.Indices[i*rank : (i+1)*rank] {
			if c < 0 || c >= s.Shape[axis] {
				return Tensor[T]{}, indexErrorf("sparse: entry %d: index %d, but axis %d has size %d", i, axis, c, s.Shape[axis])
			}
			at = at*shape[axis] + int(c)
		}
		if at <= last {
			return Tensor[T]{}, shapeErrorf("sparse: entry %d is out of order or repeated", i)
		}
		values[at], last = v, at
	}
	return dense(values, shape), nil
}

// ConcatSparse joins sparse tensors along an axis, like the dense tensors that they
// represent. Other axes must have the same size. The result is new; its entries are in
// row-major order if the entries of the operands are. TensorFlow calls it sparse.concat.
func ConcatSparse[T any](axis int, operands ...Sparse[T]) (Sparse[T], error) {
	if len(operands) == 0 {
		return Sparse[T]{}, shapeErrorf("concat: no operands")
	}
	rank := len(operands[0].Shape)
	axis, err := axisIn("concat: axis", axis, rank)
	if err != nil {
		return Sparse[T]{}, err
	}
	out := Sparse[T]{Shape: slices.Clone(operands[0].Shape)}
	out.Shape[axis] = 0
	total := 0
	for k, s := range operands {
		if err := s.check(); err != nil {
			return Sparse[T]{}, fmt.Errorf("concat: operand %d: %w", k, err)
		}
		same := len(s.Shape) == rank
		for i := 0; same && i < rank; i++ {
			same = i == axis || s.Shape[i] == out.Shape[i]
		}
		if !same {
			return Sparse[T]{}, shapeErrorf("concat on axis %d: operand %d has shape %v, operand 0 %v", axis, k, s.Shape, operands[0].Shape)
		}
		if s.Shape[axis] > math.MaxInt64-out.Shape[axis] {
			return Sparse[T]{}, shapeErrorf("concat on axis %d: the result is too large", axis)
		}
		out.Shape[axis] += s.Shape[axis]
		total += len(s.Values)
	}
	// Append the entries of every operand; sorted then puts them in order.
	out.Indices, out.Values = make([]int64, 0, total*rank), make([]T, 0, total)
	width := int64(0)
	for _, s := range operands {
		for i := axis; i < len(s.Indices); i += rank {
			out.Indices = append(append(out.Indices, s.Indices[i-axis:i]...), s.Indices[i]+width)
			out.Indices = append(out.Indices, s.Indices[i+1:i-axis+rank]...)
		}
		out.Values = append(out.Values, s.Values...)
		width += s.Shape[axis]
	}
	return out.sorted(), nil
}

// sorted returns the entries in row-major order. It is stable.
func (s Sparse[T]) sorted() Sparse[T] {
	rank := len(s.Shape)
	compare := func(i, j int) int {
		return slices.Compare(s.Indices[i*rank:(i+1)*rank], s.Indices[j*rank:(j+1)*rank])
	}
	order := make([]int, len(s.Values))
	sorted := true
	for i := range order {
		order[i] = i
		sorted = sorted && (i == 0 || compare(i-1, i) <= 0)
	}
	if sorted {
		return s
	}
	slices.SortStableFunc(order, compare)
	out := Sparse[T]{Indices: make([]int64, 0, len(s.Indices)), Values: make([]T, 0, len(s.Values)), Shape: s.Shape}
	for _, i := range order {
		out.Indices = append(out.Indices, s.Indices[i*rank:(i+1)*rank]...)
		out.Values = append(out.Values, s.Values[i])
	}
	return out
}

package shape

import (
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/limit"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// Fill makes a tensor of a shape with all values v. The values are new, the partitions those
// of the shape. Since a shape of any size takes no memory, the result is limited: 2 GiB (128
// MiB where an int has 32 bits), or 4096 values for every ragged row of the shape if that is
// more. TensorFlow calls it fill, and ones for v = 1.
func Fill[T any](s Shape, v T) (ragged.Tensor[T], error) {
	t, err := Zeros[T](s)
	values := t.Values()
	for i := range values {
		values[i] = v
	}
	return t, err
}

// Zeros makes a tensor of a shape with zero values. The values are new; their number is
// limited as in Fill. TensorFlow calls it zeros.
func Zeros[T any](s Shape) (ragged.Tensor[T], error) {
	rows := 0
	for _, p := range s.Partitions() {
		if _, uniform := p.UniformLen(); !uniform {
			rows += p.NumRows()
		}
	}
	n, err := limit.Values[T](rows, s.NumElements())
	if err != nil {
		return ragged.Tensor[T]{}, fmt.Errorf("%w: a tensor of %v: %w", ragged.ErrShape, s.t.Shape(), err)
	}
	return operand.Like(s.t, make([]T, n))
}

// Reshape returns the values of a tensor, in their order, in another shape with the same
// number of values. The values are shared, and so are the partitions of the shape.
// TensorFlow calls it reshape.
func Reshape[T any](t ragged.Tensor[T], s Shape) (ragged.Tensor[T], error) {
	if t.Size() != s.NumElements() {
		return ragged.Tensor[T]{}, fmt.Errorf("%w: reshape: the shape needs %d values, got %d", ragged.ErrShape, s.NumElements(), t.Size())
	}
	return operand.Like(s.t, t.Values())
}

// ReshapeDense is Reshape into a dense shape. One size may be -1: it is computed from the
// number of values. The values are shared. TensorFlow calls it reshape.
func ReshapeDense[T any](t ragged.Tensor[T], sizes ...int) (ragged.Tensor[T], error) {
	sizes = slices.Clone(sizes)
	if i := slices.Index(sizes, -1); i >= 0 {
		sizes[i] = 1
		rest, err := ragged.SizeOf(sizes)
		if err != nil {
			return ragged.Tensor[T]{}, err
		}
		if rest == 0 || t.Size()%rest != 0 {
			return ragged.Tensor[T]{}, fmt.Errorf("%w: reshape: %d values do not determine size %d of %v", ragged.ErrShape, t.Size(), i, sizes)
		}
		sizes[i] = t.Size() / rest
	}
	return ragged.Dense(t.Values(), sizes...)
}

// Broadcast returns the shape that two shapes broadcast to; see ragged.BroadcastShape for
// the rules and the errors. TensorFlow calls it broadcast_dynamic_shape.
func Broadcast(a, b Shape) (Shape, error) {
	t, err := ragged.BroadcastShape(a.t, b.t)
	return Shape{t}, err
}

// BroadcastTo repeats a tensor so that it has a shape; see ragged.BroadcastTo.
// TensorFlow calls it broadcast_to.
func BroadcastTo[T any](t ragged.Tensor[T], s Shape) (ragged.Tensor[T], error) {
	return ragged.BroadcastTo(t, s.t)
}

// Size returns the size of a uniform axis; a negative axis counts from the end.
// TensorFlow writes s[axis].
func (s Shape) Size(axis int) (int, error) {
	rank := s.Rank()
	if axis < -rank || axis >= rank {
		return 0, &ragged.AxisError{Name: "size: axis", Axis: axis, Limit: rank}
	}
	if axis < 0 {
		axis += rank
	}
	n := s.t.Shape()[axis]
	if n < 0 {
		return 0, fmt.Errorf("%w: axis %d is ragged", ragged.ErrShape, axis)
	}
	return n, nil
}

// IsUniform reports whether an axis is uniform: axis 0, an axis of the inner shape, or an axis
// with a uniform partition. Negative axes are an error. TensorFlow calls it
// DynamicRaggedShape.is_uniform.
func (s Shape) IsUniform(axis int) (bool, error) {
	if axis < 0 || axis >= s.Rank() {
		return false, fmt.Errorf("%w: axis %d is not an axis of a shape of rank %d", ragged.ErrIndex, axis, s.Rank())
	}
	return s.t.Shape()[axis] >= 0, nil
}

// Slice returns axes lo to hi-1, with the bounds of a Python slice. If lo is 0, the
// result has the partitions of its axes. Otherwise all axes before hi must be uniform,
// and the result has no partitions. TensorFlow writes s[lo:hi].
func (s Shape) Slice(lo, hi int) (Shape, error) {
	rank := s.Rank()
	lo, hi = clamp(lo, rank), clamp(hi, rank)
	if hi <= lo {
		return New(nil)
	}
	parts, inner := s.Partitions(), s.InnerShape()
	if hi <= len(parts) {
		inner = []int{parts[hi-1].NumRows()}
		parts = parts[:hi-1]
	} else {
		inner = inner[:hi-len(parts)]
	}
	if lo == 0 {
		return New(inner, parts...)
	}
	top, err := New(inner, parts...)
	if err != nil {
		return Shape{}, err
	}
	shape := top.t.Shape()
	if axis := slices.Index(shape, -1); axis >= 0 {
		return Shape{}, fmt.Errorf("%w: slice %d:%d needs uniform axes, but axis %d is ragged", ragged.ErrShape, lo, hi, axis)
	}
	return New(shape[lo:])
}

// clamp converts a bound of a Python slice of n axes to a bound from 0 to n.
func clamp(b, n int) int {
	if b < 0 {
		return max(b+n, 0)
	}
	return min(b, n)
}

// MergeDims merges the axes from outer to inner into one; see ragged.Tensor.MergeDims.
func (s Shape) MergeDims(outer, inner int) (Shape, error) {
	t, err := s.t.MergeDims(outer, inner)
	return Shape{t}, err
}

// WithPartitions returns the same shape with n partitions. The number is less than the rank,
// or 0 for a scalar. Axes that become part of the inner shape must be uniform.
func (s Shape) WithPartitions(n int) (Shape, error) {
	if n < 0 || n > 0 && n >= s.Rank() {
		return Shape{}, fmt.Errorf("%w: want fewer partitions than the rank, got %d for rank %d", ragged.ErrIndex, n, s.Rank())
	}
	parts, inner := s.Partitions(), s.InnerShape()
	for len(parts) > n {
		last := parts[len(parts)-1]
		size, ok := last.UniformLen()
		if !ok {
			return Shape{}, fmt.Errorf("%w: axis %d is ragged and needs a partition", ragged.ErrShape, len(parts))
		}
		inner = slices.Concat([]int{last.NumRows(), size}, inner[1:])
		parts = parts[:len(parts)-1]
	}
	for len(parts) < n {
		p, err := ragged.Uniform(int64(inner[1]), int64(inner[0]))
		if err != nil {
			return Shape{}, err
		}
		parts = append(parts, p)
		inner = slices.Concat([]int{p.NumValues()}, inner[2:])
	}
	return New(inner, parts...)
}

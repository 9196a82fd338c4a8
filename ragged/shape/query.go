package shape

import (
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/ragged"
)

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

// IsUniform reports whether an axis is uniform: axis 0, those of the inner shape, and those
// with a uniform partition. Negative axes are an error. TensorFlow calls it
// DynamicRaggedShape.is_uniform.
func (s Shape) IsUniform(axis int) (bool, error) {
	if axis < 0 || axis >= s.Rank() {
		return false, fmt.Errorf("%w: axis %d of a shape of rank %d", ragged.ErrIndex, axis, s.Rank())
	}
	return s.t.Shape()[axis] >= 0, nil
}

// Slice returns the axes from lo up to but without hi, with the bounds of a Python slice.
// From axis 0 on the result has the partitions of its axes. Otherwise all partitions above
// hi must be uniform, and the result has none. TensorFlow writes s[lo:hi].
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
		return Shape{}, fmt.Errorf("%w: axes %d to %d below ragged axis %d", ragged.ErrShape, lo, hi, axis)
	}
	return New(shape[lo:])
}

// clamp converts a bound of a Python slice of n axes to one from 0 to n.
func clamp(b, n int) int {
	if b < 0 {
		return max(b+n, 0)
	}
	return min(b, n)
}

// MergeDims makes one axis of the axes from outer to inner; see ragged.Tensor.MergeDims.
func (s Shape) MergeDims(outer, inner int) (Shape, error) {
	t, err := s.t.MergeDims(outer, inner)
	return Shape{t}, err
}

// WithPartitions returns the same shape with n partitions. The number is less than the rank,
// or 0 for a scalar. Axes that become part of the inner shape must be uniform.
func (s Shape) WithPartitions(n int) (Shape, error) {
	if n < 0 || n > 0 && n >= s.Rank() {
		return Shape{}, fmt.Errorf("%w: %d partitions for a shape of rank %d", ragged.ErrIndex, n, s.Rank())
	}
	parts, inner := s.Partitions(), s.InnerShape()
	for len(parts) > n {
		last := parts[len(parts)-1]
		size, ok := last.UniformLen()
		if !ok {
			return Shape{}, fmt.Errorf("%w: ragged axis %d in the inner shape", ragged.ErrShape, len(parts))
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

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
		return ragged.Tensor[T]{}, fmt.Errorf("%w: reshape: %d values into a shape of %d", ragged.ErrShape, t.Size(), s.NumElements())
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

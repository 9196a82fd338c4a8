package shape

import (
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/ragged"
)

// Fill makes a tensor of a shape in which every value is v. TensorFlow calls it
// fill, and ones where v is 1.
func Fill[T any](s Shape, v T) ragged.Tensor[T] {
	return with(s, slices.Repeat([]T{v}, s.NumElements()))
}

// Zeros makes a tensor of a shape in which every value is the zero value of T.
func Zeros[T any](s Shape) ragged.Tensor[T] {
	return with(s, make([]T, s.NumElements()))
}

// Reshape puts the values of a tensor, in their order, into another shape of as many
// values. The values are shared.
func Reshape[T any](t ragged.Tensor[T], s Shape) (ragged.Tensor[T], error) {
	if t.Size() != s.NumElements() {
		return ragged.Tensor[T]{}, fmt.Errorf("%w: reshape: %d values into a shape of %d", ragged.ErrShape, t.Size(), s.NumElements())
	}
	return with(s, t.Values()), nil
}

// ReshapeDense is Reshape into a dense shape, in which one size may be -1: what is
// left for it.
func ReshapeDense[T any](t ragged.Tensor[T], sizes ...int) (ragged.Tensor[T], error) {
	sizes = slices.Clone(sizes)
	if i := slices.Index(sizes, -1); i >= 0 {
		sizes[i] = 1
		rest, err := ragged.SizeOf(sizes)
		if err != nil {
			return ragged.Tensor[T]{}, err
		}
		if rest == 0 || t.Size()%rest != 0 {
			return ragged.Tensor[T]{}, fmt.Errorf("%w: reshape: %d values do not tell size %d of %v", ragged.ErrShape, t.Size(), i, sizes)
		}
		sizes[i] = t.Size() / rest
	}
	return ragged.Dense(t.Values(), sizes...)
}

// Broadcast returns the shape that two shapes broadcast to; see ragged.Pairing for
// the rules. TensorFlow calls it broadcast_dynamic_shape.
func Broadcast(a, b Shape) (Shape, error) {
	p, err := ragged.Pair(a.t, b.t)
	return Shape{p.Shape}, err
}

// BroadcastTo repeats a tensor so that it has a shape; see ragged.BroadcastTo.
func BroadcastTo[T any](t ragged.Tensor[T], s Shape) (ragged.Tensor[T], error) {
	return ragged.BroadcastTo(t, s.t)
}

// with puts values into a shape that has as many.
func with[T any](s Shape, values []T) ragged.Tensor[T] {
	t, err := ragged.Like(s.t, values)
	if err != nil {
		panic(err.Error())
	}
	return t
}

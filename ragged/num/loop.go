package num

import (
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// Every operation has a kernel: a function with the loop over the values of slices of the
// same length. It is not concerned with shapes, and makes no call for each value. The
// functions below get the slices for it.

// each applies a kernel to one operand. The result has the shape of t.
func each[T, U any](t ragged.Tensor[T], kernel func(dst []U, x []T)) ragged.Tensor[U] {
	x := t.Values()
	out := make([]U, len(x))
	kernel(out, x)
	return like(t, out)
}

// zip applies a kernel to two operands that broadcast.
func zip[A, B, C any](op string, a ragged.Tensor[A], b ragged.Tensor[B], kernel func(dst []C, x []A, y []B)) (ragged.Tensor[C], error) {
	out, err := ragged.ZipSlices(a, b, func(dst []C, x []A, y []B) error {
		kernel(dst, x, y)
		return nil
	})
	return out, operand.Within(op, err)
}

// zipUntil is zip for a kernel that does not accept all values: it returns how many it has
// done. If there are more, the next value of b is not what is wanted.
func zipUntil[A, B, C any](op, want string, a ragged.Tensor[A], b ragged.Tensor[B], kernel func(dst []C, x []A, y []B) int) (ragged.Tensor[C], error) {
	done := 0 // values of the result
	refused := &ragged.ValueError{Err: ragged.ErrValue, Op: op, Want: want}
	out, err := ragged.ZipSlices(a, b, func(dst []C, x []A, y []B) error {
		n := kernel(dst, x, y)
		if done += n; n < len(dst) {
			refused.Got = y[n]
			return refused
		}
		return nil
	})
	switch {
	case err == nil:
		return out, nil
	case refused.Got != nil:
		refused.At = operand.Coordinates(out, done)
		return ragged.Tensor[C]{}, refused
	}
	return ragged.Tensor[C]{}, operand.Within(op, err)
}

// like gives other values the shape of t. Their number must be that of t.
func like[U, T any](t ragged.Tensor[T], values []U) ragged.Tensor[U] {
	out, err := operand.Like(t, values)
	if err != nil {
		panic("num: " + err.Error()) // the number of values is that of t
	}
	return out
}

package num

import (
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/form"
	"github.com/tfparse/tfparse/ragged/internal/refuse"
)

// The loops over values are written once per operation, as kernels: functions of
// slices that are all equally long and that know nothing of shapes. Only so does the
// compiler make them loops without a call for every value. What is here brings the
// slices together.

// each carries out an operation of one operand. The result has the shape of t.
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
	return out, refuse.Within(op, err)
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
		refused.At = refuse.Coordinates(out, done)
		return ragged.Tensor[C]{}, refused
	}
	return ragged.Tensor[C]{}, refuse.Within(op, err)
}

// like gives the shape of t to as many other values.
func like[U, T any](t ragged.Tensor[T], values []U) ragged.Tensor[U] {
	out, err := form.Like(t, values)
	if err != nil {
		panic("num: " + err.Error()) // there are as many as t has
	}
	return out
}

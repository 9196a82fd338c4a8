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

// zip carries out an operation of two operands that broadcast.
func zip[A, B, C any](op string, a ragged.Tensor[A], b ragged.Tensor[B], kernel func(dst []C, x []A, y []B)) (ragged.Tensor[C], error) {
	p, err := ragged.Pair(a, b)
	if err != nil {
		return ragged.Tensor[C]{}, refuse.Within(op, err)
	}
	out := make([]C, p.Shape.Size())
	for i, block := range ragged.Blocks(p, a, b) {
		kernel(out[i:i+len(block.A)], block.A, block.B)
	}
	return like(p.Shape, out), nil
}

// zipUntil is zip for a kernel that does not take all values: it returns how many it
// has done. If these are not all, the next one of b is not what is wanted.
func zipUntil[A, B, C any](op, want string, a ragged.Tensor[A], b ragged.Tensor[B], kernel func(dst []C, x []A, y []B) int) (ragged.Tensor[C], error) {
	p, err := ragged.Pair(a, b)
	if err != nil {
		return ragged.Tensor[C]{}, refuse.Within(op, err)
	}
	out := make([]C, p.Shape.Size())
	for i, block := range ragged.Blocks(p, a, b) {
		if n := kernel(out[i:i+len(block.A)], block.A, block.B); n < len(block.A) {
			return ragged.Tensor[C]{}, &ragged.ValueError{Err: ragged.ErrValue, Op: op, At: refuse.Coordinates(p.Shape, i+n), Want: want, Got: block.B[n]}
		}
	}
	return like(p.Shape, out), nil
}

// like gives the shape of t to as many other values.
func like[U, T any](t ragged.Tensor[T], values []U) ragged.Tensor[U] {
	out, err := form.Like(t, values)
	if err != nil {
		panic("num: " + err.Error()) // there are as many as t has
	}
	return out
}

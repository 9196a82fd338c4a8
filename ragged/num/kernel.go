package num

import (
	"math"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// A kernel is a reduction of values of type T to one value of type A. Only its functions fold
// and into loop over values; they do not depend on shapes.
type kernel[T, A any] struct {
	start A                    // accumulator before the first value
	empty A                    // result for a ragged row without values
	fold  func(acc A, v []T) A // adds values to one accumulator
	into  func(acc []A, v []T) // adds each value to the accumulator with the same index
}

// sumKernel adds values as numbers of type A. Integers wrap.
func sumKernel[T, A Number]() kernel[T, A] {
	return kernel[T, A]{
		fold: func(acc A, v []T) A {
			for _, x := range v {
				acc += A(x)
			}
			return acc
		},
		into: func(acc []A, v []T) {
			acc = acc[:len(v)]
			for i, x := range v {
				acc[i] += A(x)
			}
		},
	}
}

// squareKernel adds squares. The conversions prevent fused multiply-add, which rounds
// differently from TensorFlow.
func squareKernel[T, A Number]() kernel[T, A] {
	return kernel[T, A]{
		fold: func(acc A, v []T) A {
			for _, x := range v {
				acc += A(A(x) * A(x))
			}
			return acc
		},
		into: func(acc []A, v []T) {
			acc = acc[:len(v)]
			for i, x := range v {
				acc[i] += A(A(x) * A(x))
			}
		},
	}
}

func prodKernel[T Number]() kernel[T, T] {
	return kernel[T, T]{
		start: 1,
		empty: 1,
		fold: func(acc T, v []T) T {
			for _, x := range v {
				acc *= x
			}
			return acc
		},
		into: func(acc, v []T) {
			acc = acc[:len(v)]
			for i, x := range v {
				acc[i] *= x
			}
		},
	}
}

// minKernel and maxKernel return the last of equal values, as TensorFlow does (zeros have two
// signs), and NaN if a value is NaN.
func minKernel[T Number]() kernel[T, T] {
	_, greatest := extremes[T]()
	return kernel[T, T]{
		start: infinity[T](1, greatest),
		empty: greatest,
		fold: func(acc T, v []T) T {
			for _, x := range v {
				if !(acc < x) && acc == acc {
					acc = x
				}
			}
			return acc
		},
		into: func(acc, v []T) {
			acc = acc[:len(v)]
			for i, x := range v {
				if a := acc[i]; !(a < x) && a == a {
					acc[i] = x
				}
			}
		},
	}
}

func maxKernel[T Number]() kernel[T, T] {
	least, _ := extremes[T]()
	return kernel[T, T]{
		start: infinity[T](-1, least),
		empty: least,
		fold: func(acc T, v []T) T {
			for _, x := range v {
				if !(x < acc) && acc == acc {
					acc = x
				}
			}
			return acc
		},
		into: func(acc, v []T) {
			acc = acc[:len(v)]
			for i, x := range v {
				if a := acc[i]; !(x < a) && a == a {
					acc[i] = x
				}
			}
		},
	}
}

func allKernel[B ~bool]() kernel[B, B] {
	return kernel[B, B]{
		start: true,
		empty: true,
		fold: func(acc B, v []B) B {
			for _, x := range v {
				acc = acc && x
			}
			return acc
		},
		into: func(acc, v []B) {
			for i, x := range v {
				acc[i] = acc[i] && x
			}
		},
	}
}

func anyKernel[B ~bool]() kernel[B, B] {
	return kernel[B, B]{
		fold: func(acc B, v []B) B {
			for _, x := range v {
				acc = acc || x
			}
			return acc
		},
		into: func(acc, v []B) {
			for i, x := range v {
				acc[i] = acc[i] || x
			}
		},
	}
}

// funcKernel is the reduction by a function.
func funcKernel[T, A any](start A, f func(acc A, v T) A) kernel[T, A] {
	return kernel[T, A]{
		start: start,
		empty: start,
		fold: func(acc A, v []T) A {
			for _, x := range v {
				acc = f(acc, x)
			}
			return acc
		},
		into: func(acc []A, v []T) {
			for i, x := range v {
				acc[i] = f(acc[i], x)
			}
		},
	}
}

// extremes returns the least and the greatest finite value of a dtype.
func extremes[T Number]() (least, greatest T) {
	switch {
	case isFloat[T]():
		f := math.MaxFloat64
		if one := float64(1<<24 + 1); float64(T(one)) != one { // more bits than a float32 has
			f = math.MaxFloat32
		}
		return -T(f), T(f)
	case !isSigned[T]():
		return 0, T(0) - 1
	}
	high := T(1) // the highest bit below the sign
	for high*2 > high {
		high *= 2
	}
	greatest = high - 1 + high
	return -greatest - 1, greatest
}

// infinity returns the infinity of a sign for floats, and def for integers.
func infinity[T Number](sign int, def T) T {
	if isFloat[T]() {
		return T(math.Inf(sign))
	}
	return def
}

// Every elementwise operation is a function with a loop over slices of the same length. The
// loop does not depend on shapes, and makes no call for each value. The functions below get
// the slices for it.

// each applies a loop to one operand. The result has the shape of t.
func each[T, U any](t ragged.Tensor[T], loop func(dst []U, x []T)) ragged.Tensor[U] {
	x := t.Values()
	out := make([]U, len(x))
	loop(out, x)
	return like(t, out)
}

// zip applies a loop to two operands that broadcast.
func zip[A, B, C any](op string, a ragged.Tensor[A], b ragged.Tensor[B], loop func(dst []C, x []A, y []B)) (ragged.Tensor[C], error) {
	out, err := ragged.ZipSlices(a, b, func(dst []C, x []A, y []B) error {
		loop(dst, x, y)
		return nil
	})
	return out, operand.Within(op, err)
}

// zipUntil is zip for a loop that can reject a value of b. The loop returns the number of
// values processed; if that is less than len(dst), the next value of b breaks the rule want.
func zipUntil[A, B, C any](op, want string, a ragged.Tensor[A], b ragged.Tensor[B], loop func(dst []C, x []A, y []B) int) (ragged.Tensor[C], error) {
	done := 0 // number of values of the result
	refused := &ragged.ValueError{Err: ragged.ErrValue, Op: op, Want: want}
	out, err := ragged.ZipSlices(a, b, func(dst []C, x []A, y []B) error {
		n := loop(dst, x, y)
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

// like returns a tensor with the shape of t and the given values, one for each value of t.
func like[U, T any](t ragged.Tensor[T], values []U) ragged.Tensor[U] {
	out, err := operand.Like(t, values)
	if err != nil {
		panic("num: " + err.Error()) // the number of values is that of t
	}
	return out
}

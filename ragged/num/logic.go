package num

import (
	"fmt"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// Equal returns a == b for each pair of values. NaN equals nothing. Shapes that do not
// broadcast are an error; Python's == is False for them. TensorFlow calls it equal.
// ragged.Equal compares two tensors as a whole.
func Equal[T Value](a, b ragged.Tensor[T]) (ragged.Tensor[bool], error) {
	return zip("equal", a, b, func(dst []bool, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] == y[i]
		}
	})
}

// NotEqual returns a != b for each pair of values. NaN differs from everything. TensorFlow
// calls it not_equal.
func NotEqual[T Value](a, b ragged.Tensor[T]) (ragged.Tensor[bool], error) {
	return zip("not equal", a, b, func(dst []bool, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] != y[i]
		}
	})
}

// Less returns a < b for each pair of values. TensorFlow calls it less.
func Less[T Number](a, b ragged.Tensor[T]) (ragged.Tensor[bool], error) {
	return zip("less", a, b, func(dst []bool, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] < y[i]
		}
	})
}

// LessEqual returns a <= b for each pair of values. TensorFlow calls it less_equal.
func LessEqual[T Number](a, b ragged.Tensor[T]) (ragged.Tensor[bool], error) {
	return zip("less or equal", a, b, func(dst []bool, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] <= y[i]
		}
	})
}

// Greater returns a > b for each pair of values. TensorFlow calls it greater.
func Greater[T Number](a, b ragged.Tensor[T]) (ragged.Tensor[bool], error) {
	return zip("greater", a, b, func(dst []bool, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] > y[i]
		}
	})
}

// GreaterEqual returns a >= b for each pair of values. TensorFlow calls it greater_equal.
func GreaterEqual[T Number](a, b ragged.Tensor[T]) (ragged.Tensor[bool], error) {
	return zip("greater or equal", a, b, func(dst []bool, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] >= y[i]
		}
	})
}

// And returns a && b for each pair of values: Python's &. TensorFlow calls it logical_and.
func And(a, b ragged.Tensor[bool]) (ragged.Tensor[bool], error) {
	return zip("and", a, b, func(dst, x, y []bool) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] && y[i]
		}
	})
}

// Or returns a || b for each pair of values: Python's |. TensorFlow calls it logical_or.
func Or(a, b ragged.Tensor[bool]) (ragged.Tensor[bool], error) {
	return zip("or", a, b, func(dst, x, y []bool) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] || y[i]
		}
	})
}

// Xor returns a != b for each pair of values: Python's ^. TensorFlow calls it logical_xor.
func Xor(a, b ragged.Tensor[bool]) (ragged.Tensor[bool], error) {
	return zip("xor", a, b, func(dst, x, y []bool) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] != y[i]
		}
	})
}

// Not returns !v for each value: Python's ~. TensorFlow calls it logical_not.
func Not(t ragged.Tensor[bool]) ragged.Tensor[bool] {
	return each(t, func(dst, x []bool) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = !x[i]
		}
	})
}

// BitAnd returns the bits that are set in both operands. TensorFlow calls it bitwise_and.
func BitAnd[T Integer](a, b ragged.Tensor[T]) (ragged.Tensor[T], error) {
	return zip("bitwise and", a, b, func(dst, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] & y[i]
		}
	})
}

// BitOr returns the bits that are set in either operand. TensorFlow calls it bitwise_or.
func BitOr[T Integer](a, b ragged.Tensor[T]) (ragged.Tensor[T], error) {
	return zip("bitwise or", a, b, func(dst, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] | y[i]
		}
	})
}

// BitXor returns the bits in which the operands differ. TensorFlow calls it bitwise_xor.
func BitXor[T Integer](a, b ragged.Tensor[T]) (ragged.Tensor[T], error) {
	return zip("bitwise xor", a, b, func(dst, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] ^ y[i]
		}
	})
}

// BitNot returns the bits that are not set. TensorFlow calls it invert.
func BitNot[T Integer](t ragged.Tensor[T]) ragged.Tensor[T] {
	return each(t, func(dst, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = ^x[i]
		}
	})
}

// ShiftLeft shifts the bits of a to the left by b. A shift below 0 counts as 0, a shift of
// the width of T or more as the width less 1. TensorFlow calls it left_shift.
func ShiftLeft[T Integer](a, b ragged.Tensor[T]) (ragged.Tensor[T], error) {
	top := T(widthOf[T]() - 1)
	return zip("shift left", a, b, func(dst, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] << uint64(max(0, min(top, y[i])))
		}
	})
}

// ShiftRight shifts the bits of a to the right by b. From the left it adds copies of the sign
// bit, or 0 for unsigned integers. Shifts are limited as in ShiftLeft. TensorFlow calls it
// right_shift.
func ShiftRight[T Integer](a, b ragged.Tensor[T]) (ragged.Tensor[T], error) {
	top := T(widthOf[T]() - 1)
	return zip("shift right", a, b, func(dst, x, y []T) {
		x, y = x[:len(dst)], y[:len(dst)]
		for i := range dst {
			dst[i] = x[i] >> uint64(max(0, min(top, y[i])))
		}
	})
}

// CheckNumerics returns a ragged.ValueError for the first value that is infinite or NaN.
// TensorFlow calls it check_numerics.
func CheckNumerics[T Float](t ragged.Tensor[T]) error {
	for i, v := range t.Values() {
		if v-v != 0 {
			return &ragged.ValueError{Err: ragged.ErrValue, Op: "check numerics", At: operand.Coordinates(t, i), Want: "a finite number", Got: v}
		}
	}
	return nil
}

// CheckEqual returns a ragged.ValueError for the first pair of values of a and b, broadcast,
// that are not equal. TensorFlow calls it assert_equal.
func CheckEqual[T Value](a, b ragged.Tensor[T]) error {
	return check("check equal", "", a, b, func(x, y T) bool { return x == y })
}

// CheckNoneEqual returns a ragged.ValueError for the first pair of equal values.
// TensorFlow calls it assert_none_equal.
func CheckNoneEqual[T Value](a, b ragged.Tensor[T]) error {
	return check("check none equal", "other than ", a, b, func(x, y T) bool { return x != y })
}

// CheckLess returns a ragged.ValueError for the first pair for which a < b is false.
// TensorFlow calls it assert_less; for assert_greater exchange the operands.
func CheckLess[T Number](a, b ragged.Tensor[T]) error {
	return check("check less", "less than ", a, b, func(x, y T) bool { return x < y })
}

// CheckLessEqual returns a ragged.ValueError for the first pair for which a <= b is false.
// TensorFlow calls it assert_less_equal; for assert_greater_equal exchange the
// operands.
func CheckLessEqual[T Number](a, b ragged.Tensor[T]) error {
	return check("check less or equal", "at most ", a, b, func(x, y T) bool { return x <= y })
}

// check returns an error for the first pair of values for which a relation does not hold.
func check[T any](op, relation string, a, b ragged.Tensor[T], holds func(x, y T) bool) error {
	done := 0 // number of pairs of values that were accepted
	refused := &ragged.ValueError{Err: ragged.ErrValue, Op: op}
	shape, err := ragged.ZipSlices(a, b, func(_ []struct{}, x, y []T) error {
		for i := range x {
			if !holds(x[i], y[i]) {
				done += i
				refused.Want, refused.Got = relation+fmt.Sprint(y[i]), x[i]
				return refused
			}
		}
		done += len(x)
		return nil
	})
	if refused.Got != nil {
		refused.At = operand.Coordinates(shape, done)
		return refused
	}
	return operand.Within(op, err)
}

package num

import (
	"fmt"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

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
	done := 0 // pairs of values
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

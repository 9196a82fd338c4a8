package num

import (
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/refuse"
)

// ErrValue is wrapped by every error about a value that an operation does not take.
var ErrValue = errors.New("num: value not accepted")

// A ValueError says which value an operation does not take. It wraps ErrValue.
type ValueError struct {
	Op   string // the operation, such as "floor divide"
	At   []int  // the coordinates of the value, one per axis
	Want string // the rule, such as "a divisor other than 0"
	Got  any    // the value
}

// Error gives the operation, the coordinates, and what was wanted and got.
func (e *ValueError) Error() string {
	return fmt.Sprintf("%v: %s: at %v: want %s, got %v", ErrValue, e.Op, e.At, e.Want, e.Got)
}

// Unwrap returns ErrValue.
func (e *ValueError) Unwrap() error { return ErrValue }

// coordinates returns where the flat value i of a tensor stands, one number per
// axis. It looks at every row and is meant for errors.
func coordinates[T any](t ragged.Tensor[T], i int) []int {
	at := make([]int, t.Rank())
	if len(at) == 0 {
		return at
	}
	inner := t.InnerShape()
	for axis := len(inner) - 1; axis >= 0; axis-- {
		at[1+t.RaggedRank()+axis] = i % inner[axis]
		i /= inner[axis]
	}
	// i is an item now: find the row that holds it, and that row's row, and so on.
	for level := t.RaggedRank() - 1; level >= 0; level-- {
		p := t.Partition(level)
		row := 0
		for {
			lo, hi := p.Bounds(row)
			if i < hi {
				i, at[level+1] = row, i-lo
				break
			}
			row++
		}
	}
	at[0] = i
	return at
}

// CheckNumerics returns a ValueError for the first value that is infinite or NaN.
// TensorFlow calls it check_numerics.
func CheckNumerics[T Float](t ragged.Tensor[T]) error {
	for i, v := range t.Values() {
		if v-v != 0 {
			return &ValueError{Op: "check numerics", At: coordinates(t, i), Want: "a finite number", Got: v}
		}
	}
	return nil
}

// CheckEqual returns a ValueError for the first place where a and b, which broadcast,
// are not equal. TensorFlow calls it assert_equal.
func CheckEqual[T Value](a, b ragged.Tensor[T]) error {
	return check("check equal", "", a, b, func(x, y T) bool { return x == y })
}

// CheckNoneEqual returns a ValueError for the first place where a and b are equal.
// TensorFlow calls it assert_none_equal.
func CheckNoneEqual[T Value](a, b ragged.Tensor[T]) error {
	return check("check none equal", "other than ", a, b, func(x, y T) bool { return x != y })
}

// CheckLess returns a ValueError for the first place where a < b is false.
// TensorFlow calls it assert_less; for assert_greater exchange the operands.
func CheckLess[T Number](a, b ragged.Tensor[T]) error {
	return check("check less", "less than ", a, b, func(x, y T) bool { return x < y })
}

// CheckLessEqual returns a ValueError for the first place where a <= b is false.
// TensorFlow calls it assert_less_equal; for assert_greater_equal exchange the
// operands.
func CheckLessEqual[T Number](a, b ragged.Tensor[T]) error {
	return check("check less or equal", "at most ", a, b, func(x, y T) bool { return x <= y })
}

// check looks for the first place where a relation does not hold.
func check[T any](op, relation string, a, b ragged.Tensor[T], holds func(x, y T) bool) error {
	p, err := ragged.Pair(a, b)
	if err != nil {
		return refuse.Within(op, err)
	}
	for i, block := range ragged.Blocks(p, a, b) {
		for k, x := range block.A {
			if y := block.B[k]; !holds(x, y) {
				return &ValueError{Op: op, At: coordinates(p.Shape, i+k), Want: relation + fmt.Sprint(y), Got: x}
			}
		}
	}
	return nil
}

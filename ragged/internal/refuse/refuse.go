// Package refuse has the checks of operands that the packages below ragged share, and the
// errors that say in which operation they failed.
package refuse

import (
	"fmt"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/limit"
)

// Shapef returns an error of operands that do not fit.
func Shapef(op, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ragged.ErrShape, op, fmt.Sprintf(format, args...))
}

// Within says in which operation an error occurred, if there is one.
func Within(op string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", op, err)
}

// Axis makes an axis that may count from the end positive.
func Axis(name string, axis, rank int) (int, error) {
	if axis < -rank || axis >= rank {
		return 0, &ragged.AxisError{Name: name, Axis: axis, Limit: rank}
	}
	if axis < 0 {
		axis += rank
	}
	return axis, nil
}

// TooMany returns an error if an operation must not make that number of values of type T, the
// product of the sizes, of operands that have `given` values and rows; see package limit.
func TooMany[T any](op string, given int, sizes ...int) error {
	if _, err := limit.Values[T](given, sizes...); err != nil {
		return Shapef(op, "%v", err)
	}
	return nil
}

// Given returns how many values and rows the operand t has: what TooMany compares with.
func Given[T any](t ragged.Tensor[T]) int {
	n := t.Size()
	for _, p := range t.Partitions() {
		if _, uniform := p.UniformLen(); !uniform {
			n += p.NumRows()
		}
	}
	return n
}

// Coordinates returns where the flat value i of a tensor stands, one number per
// axis. It looks at every row and is meant for errors.
func Coordinates[T any](t ragged.Tensor[T], i int) []int {
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

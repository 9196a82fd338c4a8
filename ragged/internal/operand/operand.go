// Package operand has helpers for operations on tensors: checks of operands, errors with the
// name of the operation, results in the shape of an operand, loops along an axis.
package operand

import (
	"fmt"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/limit"
)

// Shapef returns an error about operands that do not fit each other.
func Shapef(op, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ragged.ErrShape, op, fmt.Sprintf(format, args...))
}

// Within puts the name of the operation before an error; nil stays nil.
func Within(op string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", op, err)
}

// Axis checks an axis of a tensor of the given rank. It returns axis -1 as rank-1. The name
// of the argument is for the error.
func Axis(name string, axis, rank int) (int, error) {
	if axis < -rank || axis >= rank {
		return 0, &ragged.AxisError{Name: name, Axis: axis, Limit: rank}
	}
	if axis < 0 {
		axis += rank
	}
	return axis, nil
}

// TooMany returns an error if a result of type T is over the limit: its size is the product
// of sizes, and the operands have `given` values and rows. See package limit.
func TooMany[T any](op string, given int, sizes ...int) error {
	if _, err := limit.Values[T](given, sizes...); err != nil {
		return Shapef(op, "%v", err)
	}
	return nil
}

// Given returns the number of values and rows of an operand, for TooMany.
func Given[T any](t ragged.Tensor[T]) int {
	n := t.Size()
	for _, p := range t.Partitions() {
		if _, uniform := p.UniformLen(); !uniform {
			n += p.NumRows()
		}
	}
	return n
}

// Coordinates returns the index on every axis of flat value i of a tensor. It is for errors:
// it takes time in proportion to the number of rows.
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
	// Now i is the index of an item: find its row on each level, from the innermost outwards.
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

// Like returns a tensor with the shape and partitions of t and the given values. The values
// are kept, the partitions shared. If t has more or fewer values, the error wraps
// ragged.ErrShape.
func Like[U, T any](t ragged.Tensor[T], values []U) (ragged.Tensor[U], error) {
	if t.RaggedRank() == 0 {
		return ragged.Dense(values, t.Shape()...)
	}
	return ragged.New(values, t.InnerShape(), t.Partitions()...)
}

// Along visits the values of a tensor in groups: the values of a group differ only in their
// index on one axis, which must have no ragged axis below it. A group has n values; at is the
// flat position of the first value, and step the distance between two values.
func Along[T any](t ragged.Tensor[T], axis int, visit func(at, n, step int)) {
	levels := t.RaggedRank()
	if t.Size() == 0 {
		return
	}
	if axis == levels && levels > 0 {
		cell := product(t.InnerShape())
		p := t.Partition(levels - 1)
		for r := range p.NumRows() {
			lo, hi := p.Bounds(r)
			for c := 0; c < cell && lo < hi; c++ {
				visit(lo*cell+c, hi-lo, cell)
			}
		}
		return
	}
	shape := t.Flat().Shape()
	axis -= levels
	outer, n, block := product(shape[:axis]), shape[axis], product(shape[axis+1:])
	for o := range outer {
		for c := range block {
			visit(o*n*block+c, n, block)
		}
	}
}

func product(sizes []int) int {
	n := 1
	for _, size := range sizes {
		n *= size
	}
	return n
}

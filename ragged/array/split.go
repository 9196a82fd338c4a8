package array

import (
	"math"
	"slices"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// Split divides a tensor along a uniform axis into n parts of the same size; a negative axis
// counts from the end. With n = 1 the axis may be ragged. On axis 0 the parts are views.
// TensorFlow calls it split.
func Split[T any](t ragged.Tensor[T], axis, n int) ([]ragged.Tensor[T], error) {
	if n < 1 {
		return nil, operand.Shapef("split", "want at least 1 part, got %d", n)
	}
	if n == 1 {
		if _, err := operand.Axis("split: axis", axis, t.Rank()); err != nil {
			return nil, err
		}
		return []ragged.Tensor[T]{t}, nil
	}
	axis, size, err := uniformAxis(t, axis)
	if err != nil {
		return nil, err
	}
	if size%n != 0 {
		return nil, operand.Shapef("split", "axis %d of size %d does not divide into %d parts", axis, size, n)
	}
	if err := operand.TooMany[ragged.Tensor[T]]("split", operand.Given(t), n); err != nil {
		return nil, err
	}
	return splitAxis(t, axis, slices.Repeat([]int{size / n}, n))
}

// SplitSizes is Split into parts of given sizes, whose sum is the size of the axis.
// TensorFlow calls it split, with a list of sizes.
func SplitSizes[T any](t ragged.Tensor[T], axis int, sizes ...int) ([]ragged.Tensor[T], error) {
	axis, size, err := uniformAxis(t, axis)
	if err != nil {
		return nil, err
	}
	total := 0
	for i, n := range sizes {
		if n < 0 {
			return nil, operand.Shapef("split", "part %d: want a size of at least 0, got %d", i, n)
		}
		if n > math.MaxInt-total {
			return nil, operand.Shapef("split", "axis %d: want parts of %d together, got more", axis, size)
		}
		total += n
	}
	if total != size {
		return nil, operand.Shapef("split", "axis %d: want parts of %d together, got %d", axis, size, total)
	}
	return splitAxis(t, axis, sizes)
}

// uniformAxis returns a uniform axis and its size.
func uniformAxis[T any](t ragged.Tensor[T], axis int) (pos, size int, err error) {
	pos, err = operand.Axis("split: axis", axis, t.Rank())
	if err != nil {
		return 0, 0, err
	}
	if size = t.Shape()[pos]; size < 0 {
		return 0, 0, operand.Shapef("split", "axis %d is ragged", pos)
	}
	return pos, size, nil
}

// splitAxis returns parts of given sizes, one after another.
func splitAxis[T any](t ragged.Tensor[T], axis int, sizes []int) ([]ragged.Tensor[T], error) {
	parts := make([]ragged.Tensor[T], len(sizes))
	keys := slices.Repeat([]ragged.Key{ragged.SliceAll()}, axis+1)
	at := 0
	for i, n := range sizes {
		if axis == 0 {
			parts[i] = t.Slice(at, at+n)
		} else {
			keys[axis] = ragged.Slice(at, at+n)
			var err error
			if parts[i], err = t.Index(keys...); err != nil {
				return nil, operand.Within("split", err)
			}
		}
		at += n
	}
	return parts, nil
}

// Reverse reverses the order of the items of axes; negative ones count from the end. On a
// ragged axis every row is reversed by itself. An axis must not be given twice.
// Uniform axes stay uniform. The values are new, unless there are no axes.
// TensorFlow calls it reverse.
func Reverse[T any](t ragged.Tensor[T], axes []int) (ragged.Tensor[T], error) {
	keys := slices.Repeat([]ragged.Key{ragged.SliceAll()}, t.Rank())
	seen := make([]bool, t.Rank())
	for _, axis := range axes {
		pos, err := operand.Axis("reverse: axis", axis, t.Rank())
		if err != nil {
			return ragged.Tensor[T]{}, err
		}
		if seen[pos] {
			return ragged.Tensor[T]{}, operand.Shapef("reverse", "axis %d is given twice", pos)
		}
		seen[pos], keys[pos] = true, ragged.SliceAll().By(-1)
	}
	switch {
	case len(axes) == 0:
		return t, nil
	case len(axes) == 1 && seen[t.Rank()-1]: // the partitions stay
		values := slices.Clone(t.Values())
		lastRows(t, func(lo, hi int) { slices.Reverse(values[lo:hi]) })
		return operand.Like(t, values)
	}
	return t.Index(keys...)
}

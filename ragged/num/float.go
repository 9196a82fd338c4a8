package num

import (
	"fmt"
	"math"
	"slices"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// Functions of package math are computed in float64 and rounded to T.

// Sqrt returns the square roots, NaN for negative values. TensorFlow calls it sqrt.
func Sqrt[T Float](t ragged.Tensor[T]) ragged.Tensor[T] {
	return each(t, func(dst, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = T(math.Sqrt(float64(x[i])))
		}
	})
}

// Exp returns e to the power of the values. TensorFlow calls it exp.
func Exp[T Float](t ragged.Tensor[T]) ragged.Tensor[T] {
	return ragged.Map(t, func(v T) T { return T(math.Exp(float64(v))) })
}

// Log returns the natural logarithms: minus infinity for 0, NaN for negative values.
// TensorFlow calls it log.
func Log[T Float](t ragged.Tensor[T]) ragged.Tensor[T] {
	return ragged.Map(t, func(v T) T { return T(math.Log(float64(v))) })
}

// Log1p returns the natural logarithms of 1+v, exact also for v near 0. TensorFlow calls it
// log1p.
func Log1p[T Float](t ragged.Tensor[T]) ragged.Tensor[T] {
	return ragged.Map(t, func(v T) T { return T(math.Log1p(float64(v))) })
}

// Sigmoid returns 1 / (1 + exp(-v)). TensorFlow calls it sigmoid.
func Sigmoid[T Float](t ragged.Tensor[T]) ragged.Tensor[T] {
	return ragged.Map(t, func(v T) T { return T(1 / (1 + math.Exp(-float64(v)))) })
}

// Tanh returns the hyperbolic tangents. TensorFlow calls it tanh.
func Tanh[T Float](t ragged.Tensor[T]) ragged.Tensor[T] {
	return ragged.Map(t, func(v T) T { return T(math.Tanh(float64(v))) })
}

// Relu replaces negative values by 0. NaN stays. TensorFlow calls it relu.
func Relu[T Number](t ragged.Tensor[T]) ragged.Tensor[T] {
	return each(t, func(dst, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = max(0, x[i])
		}
	})
}

// Floor rounds towards minus infinity. TensorFlow calls it floor.
func Floor[T Float](t ragged.Tensor[T]) ragged.Tensor[T] {
	return each(t, func(dst, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = T(math.Floor(float64(x[i])))
		}
	})
}

// Ceil rounds towards infinity. TensorFlow calls it ceil.
func Ceil[T Float](t ragged.Tensor[T]) ragged.Tensor[T] {
	return each(t, func(dst, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = T(math.Ceil(float64(x[i])))
		}
	})
}

// Round rounds to the nearest whole number, halves to the even number. Integers stay; the
// result then shares their memory. TensorFlow calls it round and, for floats, rint.
func Round[T Number](t ragged.Tensor[T]) ragged.Tensor[T] {
	if !isFloat[T]() {
		return t
	}
	return each(t, func(dst, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = T(math.RoundToEven(float64(x[i])))
		}
	})
}

// IsNaN reports for each value whether it is NaN. TensorFlow calls it is_nan.
func IsNaN[T Float](t ragged.Tensor[T]) ragged.Tensor[bool] {
	return each(t, func(dst []bool, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = x[i] != x[i]
		}
	})
}

// IsInf reports for each value whether it is infinite. TensorFlow calls it is_inf.
func IsInf[T Float](t ragged.Tensor[T]) ragged.Tensor[bool] {
	return each(t, func(dst []bool, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = math.IsInf(float64(x[i]), 0)
		}
	})
}

// IsFinite reports for each value whether it is neither infinite nor NaN. TensorFlow calls it is_finite.
func IsFinite[T Float](t ragged.Tensor[T]) ragged.Tensor[bool] {
	return each(t, func(dst []bool, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = x[i]-x[i] == 0
		}
	})
}

// FilledLike returns a tensor in the shape of t whose values are all v: FilledLike(t,
// float32(1)). TensorFlow calls it ones_like, zeros_like, or fill with the shape of t.
func FilledLike[U, T any](t ragged.Tensor[T], v U) ragged.Tensor[U] {
	out := make([]U, t.Size())
	for i := range out {
		out[i] = v
	}
	return like(t, out)
}

// AddN returns the sum of tensors that all have the same shape; it does not broadcast.
// Integers wrap. A partition of the result is uniform if it is uniform in any operand.
// TensorFlow calls it add_n.
func AddN[T Number](ts ...ragged.Tensor[T]) (ragged.Tensor[T], error) {
	if len(ts) == 0 {
		return ragged.Tensor[T]{}, fmt.Errorf("add n: %w: no operands", ragged.ErrShape)
	}
	first := ts[0]
	sum, parts := slices.Clone(first.Values()), first.Partitions()
	for i, t := range ts[1:] {
		if !ragged.SameShape(first, t) {
			return ragged.Tensor[T]{}, fmt.Errorf("add n: operand %d: %w", i+1, shapeDifference(first, t))
		}
		keepUniform(parts, t)
		for k, v := range t.Values() {
			sum[k] += v
		}
	}
	if len(parts) == 0 {
		return like(first, sum), nil
	}
	return ragged.New(sum, first.InnerShape(), parts...)
}

// MapFlat applies f to the flat values of t, a dense tensor, and puts the partitions of t
// around the result of f, which must have as many items; its type and inner shape may differ.
// It is for operations on dense tensors and on the innermost axes. TensorFlow calls it
// map_flat_values.
func MapFlat[T, U any](t ragged.Tensor[T], f func(ragged.Tensor[T]) (ragged.Tensor[U], error)) (ragged.Tensor[U], error) {
	items, err := f(t.Flat())
	if err != nil {
		return ragged.Tensor[U]{}, err
	}
	if t.RaggedRank() == 0 {
		return items, nil
	}
	out, err := ragged.Wrap(items, t.Partitions()...)
	return out, operand.Within("map flat", err)
}

// ZipFlat is MapFlat for two tensors with the same partitions. A partition of the result is
// uniform if it is uniform in a or b. TensorFlow calls it map_flat_values.
func ZipFlat[A, B, C any](a ragged.Tensor[A], b ragged.Tensor[B], f func(ragged.Tensor[A], ragged.Tensor[B]) (ragged.Tensor[C], error)) (ragged.Tensor[C], error) {
	var none ragged.Tensor[C]
	if a.RaggedRank() != b.RaggedRank() {
		return none, fmt.Errorf("zip flat: %w: want equal ragged ranks, got %d and %d", ragged.ErrShape, a.RaggedRank(), b.RaggedRank())
	}
	parts := a.Partitions()
	for level, p := range parts {
		if !p.Equal(b.Partition(level)) {
			return none, fmt.Errorf("zip flat: %w", shapeDifference(a, b))
		}
	}
	keepUniform(parts, b)
	items, err := f(a.Flat(), b.Flat())
	if err != nil || len(parts) == 0 {
		return items, err
	}
	out, err := ragged.Wrap(items, parts...)
	return out, operand.Within("zip flat", err)
}

// keepUniform replaces partitions by the uniform ones of t, which has equal partitions.
func keepUniform[T any](parts []ragged.Partition, t ragged.Tensor[T]) {
	for level := range parts {
		p := t.Partition(level)
		if _, ok := p.UniformLen(); ok {
			parts[level] = p
		}
	}
}

// shapeDifference returns an error with the first difference between the rows of two tensors.
func shapeDifference[T, U any](a ragged.Tensor[T], b ragged.Tensor[U]) error {
	for level := range min(a.RaggedRank(), b.RaggedRank()) {
		p, q := a.Partition(level), b.Partition(level)
		for row := range min(p.NumRows(), q.NumRows()) {
			if want, got := p.RowLen(row), q.RowLen(row); want != got {
				return fmt.Errorf("%w: axis %d, row %d: want length %d, got %d", ragged.ErrShape, level+1, row, want, got)
			}
		}
	}
	return fmt.Errorf("%w: want equal shapes, got %v and %v", ragged.ErrShape, a.Shape(), b.Shape())
}

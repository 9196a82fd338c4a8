package num

import (
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// Axes are the axes over which an operation combines values, and which the result does not
// have. They are made by Over or OverAll; the zero Axes is OverAll.
type Axes struct {
	axes []int // arguments of Over; nil for OverAll
	some bool  // Over, not OverAll: only the axes in axes are combined
	keep bool  // axes of size 1 remain
}

// Over selects axes; negative axes count from the end. The order does not matter, and no axis
// may be given twice. Over() selects no axis: each value is combined alone. TensorFlow calls
// it axis.
func Over(axes ...int) Axes { return Axes{axes: slices.Clone(axes), some: true} }

// OverAll selects all axes: the result is a single value. Row partitions do not matter, so
// Min of an empty tensor of floats is +Inf and Max is -Inf. TensorFlow calls it axis=None.
func OverAll() Axes { return Axes{} }

// Keep gives the result a uniform axis of size 1 for each axis that is combined, so that it
// broadcasts with the operand. TensorFlow calls it keepdims.
func (a Axes) Keep() Axes {
	a.keep = true
	return a
}

// resolve returns the selected axes of a tensor, the last first.
func (a Axes) resolve(op string, rank int) ([]int, error) {
	axes := make([]int, len(a.axes))
	for i, axis := range a.axes {
		var err error
		if axes[i], err = axisIn(op, axis, rank); err != nil {
			return nil, err
		}
	}
	slices.Sort(axes)
	slices.Reverse(axes)
	for i := 1; i < len(axes); i++ {
		if axes[i] == axes[i-1] {
			return nil, fmt.Errorf("%s: %w: axis %d is given twice", op, ragged.ErrIndex, axes[i])
		}
	}
	return axes, nil
}

// axisIn checks an axis of a tensor of the given rank. It returns axis -1 as rank-1.
func axisIn(op string, axis, rank int) (int, error) {
	axis, err := operand.Axis("axis", axis, rank)
	return axis, operand.Within(op, err)
}

// Sum returns sums. The sum of no values is 0; integers wrap. TensorFlow calls it reduce_sum.
func Sum[T Number](t ragged.Tensor[T], over Axes) (ragged.Tensor[T], error) {
	return reduceSame("sum", t, over, sumKernel[T, T]())
}

// Prod returns products. The product of no values is 1; integers wrap. TensorFlow calls it
// reduce_prod.
func Prod[T Number](t ragged.Tensor[T], over Axes) (ragged.Tensor[T], error) {
	return reduceSame("product", t, over, prodKernel[T]())
}

// Min returns the least values, NaN if a value is NaN. The minimum of no values along a
// ragged axis is the greatest finite value of the dtype; along a dense axis it is +Inf for
// floats and the greatest value for integers. The last of several axes is reduced first, and
// each by this rule: Over(0, 1) of a tensor without rows is +Inf. TensorFlow calls it
// reduce_min.
func Min[T Number](t ragged.Tensor[T], over Axes) (ragged.Tensor[T], error) {
	return reduceSame("minimum", t, over, minKernel[T]())
}

// Max returns the greatest values, NaN if a value is NaN. The maximum of no values is the
// least finite value of the dtype or -Inf, by the rule of Min. TensorFlow calls it
// reduce_max.
func Max[T Number](t ragged.Tensor[T], over Axes) (ragged.Tensor[T], error) {
	return reduceSame("maximum", t, over, maxKernel[T]())
}

// All reports whether all values are true. Without values it is true. TensorFlow calls it
// reduce_all.
func All[B ~bool](t ragged.Tensor[B], over Axes) (ragged.Tensor[B], error) {
	return reduceSame("all", t, over, allKernel[B]())
}

// Any reports whether any value is true. Without values it is false. TensorFlow calls it reduce_any.
func Any[B ~bool](t ragged.Tensor[B], over Axes) (ragged.Tensor[B], error) {
	return reduceSame("any", t, over, anyKernel[B]())
}

// Reduce combines values with a function: it calls f with the result so far, at first start,
// and the next value. The result for no values is start. Several axes are combined one by
// one, the last first, so f must be associative and start neutral. The values are new.
// TensorFlow has no such function.
func Reduce[T any](t ragged.Tensor[T], over Axes, start T, f func(acc, v T) T) (ragged.Tensor[T], error) {
	return reduceSame("reduce", t, over, funcKernel(start, f))
}

// reduceSame is reduce for a kernel whose result has the type of the values.
func reduceSame[T any](op string, t ragged.Tensor[T], over Axes, k kernel[T, T]) (ragged.Tensor[T], error) {
	if over.some && len(over.axes) == 0 {
		return t, nil
	}
	return reduce(op, t, over, k, k)
}

// reduce combines values over axes one by one: over the last axis with the kernel first, then
// over the other axes with the kernel next.
func reduce[T, A any](op string, t ragged.Tensor[T], over Axes, first kernel[T, A], next kernel[A, A]) (ragged.Tensor[A], error) {
	if !over.some {
		one := ragged.Scalar(first.fold(first.start, t.Values()))
		if over.keep {
			return ragged.Dense(one.Values(), slices.Repeat([]int{1}, t.Rank())...)
		}
		return one, nil
	}
	axes, err := over.resolve(op, t.Rank())
	if err != nil {
		return ragged.Tensor[A]{}, err
	}
	if len(axes) == 0 {
		out := make([]A, t.Size())
		for i, v := range t.Values() {
			out[i] = first.fold(first.start, []T{v})
		}
		return operand.Like(t, out)
	}
	out, err := along(t, axes[0], stepKernel(first, t, t, axes[0]))
	for i, axis := range axes {
		if err == nil && i > 0 {
			out, err = along(out, axis, stepKernel(next, t, out, axis))
		}
		if err == nil && over.keep {
			out, err = newAxis(out, axis)
		}
	}
	return out, operand.Within(op, err)
}

// stepKernel returns the kernel for one step of the reduction of t: over an axis of now,
// the result of the earlier steps. If t has no values, each step has its own result for
// no values: k.empty on a ragged axis, k.start on a dense axis. So in TensorFlow the
// minimum of no rows of floats over axes 1 and 0 is +Inf, since axis 1 leaves a dense
// tensor without values, but the minimum of two empty rows is the greatest finite number.
func stepKernel[T, A, U, V any](k kernel[T, A], t ragged.Tensor[U], now ragged.Tensor[V], axis int) kernel[T, A] {
	if levels := now.RaggedRank(); t.Size() == 0 && levels > 0 && axis <= levels {
		k.start = k.empty
	}
	return k
}

// newAxis adds a uniform axis of size 1.
func newAxis[T any](t ragged.Tensor[T], axis int) (ragged.Tensor[T], error) {
	keys := make([]ragged.Key, axis+1)
	keys[axis] = ragged.NewAxis()
	return t.Index(keys...)
}

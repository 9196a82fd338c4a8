package num

import (
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/form"
	"github.com/tfparse/tfparse/ragged/internal/refuse"
)

// Axes says over which axes an operation combines values: those that it takes away.
// It is made by Over or OverAll; the zero Axes is OverAll.
type Axes struct {
	axes []int
	some bool // these axes only
	keep bool
}

// Over is a choice of axes; negative ones count from the end. The order does not matter,
// and no axis is given twice. Over() chooses none: what is combined is each value alone.
// TensorFlow calls it axis.
func Over(axes ...int) Axes { return Axes{axes: slices.Clone(axes), some: true} }

// OverAll is all axes: the result is a single value. Row partitions do not matter then,
// and an empty tensor of floats has the least value +Inf and the greatest -Inf.
// TensorFlow calls it axis=None.
func OverAll() Axes { return Axes{} }

// Keep leaves an axis of size 1 where an axis was taken away, so that the result
// broadcasts against the operand. It is uniform. TensorFlow calls it keepdims.
func (a Axes) Keep() Axes {
	a.keep = true
	return a
}

// resolve returns the chosen axes of a tensor, the last first.
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

// axisIn makes an axis that may count from the end positive.
func axisIn(op string, axis, rank int) (int, error) {
	axis, err := refuse.Axis("axis", axis, rank)
	return axis, refuse.Within(op, err)
}

// Sum adds. The sum of nothing is 0; integers wrap. TensorFlow calls it reduce_sum.
func Sum[T Number](t ragged.Tensor[T], over Axes) (ragged.Tensor[T], error) {
	return reduceSame("sum", t, over, sumKernel[T, T]())
}

// Prod multiplies. The product of nothing is 1; integers wrap. TensorFlow calls it
// reduce_prod.
func Prod[T Number](t ragged.Tensor[T], over Axes) (ragged.Tensor[T], error) {
	return reduceSame("product", t, over, prodKernel[T]())
}

// Min finds the least value, NaN if one is NaN. The minimum of no values along a
// ragged axis is the greatest finite value of the dtype, along a dense axis it is +Inf
// for floats and the greatest value for integers. Over several axes the last is
// reduced first, and each step follows this rule: of a tensor without rows, Over(0, 1)
// is +Inf. TensorFlow calls it reduce_min.
func Min[T Number](t ragged.Tensor[T], over Axes) (ragged.Tensor[T], error) {
	return reduceSame("minimum", t, over, minKernel[T]())
}

// Max finds the greatest value, NaN if one is NaN. The maximum of no values is the
// least finite value of the dtype or -Inf, by the rule of Min. TensorFlow calls it
// reduce_max.
func Max[T Number](t ragged.Tensor[T], over Axes) (ragged.Tensor[T], error) {
	return reduceSame("maximum", t, over, maxKernel[T]())
}

// All reports where all values are true, as they are where there are none. TensorFlow
// calls it reduce_all.
func All[B ~bool](t ragged.Tensor[B], over Axes) (ragged.Tensor[B], error) {
	return reduceSame("all", t, over, allKernel[B]())
}

// Any reports where a value is true. TensorFlow calls it reduce_any.
func Any[B ~bool](t ragged.Tensor[B], over Axes) (ragged.Tensor[B], error) {
	return reduceSame("any", t, over, anyKernel[B]())
}

// Reduce combines values with a function of one's own: starting with start, which is
// also the result for no values, it calls f with what it has so far and the next value.
// Over several axes it does so axis by axis, the last first, so f has to be associative
// and start neutral. The values are new. TensorFlow has no function for it.
func Reduce[T any](t ragged.Tensor[T], over Axes, start T, f func(acc, v T) T) (ragged.Tensor[T], error) {
	return reduceSame("reduce", t, over, funcKernel(start, f))
}

// reduceSame is reduce for a kernel that keeps the type.
func reduceSame[T any](op string, t ragged.Tensor[T], over Axes, k kernel[T, T]) (ragged.Tensor[T], error) {
	if over.some && len(over.axes) == 0 {
		return t, nil
	}
	return reduce(op, t, over, k, k)
}

// reduce combines the values over some axes, one after the other, the last first. The
// first time it does so with the kernel first, then with next.
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
		return form.Like(t, out)
	}
	out, err := along(t, axes[0], ofNothing(first, t, t, axes[0]))
	for i, axis := range axes {
		if err == nil && i > 0 {
			out, err = along(out, axis, ofNothing(next, t, out, axis))
		}
		if err == nil && over.keep {
			out, err = newAxis(out, axis)
		}
	}
	return out, refuse.Within(op, err)
}

// ofNothing returns the kernel for one step of the reduction of t: over axis of now,
// what the steps before have made of it. Where t has no values, every step decides
// anew what nothing is: a ragged axis has the empty of the kernel, whatever an inner
// one has made of nothing before it, and a dense axis has the start. So TensorFlow's
// minimum of no rows of floats is +Inf over axes 1 and 0, because after axis 1 there
// is a dense tensor without values, but that of two empty rows is the greatest number.
func ofNothing[T, A, U, V any](k kernel[T, A], t ragged.Tensor[U], now ragged.Tensor[V], axis int) kernel[T, A] {
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

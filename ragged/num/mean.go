package num

import (
	"math"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// Mean returns the sum divided by the number of values, over all axes at once:
// Mean[float64](t, over). The mean of no values is NaN. Integers are added in 64 bits, so
// that sums of small integers do not wrap as they do in TensorFlow.
//
// TensorFlow calls it reduce_mean. It computes the mean of ragged integers in float64, or in
// float32 if they have 8 or 16 bits. The mean of dense integers is an integer, without the
// fraction, and 0 for no values: that is Mean[int32].
func Mean[R, T Number](t ragged.Tensor[T], over Axes) (ragged.Tensor[R], error) {
	switch {
	case isFloat[T]():
		return mean[R](t, over, sumKernel[T, T](), sumKernel[T, T]())
	case isSigned[T]():
		return mean[R](t, over, sumKernel[T, int64](), sumKernel[int64, int64]())
	}
	return mean[R](t, over, sumKernel[T, uint64](), sumKernel[uint64, uint64]())
}

func mean[R, T, A Number](t ragged.Tensor[T], over Axes, first kernel[T, A], next kernel[A, A]) (ragged.Tensor[R], error) {
	const op = "mean"
	total, err := reduce(op, t, over, first, next)
	if err != nil {
		return ragged.Tensor[R]{}, err
	}
	n, err := countOver(op, t, over)
	if err != nil {
		return ragged.Tensor[R]{}, err
	}
	out := make([]R, total.Size())
	for i, sum := range total.Values() {
		out[i] = quotient[R](sum, n.at(i))
	}
	return operand.Like(total, out)
}

// quotient divides a sum by a number of values.
func quotient[R, A Number](sum A, n int64) R {
	switch {
	case isFloat[A]():
		return R(sum / A(n))
	case isFloat[R]():
		return R(float64(sum) / float64(n))
	case n == 0:
		return 0
	}
	return R(sum / A(n))
}

// Variance returns the population variance: the mean of the squares less the square of the
// mean, and not less than 0. The variance of no values is NaN. Like TensorFlow's it loses
// digits if the values are far from 0 and close to each other. Squares of integers are added
// as float64, and do not wrap as they do in TensorFlow. TensorFlow calls it reduce_variance,
// and computes in float64, or in float32 for integers of 8 or 16 bits.
func Variance[R Float, T Number](t ragged.Tensor[T], over Axes) (ragged.Tensor[R], error) {
	if isFloat[T]() {
		return variance[R]("variance", t, over, sumKernel[T, T](), squareKernel[T, T](), sumKernel[T, T]())
	}
	return variance[R]("variance", t, over, sumKernel[T, float64](), squareKernel[T, float64](), sumKernel[float64, float64]())
}

func variance[R Float, T, A Number](op string, t ragged.Tensor[T], over Axes, first, square kernel[T, A], next kernel[A, A]) (ragged.Tensor[R], error) {
	sums, err := reduce(op, t, over, first, next)
	if err != nil {
		return ragged.Tensor[R]{}, err
	}
	squares, err := reduce(op, t, over, square, next)
	if err != nil {
		return ragged.Tensor[R]{}, err
	}
	n, err := countOver(op, t, over)
	if err != nil {
		return ragged.Tensor[R]{}, err
	}
	out := make([]R, sums.Size())
	for i, square := range squares.Values() {
		m := quotient[R](sums.Values()[i], n.at(i))
		v := quotient[R](square, n.at(i)) - R(m*m)
		if v < 0 {
			v = 0
		}
		out[i] = v
	}
	return operand.Like(sums, out)
}

// Std returns the standard deviation, the square root of Variance. TensorFlow calls it
// reduce_std.
func Std[R Float, T Number](t ragged.Tensor[T], over Axes) (ragged.Tensor[R], error) {
	v, err := Variance[R](t, over)
	if err != nil {
		return v, err
	}
	return ragged.Map(v, func(x R) R { return R(math.Sqrt(float64(x))) }), nil
}

// A valueCount is the number of values that were combined into each value of a result, in
// one of three forms.
type valueCount struct {
	each int64            // the same number for all values, if list is nil and cell is 0
	rows ragged.Partition // if cell > 0: value i has the length of row i/cell
	cell int              // number of values in an item
	list []int64          // one number for each value; nil for another form
}

func (c *valueCount) at(i int) int64 {
	switch {
	case c.list != nil:
		return c.list[i]
	case c.cell > 0:
		return int64(c.rows.RowLen(i / c.cell))
	}
	return c.each
}

// countOver counts the values that a reduction of t combines.
func countOver[T any](op string, t ragged.Tensor[T], over Axes) (valueCount, error) {
	if !over.some {
		return valueCount{each: int64(t.Size())}, nil
	}
	axes, err := over.resolve(op, t.Rank())
	if err != nil {
		return valueCount{}, err
	}
	levels := t.RaggedRank()
	// Over uniform axes below the partitions the count is the product of their sizes.
	each, rest, shape := int64(1), axes, t.Flat().Shape()
	for len(rest) > 0 && (rest[0] > levels || levels == 0) {
		each *= int64(shape[rest[0]-levels])
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return valueCount{each: each}, nil
	}
	if len(axes) == 1 && axes[0] == levels {
		cell, err := ragged.SizeOf(t.InnerShape())
		return valueCount{rows: t.Partition(levels - 1), cell: cell}, err
	}
	ones := make([]int64, t.Size())
	fill(ones, 1)
	like, err := operand.Like(t, ones)
	if err != nil {
		return valueCount{}, err
	}
	k := sumKernel[int64, int64]()
	n, err := reduce(op, like, over, k, k)
	return valueCount{list: n.Values()}, err
}

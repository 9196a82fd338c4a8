package nn

import (
	"math"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
	"github.com/tfparse/tfparse/ragged/num"
)

// Softmax divides the exponential of every value by the sum of the exponentials along an
// axis: the values of a row become positive, and their sum is 1. An empty row stays empty. A
// row with +Inf or NaN, or of -Inf only, becomes NaN. On an axis above a ragged axis all rows
// that are combined must have the same length. The values are new. TensorFlow calls it
// softmax.
func Softmax[T num.Float](t ragged.Tensor[T], axis int) (ragged.Tensor[T], error) {
	return softmax("softmax", t, axis, false)
}

// LogSoftmax is the logarithm of Softmax, with less rounding than Softmax followed by Log.
// TensorFlow calls it log_softmax, for dense tensors only.
func LogSoftmax[T num.Float](t ragged.Tensor[T], axis int) (ragged.Tensor[T], error) {
	return softmax("log softmax", t, axis, true)
}

func softmax[T num.Float](op string, t ragged.Tensor[T], axis int, log bool) (ragged.Tensor[T], error) {
	axis, err := axisIn(op, axis, t.Rank())
	if err != nil {
		return ragged.Tensor[T]{}, err
	}
	if t.Size() == 0 {
		return t, nil
	}
	if axis < t.RaggedRank() {
		return softmaxColumns(op, t, axis, log)
	}
	src := t.Values()
	dst := make([]T, len(src))
	operand.Along(t, axis, func(at, n, step int) {
		end := at + n*step
		greatest := T(math.Inf(-1))
		for i := at; i < end; i += step {
			greatest = max(greatest, src[i])
		}
		sum := T(0)
		for i := at; i < end; i += step {
			x := src[i] - greatest
			e := T(math.Exp(float64(x)))
			sum += e
			if dst[i] = e; log {
				dst[i] = x
			}
		}
		for i := at; i < end; i += step {
			dst[i] = normalized(dst[i], sum, log)
		}
	})
	return operand.Like(t, dst)
}

// softmaxColumns is softmax along an axis above a ragged axis.
func softmaxColumns[T num.Float](op string, t ragged.Tensor[T], axis int, log bool) (ragged.Tensor[T], error) {
	none := ragged.Tensor[T]{}
	greatest, err := num.Max(t, num.Over(axis).Keep())
	if err != nil {
		return none, operand.Within(op, err)
	}
	// This fails if rows differ in length.
	less, err := ragged.Zip(t, greatest, func(x, greatest T) T { return x - greatest })
	if err != nil {
		return none, operand.Within(op, err)
	}
	exps := ragged.Map(less, func(x T) T { return T(math.Exp(float64(x))) })
	sum, err := num.Sum(exps, num.Over(axis).Keep())
	if err != nil {
		return none, operand.Within(op, err)
	}
	if !log {
		less = exps
	}
	out, err := ragged.Zip(less, sum, func(x, sum T) T { return normalized(x, sum, log) })
	return out, operand.Within(op, err)
}

func normalized[T num.Float](x, sum T, log bool) T {
	if log {
		return x - T(math.Log(float64(sum)))
	}
	return x / sum
}

// axisIn checks an axis of a tensor of the given rank. It returns axis -1 as rank-1.
func axisIn(op string, axis, rank int) (int, error) {
	axis, err := operand.Axis("axis", axis, rank)
	return axis, operand.Within(op, err)
}

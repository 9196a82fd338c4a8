//go:build !novectors

package ragged_test

import (
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/num"
)

var raggedReductions = map[string]raggedOp{
	"tf.math.reduce_sum":      reduceOp(reducer.sum),
	"tf.math.reduce_prod":     reduceOp(reducer.prod),
	"tf.math.reduce_min":      reduceOp(reducer.min),
	"tf.math.reduce_max":      reduceOp(reducer.max),
	"tf.math.reduce_all":      reduceOp(reducer.all),
	"tf.math.reduce_any":      reduceOp(reducer.any),
	"tf.math.reduce_mean":     meanOp(reducer.mean),
	"tf.reduce_mean":          meanOp(reducer.mean),
	"tf.math.reduce_variance": meanOp(reducer.variance),
	"tf.math.reduce_std":      meanOp(reducer.std),
}

// A reducer runs the reductions for one dtype.
type reducer interface {
	sum(v testkit.Value, over num.Axes) (testkit.Value, error)
	prod(v testkit.Value, over num.Axes) (testkit.Value, error)
	min(v testkit.Value, over num.Axes) (testkit.Value, error)
	max(v testkit.Value, over num.Axes) (testkit.Value, error)
	all(v testkit.Value, over num.Axes) (testkit.Value, error)
	any(v testkit.Value, over num.Axes) (testkit.Value, error)
	mean(v testkit.Value, over num.Axes) (testkit.Value, error)
	variance(v testkit.Value, over num.Axes) (testkit.Value, error)
	std(v testkit.Value, over num.Axes) (testkit.Value, error)
}

// reducerOf returns the reducer for a dtype.
func reducerOf(dtype string) (reducer, error) {
	switch dtype { // integers below 32 bits occur only in reductions
	case "int16":
		return reduceNumbers[int16, float32]{}, nil
	case "int8":
		return reduceNumbers[int8, float32]{}, nil
	case "uint16":
		return reduceNumbers[uint16, float32]{}, nil
	case "uint8":
		return reduceNumbers[uint8, float32]{}, nil
	}
	return perDType[reducer](dtype, reduceNumbers[int64, float64]{}, reduceNumbers[int32, float64]{}, reduceNumbers[float64, float64]{}, reduceNumbers[float32, float32]{}, reduceBools{reduceNothing{"bool"}}, reduceNothing{"string"})
}

// reduceOp makes an operation of a reduction. With keepdims TensorFlow makes uniform axes of size
// 1, but when it reduces an axis further out, it forgets that these are uniform. The tag
// uniform-lost is absent if the operand had no uniform axes. Our axes stay uniform, so we compare
// row splits.
func reduceOp(run func(reducer, testkit.Value, num.Axes) (testkit.Value, error)) raggedOp {
	return func(c *call) (testkit.Value, error) {
		got, axes, err := runReduction(c, run)
		if r, ok := got.(testkit.Ragged); ok && err == nil && len(axes) > 1 {
			rank := len(r.Partitions) + len(r.Flat.Shape) // equal to the rank of the operand
			outermost := rank
			for _, axis := range axes {
				outermost = min(outermost, (axis+rank)%rank)
			}
			forgetUniform(r.Partitions, max(outermost, 1))
		}
		return got, err
	}
}

// meanOp is reduceOp for reductions that divide: TensorFlow makes all their axes ragged.
func meanOp(run func(reducer, testkit.Value, num.Axes) (testkit.Value, error)) raggedOp {
	return func(c *call) (testkit.Value, error) {
		got, _, err := runReduction(c, run)
		if r, ok := got.(testkit.Ragged); ok && err == nil {
			forgetUniform(r.Partitions, 0)
		}
		return got, err
	}
}

// forgetUniform writes the partitions from a level on as row splits.
func forgetUniform(parts []testkit.Partition, from int) {
	for i := from; i < len(parts); i++ {
		parts[i] = testkit.SplitsOf(parts[i].Splits...)
	}
}

// runReduction runs a reduction and returns the axes that keepdims has kept.
func runReduction(c *call, run func(reducer, testkit.Value, num.Axes) (testkit.Value, error)) (got testkit.Value, kept []int, err error) {
	v := c.value(0, "input_tensor")
	r, err := reducerOf(dtypeOf(v))
	if err != nil {
		return nil, nil, err
	}
	over := num.OverAll()
	switch v := c.value(1, "axis").(type) {
	case nil:
	case testkit.Int:
		kept = []int{int(v)}
		over = num.Over(int(v))
	default:
		axes, ok := asInts(v)
		if !ok {
			got, err = refuse("no numbers as axes")
			return got, nil, err
		}
		kept = axes
		over = num.Over(axes...)
	}
	if c.bool(2, "keepdims", false) {
		over = over.Keep()
	} else {
		kept = nil
	}
	got, err = run(r, v, over)
	return got, kept, err
}

// reduceWith reduces a value with a function of package num.
func reduceWith[T, R element](v testkit.Value, over num.Axes, f func(ragged.Tensor[T], num.Axes) (ragged.Tensor[R], error)) (testkit.Value, error) {
	t, err := toTensor[T](v)
	if err != nil {
		return nil, err
	}
	out, err := f(t, over)
	if err == nil {
		err = out.Validate()
	}
	if err != nil {
		return nil, err
	}
	return fromTensor(out), nil
}

// reduceNumbers reduces tensors of numbers.
type reduceNumbers[T numberElement, R float32 | float64] struct{}

func (reduceNumbers[T, R]) sum(v testkit.Value, over num.Axes) (testkit.Value, error) {
	return reduceWith(v, over, num.Sum[T])
}

func (reduceNumbers[T, R]) prod(v testkit.Value, over num.Axes) (testkit.Value, error) {
	return reduceWith(v, over, num.Prod[T])
}

func (reduceNumbers[T, R]) min(v testkit.Value, over num.Axes) (testkit.Value, error) {
	return reduceWith(v, over, num.Min[T])
}

func (reduceNumbers[T, R]) max(v testkit.Value, over num.Axes) (testkit.Value, error) {
	return reduceWith(v, over, num.Max[T])
}

func (reduceNumbers[T, R]) all(v testkit.Value, over num.Axes) (testkit.Value, error) {
	return reduceWith(v, over, func(t ragged.Tensor[T], over num.Axes) (ragged.Tensor[bool], error) {
		return num.All(num.NotZero(t), over)
	})
}

func (reduceNumbers[T, R]) any(v testkit.Value, over num.Axes) (testkit.Value, error) {
	return reduceWith(v, over, func(t ragged.Tensor[T], over num.Axes) (ragged.Tensor[bool], error) {
		return num.Any(num.NotZero(t), over)
	})
}

func (reduceNumbers[T, R]) mean(v testkit.Value, over num.Axes) (testkit.Value, error) {
	if _, dense := v.(testkit.Dense); dense {
		return reduceWith(v, over, num.Mean[T, T])
	}
	return reduceWith(v, over, num.Mean[R, T])
}

func (reduceNumbers[T, R]) variance(v testkit.Value, over num.Axes) (testkit.Value, error) {
	return reduceWith(v, over, num.Variance[R, T])
}

func (reduceNumbers[T, R]) std(v testkit.Value, over num.Axes) (testkit.Value, error) {
	return reduceWith(v, over, num.Std[R, T])
}

// reduceBools reduces tensors of bools.
type reduceBools struct{ reduceNothing }

func (reduceBools) all(v testkit.Value, over num.Axes) (testkit.Value, error) {
	return reduceWith(v, over, num.All[bool])
}

func (reduceBools) any(v testkit.Value, over num.Axes) (testkit.Value, error) {
	return reduceWith(v, over, num.Any[bool])
}

// reduceNothing is for a dtype for which no reduction compiles.
type reduceNothing struct{ dtype string }

func (r reduceNothing) sum(testkit.Value, num.Axes) (testkit.Value, error)      { return r.refuse() }
func (r reduceNothing) prod(testkit.Value, num.Axes) (testkit.Value, error)     { return r.refuse() }
func (r reduceNothing) min(testkit.Value, num.Axes) (testkit.Value, error)      { return r.refuse() }
func (r reduceNothing) max(testkit.Value, num.Axes) (testkit.Value, error)      { return r.refuse() }
func (r reduceNothing) all(testkit.Value, num.Axes) (testkit.Value, error)      { return r.refuse() }
func (r reduceNothing) any(testkit.Value, num.Axes) (testkit.Value, error)      { return r.refuse() }
func (r reduceNothing) mean(testkit.Value, num.Axes) (testkit.Value, error)     { return r.refuse() }
func (r reduceNothing) variance(testkit.Value, num.Axes) (testkit.Value, error) { return r.refuse() }
func (r reduceNothing) std(testkit.Value, num.Axes) (testkit.Value, error)      { return r.refuse() }

func (r reduceNothing) refuse() (testkit.Value, error) {
	return refuse("a reduction of tensors of %s", r.dtype)
}

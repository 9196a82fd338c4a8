//go:build !novectors

package ragged_test

import (
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/array"
	"github.com/tfparse/tfparse/ragged/num"
)

// raggedMapping are the operations that take a function.
var raggedMapping = map[string]raggedOp{
	"tf.ragged.map_flat_values": func(c *call) (testkit.Value, error) { return onMapping(c, mappingKernel.mapFlat) },
	"tf.map_fn":                 func(c *call) (testkit.Value, error) { return onMapping(c, mappingKernel.mapRows) },
}

// A mappingKernel maps functions over tensors of one dtype.
type mappingKernel interface {
	mapFlat(c *call, fn string) (testkit.Value, error)
	mapRows(c *call, fn string) (testkit.Value, error)
}

type mapping[T numberElement] struct{}

// onMapping runs a mapping for the dtype of the second argument. The first is the function.
func onMapping(c *call, run func(mappingKernel, *call, string) (testkit.Value, error)) (testkit.Value, error) {
	fn, ok := c.value(0, "").(testkit.Fn)
	if !ok || len(c.args) < 2 {
		return nil, testkit.Unknown("a mapping without a function")
	}
	k, err := perDType[mappingKernel](dtypeOf(c.args[1]), mapping[int64]{}, mapping[int32]{}, mapping[float64]{}, mapping[float32]{}, nil, nil)
	if err != nil || k == nil {
		return nil, testkit.Unknown("a mapping over %s", dtypeOf(c.args[1]))
	}
	return run(k, c, string(fn))
}

func (mapping[T]) mapFlat(c *call, fn string) (testkit.Value, error) {
	args := make([]ragged.Tensor[T], 0, 2)
	for _, v := range c.rest(1) {
		t, err := toTensor[T](v)
		if err != nil {
			return nil, err
		}
		args = append(args, t)
	}
	switch {
	case fn == "cast(x,float32)" && len(args) == 1:
		out, err := num.MapFlat(args[0], num.Cast[float32, T])
		return fromTensor(out), err
	case len(args) == 1:
		f, err := function[T](fn)
		if err != nil {
			return nil, err
		}
		out, err := num.MapFlat(args[0], f)
		return fromTensor(out), err
	case len(args) == 2 && fn == "tf.add":
		a, b := args[0], args[1]
		var out ragged.Tensor[T]
		var err error
		switch {
		case a.RaggedRank() > 0 && b.RaggedRank() > 0:
			out, err = num.ZipFlat(a, b, num.Add[T])
		case b.RaggedRank() > 0:
			out, err = num.MapFlat(b, func(b ragged.Tensor[T]) (ragged.Tensor[T], error) { return num.Add(a, b) })
		default:
			out, err = num.MapFlat(a, func(a ragged.Tensor[T]) (ragged.Tensor[T], error) { return num.Add(a, b) })
		}
		return fromTensor(out), err
	}
	return nil, testkit.Unknown("the function %s of %d tensors", fn, len(args))
}

func (mapping[T]) mapRows(c *call, fn string) (testkit.Value, error) {
	t, err := toTensor[T](c.value(1, "elems"))
	if err != nil {
		return nil, err
	}
	// Without a signature the results have the type of the rows.
	dtype, dense, raggedRank := dtypeName[T](), t.RaggedRank() == 0, t.RaggedRank()-1
	switch v := c.value(2, "fn_output_signature").(type) {
	case nil:
	case testkit.DType:
		dtype, dense = string(v), true
	case testkit.RaggedSpec:
		dtype, dense, raggedRank = v.DType, false, int(v.RaggedRank)
	default:
		return nil, testkit.Unknown("a signature %s", testkit.Format(v))
	}
	if fn == "cast(x,float32)" {
		return mapRows(t, dense, raggedRank, dtype, num.Cast[float32, T])
	}
	f, err := function[T](fn)
	if err != nil {
		return nil, err
	}
	return mapRows(t, dense, raggedRank, dtype, f)
}

func mapRows[T, U element](t ragged.Tensor[T], dense bool, raggedRank int, dtype string, f func(ragged.Tensor[T]) (ragged.Tensor[U], error)) (testkit.Value, error) {
	if got := dtypeName[U](); got != dtype {
		return refuse("a function that returns %s where %s is expected", got, dtype)
	}
	if !dense {
		out, err := array.MapRows(t, raggedRank, f)
		return fromTensor(out), err
	}
	var shape []int // shape of the result for the first row
	if t.Len() > 0 {
		first, err := f(t.Row(0))
		if err != nil {
			return nil, err
		}
		shape = first.Shape()
	}
	out, err := array.MapRowsDense(t, f, shape)
	return fromTensor(out), err
}

// function returns a function of one tensor by the name it has in the vectors.
func function[T numberElement](name string) (func(ragged.Tensor[T]) (ragged.Tensor[T], error), error) {
	type tensor = ragged.Tensor[T]
	functions := map[string]func(tensor) (tensor, error){
		"tf.square":          func(t tensor) (tensor, error) { return num.Square(t), nil },
		"tf.ones_like":       func(t tensor) (tensor, error) { return num.FilledLike(t, T(1)), nil },
		"x*2+1":              func(t tensor) (tensor, error) { return ragged.Map(t, func(v T) T { return v*2 + 1 }), nil },
		"x[:1]":              func(t tensor) (tensor, error) { return t.Index(ragged.SliceTo(1)) },
		"stack(x,x)":         func(t tensor) (tensor, error) { return array.Stack(1, t, t) },
		"tf.reduce_sum":      func(t tensor) (tensor, error) { return num.Sum(t, num.OverAll()) },
		"reduce_sum(axis=0)": func(t tensor) (tensor, error) { return num.Sum(t, num.Over(0)) },
		"reduce_sum(axis=1)": func(t tensor) (tensor, error) { return num.Sum(t, num.Over(1)) },
		"tf.reduce_mean":     denseMean[T],
		"mean_sum": func(t tensor) (tensor, error) {
			mean, err := denseMean(t)
			if err != nil {
				return mean, err
			}
			sum, err := num.Sum(t, num.OverAll())
			if err != nil {
				return sum, err
			}
			return ragged.Vector(mean.Item(), sum.Item()), nil
		},
		"tf.range": rangeTo[T],
		"range(range(x))": func(t tensor) (tensor, error) {
			limits, err := rangeTo(t)
			if err != nil {
				return limits, err
			}
			return array.RangeTo(limits)
		},
	}
	f, ok := functions[name]
	if !ok {
		return nil, testkit.Unknown("the function %s", name)
	}
	return f, nil
}

// denseMean is the mean of all values; a mean of integers is rounded towards 0.
func denseMean[T numberElement](t ragged.Tensor[T]) (ragged.Tensor[T], error) {
	sum, err := num.Sum(t, num.OverAll())
	if err != nil {
		return sum, err
	}
	if any(T(0)) == any(float32(0)) || any(T(0)) == any(float64(0)) || t.Size() > 0 {
		return ragged.Scalar(sum.Item() / T(t.Size())), nil
	}
	return ragged.Scalar(T(0)), nil
}

// rangeTo is the range up to a scalar.
func rangeTo[T numberElement](t ragged.Tensor[T]) (ragged.Tensor[T], error) {
	out, err := array.RangeTo(ragged.Vector(t.Item()))
	if err != nil {
		return out, err
	}
	return out.Row(0), nil
}

//go:build !novectors

package ragged_test

import (
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/array"
	"github.com/tfparse/tfparse/ragged/num"
)

// raggedTakes are the operations of package ragged/array that take by position or
// condition.
var raggedTakes = map[string]raggedOp{
	"tf.gather":                 onFirstArray(arrayKernel.gather),
	"tf.gather_nd":              onFirstArray(arrayKernel.gatherND),
	"tf.compat.v1.batch_gather": onFirstArray(arrayKernel.batchGather),
	"batch_gather_with_default": onFirstArray(arrayKernel.batchGatherOr),
	"tf.ragged.boolean_mask":    onFirstArray(arrayKernel.booleanMask),
	"tf.where":                  whereOp(arrayKernel.where),
	"tf.compat.v1.where":        whereOp(arrayKernel.whereV1),
}

func (arrays[T]) gather(c *call) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, "params"))
	if err != nil {
		return nil, err
	}
	opts := &array.GatherOptions{BatchDims: c.int(-1, "batch_dims", 0)}
	if c.value(-1, "axis") != nil {
		// Axis 0 is written as a negative axis, since 0 means the default.
		if opts.Axis = c.int(-1, "axis", 0); opts.Axis == 0 {
			opts.Axis = -t.Rank()
		}
	}
	if *opts == (array.GatherOptions{}) {
		opts = nil
	}
	return onIndices(c.value(1, "indices"),
		func(ix ragged.Tensor[int64]) (testkit.Value, error) { return sound(array.Gather(t, ix, opts)) },
		func(ix ragged.Tensor[int32]) (testkit.Value, error) { return sound(array.Gather(t, ix, opts)) })
}

func (arrays[T]) gatherND(c *call) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, "params"))
	if err != nil {
		return nil, err
	}
	if c.int(-1, "batch_dims", 0) != 0 {
		return refuse("batch dimensions of gather_nd")
	}
	return onIndices(c.value(1, "indices"),
		func(ix ragged.Tensor[int64]) (testkit.Value, error) { return sound(array.GatherND(t, ix)) },
		func(ix ragged.Tensor[int32]) (testkit.Value, error) { return sound(array.GatherND(t, ix)) })
}

func (arrays[T]) batchGather(c *call) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, "params"))
	if err != nil {
		return nil, err
	}
	return onIndices(c.value(1, "indices"),
		func(ix ragged.Tensor[int64]) (testkit.Value, error) {
			return sound(array.Gather(t, ix, &array.GatherOptions{BatchDims: -1}))
		},
		func(ix ragged.Tensor[int32]) (testkit.Value, error) {
			return sound(array.Gather(t, ix, &array.GatherOptions{BatchDims: -1}))
		})
}

func (arrays[T]) batchGatherOr(c *call) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, "params"))
	if err != nil {
		return nil, err
	}
	missing, err := toTensor[T](c.value(2, "default_value"))
	if err != nil {
		return nil, err
	}
	return onIndices(c.value(1, "indices"),
		func(ix ragged.Tensor[int64]) (testkit.Value, error) {
			return sound(array.BatchGatherOr(t, ix, missing))
		},
		func(ix ragged.Tensor[int32]) (testkit.Value, error) {
			return sound(array.BatchGatherOr(t, ix, missing))
		})
}

func (arrays[T]) booleanMask(c *call) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, "data"))
	if err != nil {
		return nil, err
	}
	if d := dtypeOf(c.value(1, "mask")); d != "bool" {
		return refuse("a mask of %s", d)
	}
	mask, err := toTensor[bool](c.value(1, "mask"))
	if err != nil {
		return nil, err
	}
	return sound(array.BooleanMask(t, mask))
}

// whereOp takes one argument for coordinates, or three.
func whereOp(run func(k arrayKernel, cond, x, y testkit.Value) (testkit.Value, error)) raggedOp {
	return func(c *call) (testkit.Value, error) {
		cond, x, y := c.value(0, "condition"), c.value(1, "x"), c.value(2, "y")
		if d := dtypeOf(cond); d != "bool" {
			return refuse("a condition of %s", d)
		}
		switch {
		case (x == nil) != (y == nil):
			return refuse("one of x and y")
		case x == nil:
			t, err := toTensor[bool](cond)
			if err != nil {
				return nil, err
			}
			return sound(array.Coordinates(t))
		case dtypeOf(x) != dtypeOf(y):
			return refuse("x and y of two dtypes")
		}
		if _, ok := splitsDType(cond, x, y); !ok {
			return refuse("row splits of two dtypes")
		}
		k, err := arraysOfDType(dtypeOf(x))
		if err != nil {
			return nil, err
		}
		return run(k, cond, x, y)
	}
}

// threeOf builds the three tensors of where.
func threeOf[T element](cond, x, y testkit.Value) (c ragged.Tensor[bool], a, b ragged.Tensor[T], err error) {
	if c, err = toTensor[bool](cond); err != nil {
		return c, a, b, err
	}
	if a, err = toTensor[T](x); err != nil {
		return c, a, b, err
	}
	b, err = toTensor[T](y)
	return c, a, b, err
}

func (arrays[T]) where(cond, x, y testkit.Value) (testkit.Value, error) {
	c, a, b, err := threeOf[T](cond, x, y)
	if err != nil {
		return nil, err
	}
	return sound(array.Where(c, a, b))
}

// whereV1 is the older form, which does not broadcast: a vector selects whole rows.
func (arrays[T]) whereV1(cond, x, y testkit.Value) (testkit.Value, error) {
	c, a, b, err := threeOf[T](cond, x, y)
	if err != nil {
		return nil, err
	}
	if ragged.SameShape(c, a) && ragged.SameShape(c, b) {
		return sound(array.Where(c, a, b))
	}
	if c.Rank() != 1 {
		return refuse("a choice of whole rows by rank %d", c.Rank())
	}
	return sound(array.WhereRows(c.Values(), a, b))
}

func features(c *call) ([]array.Feature, error) {
	list, ok := c.value(0, "inputs").(testkit.List)
	if !ok {
		return nil, testkit.Unknown("inputs are not a list")
	}
	out := make([]array.Feature, len(list))
	for i, v := range list {
		var err error
		if out[i], err = featureOf(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func featureOf(v testkit.Value) (array.Feature, error) {
	switch dtypeOf(v) {
	case "string":
		t, err := denseOrSparse[string](v)
		return array.Strings(t), err
	case "int64":
		return intFeature[int64](v)
	case "int32":
		return intFeature[int32](v)
	case "int16":
		return intFeature[int16](v)
	case "int8":
		return intFeature[int8](v)
	case "uint64":
		return intFeature[uint64](v)
	case "uint32":
		return intFeature[uint32](v)
	case "uint16":
		return intFeature[uint16](v)
	case "uint8":
		return intFeature[uint8](v)
	}
	_, err := refuse("a feature of %s", dtypeOf(v))
	return array.Feature{}, err
}

func intFeature[T interface {
	element
	num.Integer
}](v testkit.Value) (array.Feature, error) {
	t, err := denseOrSparse[T](v)
	return array.Ints(t), err
}

// denseOrSparse builds a tensor from a value, or from the rows of a sparse value.
func denseOrSparse[T element](v testkit.Value) (ragged.Tensor[T], error) {
	if _, ok := v.(testkit.Sparse); !ok {
		return toTensor[T](v)
	}
	s, err := toSparse[T](v)
	if err != nil {
		return ragged.Tensor[T]{}, err
	}
	return array.SparseRows(s)
}

func crossOp(c *call) (testkit.Value, error) {
	f, err := features(c)
	if err != nil {
		return nil, err
	}
	return sound(array.Cross(f...))
}

func crossHashedOp(c *call) (testkit.Value, error) {
	f, err := features(c)
	if err != nil {
		return nil, err
	}
	opts := &array.CrossHashOptions{Buckets: c.int64(1, "num_buckets", 0)}
	if c.value(2, "hash_key") != nil {
		key := uint64(c.int64(2, "hash_key", 0))
		opts.Key = &key
	}
	return sound(array.CrossHashed(opts, f...))
}

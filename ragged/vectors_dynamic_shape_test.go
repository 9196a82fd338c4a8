//go:build !novectors

package ragged_test

import (
	"fmt"
	"math"
	"slices"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/shape"
)

var raggedDynamicShapes = dynamicShapeOps()

func dynamicShapeOps() map[string]raggedOp {
	ops := map[string]raggedOp{
		"DynamicRaggedShape":                     newShape,
		"DynamicRaggedShape.from_row_partitions": newShape,
		"DynamicRaggedShape.from_lengths":        shapeOfLengths,
		"DynamicRaggedShape.from_tensor":         onFirst(coreKernel.shapeOf),
		"DynamicRaggedShape.__getitem__":         shapeItem,
		"tf.shape":                               tfShape,
		"tf.zeros":                               filled(false),
		"tf.ones":                                filled(true),
		"tf.fill":                                fillWith,
		"tf.reshape":                             onFirst(coreKernel.reshape),
		"tf.broadcast_to":                        onFirst(coreKernel.broadcastTo),
		"tf.broadcast_dynamic_shape":             broadcastShapes,
	}
	for _, what := range []string{"rank", "inner_rank", "num_row_partitions", "inner_shape", "static_lengths", "is_uniform", "with_dtype"} {
		ops["DynamicRaggedShape."+what] = func(c *call) (testkit.Value, error) { return queryShape(c, what) }
	}
	return ops
}

// toShape builds a shape from a value, which may be a vector of sizes.
func toShape(v testkit.Value) (shape.Shape, error) {
	switch v := v.(type) {
	case testkit.DynamicShape:
		parts, err := toPartitions(v.Partitions)
		if err != nil {
			return shape.Shape{}, err
		}
		return shape.New(intsOf(v.Inner), parts...)
	case testkit.Dense:
		sizes, err := indices(v)
		if err != nil {
			return shape.Shape{}, err
		}
		return shape.New(intsOf(sizes))
	}
	return shape.Shape{}, testkit.Fault(fmt.Errorf("not a shape: %s", testkit.Format(v)))
}

func fromShape(s shape.Shape, err error) (testkit.Value, error) {
	if err != nil {
		return nil, err
	}
	return testkit.DynamicShape{Partitions: fromPartitions(s.Partitions()), Inner: int64sOf(s.InnerShape())}, nil
}

func newShape(c *call) (testkit.Value, error) {
	list, ok := c.value(0, "row_partitions").(testkit.List)
	if !ok {
		return nil, testkit.Unknown("row_partitions is not a list")
	}
	parts := make([]ragged.Partition, len(list))
	for i, v := range list {
		p, ok := v.(testkit.RowPartition)
		if !ok {
			return refuse("%s as a partition", testkit.Format(v))
		}
		var err error
		if parts[i], err = toPartition(p.Partition); err != nil {
			return nil, err
		}
	}
	if c.value(1, "inner_shape") == nil {
		return fromShape(shape.FromPartitions(parts...))
	}
	c.bool(-1, "validate", true) // we always do
	return fromShape(shape.New(c.ints(1, "inner_shape"), parts...))
}

func shapeOfLengths(c *call) (testkit.Value, error) {
	list, ok := c.value(0, "lengths").(testkit.List)
	if !ok {
		return nil, testkit.Unknown("lengths is not a list")
	}
	dims := make([]shape.Dim, len(list))
	for i, v := range list {
		switch v := v.(type) {
		case testkit.Int:
			dims[i] = shape.Uniform(int(v))
		case testkit.List:
			rows, ok := asInts(v)
			if !ok {
				return nil, testkit.Unknown("lengths %s", testkit.Format(v))
			}
			dims[i] = shape.Ragged(rows...)
		default:
			return refuse("%s as an axis", testkit.Format(v))
		}
	}
	s, err := shape.FromLengths(dims...)
	if n := c.int(-1, "num_row_partitions", -1); n >= 0 && err == nil {
		s, err = s.WithPartitions(n)
	}
	return fromShape(s, err)
}

func (core[T]) shapeOf(c *call) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, ""))
	if err != nil {
		return nil, err
	}
	return fromShape(shape.Of(t), nil)
}

// tfShape is a vector for a dense tensor.
func tfShape(c *call) (testkit.Value, error) {
	c.dtype(-1, "out_type", "int32") // of no consequence for us
	if d, ok := c.args[0].(testkit.Dense); ok {
		c.value(0, "")
		return narrowed(vector(d.Shape)), nil
	}
	return onFirst(coreKernel.shapeOf)(c)
}

// positions converts an answer to the dtype of the first argument's row splits.
func positions(c *call, v testkit.Value) testkit.Value {
	if s, ok := c.args[0].(testkit.DynamicShape); ok && s.DType == "int32" {
		return narrowed(v)
	}
	return v
}

func shapeItem(c *call) (testkit.Value, error) {
	s, err := toShape(c.value(0, ""))
	if err != nil {
		return nil, err
	}
	switch key := c.value(1, "key").(type) {
	case testkit.Int:
		n, err := s.Size(int(key))
		return positions(c, number(int64(n))), err
	case testkit.Slice:
		if key.Step != nil && *key.Step != 1 {
			return refuse("a range with a step")
		}
		lo, hi := 0, math.MaxInt
		if key.Start != nil {
			lo = int(*key.Start)
		}
		if key.Stop != nil {
			hi = int(*key.Stop)
		}
		return fromShape(s.Slice(lo, hi))
	}
	return nil, testkit.Unknown("key %s", testkit.Format(c.args[1]))
}

func queryShape(c *call, what string) (testkit.Value, error) {
	s, err := toShape(c.value(0, ""))
	if err != nil {
		return nil, err
	}
	switch what {
	case "rank":
		return testkit.Int(s.Rank()), nil
	case "inner_rank":
		return testkit.Int(s.InnerRank()), nil
	case "num_row_partitions":
		return testkit.Int(s.NumPartitions()), nil
	case "inner_shape":
		return positions(c, vector(int64sOf(s.InnerShape()))), nil
	case "is_uniform":
		uniform, err := s.IsUniform(c.int(1, "axis", 0))
		return testkit.Bool(uniform), err
	case "with_dtype":
		c.dtype(1, "dtype", "") // of no consequence for us
		return fromShape(s, nil)
	case "static_lengths":
		list := testkit.List{}
		for _, d := range s.Dims() {
			if !d.Ragged {
				list = append(list, testkit.Int(d.Size))
				continue
			}
			rows := testkit.List{}
			for _, n := range d.Rows {
				rows = append(rows, testkit.Int(n))
			}
			list = append(list, rows)
		}
		// FromLengths must make the same shape from the axes.
		again, err := shape.FromLengths(s.Dims()...)
		if err == nil && !again.Equal(s) {
			err = fmt.Errorf("the axes of %v make %v", s, again)
		}
		return list, err
	}
	return nil, testkit.Unknown("%s of a shape", what)
}

// filled makes a tensor of zeros or ones.
func filled(one bool) raggedOp {
	return func(c *call) (testkit.Value, error) {
		k, err := coreOfDType(c.dtype(-1, "dtype", "float32"))
		if err != nil {
			return nil, err
		}
		s, err := toShape(c.value(0, "shape"))
		if err != nil {
			return nil, err
		}
		return k.filled(s, one)
	}
}

func (core[T]) filled(s shape.Shape, one bool) (testkit.Value, error) {
	if !one {
		return valued(shape.Zeros[T](s))
	}
	var v T
	switch p := any(&v).(type) {
	case *int64:
		*p = 1
	case *int32:
		*p = 1
	case *float64:
		*p = 1
	case *float32:
		*p = 1
	case *bool:
		*p = true
	default:
		return nil, testkit.Unknown("ones of %s", dtypeName[T]())
	}
	return valued(shape.Fill(s, v))
}

// valued returns a tensor as a value.
func valued[T element](t ragged.Tensor[T], err error) (testkit.Value, error) {
	if err != nil {
		return nil, err
	}
	return fromTensor(t), nil
}

// fillWith makes a tensor of one value.
func fillWith(c *call) (testkit.Value, error) {
	s, err := toShape(c.value(0, "dims"))
	if err != nil {
		return nil, err
	}
	v := c.value(1, "value")
	k, err := coreOf(v)
	if err != nil {
		return nil, err
	}
	return k.fillWith(s, v)
}

func (core[T]) fillWith(s shape.Shape, v testkit.Value) (testkit.Value, error) {
	t, err := toTensor[T](v)
	if err != nil {
		return nil, err
	}
	if t.Rank() > 0 {
		return refuse("a tensor as a value")
	}
	return valued(shape.Fill(s, t.Item()))
}

func (core[T]) reshape(c *call) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, "tensor"))
	if err != nil {
		return nil, err
	}
	to := c.value(1, "shape")
	if d, ok := to.(testkit.Dense); ok {
		sizes, err := indices(d)
		if err != nil {
			return nil, err
		}
		out, err := shape.ReshapeDense(t, intsOf(sizes)...)
		return fromTensor(out), err
	}
	s, err := toShape(to)
	if err != nil {
		return nil, err
	}
	out, err := shape.Reshape(t, s)
	return fromTensor(out), err
}

func (core[T]) broadcastTo(c *call) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, "input"))
	if err != nil {
		return nil, err
	}
	s, err := toShape(c.value(1, "shape"))
	if err != nil {
		return nil, err
	}
	out, err := shape.BroadcastTo(t, s)
	return fromTensor(out), err
}

func broadcastShapes(c *call) (testkit.Value, error) {
	a, err := toShape(c.value(0, "shape_x"))
	if err != nil {
		return nil, err
	}
	b, err := toShape(c.value(1, "shape_y"))
	if err != nil {
		return nil, err
	}
	out, err := shape.Broadcast(a, b)
	dense := !slices.ContainsFunc(c.args, func(v testkit.Value) bool { _, ok := v.(testkit.DynamicShape); return ok })
	if d, ok := c.args[0].(testkit.Dense); ok && dense && err == nil { // two vectors give a vector
		sizes := vector(int64sOf(out.InnerShape()))
		if d.DType == "int32" {
			sizes = narrowed(sizes)
		}
		return sizes, nil
	}
	return fromShape(out, err)
}

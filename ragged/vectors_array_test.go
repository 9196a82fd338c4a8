//go:build !novectors

package ragged_test

import (
	"fmt"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/array"
	"github.com/tfparse/tfparse/ragged/num"
)

// raggedArrays are the operations of package ragged/array, except those that take by position or
// condition.
var raggedArrays = map[string]raggedOp{
	"tf.ragged.stack":                     stackOp,
	"tf.stack":                            tfStack,
	"tf.expand_dims":                      onFirstArray(arrayKernel.expandDims),
	"tf.squeeze":                          onFirstArray(arrayKernel.squeeze),
	"tf.tile":                             onFirstArray(arrayKernel.tile),
	"tf.reverse":                          onFirstArray(arrayKernel.reverse),
	"tf.split":                            onFirstArray(arrayKernel.split),
	"tf.ragged.range":                     rangeOp,
	"tf.one_hot":                          oneHotOp,
	"tf.sequence_mask":                    sequenceMaskOp,
	"RaggedTensor.fill_empty_rows":        onFirstArray(arrayKernel.fillEmptyRows),
	"tf.dynamic_partition":                onFirstArray(arrayKernel.dynamicPartition),
	"tf.ragged.stack_dynamic_partitions":  onFirstArray(arrayKernel.stackPartitions),
	"tf.ragged.cross":                     crossOp,
	"tf.ragged.cross_hashed":              crossHashedOp,
	"tf.ragged.row_splits_to_segment_ids": segmentIDsOp,
	"tf.ragged.segment_ids_to_row_splits": rowSplitsOp,
}

// An arrayKernel runs the operations of package ragged/array for one dtype.
type arrayKernel interface {
	stack(list []testkit.Value, axis int) (testkit.Value, error)
	stackDense(list []testkit.Value, axis int) (testkit.Value, error)
	expandDims(c *call) (testkit.Value, error)
	squeeze(c *call) (testkit.Value, error)
	tile(c *call) (testkit.Value, error)
	reverse(c *call) (testkit.Value, error)
	split(c *call) (testkit.Value, error)
	fillEmptyRows(c *call) (testkit.Value, error)
	dynamicPartition(c *call) (testkit.Value, error)
	stackPartitions(c *call) (testkit.Value, error)
	oneHot(indices testkit.Value, depth, axis int, on, off testkit.Value) (testkit.Value, error)

	gather(c *call) (testkit.Value, error)
	gatherND(c *call) (testkit.Value, error)
	batchGather(c *call) (testkit.Value, error)
	batchGatherOr(c *call) (testkit.Value, error)
	booleanMask(c *call) (testkit.Value, error)
	where(cond, x, y testkit.Value) (testkit.Value, error)
	whereV1(cond, x, y testkit.Value) (testkit.Value, error)
}

// arrays implements arrayKernel.
type arrays[T element] struct{}

func arraysOfDType(dtype string) (arrayKernel, error) {
	return perDType[arrayKernel](dtype, arrays[int64]{}, arrays[int32]{}, arrays[float64]{}, arrays[float32]{}, arrays[bool]{}, arrays[string]{})
}

// onFirstArray makes an operation that runs a kernel for the dtype of the first argument.
func onFirstArray(run func(arrayKernel, *call) (testkit.Value, error)) raggedOp {
	return func(c *call) (testkit.Value, error) {
		if len(c.args) == 0 {
			return nil, testkit.Unknown("a call without arguments")
		}
		if _, ok := splitsDType(c.args...); !ok {
			return refuse("row splits of two dtypes")
		}
		k, err := arraysOfDType(dtypeOf(c.args[0]))
		if err != nil {
			return nil, err
		}
		return run(k, c)
	}
}

// sound returns the value of a tensor that an operation returned, after a check of its
// partitions.
func sound[T element](t ragged.Tensor[T], err error) (testkit.Value, error) {
	if err == nil {
		err = t.Validate()
	}
	if err != nil {
		return nil, err
	}
	return fromTensor(t), nil
}

func soundList[T element](ts []ragged.Tensor[T], err error) (testkit.Value, error) {
	if err != nil {
		return nil, err
	}
	list := testkit.List{}
	for _, t := range ts {
		v, err := sound(t, nil)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// onIndices calls the function for the dtype of an argument that holds indices.
// TensorFlow has indices of two dtypes only.
func onIndices(v testkit.Value, i64 func(ragged.Tensor[int64]) (testkit.Value, error), i32 func(ragged.Tensor[int32]) (testkit.Value, error)) (testkit.Value, error) {
	switch dtypeOf(v) {
	case "int64":
		t, err := toTensor[int64](v)
		if err != nil {
			return nil, err
		}
		return i64(t)
	case "int32":
		t, err := toTensor[int32](v)
		if err != nil {
			return nil, err
		}
		return i32(t)
	}
	return refuse("indices of %s", testkit.Format(v))
}

// tfStack is stackOp with a dense result for dense tensors.
func tfStack(c *call) (testkit.Value, error) {
	list, err := tensors(c, 0, "values")
	if err != nil {
		return nil, err
	}
	k, err := arraysOfDType(dtypeOf(list[0]))
	if err != nil {
		return nil, err
	}
	for _, v := range list {
		if _, ok := v.(testkit.Dense); !ok {
			return k.stack(list, c.int(1, "axis", 0))
		}
	}
	return k.stackDense(list, c.int(1, "axis", 0))
}

func (arrays[T]) stackDense(list []testkit.Value, axis int) (testkit.Value, error) {
	operands := make([]ragged.Tensor[T], len(list))
	for i, v := range list {
		t, err := toTensor[T](v)
		if err != nil {
			return nil, err
		}
		if operands[i], err = array.ExpandDims(t, axis); err != nil {
			return nil, err
		}
	}
	return sound(ragged.Concat(axis, operands...))
}

// stackOp stacks the tensors of a list.
func stackOp(c *call) (testkit.Value, error) {
	list, err := tensors(c, 0, "values")
	if err != nil {
		return nil, err
	}
	k, err := arraysOfDType(dtypeOf(list[0]))
	if err != nil {
		return nil, err
	}
	return k.stack(list, c.int(1, "axis", 0))
}

func (arrays[T]) stack(list []testkit.Value, axis int) (testkit.Value, error) {
	operands := make([]ragged.Tensor[T], len(list))
	for i, v := range list {
		var err error
		if operands[i], err = toTensor[T](v); err != nil {
			return nil, err
		}
	}
	return sound(array.Stack(axis, operands...))
}

func (arrays[T]) expandDims(c *call) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, "input"))
	if err != nil {
		return nil, err
	}
	return sound(array.ExpandDims(t, c.int(1, "axis", 0)))
}

// axes returns an argument that is an axis or a list of axes.
func axes(c *call, i int, name string) []int {
	if n, ok := c.value(i, name).(testkit.Int); ok {
		return []int{int(n)}
	}
	return c.ints(i, name)
}

func (arrays[T]) squeeze(c *call) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, "input"))
	if err != nil {
		return nil, err
	}
	if c.value(1, "axis") == nil {
		return refuse("squeezing what happens to have size 1")
	}
	return sound(array.Squeeze(t, axes(c, 1, "axis")))
}

func (arrays[T]) tile(c *call) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, "input"))
	if err != nil {
		return nil, err
	}
	return sound(array.Tile(t, c.ints(1, "multiples")...))
}

func (arrays[T]) reverse(c *call) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, "tensor"))
	if err != nil {
		return nil, err
	}
	return sound(array.Reverse(t, c.ints(1, "axis")))
}

func (arrays[T]) split(c *call) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, "value"))
	if err != nil {
		return nil, err
	}
	axis, num := c.int(-1, "axis", 0), c.int(-1, "num", -1)
	if n, ok := c.value(1, "num_or_size_splits").(testkit.Int); ok {
		return soundList(array.Split(t, axis, int(n)))
	}
	sizes := c.ints(1, "num_or_size_splits")
	if num >= 0 && num != len(sizes) {
		return refuse("another number of sizes than there are")
	}
	return soundList(array.SplitSizes(t, axis, sizes...))
}

// asScalar returns a value of one element, which may be written as a tensor or not.
func asScalar[T element](v testkit.Value) (T, error) {
	var out T
	switch v := v.(type) {
	case testkit.Dense:
		if values, ok := v.Values.([]T); ok && len(values) == 1 {
			return values[0], nil
		}
	case testkit.String:
		if p, ok := any(&out).(*string); ok {
			*p = string(v)
			return out, nil
		}
	case testkit.Bool:
		if p, ok := any(&out).(*bool); ok {
			*p = bool(v)
			return out, nil
		}
	case testkit.Int:
		if set(&out, int64(v)) {
			return out, nil
		}
	case testkit.Float:
		switch p := any(&out).(type) {
		case *float32:
			*p = float32(v)
			return out, nil
		case *float64:
			*p = float64(v)
			return out, nil
		}
	}
	return out, testkit.Fault(fmt.Errorf("not a %s: %s", dtypeName[T](), testkit.Format(v)))
}

// set writes an integer, if the type is one of numbers.
func set[T element](dst *T, v int64) bool {
	switch p := any(dst).(type) {
	case *int64:
		*p = v
	case *int32:
		*p = int32(v)
	case *int16:
		*p = int16(v)
	case *int8:
		*p = int8(v)
	case *uint64:
		*p = uint64(v)
	case *uint32:
		*p = uint32(v)
	case *uint16:
		*p = uint16(v)
	case *uint8:
		*p = uint8(v)
	case *float32:
		*p = float32(v)
	case *float64:
		*p = float64(v)
	default:
		return false
	}
	return true
}

func (arrays[T]) fillEmptyRows(c *call) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, "ragged_input"))
	if err != nil {
		return nil, err
	}
	v, err := asScalar[T](c.value(1, "default_value"))
	if err != nil {
		return nil, err
	}
	filled, empty, err := array.FillEmptyRows(t, v)
	if err != nil {
		return nil, err
	}
	out, err := sound(filled, nil)
	return testkit.List{out, vector(empty)}, err
}

func (arrays[T]) dynamicPartition(c *call) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, "data"))
	if err != nil {
		return nil, err
	}
	n := c.int(2, "num_partitions", 0)
	return onIndices(c.value(1, "partitions"),
		func(p ragged.Tensor[int64]) (testkit.Value, error) { return soundList(array.DynamicPartition(t, p, n)) },
		func(p ragged.Tensor[int32]) (testkit.Value, error) { return soundList(array.DynamicPartition(t, p, n)) })
}

func (arrays[T]) stackPartitions(c *call) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, "data"))
	if err != nil {
		return nil, err
	}
	n := c.int(2, "num_partitions", 0)
	return onIndices(c.value(1, "partitions"),
		func(p ragged.Tensor[int64]) (testkit.Value, error) {
			return sound(array.StackDynamicPartitions(t, p, n))
		},
		func(p ragged.Tensor[int32]) (testkit.Value, error) {
			return sound(array.StackDynamicPartitions(t, p, n))
		})
}

// rangeOp finds the widest dtype among the arguments, as TensorFlow does for values that are not
// tensors; all tensors have the same dtype.
func rangeOp(c *call) (testkit.Value, error) {
	c.dtype(-1, "row_splits_dtype", "int64") // of no consequence for us
	args := []testkit.Value{c.value(0, "starts"), c.value(1, "limits"), c.value(2, "deltas")}
	dtype := ""
	for _, v := range args {
		if d := dtypeOf(v); dtype != "" && d != "" && d != dtype {
			return refuse("a range of %s and %s", dtype, d)
		} else if dtype == "" {
			dtype = d
		}
	}
	switch dtype {
	case "int64":
		return rangeOf[int64](args)
	case "int32":
		return rangeOf[int32](args)
	case "float64":
		return rangeOf[float64](args)
	case "float32":
		return rangeOf[float32](args)
	}
	return nil, testkit.Unknown("a range of %q", dtype)
}

func rangeOf[T interface {
	element
	num.Number
}](args []testkit.Value) (testkit.Value, error) {
	ts := [3]ragged.Tensor[T]{2: ragged.Scalar[T](1)}
	for i, v := range args {
		if v == nil {
			continue
		}
		var err error
		if ts[i], err = toTensor[T](v); err != nil {
			return nil, err
		}
	}
	if args[1] == nil {
		if args[2] != nil {
			return nil, testkit.Unknown("a range of deltas without limits")
		}
		return sound(array.RangeTo(ts[0]))
	}
	return sound(array.Range(ts[0], ts[1], ts[2]))
}

// oneHotOp finds the dtype of the result.
func oneHotOp(c *call) (testkit.Value, error) {
	on, off := c.value(2, "on_value"), c.value(3, "off_value")
	dtype := c.dtype(5, "dtype", "")
	for _, v := range []testkit.Value{on, off} {
		d := dtypeOf(v)
		switch v.(type) {
		case testkit.Int:
			d = "int32"
		case testkit.Float:
			d = "float32"
		case testkit.Bool:
			d = "bool"
		case testkit.String:
			d = "string"
		}
		if dtype == "" {
			dtype = d
		}
	}
	if dtype == "" {
		dtype = "float32"
	}
	k, err := arraysOfDType(dtype)
	if err != nil {
		return nil, err
	}
	if on == nil {
		on = testkit.Int(1)
	}
	if off == nil {
		off = testkit.Int(0)
	}
	return k.oneHot(c.value(0, "indices"), c.int(1, "depth", 0), c.int(4, "axis", -1), on, off)
}

func (arrays[T]) oneHot(indices testkit.Value, depth, axis int, on, off testkit.Value) (testkit.Value, error) {
	yes, err := asScalar[T](on)
	if err != nil {
		return nil, err
	}
	no, err := asScalar[T](off)
	if err != nil {
		return nil, err
	}
	return onIndices(indices,
		func(ix ragged.Tensor[int64]) (testkit.Value, error) {
			return sound(array.OneHot(ix, depth, axis, yes, no))
		},
		func(ix ragged.Tensor[int32]) (testkit.Value, error) {
			return sound(array.OneHot(ix, depth, axis, yes, no))
		})
}

func sequenceMaskOp(c *call) (testkit.Value, error) {
	maxLen := c.int(1, "maxlen", -1)
	mask, err := onIndices(c.value(0, "lengths"),
		func(n ragged.Tensor[int64]) (testkit.Value, error) { return sound(array.SequenceMask(n, maxLen)) },
		func(n ragged.Tensor[int32]) (testkit.Value, error) { return sound(array.SequenceMask(n, maxLen)) })
	if dtype := c.dtype(2, "dtype", "bool"); err == nil && dtype != "bool" {
		return raggedElementwise["tf.cast"](&call{args: []testkit.Value{mask, testkit.DType(dtype)}, seen: map[string]bool{}})
	}
	return mask, err
}

// segmentsOf returns a vector of integers, and a conversion to the dtype of the answer.
func segmentsOf(c *call, name string) ([]int64, func([]int64) testkit.Value, error) {
	d, ok := c.value(0, name).(testkit.Dense)
	if !ok || len(d.Shape) != 1 {
		_, err := refuse("%s as a slice", testkit.Format(c.value(0, name)))
		return nil, nil, err
	}
	n, ok := asInt64s(d)
	if !ok {
		_, err := refuse("%s of %s", name, d.DType)
		return nil, nil, err
	}
	dtype := c.dtype(-1, "out_type", d.DType)
	return n, func(v []int64) testkit.Value {
		if dtype == "int32" {
			return narrowed(vector(v))
		}
		return vector(v)
	}, nil
}

func segmentIDsOp(c *call) (testkit.Value, error) {
	splits, out, err := segmentsOf(c, "splits")
	if err != nil {
		return nil, err
	}
	p, err := ragged.FromRowSplits(splits)
	return out(p.AppendValueRowIDs([]int64{})), err
}

func rowSplitsOp(c *call) (testkit.Value, error) {
	ids, out, err := segmentsOf(c, "segment_ids")
	if err != nil {
		return nil, err
	}
	rows := rowsOf(ids)
	if c.value(1, "num_segments") != nil {
		rows = int64(c.int(1, "num_segments", -1))
	}
	p, err := ragged.FromValueRowIDs(ids, rows)
	return out(p.AppendSplits(nil)), err
}

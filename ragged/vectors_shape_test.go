//go:build !novectors

package ragged_test

import (
	"slices"
	"strings"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/dtype"
)

var raggedShapes = shapeOps()

func shapeOps() map[string]raggedOp {
	ops := map[string]raggedOp{
		"RaggedTensor.merge_dims":       onFirst(coreKernel.mergeDims),
		"RaggedTensor.with_values":      withValuesOp(false),
		"RaggedTensor.with_flat_values": withValuesOp(true),
		"RaggedTensor.with_row_splits_dtype": onFirst(func(k coreKernel, c *call) (testkit.Value, error) {
			if d := c.dtype(1, "dtype", ""); d != "int64" && d != "int32" {
				return refuse("row splits of %s", d)
			}
			return k.query(c, "self")
		}),
	}
	// Positions have the dtype of the row splits. Ours are always int64, so the answer is
	// converted if a case has int32.
	ask := func(what string) raggedOp {
		return onFirst(func(k coreKernel, c *call) (testkit.Value, error) {
			got, err := k.query(c, what)
			if r, ok := c.args[0].(testkit.Ragged); ok && err == nil && r.SplitsDType == "int32" && !strings.HasSuffix(what, "values") {
				got = narrowed(got)
			}
			return got, err
		})
	}
	for _, what := range []string{
		"RaggedTensor.bounding_shape", "RaggedTensor.dtype", "RaggedTensor.flat_values", "RaggedTensor.nested_row_lengths",
		"RaggedTensor.nested_row_splits", "RaggedTensor.nested_value_rowids", "RaggedTensor.nrows", "RaggedTensor.ragged_rank",
		"RaggedTensor.row_lengths", "RaggedTensor.row_limits", "RaggedTensor.row_splits", "RaggedTensor.row_starts",
		"RaggedTensor.shape", "RaggedTensor.uniform_row_length", "RaggedTensor.value_rowids", "RaggedTensor.values",
		"tf.rank", "tf.size",
	} {
		ops[what] = ask(what)
	}
	for _, what := range []string{
		"is_uniform", "nrows", "nvals", "offsets_in_rows", "row_lengths", "row_limits", "row_splits", "row_starts",
		"uniform_row_length", "value_rowids",
	} {
		ops["RowPartition."+what] = func(c *call) (testkit.Value, error) { return queryPartition(c, what) }
	}
	return ops
}

// query returns a property of one tensor.
func (core[T]) query(c *call, what string) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, ""))
	if err != nil {
		return nil, err
	}
	outermost := func() ragged.Partition { return t.Partition(0) }
	switch what {
	case "self":
		return fromTensor(t), nil
	case "RaggedTensor.shape":
		return testkit.Shape{Dims: int64sOf(t.Shape()), Known: true}, nil
	case "RaggedTensor.dtype":
		return testkit.DType(dtype.Name[T]()), nil
	case "RaggedTensor.ragged_rank":
		return testkit.Int(t.RaggedRank()), nil
	case "tf.rank":
		return number(int32(t.Rank())), nil
	case "tf.size":
		return number(int32(t.Size())), nil
	case "RaggedTensor.nrows":
		return number(int64(t.Len())), nil
	case "RaggedTensor.values":
		return fromTensor(t.Items()), nil
	case "RaggedTensor.flat_values":
		return fromTensor(t.Flat()), nil
	case "RaggedTensor.row_splits":
		return vector(outermost().AppendSplits(nil)), nil
	case "RaggedTensor.row_starts":
		return vector(outermost().AppendStarts(nil)), nil
	case "RaggedTensor.row_limits":
		return vector(outermost().AppendLimits(nil)), nil
	case "RaggedTensor.value_rowids":
		return vector(outermost().AppendValueRowIDs(nil)), nil
	case "RaggedTensor.uniform_row_length":
		return uniformLength(outermost()), nil
	case "RaggedTensor.row_lengths":
		lengths, err := t.RowLengths(c.int(-1, "axis", 1))
		return fromTensor(lengths), err
	case "RaggedTensor.bounding_shape":
		return boundingShape(c, t.BoundingShape())
	}
	var list testkit.List
	for level := range t.RaggedRank() {
		p := t.Partition(level)
		switch what {
		case "RaggedTensor.nested_row_splits":
			list = append(list, vector(p.AppendSplits(nil)))
		case "RaggedTensor.nested_row_lengths":
			list = append(list, vector(p.AppendLengths(nil)))
		case "RaggedTensor.nested_value_rowids":
			list = append(list, vector(p.AppendValueRowIDs(nil)))
		default:
			return nil, testkit.Unknown("%s", what)
		}
	}
	return list, nil
}

// narrowed converts int64 to int32.
func narrowed(v testkit.Value) testkit.Value {
	switch v := v.(type) {
	case testkit.Dense:
		if n, ok := v.Values.([]int64); ok {
			narrow := make([]int32, len(n))
			for i, x := range n {
				narrow[i] = int32(x)
			}
			v.DType, v.Values = "int32", narrow
		}
		return v
	case testkit.Ragged:
		v.Flat = narrowed(v.Flat).(testkit.Dense)
		return v
	case testkit.List:
		out := slices.Clone(v)
		for i := range out {
			out[i] = narrowed(out[i])
		}
		return out
	}
	return v
}

func uniformLength(p ragged.Partition) testkit.Value {
	if n, ok := p.UniformLen(); ok {
		return number(int64(n))
	}
	return testkit.Null{}
}

// boundingShape returns some axes of a bounding shape.
func boundingShape(c *call, shape []int) (testkit.Value, error) {
	out := int64sOf(shape)
	switch axis := c.value(-1, "axis").(type) {
	case nil:
	case testkit.Int:
		if axis < 0 || int(axis) >= len(shape) {
			return refuse("axis %d of a slice of %d", axis, len(shape))
		}
		return number(out[axis]), nil
	case testkit.Dense:
		axes, err := indices(axis)
		if err != nil {
			return nil, err
		}
		var picked []int64
		for _, a := range axes {
			if a < 0 || int(a) >= len(shape) {
				return refuse("axis %d of a slice of %d", a, len(shape))
			}
			picked = append(picked, out[a])
		}
		return vector(picked), nil
	default:
		return nil, testkit.Unknown("axis %s", testkit.Format(axis))
	}
	if c.dtype(-1, "out_type", "int64") == "int32" {
		return narrowed(vector(out)), nil
	}
	return vector(out), nil
}

func queryPartition(c *call, what string) (testkit.Value, error) {
	v, ok := c.value(0, "").(testkit.RowPartition)
	if !ok {
		return nil, testkit.Unknown("not a partition: %s", testkit.Format(c.args[0]))
	}
	p, err := toPartition(v.Partition)
	if err != nil {
		return nil, err
	}
	switch what {
	case "is_uniform":
		_, uniform := p.UniformLen()
		return testkit.Bool(uniform), nil
	case "uniform_row_length":
		return uniformLength(p), nil
	case "nrows":
		return number(int64(p.NumRows())), nil
	case "nvals":
		return number(int64(p.NumValues())), nil
	case "row_splits":
		return vector(p.AppendSplits(nil)), nil
	case "row_lengths":
		return vector(p.AppendLengths(nil)), nil
	case "row_starts":
		return vector(p.AppendStarts(nil)), nil
	case "row_limits":
		return vector(p.AppendLimits(nil)), nil
	case "value_rowids":
		return vector(p.AppendValueRowIDs(nil)), nil
	case "offsets_in_rows":
		return vector(p.AppendOffsets(nil)), nil
	}
	return nil, testkit.Unknown("%s of a partition", what)
}

func (core[T]) mergeDims(c *call) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, ""))
	if err != nil {
		return nil, err
	}
	out, err := t.MergeDims(c.int(1, "outer_axis", 0), c.int(2, "inner_axis", 0))
	if err == nil {
		err = out.Validate()
	}
	return fromTensor(out), err
}

// withValuesOp puts partitions around values of any dtype. The tensor of the partitions is built
// without its values, which do not matter.
func withValuesOp(flat bool) raggedOp {
	return func(c *call) (testkit.Value, error) {
		t, ok := c.value(0, "").(testkit.Ragged)
		if !ok {
			return nil, testkit.Unknown("not ragged: %s", testkit.Format(c.args[0]))
		}
		parts, err := toPartitions(t.Partitions)
		if err != nil {
			return nil, err
		}
		rows, err := ragged.New(make([]struct{}, t.Flat.Shape[0]), nil, parts...)
		if err != nil {
			return nil, err
		}
		items := c.value(1, "new_values")
		if _, ok := splitsDType(t, items); !ok {
			return refuse("row splits of two dtypes")
		}
		k, err := coreOf(items)
		if err != nil {
			return nil, err
		}
		return k.withValues(rows, items, flat)
	}
}

func (core[T]) withValues(rows ragged.Tensor[struct{}], items testkit.Value, flat bool) (testkit.Value, error) {
	t, err := toTensor[T](items)
	if err != nil {
		return nil, err
	}
	if flat {
		out, err := ragged.Wrap(t, rows.Partitions()...)
		return fromTensor(out), err
	}
	out, err := ragged.Wrap(t, rows.Partition(0))
	return fromTensor(out), err
}

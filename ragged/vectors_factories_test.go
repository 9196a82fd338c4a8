//go:build !novectors

package ragged_test

import (
	"fmt"
	"math"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
)

var raggedFactories = map[string]raggedOp{
	"RaggedTensor.from_row_splits":          factory("row_splits"),
	"RaggedTensor.from_row_lengths":         factory("row_lengths"),
	"RaggedTensor.from_row_starts":          factory("row_starts"),
	"RaggedTensor.from_row_limits":          factory("row_limits"),
	"RaggedTensor.from_value_rowids":        factory("value_rowids"),
	"RaggedTensor.from_uniform_row_length":  factory("uniform_row_length"),
	"RaggedTensor.from_nested_row_splits":   nestedFactory("row_splits"),
	"RaggedTensor.from_nested_row_lengths":  nestedFactory("row_lengths"),
	"RaggedTensor.from_nested_value_rowids": nestedFactory("value_rowids"),
	"tf.ragged.constant":                    constantOp,
	"RowPartition.from_row_splits":          partitionAlone("row_splits"),
	"RowPartition.from_row_lengths":         partitionAlone("row_lengths"),
	"RowPartition.from_row_starts":          partitionAlone("row_starts"),
	"RowPartition.from_row_limits":          partitionAlone("row_limits"),
	"RowPartition.from_value_rowids":        partitionAlone("value_rowids"),
	"RowPartition.from_uniform_row_length":  partitionAlone("uniform_row_length"),
}

func factory(encoding string) raggedOp {
	return onFirst(func(k coreKernel, c *call) (testkit.Value, error) { return k.fromPartition(c, encoding) })
}

func nestedFactory(encoding string) raggedOp {
	return onFirst(func(k coreKernel, c *call) (testkit.Value, error) { return k.fromNested(c, encoding) })
}

// fromPartition puts a partition around items.
func (core[T]) fromPartition(c *call, encoding string) (testkit.Value, error) {
	items, err := toTensor[T](c.value(0, "values"))
	if err != nil {
		return nil, err
	}
	if r, ok := c.args[0].(testkit.Ragged); ok {
		if d, ok := c.value(1, encoding).(testkit.Dense); ok && d.DType != r.SplitsDType {
			return refuse("row splits of %s around those of %s", d.DType, r.SplitsDType)
		}
	}
	p, err := partition(c, 1, encoding, items.Len())
	if err != nil {
		return nil, err
	}
	t, err := ragged.Wrap(items, p)
	return fromTensor(t), err
}

// partition makes a partition from an encoding, which is argument i, for nvals values (negative:
// unknown).
func partition(c *call, i int, encoding string, nvals int) (ragged.Partition, error) {
	var none ragged.Partition
	arg := c.value(i, encoding)
	if encoding == "uniform_row_length" {
		n, ok := arg.(testkit.Int)
		if !ok {
			return none, fmt.Errorf("%w: the length is not a number", errTypes)
		}
		if rows := c.int(i+1, "nrows", math.MinInt); rows != math.MinInt {
			return ragged.Uniform(int64(n), int64(rows))
		}
		return ragged.FromUniformRowLength(int64(n), int64(nvals))
	}
	encoded, err := indices(arg)
	if err != nil {
		return none, err
	}
	switch encoding {
	case "row_splits":
		// We ignore validate: partitions are always validated.
		c.bool(-1, "validate", true)
		return ragged.FromRowSplits(encoded)
	case "row_lengths":
		return ragged.FromRowLengths(encoded)
	case "row_starts":
		return ragged.FromRowStarts(encoded, int64(nvals))
	case "row_limits":
		return ragged.FromRowLimits(encoded)
	}
	if v, ok := c.value(i+1, "nrows").(testkit.Dense); ok && len(v.Shape) > 0 {
		return none, fmt.Errorf("%w: the number of rows is not a number", errTypes)
	}
	return ragged.FromValueRowIDs(encoded, int64(c.int(i+1, "nrows", int(rowsOf(encoded)))))
}

// rowsOf is TensorFlow's default for the number of rows.
func rowsOf(ids []int64) int64 {
	if len(ids) == 0 {
		return 0
	}
	return max(ids[len(ids)-1], -1) + 1
}

// indices returns an argument that must be a vector of int64 or int32.
func indices(v testkit.Value) ([]int64, error) {
	d, ok := v.(testkit.Dense)
	if !ok {
		return nil, testkit.Fault(fmt.Errorf("not a tensor: %s", testkit.Format(v)))
	}
	n, ok := asInt64s(d)
	if !ok || len(d.Shape) != 1 {
		_, err := refuse("%s of shape %d where a []int64 is wanted", d.DType, d.Shape)
		return nil, err
	}
	return n, nil
}

// fromNested puts partitions of one encoding around items.
func (core[T]) fromNested(c *call, encoding string) (testkit.Value, error) {
	items, err := toTensor[T](c.value(0, "flat_values"))
	if err != nil {
		return nil, err
	}
	list, ok := c.value(1, "nested_"+encoding).(testkit.List)
	if !ok {
		return refuse("a tensor where a list of slices is wanted")
	}
	var nrows []int64
	if encoding == "value_rowids" {
		if n := c.ints(2, "nested_nrows"); n != nil {
			nrows = int64sOf(n)
			if len(nrows) != len(list) {
				return nil, fmt.Errorf("%w: %d levels, and %d numbers of rows", ragged.ErrShape, len(list), len(nrows))
			}
		}
	}
	parts := make([]ragged.Partition, len(list))
	for i, v := range list {
		level, err := indices(v)
		if err != nil {
			return nil, err
		}
		switch {
		case encoding == "row_splits":
			parts[i], err = ragged.FromRowSplits(level)
		case encoding == "row_lengths":
			parts[i], err = ragged.FromRowLengths(level)
		case nrows != nil:
			parts[i], err = ragged.FromValueRowIDs(level, nrows[i])
		default:
			parts[i], err = ragged.FromValueRowIDs(level, rowsOf(level))
		}
		if err != nil {
			return nil, err
		}
	}
	if len(parts) == 0 {
		return fromTensor(items), nil
	}
	t, err := ragged.Wrap(items, parts...)
	return fromTensor(t), err
}

// partitionAlone makes a partition without values.
func partitionAlone(encoding string) raggedOp {
	return func(c *call) (testkit.Value, error) {
		nvals := -1
		switch encoding {
		case "row_starts":
			nvals = c.int(1, "nvals", -1)
		case "uniform_row_length":
			rows := c.int(-1, "nrows", -1)
			if nvals = c.int(-1, "nvals", -1); rows < 0 && nvals < 0 {
				return refuse("a uniform partition of neither rows nor values")
			}
			if rows < 0 {
				n, err := ragged.FromUniformRowLength(int64(c.int(0, "", 0)), int64(nvals))
				return alone(n, err)
			}
		}
		p, err := partition(c, 0, encoding, nvals)
		if err == nil && nvals >= 0 && p.NumValues() != nvals {
			return refuse("%d values where the partition has %d", nvals, p.NumValues())
		}
		return alone(p, err)
	}
}

func alone(p ragged.Partition, err error) (testkit.Value, error) {
	if err != nil {
		return nil, err
	}
	return testkit.RowPartition{Partition: fromPartition(p)}, nil
}

// constantOp makes a tensor of a nested list. As in Python, the dtype follows from all elements.
func constantOp(c *call) (testkit.Value, error) {
	list := c.value(0, "pylist")
	inferred := map[string]bool{}
	if err := elementKinds(list, inferred); err != nil {
		return nil, err
	}
	given := c.dtype(-1, "dtype", "")
	dtype, err := constantDType(given, inferred)
	if err != nil {
		return nil, err
	}
	k, err := coreOfDType(dtype)
	if err != nil {
		return nil, err
	}
	c.dtype(-1, "row_splits_dtype", "") // of no consequence for us
	return k.constant(c, list)
}

// elementKinds records which kinds of elements occur in a nested list.
func elementKinds(v testkit.Value, kinds map[string]bool) error {
	switch v := v.(type) {
	case testkit.List:
		for _, e := range v {
			if err := elementKinds(e, kinds); err != nil {
				return err
			}
		}
	case testkit.Int:
		kinds["int"] = true
		if int64(int32(v)) != int64(v) {
			kinds["int64"] = true
		}
	case testkit.Float:
		kinds["float"] = true
	case testkit.Bool:
		kinds["bool"] = true
	case testkit.String:
		kinds["string"] = true
	default:
		return testkit.Unknown("an element %s", testkit.Format(v))
	}
	return nil
}

// constantDType is Python's rule for the dtype of a list.
func constantDType(given string, kinds map[string]bool) (string, error) {
	number := kinds["int"] || kinds["float"]
	if kinds["string"] && (number || kinds["bool"]) || kinds["bool"] && number {
		return "", fmt.Errorf("%w: mixed types", errTypes)
	}
	inferred := "float32"
	switch {
	case kinds["string"]:
		inferred = "string"
	case kinds["bool"]:
		inferred = "bool"
	case kinds["float"]:
	case kinds["int64"]:
		inferred = "int64"
	case kinds["int"]:
		inferred = "int32"
	}
	float := given == "float32" || given == "float64"
	switch {
	case given == "" || given == inferred || len(kinds) == 0:
	case float && number, given == "int64" && kinds["int"] && !kinds["float"]:
	default:
		return "", fmt.Errorf("%w: a list of %s as %s", errTypes, inferred, given)
	}
	if given != "" {
		return given, nil
	}
	return inferred, nil
}

func (core[T]) constant(c *call, list testkit.Value) (testkit.Value, error) {
	tree, err := pyTree[T](list)
	if err != nil {
		return nil, err
	}
	opts := &ragged.ConstantOptions{RaggedRank: c.int(-1, "ragged_rank", 0), InnerShape: c.ints(-1, "inner_shape")}
	opts.Dense = c.value(-1, "ragged_rank") != nil && opts.RaggedRank == 0
	t, err := ragged.Constant[T](tree, opts)
	return fromTensor(t), err
}

// pyTree converts a nested list to a []any with elements of type T.
func pyTree[T element](v testkit.Value) (any, error) {
	var zero T
	switch v := v.(type) {
	case testkit.List:
		out := make([]any, len(v))
		for i, e := range v {
			var err error
			if out[i], err = pyTree[T](e); err != nil {
				return nil, err
			}
		}
		return out, nil
	case testkit.Bool:
		return bool(v), nil
	case testkit.String:
		return string(v), nil
	case testkit.Int:
		return convertNumber(any(zero), int64(v), float64(v))
	case testkit.Float:
		return convertNumber(any(zero), 0, float64(v))
	}
	return nil, testkit.Unknown("an element %s", testkit.Format(v))
}

func convertNumber(like any, n int64, f float64) (any, error) {
	switch like.(type) {
	case int32:
		return int32(n), nil
	case int64:
		return n, nil
	case float32:
		return float32(f), nil
	case float64:
		return f, nil
	}
	return nil, testkit.Unknown("a number as %T", like)
}

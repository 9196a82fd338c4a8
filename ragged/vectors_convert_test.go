//go:build !novectors

package ragged_test

import (
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
)

var raggedConversions = map[string]raggedOp{
	"RaggedTensor.from_tensor": onFirst(coreKernel.fromTensor),
	"RaggedTensor.from_sparse": onFirst(coreKernel.fromSparse),
	"RaggedTensor.to_tensor":   onFirst(coreKernel.toTensor),
	"RaggedTensor.to_sparse":   onFirst(coreKernel.toSparse),
	"RaggedTensor.to_list":     onFirst(coreKernel.toList),
	"tf.sparse.to_dense":       onFirst(coreKernel.sparseToDense),
	"tf.sparse.concat": func(c *call) (testkit.Value, error) {
		list, ok := c.value(-1, "sp_inputs").(testkit.List)
		if !ok || len(list) == 0 {
			return nil, testkit.Unknown("sp_inputs is not a list")
		}
		k, err := coreOf(list[0])
		if err != nil {
			return nil, err
		}
		return k.sparseConcat(c, list)
	},
}

func (core[T]) fromTensor(c *call) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, "tensor"))
	if err != nil {
		return nil, err
	}
	rank := c.int(-1, "ragged_rank", 1)
	lengths, padding := c.value(-1, "lengths"), c.value(-1, "padding")
	c.dtype(-1, "row_splits_dtype", "") // of no consequence for us
	switch {
	case lengths != nil && padding != nil:
		return refuse("lengths and padding")
	case padding != nil:
		pad, err := scalarOrTensor[T](padding)
		if err != nil {
			return nil, err
		}
		out, err := ragged.FromDensePadding(t, rank, pad)
		return fromTensor(out), err
	case lengths == nil:
		out, err := ragged.FromDense(t, rank)
		return fromTensor(out), err
	}
	var levels [][]int64
	switch v := lengths.(type) {
	case testkit.Dense:
		if n, ok := asInt64s(v); ok && len(v.Shape) == 2 { // a list of vectors
			levels = slices.Collect(slices.Chunk(n, int(v.Shape[1])))
			break
		}
		n, err := indices(v)
		if err != nil {
			return nil, err
		}
		out, err := ragged.FromDenseLengths(t, rank, n)
		return fromTensor(out), err
	case testkit.List:
		for _, e := range v {
			n, err := indices(e)
			if err != nil {
				return nil, err
			}
			levels = append(levels, n)
		}
	}
	if rank != 1 && rank != len(levels) {
		return refuse("lengths for %d levels and ragged rank %d", len(levels), rank)
	}
	out, err := ragged.FromDenseNested(t, levels...)
	return fromTensor(out), err
}

// scalarOrTensor builds a tensor of a Python scalar or a tensor.
func scalarOrTensor[T element](v testkit.Value) (ragged.Tensor[T], error) {
	switch v.(type) {
	case testkit.Dense, testkit.Ragged:
		return toTensor[T](v)
	}
	s, err := pyTree[T](v)
	if err != nil {
		return ragged.Tensor[T]{}, err
	}
	x, ok := s.(T)
	if !ok {
		_, err := refuse("%s as %s", testkit.Format(v), dtypeName[T]())
		return ragged.Tensor[T]{}, err
	}
	return ragged.Scalar(x), nil
}

func (core[T]) toTensor(c *call) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, ""))
	if err != nil {
		return nil, err
	}
	var fill ragged.Tensor[T]
	if v := c.value(-1, "default_value"); v != nil {
		if fill, err = scalarOrTensor[T](v); err != nil {
			return nil, err
		}
	}
	var sizes []int
	switch v := c.value(-1, "shape").(type) {
	case nil:
	case testkit.List:
		for _, e := range v {
			switch e := e.(type) {
			case testkit.Null:
				sizes = append(sizes, -1)
			case testkit.Int:
				if e < 0 {
					return refuse("a negative size in a list")
				}
				sizes = append(sizes, int(e))
			default:
				return nil, testkit.Unknown("a size %s", testkit.Format(e))
			}
		}
	case testkit.Dense:
		n, ok := asInt64s(v)
		if !ok {
			return nil, testkit.Unknown("sizes %s", testkit.Format(v))
		}
		if sizes = intsOf(n); len(v.Shape) == 0 { // -1: the rank is unknown
			sizes = nil
		}
	default:
		return nil, testkit.Unknown("sizes %s", testkit.Format(v))
	}
	out, err := t.ToDense(fill, sizes)
	return fromTensor(out), err
}

func (core[T]) fromSparse(c *call) (testkit.Value, error) {
	s, err := toSparse[T](c.value(0, "st_input"))
	if err != nil {
		return nil, err
	}
	c.dtype(-1, "row_splits_dtype", "") // of no consequence for us
	t, err := ragged.FromSparse(s)
	return fromTensor(t), err
}

func (core[T]) toSparse(c *call) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, ""))
	if err != nil {
		return nil, err
	}
	return fromSparse(t.Sparse()), nil
}

func (core[T]) sparseToDense(c *call) (testkit.Value, error) {
	s, err := toSparse[T](c.value(0, "sp_input"))
	if err != nil {
		return nil, err
	}
	fill, err := scalarOrTensor[T](c.value(1, "default_value"))
	if err != nil {
		return nil, err
	}
	t, err := s.Dense(fill.Item())
	return fromTensor(t), err
}

func (core[T]) sparseConcat(c *call, list testkit.List) (testkit.Value, error) {
	operands := make([]ragged.Sparse[T], len(list))
	for i, v := range list {
		var err error
		if operands[i], err = toSparse[T](v); err != nil {
			return nil, err
		}
	}
	out, err := ragged.ConcatSparse(c.int(-1, "axis", 0), operands...)
	return fromSparse(out), err
}

func toSparse[T element](v testkit.Value) (ragged.Sparse[T], error) {
	s, ok := v.(testkit.Sparse)
	if !ok {
		return ragged.Sparse[T]{}, testkit.Fault(fmt.Errorf("not sparse: %s", testkit.Format(v)))
	}
	values, ok := s.Values.([]T)
	if !ok {
		return ragged.Sparse[T]{}, fmt.Errorf("%w: want dtype %s, got %s", errTypes, dtypeName[T](), s.DType)
	}
	return ragged.Sparse[T]{Indices: slices.Concat(s.Indices...), Values: values, Shape: s.DenseShape}, nil
}

func fromSparse[T element](s ragged.Sparse[T]) testkit.Value {
	out := testkit.Sparse{Indices: [][]int64{}, DenseShape: s.Shape, DType: dtypeName[T](), Values: s.Values}
	if s.Values == nil {
		out.Values = []T{}
	}
	for i := range s.Values {
		out.Indices = append(out.Indices, s.Indices[i*len(s.Shape):(i+1)*len(s.Shape)])
	}
	return out
}

// toList compares the nested Go slices of a tensor with Python's.
func (core[T]) toList(c *call) (testkit.Value, error) {
	t, err := toTensor[T](c.value(0, ""))
	if err != nil {
		return nil, err
	}
	switch t.Rank() {
	case 1:
		return listOf[[]T](t)
	case 2:
		return listOf[[][]T](t)
	case 3:
		return listOf[[][][]T](t)
	case 4:
		return listOf[[][][][]T](t)
	case 5:
		return listOf[[][][][][]T](t)
	case 6:
		return listOf[[][][][][][]T](t)
	}
	return nil, testkit.Unknown("to_list of rank %d", t.Rank())
}

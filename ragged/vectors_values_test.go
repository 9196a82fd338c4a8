//go:build !novectors

package ragged_test

import (
	"fmt"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
)

// element are the Go types of the elements that occur in the vectors.
type element interface {
	int64 | int32 | int16 | int8 | uint64 | uint32 | uint16 | uint8 | float64 | float32 | bool | string
}

// dtypeName returns TensorFlow's name of a Go type.
func dtypeName[T element]() string {
	var zero T
	switch v := any(zero).(type) {
	case string, bool, int64, int32, int16, int8, uint64, uint32, uint16, uint8, float64, float32:
		return fmt.Sprintf("%T", v)
	}
	panic("unreachable")
}

// perDType returns the instance of a generic operation for a dtype. K is usually an interface that
// a generic type without fields implements. It supports the dtypes in the vectors: each further
// dtype takes seconds to compile.
func perDType[K any](dtype string, i64, i32, f64, f32, b, s K) (K, error) {
	switch dtype {
	case "int64":
		return i64, nil
	case "int32":
		return i32, nil
	case "float64":
		return f64, nil
	case "float32":
		return f32, nil
	case "bool":
		return b, nil
	case "string":
		return s, nil
	}
	var none K
	return none, testkit.Unknown("dtype %q", dtype)
}

// dtypeOf returns the dtype of a tensor, "" for any other value.
func dtypeOf(v testkit.Value) string {
	switch v := v.(type) {
	case testkit.Dense:
		return v.DType
	case testkit.Ragged:
		return v.Flat.DType
	case testkit.Sparse:
		return v.DType
	}
	return ""
}

// toTensor builds a tensor from a value.
func toTensor[T element](v testkit.Value) (ragged.Tensor[T], error) {
	var none ragged.Tensor[T]
	switch v := v.(type) {
	case testkit.Dense:
		values, ok := v.Values.([]T)
		if !ok {
			return none, fmt.Errorf("%w: want dtype %s, got %s", errTypes, dtypeName[T](), v.DType)
		}
		return ragged.Dense(values, intsOf(v.Shape)...)
	case testkit.Ragged:
		flat, err := toTensor[T](v.Flat)
		if err != nil {
			return none, err
		}
		parts, err := toPartitions(v.Partitions)
		if err != nil {
			return none, err
		}
		return ragged.Wrap(flat, parts...)
	}
	return none, testkit.Fault(fmt.Errorf("not a tensor: %s", testkit.Format(v)))
}

// toPartition builds a partition.
func toPartition(p testkit.Partition) (ragged.Partition, error) {
	if p.Uniform {
		return ragged.Uniform(p.Length, p.NRows)
	}
	return ragged.FromRowSplits(p.Splits)
}

func toPartitions(ps []testkit.Partition) ([]ragged.Partition, error) {
	parts := make([]ragged.Partition, len(ps))
	for i, p := range ps {
		var err error
		if parts[i], err = toPartition(p); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// fromTensor returns the value of a tensor.
func fromTensor[T element](t ragged.Tensor[T]) testkit.Value {
	flat := fromDense(t.Flat())
	if t.RaggedRank() == 0 {
		return flat
	}
	return testkit.Ragged{Partitions: fromPartitions(t.Partitions()), Flat: flat}
}

func fromDense[T element](t ragged.Tensor[T]) testkit.Dense {
	return testkit.Dense{DType: dtypeName[T](), Shape: int64sOf(t.Shape()), Values: t.Values()}
}

// fromPartition returns the value of a partition. It also checks that the accessors of the other
// encodings agree with the splits.
func fromPartition(p ragged.Partition) testkit.Partition {
	out := testkit.SplitsOf(p.AppendSplits(nil)...)
	if n, ok := p.UniformLen(); ok {
		out.Uniform, out.Length = true, int64(n)
	}
	if out.NRows != int64(p.NumRows()) || out.Splits[out.NRows] != int64(p.NumValues()) {
		panic(fmt.Sprintf("%d rows of %d values with the splits %v", p.NumRows(), p.NumValues(), out.Splits))
	}
	return out
}

func fromPartitions(ps []ragged.Partition) []testkit.Partition {
	out := make([]testkit.Partition, len(ps))
	for i, p := range ps {
		out[i] = fromPartition(p)
	}
	return out
}

// vector is the value of a vector.
func vector[T element](values []T) testkit.Value {
	return fromTensor(ragged.Vector(values...))
}

// number is a single number as a tensor.
func number[T element](v T) testkit.Value { return fromTensor(ragged.Scalar(v)) }

// asInt64s returns the values of an integer tensor of any width.
func asInt64s(v testkit.Dense) ([]int64, bool) {
	switch n := v.Values.(type) {
	case []int64:
		return n, true
	case []int32:
		return widen(n), true
	case []int16:
		return widen(n), true
	case []int8:
		return widen(n), true
	case []uint32:
		return widen(n), true
	case []uint16:
		return widen(n), true
	case []uint8:
		return widen(n), true
	}
	return nil, false
}

func widen[T int32 | int16 | int8 | uint32 | uint16 | uint8](v []T) []int64 {
	out := make([]int64, len(v))
	for i, n := range v {
		out[i] = int64(n)
	}
	return out
}

// asInts returns a vector of integers, written as a tensor or as a list.
func asInts(v testkit.Value) ([]int, bool) {
	switch v := v.(type) {
	case testkit.Dense:
		n, ok := asInt64s(v)
		return intsOf(n), ok && len(v.Shape) == 1
	case testkit.List:
		out := make([]int, len(v))
		for i, e := range v {
			n, ok := e.(testkit.Int)
			if !ok {
				return nil, false
			}
			out[i] = int(n)
		}
		return out, true
	}
	return nil, false
}

func intsOf(v []int64) []int {
	out := make([]int, len(v))
	for i, n := range v {
		out[i] = int(n)
	}
	return out
}

func int64sOf(v []int) []int64 {
	out := make([]int64, len(v))
	for i, n := range v {
		out[i] = int64(n)
	}
	return out
}

// splitsDType returns the dtype of the row splits of all tensors in vs, and whether they have the
// same dtype. Our row splits are always int64, so a call that mixes dtypes cannot be written.
func splitsDType(vs ...testkit.Value) (string, bool) {
	dtype := ""
	for _, v := range vs {
		if r, ok := v.(testkit.Ragged); ok {
			if dtype != "" && dtype != r.SplitsDType {
				return "", false
			}
			dtype = r.SplitsDType
		}
	}
	return dtype, true
}

//go:build !novectors

package ragged_test

import (
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/shape"
)

// A coreKernel runs the operations of package ragged for one dtype.
type coreKernel interface {
	fromPartition(c *call, encoding string) (testkit.Value, error)
	fromNested(c *call, encoding string) (testkit.Value, error)
	constant(c *call, list testkit.Value) (testkit.Value, error)

	fromTensor(c *call) (testkit.Value, error)
	fromSparse(c *call) (testkit.Value, error)
	toTensor(c *call) (testkit.Value, error)
	toSparse(c *call) (testkit.Value, error)
	toList(c *call) (testkit.Value, error)
	sparseConcat(c *call, list testkit.List) (testkit.Value, error)
	sparseToDense(c *call) (testkit.Value, error)

	getitem(c *call) (testkit.Value, error)

	shapeOf(c *call) (testkit.Value, error)
	filled(s shape.Shape, one bool) (testkit.Value, error)
	fillWith(s shape.Shape, v testkit.Value) (testkit.Value, error)
	reshape(c *call) (testkit.Value, error)
	broadcastTo(c *call) (testkit.Value, error)

	text(v testkit.Value) (string, error)
	summary(v testkit.Value, n int) (string, error)

	concat(list []testkit.Value, axis int) (testkit.Value, error)

	query(c *call, what string) (testkit.Value, error)
	mergeDims(c *call) (testkit.Value, error)
	withValues(rows ragged.Tensor[struct{}], items testkit.Value, flat bool) (testkit.Value, error)
}

// core implements coreKernel.
type core[T element] struct{}

// coreOf returns the kernel for the dtype of a tensor.
func coreOf(v testkit.Value) (coreKernel, error) { return coreOfDType(dtypeOf(v)) }

func coreOfDType(dtype string) (coreKernel, error) {
	return perDType[coreKernel](dtype, core[int64]{}, core[int32]{}, core[float64]{}, core[float32]{}, core[bool]{}, core[string]{})
}

// onFirst makes an operation that runs a kernel for the dtype of the first argument.
func onFirst(run func(coreKernel, *call) (testkit.Value, error)) raggedOp {
	return func(c *call) (testkit.Value, error) {
		if len(c.args) == 0 {
			return nil, testkit.Unknown("a call without arguments")
		}
		k, err := coreOf(c.args[0])
		if err != nil {
			return nil, err
		}
		return run(k, c)
	}
}

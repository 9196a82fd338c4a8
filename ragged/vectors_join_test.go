//go:build !novectors

package ragged_test

import (
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/ragged"
)

var raggedJoins = map[string]raggedOp{
	"tf.concat": concatOp,
}

// concatOp joins the tensors of a list.
func concatOp(c *call) (testkit.Value, error) {
	operands, err := tensors(c, 0, "values")
	if err != nil {
		return nil, err
	}
	axis, ok := c.value(1, "axis").(testkit.Int)
	if !ok {
		return refuse("no number as an axis")
	}
	k, err := coreOf(operands[0])
	if err != nil {
		return nil, err
	}
	return k.concat(operands, int(axis))
}

// tensors returns an argument that is a list of tensors of one dtype. An empty list, or a list of
// several dtypes, cannot be written in Go.
func tensors(c *call, i int, name string) ([]testkit.Value, error) {
	list, ok := c.value(i, name).(testkit.List)
	if !ok {
		return nil, testkit.Unknown("%s is not a list", name)
	}
	if len(list) == 0 {
		_, err := refuse("an operation on tensors of no type")
		return nil, err
	}
	for _, v := range list {
		if dtypeOf(v) != dtypeOf(list[0]) {
			_, err := refuse("a list of %s and %s", dtypeOf(list[0]), dtypeOf(v))
			return nil, err
		}
	}
	if _, ok := splitsDType(list...); !ok {
		_, err := refuse("row splits of two dtypes")
		return nil, err
	}
	return list, nil
}

func (core[T]) concat(list []testkit.Value, axis int) (testkit.Value, error) {
	operands := make([]ragged.Tensor[T], len(list))
	for i, v := range list {
		var err error
		if operands[i], err = toTensor[T](v); err != nil {
			return nil, err
		}
	}
	out, err := ragged.Concat(axis, operands...)
	if err == nil {
		err = out.Validate()
	}
	return fromTensor(out), err
}

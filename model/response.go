package model

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/tensor"
)

// ErrNoOutput means that a response lacks an output.
var ErrNoOutput = errors.New("model: no such output")

// A Response is a PredictResponse of TensorFlow Serving.
type Response struct {
	Spec    ModelSpec // name and version of the model, and the signature
	Outputs []Output  // sorted by name
}

// An Output is one tensor of a response.
type Output struct {
	Name   string
	Tensor tensor.Tensor
}

// ParseResponse decodes a PredictResponse, the response to a PredictRequest. Numeric tensors alias b.
// The error is from tensor.Decode, with the name of the output, or wraps ErrMessage.
func ParseResponse(b []byte) (*Response, error) {
	r := &Response{}
	m := message{src: &source{}, b: b, path: "PredictResponse"}
	err := m.eachField(func(v fieldValue) error {
		if v.num != 1 && v.num != 2 {
			return nil
		}
		body, err := v.message()
		if err != nil {
			return err
		}
		if v.num == 2 {
			return body.readModelSpec(&r.Spec)
		}
		name, proto, err := body.readEntry()
		if err != nil {
			return err
		}
		t, err := tensor.Decode(proto.b)
		if err != nil {
			return fmt.Errorf("output %q: %w", name, err)
		}
		r.Outputs = append(r.Outputs, Output{name, t})
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(r.Outputs, func(a, b Output) int { return cmp.Compare(a.Name, b.Name) })
	for i := 1; i < len(r.Outputs); i++ {
		if r.Outputs[i].Name == r.Outputs[i-1].Name {
			return nil, m.errorAt(ErrMessage, fmt.Sprintf("output %q occurs twice", r.Outputs[i].Name))
		}
	}
	return r, nil
}

// readModelSpec reads a ModelSpec.
func (m message) readModelSpec(s *ModelSpec) error {
	return m.eachField(func(v fieldValue) (err error) {
		switch v.num {
		case 1:
			s.Name, err = v.readText()
		case 2:
			var wrapped message
			if wrapped, err = v.message(); err != nil {
				return err
			}
			return wrapped.eachField(func(v fieldValue) error {
				if v.num != 1 {
					return nil
				}
				n, err := v.number()
				s.Version = int64(n)
				return err
			})
		case 3:
			s.Signature, err = v.readText()
		case 4:
			s.VersionLabel, err = v.readText()
		}
		return err
	})
}

// Output returns the tensor of an output. The error wraps ErrNoOutput and lists the names of all
// outputs.
func (r *Response) Output(name string) (tensor.Tensor, error) {
	i, ok := slices.BinarySearchFunc(r.Outputs, name, func(o Output, name string) int { return cmp.Compare(o.Name, name) })
	if !ok {
		names := make([]string, len(r.Outputs))
		for i, o := range r.Outputs {
			names[i] = o.Name
		}
		return tensor.Tensor{}, fmt.Errorf("%w: %q: the response has %q", ErrNoOutput, name, names)
	}
	return r.Outputs[i].Tensor, nil
}

// RaggedOutput makes a ragged tensor from several outputs. TensorFlow Serving cannot return ragged
// tensors, so a model returns flat_values and row_splits as separate outputs. splits are the names
// of the row_splits, from the outermost to the innermost. Without row_splits the tensor is dense.
// The tensor does not alias the response.
//
// The error wraps ErrNoOutput, tensor.ErrDType, or an error of package ragged if row_splits do not fit.
func RaggedOutput[T tensor.Element](r *Response, values string, splits ...string) (t ragged.Tensor[T], err error) {
	fail := func(name string, err error) (ragged.Tensor[T], error) {
		return ragged.Tensor[T]{}, fmt.Errorf("model: output %q: %w", name, err)
	}
	flat, err := r.Output(values)
	if err != nil {
		return t, err
	}
	elements, err := tensor.ValuesOf[T](flat)
	if err != nil {
		return fail(values, err)
	}
	shape := make([]int, len(flat.Shape))
	for i, d := range flat.Shape {
		if d > math.MaxInt { // where int has 32 bits
			return fail(values, fmt.Errorf("%w: shape %v is too large", tensor.ErrTensor, flat.Shape))
		}
		shape[i] = int(d)
	}
	if t, err = ragged.Dense(elements, shape...); err != nil || len(splits) == 0 {
		return t, err
	}
	parts := make([]ragged.Partition, len(splits))
	for i, name := range splits {
		s, err := r.Output(name)
		if err != nil {
			return ragged.Tensor[T]{}, err
		}
		limits, err := splitsOf(s)
		if err != nil {
			return fail(name, err)
		}
		if parts[i], err = ragged.FromRowSplits(limits); err != nil {
			return fail(name, err)
		}
	}
	if t, err = ragged.Wrap(t, parts...); err != nil {
		return fail(values, err)
	}
	return t, nil
}

// splitsOf returns row_splits of type int32 or int64.
func splitsOf(t tensor.Tensor) ([]int64, error) {
	if len(t.Shape) != 1 {
		return nil, fmt.Errorf("%w: want row_splits of rank 1, got shape %v", tensor.ErrTensor, t.Shape)
	}
	if t.DType != tensor.Int32 {
		return tensor.ValuesOf[int64](t)
	}
	narrow, err := tensor.ValuesOf[int32](t)
	if err != nil {
		return nil, err
	}
	wide := make([]int64, len(narrow))
	for i, s := range narrow {
		wide[i] = int64(s)
	}
	return wide, nil
}

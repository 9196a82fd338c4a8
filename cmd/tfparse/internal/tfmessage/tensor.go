package tfmessage

import (
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/feature/raggedjson"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/tensor"
)

// maxRepeated limits the elements of a record that repeat the last value of a TensorProto: 20 bytes can claim millions of
// them.
const maxRepeated = 1 << 20

// appendTensor appends a TensorProto.
func (p *Printer) appendTensor(dst []byte, at span) ([]byte, error) {
	dst, err := p.appendTensorMembers(append(dst, '{'), at)
	return append(dst, '}'), err
}

// appendTensorMembers appends the members of a TensorProto, without braces.
func (p *Printer) appendTensorMembers(dst []byte, at span) ([]byte, error) {
	if isVariant(at.b) {
		return p.appendVariant(dst, at)
	}
	t, err := tensor.Decode(at.b)
	if err != nil {
		return dst, at.newError(err)
	}
	if p.repeated += max(t.Len()-len(at.b), 0); p.repeated > maxRepeated {
		return dst, at.newError(fmt.Errorf("%w: more than %d repeated elements", model.ErrLimit, maxRepeated))
	}
	dst = append(appendShape(dst, t.DType, t.Shape), `,"values":[`...)
	if dst, err = p.appendElements(dst, t); err != nil {
		return dst, at.newError(err)
	}
	return append(dst, ']'), nil
}

// appendShape appends the dtype and the shape of a tensor.
func appendShape(dst []byte, dtype tensor.DType, shape tensor.Shape) []byte {
	dst = append(append(append(appendComma(dst), `"dtype":"`...), dtype.String()...), `","shape":[`...)
	return append(jsonscan.AppendInts(dst, shape), ']')
}

// appendElements appends the elements of a tensor.
func (p *Printer) appendElements(dst []byte, t tensor.Tensor) (_ []byte, err error) {
	for i := range t.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = raggedjson.AppendElement(dst, &t, i, &p.opts); err != nil {
			return dst, fmt.Errorf("value %d: %w", i, err)
		}
	}
	return dst, nil
}

// The message types of tensor.proto and tensor_shape.proto that a TensorProto of dtype variant uses. A ragged tensor is one.
var (
	variantTensor = &message{strict: true, oneOf: []int32{4, 15}, fields: []field{
		{num: 1, name: "dtype", kind: intField},
		{num: 2, name: "tensor_shape", message: tensorShape},
		{num: 3, name: "version_number", kind: intField},
		{num: 4, name: "tensor_content", kind: bytesField},
		{num: 15, name: "variant_val", repeated: true, message: variantValue}}}
	tensorShape  = &message{strict: true, fields: []field{{num: 2, name: "dim", repeated: true, message: tensorDim}}}
	tensorDim    = &message{strict: true, fields: []field{{num: 1, name: "size", kind: intField}, {num: 2, name: "name", kind: stringField}}}
	variantValue = &message{strict: true, fields: []field{
		{num: 1, name: "type_name", kind: stringField}, {num: 2, name: "metadata", kind: bytesField}, {num: 3, name: "tensors", kind: tensorField, repeated: true}}}
)

// isVariant reports whether a TensorProto has the dtype variant.
func isVariant(b []byte) bool {
	variant := false
	for i := 0; i < len(b); {
		f, next := wire.Next(b, i)
		if next < 0 {
			return false
		}
		if f.Num == 1 && f.Type == wire.TypeVarint {
			v, _ := wire.Varint(b, f.Lo)
			variant = v == uint64(tensor.Variant)
		}
		i = next
	}
	return variant
}

// maxVariants limits the nesting of variants. A ragged tensor has at most one for each ragged dimension.
const maxVariants = 100

// appendVariant appends the members of a TensorProto of dtype variant, without braces.
func (p *Printer) appendVariant(dst []byte, at span) ([]byte, error) {
	if p.variants++; p.variants > maxVariants {
		return dst, at.newError(fmt.Errorf("more than %d nested variants", maxVariants))
	}
	defer func() { p.variants-- }()
	found, err := at.splitFields(variantTensor)
	if err != nil {
		return dst, err
	}
	shape, n := tensor.Shape{}, int64(1)
	for _, s := range found[1] {
		dims, err := s.splitFields(tensorShape)
		if err != nil {
			return dst, err
		}
		for _, dim := range dims[0] {
			sizes, err := dim.splitFields(tensorDim)
			if err != nil {
				return dst, err
			}
			size := uint64(0)
			if len(sizes[0]) > 0 {
				size, _ = wire.Varint(sizes[0][0].b, 0)
			}
			shape, n = append(shape, int64(size)), n*int64(size)
		}
	}
	values := found[4]
	for _, content := range found[3] {
		if values, err = content.splitVariants(n); err != nil {
			return dst, err
		}
	}
	if n != int64(len(values)) {
		return dst, at.newError(fmt.Errorf("want a variant for each element of shape %v, got %d", shape, len(values)))
	}
	dst = append(appendShape(dst, tensor.Variant, shape), `,"values":`...)
	return p.appendRepeated(dst, &variantTensor.fields[4], values)
}

// splitVariants returns the n variants in the tensor_content of a TensorProto: first the lengths of all, then their bytes.
func (m span) splitVariants(n int64) (values []span, err error) {
	broken := errors.New("damaged tensor_content of a variant")
	i, lengths := 0, []uint64(nil)
	for range n {
		length, next := wire.Varint(m.b, i)
		if next < 0 {
			return nil, m.newError(broken)
		}
		i, lengths = next, append(lengths, length)
	}
	for _, length := range lengths {
		if length > uint64(len(m.b)-i) {
			return nil, m.newError(broken)
		}
		values = append(values, span{m.b[i : i+int(length)], m.offset + i, m.path})
		i += int(length)
	}
	if i < len(m.b) {
		return nil, m.newError(broken)
	}
	return values, nil
}

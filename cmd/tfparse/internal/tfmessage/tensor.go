package tfmessage

import (
	"fmt"

	"github.com/tfparse/tfparse/feature/raggedjson"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/tensor"
)

// maxRepeated limits the elements of a record that are not in its bytes. A TensorProto may repeat its last value, so that
// 20 bytes have millions of elements.
const maxRepeated = 1 << 20

// appendTensor appends a TensorProto.
func (p *Printer) appendTensor(dst []byte, at span) ([]byte, error) {
	dst, err := p.appendTensorMembers(append(dst, '{'), at)
	return append(dst, '}'), err
}

// appendTensorMembers appends the members of a TensorProto.
func (p *Printer) appendTensorMembers(dst []byte, at span) ([]byte, error) {
	if isVariant(at.b) {
		return p.appendVariant(dst, at)
	}
	t, err := tensor.Decode(at.b)
	if err != nil {
		return dst, at.newError(err)
	}
	if p.repeated += max(t.Len()-len(at.b), 0); p.repeated > maxRepeated {
		return dst, at.newError(fmt.Errorf("%w: more than %d elements that are not in the record", model.ErrLimit, maxRepeated))
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

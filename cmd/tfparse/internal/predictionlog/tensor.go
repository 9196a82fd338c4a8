package predictionlog

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
	t, err := tensor.Decode(at.b)
	if err != nil {
		return dst, at.newError(err)
	}
	if p.repeated += max(t.Len()-len(at.b), 0); p.repeated > maxRepeated {
		return dst, at.newError(fmt.Errorf("%w: more than %d elements that are not in the record", model.ErrLimit, maxRepeated))
	}
	dst = append(append(append(dst, `{"dtype":"`...), t.DType.String()...), `","shape":[`...)
	dst = append(jsonscan.AppendInts(dst, t.Shape), `],"values":[`...)
	for i := range t.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = raggedjson.AppendElement(dst, &t, i, &p.opts); err != nil {
			return dst, at.newError(fmt.Errorf("value %d: %w", i, err))
		}
	}
	return append(dst, ']', '}'), nil
}

package tfmessage

import (
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/tensor"
)

// The message types of tensorflow/core/util/event.proto and tensorflow/core/framework/summary.proto, as of TensorFlow 2.21.
// Images, histograms and graphs are only measured: an event file is mostly read for its scalars.
var (
	event = &message{strict: true, oneOf: []int32{3, 4, 5, 6, 7, 8, 9}, fields: []field{
		{num: 1, name: "wall_time", kind: doubleField, always: true},
		{num: 2, name: "step", kind: intField, always: true},
		{num: 3, name: "file_version", kind: stringField},
		{num: 4, name: "graph_def", kind: sizeField},
		{num: 5, name: "summary", kind: summaryField},
		{num: 6, name: "log_message", message: &message{strict: true, fields: []field{{num: 1, name: "level", kind: intField}, {num: 2, name: "message", kind: stringField}}}},
		{num: 7, name: "session_log", message: &message{strict: true, fields: []field{
			{num: 1, name: "status", kind: intField}, {num: 2, name: "checkpoint_path", kind: stringField}, {num: 3, name: "msg", kind: stringField}}}},
		{num: 8, name: "tagged_run_metadata", message: &message{strict: true, fields: []field{{num: 1, name: "tag", kind: stringField}, {num: 2, name: "run_metadata", kind: sizeField}}}},
		{num: 9, name: "meta_graph_def", kind: sizeField},
		{num: 10, name: "source_metadata", message: &message{strict: true, fields: []field{{num: 1, name: "writer", kind: stringField}}}}}}

	summary      = &message{strict: true, fields: []field{{num: 1, name: "value", repeated: true, message: summaryValue}}}
	summaryValue = &message{strict: true, oneOf: []int32{2, 3, 4, 5, 6, 8}, fields: []field{
		{num: 1, name: "tag", kind: stringField},
		{num: 7, name: "node_name", kind: stringField},
		{num: 9, name: "plugin", kind: pluginField}, // metadata
		{num: 2, name: "value", kind: floatField},   // simple_value
		{num: 3, name: "obsolete_old_style_histogram", kind: sizeField},
		{num: 4, name: "image", kind: sizeField},
		{num: 5, name: "histo", kind: sizeField},
		{num: 6, name: "audio", kind: sizeField},
		{num: 8, name: "tensor", kind: summaryTensorField}}}
	summaryMetadata = &message{fields: []field{{num: 1, name: "plugin_data", message: pluginData}}}
	pluginData      = &message{fields: []field{{num: 1, name: "plugin_name", kind: stringField}}}

	// A TensorProto of dtype variant, as it holds a ragged tensor.
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

// appendSummary appends the values of a Summary as a list.
func (p *Printer) appendSummary(dst []byte, at span) ([]byte, error) {
	found, err := at.splitFields(summary)
	if err != nil {
		return dst, err
	}
	return p.appendRepeated(dst, &summary.fields[0], found[0])
}

// appendPlugin appends the name of the plugin in a SummaryMetadata.
func (p *Printer) appendPlugin(dst []byte, at span) ([]byte, error) {
	found, err := at.splitFields(summaryMetadata)
	for _, data := range found[:min(len(found), 1)] {
		if len(data) > 0 {
			if found, err = data[0].splitFields(pluginData); err == nil && len(found[0]) > 0 {
				return jsonscan.AppendName(dst, found[0][0].b), nil
			}
		}
	}
	return append(dst, `""`...), err
}

// appendSummaryTensor appends the tensor of a Summary as a member: the value of a scalar, or the size of another tensor.
func (p *Printer) appendSummaryTensor(dst []byte, at span) ([]byte, error) {
	t, err := tensor.Decode(at.b)
	if err != nil {
		return dst, at.newError(err)
	}
	if len(t.Shape) == 0 && t.DType != tensor.String {
		dst = append(appendComma(dst), `"value":`...)
		if values, short := t.Float32s(); short == nil { // of any float type that float32 represents: there is no dtype beside it
			dst, err = recordjson.AppendFloat32(dst, values[0], p.opts.NaN)
		} else {
			dst, err = p.appendElements(dst, t)
		}
		if err != nil {
			err = at.newError(err)
		}
		return dst, err
	}
	dst = appendShape(append(appendComma(dst), `"tensor":{`...), t.DType, t.Shape)
	return fmt.Appendf(dst, `,"bytes":%d}`, len(at.b)), nil
}

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

// maxVariants limits the nesting of variants. A ragged tensor needs one variant for each ragged dimension at most.
const maxVariants = 100

// appendVariant appends the members of a TensorProto of dtype variant.
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
		return dst, at.newError(fmt.Errorf("want a variant for each element of %v, got %d", shape, len(values)))
	}
	dst = append(appendShape(dst, tensor.Variant, shape), `,"values":`...)
	return p.appendRepeated(dst, &variantTensor.fields[4], values)
}

// splitVariants returns the n variants in the tensor_content of a TensorProto: the lengths of all, then the messages.
func (m span) splitVariants(n int64) (values []span, err error) {
	broken := errors.New("broken tensor_content of a variant")
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

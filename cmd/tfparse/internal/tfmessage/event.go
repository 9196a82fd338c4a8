package tfmessage

import (
	"fmt"

	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/tensor"
)

// The message types of tensorflow/core/util/event.proto and tensorflow/core/framework/summary.proto, as of TensorFlow 2.21.
// Images, histograms and graphs print as their size: event files are mostly read for their scalars.
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
	name, err := at.pluginName()
	return jsonscan.AppendName(dst, name), err
}

// pluginName returns the name of the plugin in a SummaryMetadata; "" if it has none.
func (m span) pluginName() ([]byte, error) {
	found, err := m.splitFields(summaryMetadata)
	if err != nil || len(found[0]) == 0 {
		return nil, err
	}
	if found, err = found[0][0].splitFields(pluginData); err != nil || len(found[0]) == 0 {
		return nil, err
	}
	return found[0][0].b, nil
}

// appendSummaryTensor appends the tensor of a Summary as a member: the value of a scalar, or the size of any other tensor.
func (p *Printer) appendSummaryTensor(dst []byte, at span) ([]byte, error) {
	t, err := tensor.Decode(at.b)
	if err != nil {
		return dst, at.newError(err)
	}
	if len(t.Shape) == 0 && t.DType != tensor.String {
		dst = append(appendComma(dst), `"value":`...)
		if values, wide := t.Float32s(); wide == nil { // float32 and shorter types print alike, because no dtype is printed
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

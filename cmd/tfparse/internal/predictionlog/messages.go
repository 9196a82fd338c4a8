package predictionlog

// A kind is what a field of a message holds, and so how it prints.
type kind uint8

const (
	nested  kind = iota // another message
	text                // string
	blob                // bytes, and messages that are not taken apart here
	integer             // int32, int64 and enums
	boolean
	float32s    // float
	float64s    // double
	wrapped     // google.protobuf.Int64Value
	tensor      // TensorProto
	tensors     // map<string, TensorProto>
	record      // Example
	exampleList // ExampleListWithContext
)

// A field is one of a message.
type field struct {
	num      int32
	name     string // in the .proto file
	kind     kind
	repeated bool
	of       *message // of a nested one
}

// A message has its fields in the order in which they print.
type message struct {
	fields []field
	oneOf  []int32 // of these fields a message has at most one
	must   bool    // and it must have it
}

// The messages are those of tensorflow_serving/apis and tensorflow_serving/config, and NamedTensorProto
// of TensorFlow, as of July 2026.
var (
	modelSpec = &message{fields: []field{{num: 1, name: "name", kind: text}, {num: 2, name: "version", kind: wrapped},
		{num: 4, name: "version_label", kind: text}, {num: 3, name: "signature_name", kind: text}}, oneOf: []int32{2, 4}}

	metadata = &message{fields: []field{
		{num: 1, name: "model_spec", of: modelSpec},
		{num: 2, name: "sampling_config", of: sampling},
		{num: 3, name: "saved_model_tags", kind: text, repeated: true},
		{num: 4, name: "timestamp_secs", kind: integer},
		{num: 5, name: "dc", kind: text},
		{num: 6, name: "request_origin", kind: text},
		{num: 7, name: "request_criticality", kind: text},
		{num: 8, name: "safe_aggregation_privacy_key", kind: integer}}}
	sampling = &message{fields: []field{{num: 1, name: "sampling_rate", kind: float64s}, {num: 2, name: "attributes", kind: integer},
		{num: 3, name: "per_task_sampling_configs", repeated: true, of: &message{fields: []field{
			{num: 1, name: "dc", kind: text}, {num: 2, name: "task_index", kind: integer}, {num: 3, name: "sampling_rate", kind: float64s}}}}}}

	input = &message{fields: []field{
		{num: 1, name: "example_list", of: &message{fields: []field{{num: 1, name: "examples", kind: record, repeated: true}}}},
		{num: 2, name: "example_list_with_context", kind: exampleList}}, oneOf: []int32{1, 2}}

	// ClassificationRequest and RegressionRequest.
	examplesRequest = &message{fields: []field{{num: 1, name: "model_spec", of: modelSpec}, {num: 2, name: "input", of: input}}}

	classification = &message{fields: []field{{num: 1, name: "classifications", repeated: true, of: &message{fields: []field{
		{num: 1, name: "classes", repeated: true, of: &message{fields: []field{{num: 1, name: "label", kind: text}, {num: 2, name: "score", kind: float32s}}}}}}}}}
	regression = &message{fields: []field{{num: 1, name: "regressions", repeated: true, of: &message{fields: []field{{num: 1, name: "value", kind: float32s}}}}}}

	predictRequest = &message{fields: []field{
		{num: 1, name: "model_spec", of: modelSpec},
		{num: 2, name: "inputs", kind: tensors},
		{num: 3, name: "output_filter", kind: text, repeated: true},
		{num: 5, name: "predict_streamed_options", kind: blob},
		{num: 6, name: "client_id", kind: blob},
		{num: 7, name: "request_options", kind: blob}}}
	predictResponse = &message{fields: []field{{num: 2, name: "model_spec", of: modelSpec}, {num: 1, name: "outputs", kind: tensors}}}

	multiRequest = &message{fields: []field{
		{num: 1, name: "tasks", repeated: true, of: &message{fields: []field{{num: 1, name: "model_spec", of: modelSpec}, {num: 2, name: "method_name", kind: text}}}},
		{num: 2, name: "input", of: input}}}
	multiResponse = &message{fields: []field{{num: 1, name: "results", repeated: true, of: &message{fields: []field{
		{num: 1, name: "model_spec", of: modelSpec},
		{num: 2, name: "classification_result", of: classification},
		{num: 3, name: "regression_result", of: regression}}, oneOf: []int32{2, 3}}}}}

	named      = &message{fields: []field{{num: 1, name: "name", kind: text}, {num: 2, name: "tensor", kind: tensor}}}
	runRequest = &message{fields: []field{
		{num: 1, name: "model_spec", of: modelSpec},
		{num: 2, name: "feed", repeated: true, of: named},
		{num: 3, name: "fetch", kind: text, repeated: true},
		{num: 4, name: "target", kind: text, repeated: true},
		{num: 5, name: "options", kind: blob},
		{num: 6, name: "tensor_name_is_alias", kind: boolean}}}
	runResponse = &message{fields: []field{{num: 3, name: "model_spec", of: modelSpec}, {num: 1, name: "tensor", repeated: true, of: named}, {num: 2, name: "metadata", kind: blob}}}

	predictionLog = &message{fields: []field{
		{num: 1, name: "log_metadata", of: metadata},
		{num: 2, name: "classify_log", of: logOf(examplesRequest, result(classification))},
		{num: 3, name: "regress_log", of: logOf(examplesRequest, result(regression))},
		{num: 4, name: "multi_inference_log", of: logOf(multiRequest, multiResponse)},
		{num: 5, name: "session_run_log", of: logOf(runRequest, runResponse)},
		{num: 6, name: "predict_log", of: logOf(predictRequest, predictResponse)},
		{num: 7, name: "predict_streamed_log", of: &message{fields: []field{
			{num: 1, name: "request", repeated: true, of: predictRequest}, {num: 2, name: "response", repeated: true, of: predictResponse}}}}},
		oneOf: []int32{2, 3, 4, 5, 6, 7}, must: true}

	int64Value  = &message{fields: []field{{num: 1, name: "value", kind: integer}}}
	tensorEntry = &message{fields: []field{{num: 1, name: "key", kind: text}, {num: 2, name: "value", kind: tensor}}}
)

// logOf is the log of one call.
func logOf(request, response *message) *message {
	return &message{fields: []field{{num: 1, name: "request", of: request}, {num: 2, name: "response", of: response}}}
}

// result is a ClassificationResponse or a RegressionResponse.
func result(of *message) *message {
	return &message{fields: []field{{num: 2, name: "model_spec", of: modelSpec}, {num: 1, name: "result", of: of}}}
}

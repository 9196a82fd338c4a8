package tfmessage

// A fieldKind is the type of a field. It determines how a value is printed.
type fieldKind uint8

const (
	messageField     fieldKind = iota // another message
	stringField                       // string
	bytesField                        // bytes, and messages that are not decoded here
	intField                          // int32, int64 and enums
	boolField                         // bool
	floatField                        // float
	doubleField                       // double
	int64ValueField                   // google.protobuf.Int64Value
	tensorField                       // TensorProto
	tensorMapField                    // map<string, TensorProto>
	exampleField                      // Example
	exampleListField                  // ExampleListWithContext
	sizeField                         // bytes and messages; only the size is printed
	summaryField                      // Summary
	pluginField                       // SummaryMetadata; only the name of the plugin is printed
	// summaryTensorField is the TensorProto of a Summary. Its value prints with a name that depends on the shape.
	summaryTensorField
)

// A field describes a field of a message.
type field struct {
	num      int32     // field number
	name     string    // name in the .proto file
	kind     fieldKind // type of a value
	repeated bool      // the field has a list of values
	always   bool      // a number that prints as 0 if it is not set
	message  *message  // type of the message, for messageField
}

// A message describes a message type.
type message struct {
	fields   []field // in the order of the output
	oneOf    []int32 // field numbers of the oneof; nil: the message has none
	required bool    // a field of oneOf must be set
	strict   bool    // an unknown field is an error
}

// The message types of tensorflow_serving/apis and tensorflow_serving/config, and TensorFlow's NamedTensorProto, as of
// July 2026.
var (
	modelSpec = &message{fields: []field{{num: 1, name: "name", kind: stringField}, {num: 2, name: "version", kind: int64ValueField},
		{num: 4, name: "version_label", kind: stringField}, {num: 3, name: "signature_name", kind: stringField}}, oneOf: []int32{2, 4}}

	metadata = &message{fields: []field{
		{num: 1, name: "model_spec", message: modelSpec},
		{num: 2, name: "sampling_config", message: sampling},
		{num: 3, name: "saved_model_tags", kind: stringField, repeated: true},
		{num: 4, name: "timestamp_secs", kind: intField},
		{num: 5, name: "dc", kind: stringField},
		{num: 6, name: "request_origin", kind: stringField},
		{num: 7, name: "request_criticality", kind: stringField},
		{num: 8, name: "safe_aggregation_privacy_key", kind: intField}}}
	sampling = &message{fields: []field{{num: 1, name: "sampling_rate", kind: doubleField}, {num: 2, name: "attributes", kind: intField},
		{num: 3, name: "per_task_sampling_configs", repeated: true, message: &message{fields: []field{
			{num: 1, name: "dc", kind: stringField}, {num: 2, name: "task_index", kind: intField}, {num: 3, name: "sampling_rate", kind: doubleField}}}}}}

	input = &message{fields: []field{
		{num: 1, name: "example_list", message: &message{fields: []field{{num: 1, name: "examples", kind: exampleField, repeated: true}}}},
		{num: 2, name: "example_list_with_context", kind: exampleListField}}, oneOf: []int32{1, 2}}

	// ClassificationRequest and RegressionRequest.
	examplesRequest = &message{fields: []field{{num: 1, name: "model_spec", message: modelSpec}, {num: 2, name: "input", message: input}}}

	classification = &message{fields: []field{{num: 1, name: "classifications", repeated: true, message: &message{fields: []field{
		{num: 1, name: "classes", repeated: true, message: &message{fields: []field{{num: 1, name: "label", kind: stringField}, {num: 2, name: "score", kind: floatField}}}}}}}}}
	regression = &message{fields: []field{{num: 1, name: "regressions", repeated: true, message: &message{fields: []field{{num: 1, name: "value", kind: floatField}}}}}}

	predictRequest = &message{fields: []field{
		{num: 1, name: "model_spec", message: modelSpec},
		{num: 2, name: "inputs", kind: tensorMapField},
		{num: 3, name: "output_filter", kind: stringField, repeated: true},
		{num: 5, name: "predict_streamed_options", kind: bytesField},
		{num: 6, name: "client_id", kind: bytesField},
		{num: 7, name: "request_options", kind: bytesField}}}
	predictResponse = &message{fields: []field{{num: 2, name: "model_spec", message: modelSpec}, {num: 1, name: "outputs", kind: tensorMapField}}}

	multiRequest = &message{fields: []field{
		{num: 1, name: "tasks", repeated: true, message: &message{fields: []field{{num: 1, name: "model_spec", message: modelSpec}, {num: 2, name: "method_name", kind: stringField}}}},
		{num: 2, name: "input", message: input}}}
	multiResponse = &message{fields: []field{{num: 1, name: "results", repeated: true, message: &message{fields: []field{
		{num: 1, name: "model_spec", message: modelSpec},
		{num: 2, name: "classification_result", message: classification},
		{num: 3, name: "regression_result", message: regression}}, oneOf: []int32{2, 3}}}}}

	named      = &message{fields: []field{{num: 1, name: "name", kind: stringField}, {num: 2, name: "tensor", kind: tensorField}}}
	runRequest = &message{fields: []field{
		{num: 1, name: "model_spec", message: modelSpec},
		{num: 2, name: "feed", repeated: true, message: named},
		{num: 3, name: "fetch", kind: stringField, repeated: true},
		{num: 4, name: "target", kind: stringField, repeated: true},
		{num: 5, name: "options", kind: bytesField},
		{num: 6, name: "tensor_name_is_alias", kind: boolField}}}
	runResponse = &message{fields: []field{{num: 3, name: "model_spec", message: modelSpec}, {num: 1, name: "tensor", repeated: true, message: named}, {num: 2, name: "metadata", kind: bytesField}}}

	predictionLog = &message{fields: []field{
		{num: 1, name: "log_metadata", message: metadata},
		{num: 2, name: "classify_log", message: newLog(examplesRequest, newResponse(classification))},
		{num: 3, name: "regress_log", message: newLog(examplesRequest, newResponse(regression))},
		{num: 4, name: "multi_inference_log", message: newLog(multiRequest, multiResponse)},
		{num: 5, name: "session_run_log", message: newLog(runRequest, runResponse)},
		{num: 6, name: "predict_log", message: newLog(predictRequest, predictResponse)},
		{num: 7, name: "predict_streamed_log", message: &message{fields: []field{
			{num: 1, name: "request", repeated: true, message: predictRequest}, {num: 2, name: "response", repeated: true, message: predictResponse}}}}},
		oneOf: []int32{2, 3, 4, 5, 6, 7}, required: true}

	int64Value  = &message{fields: []field{{num: 1, name: "value", kind: intField}}}
	tensorEntry = &message{fields: []field{{num: 1, name: "key", kind: stringField}, {num: 2, name: "value", kind: tensorField}}}
)

// newLog returns a message with a request and a response.
func newLog(request, response *message) *message {
	return &message{fields: []field{{num: 1, name: "request", message: request}, {num: 2, name: "response", message: response}}}
}

// newResponse returns a ClassificationResponse or a RegressionResponse.
func newResponse(of *message) *message {
	return &message{fields: []field{{num: 2, name: "model_spec", message: modelSpec}, {num: 1, name: "result", message: of}}}
}

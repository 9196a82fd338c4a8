// Package tfmessage prints records of three messages of TensorFlow as JSON lines: PredictionLog, Event and TensorProto.
//
// A PredictionLog holds a request, and sometimes the response, in request logs and warm-up files of TensorFlow Serving:
//
//	{"predict_log": {"request": {"model_spec": {"name": "ranker"}, "inputs": {"words": TENSOR, "words_1": TENSOR}}}}
//
// Members have the names of the .proto files; fields that the record does not set are left out. A TENSOR is
// {"dtype": "int64", "shape": [3], "values": [0, 2, 3]}, with its elements in row-major order. A ragged tensor is printed as
// its component tensors, since the record does not state which of them belong together. Examples and ExampleListWithContexts
// are printed as by package recordjson; client_id and messages with options of a call as {"b64": …}.
//
// An Event is a record of TensorBoard's event files:
//
//	{"wall_time": 1753100001.25, "step": 1, "summary": [{"tag": "loss", "value": 0.5}]}
//
// A scalar prints as "value", with the precision of its dtype, whether it is a simple_value or a tensor without dimensions.
// Graphs, images, histograms and other tensors print as {"bytes": …}, the size of the message, with the dtype and shape of
// tensors. Unlike in a PredictionLog, an unknown field is an error.
//
// A TensorProto is a record of a snapshot of tf.data, which Dataset.save writes: one component of an element. It prints as a
// TENSOR. Ragged tensors are variants, whose values are {"type_name": …, "tensors": [TENSOR, …]}.
package tfmessage

// Package tfmessage prints records of three messages of TensorFlow as JSON lines: PredictionLog, Event and TensorProto.
//
// A PredictionLog holds a request to TensorFlow Serving, and sometimes the response. Request logs and warm-up files have them:
//
//	{"predict_log": {"request": {"model_spec": {"name": "ranker"}, "inputs": {"words": TENSOR, "words_1": TENSOR}}}}
//
// Members have the names of the .proto files. Fields that are not set are left out. A TENSOR is
// {"dtype": "int64", "shape": [3], "values": [0, 2, 3]}, with its elements in row-major order. A ragged tensor is printed as
// its component tensors, because the record does not say which of them belong together. Package recordjson prints Examples and
// ExampleListWithContexts. client_id and messages with options of a call are printed as {"b64": …}.
//
// An Event is a record of TensorBoard's event files:
//
//	{"wall_time": 1753100001.25, "step": 1, "summary": [{"tag": "loss", "value": 0.5}]}
//
// A scalar prints as "value": a simple_value, or a tensor without dimensions. Graphs, images, histograms and other tensors
// print as their size, {"bytes": …}, tensors with dtype and shape. Unlike in a PredictionLog, an unknown field is an error.
//
// A TensorProto is a record of a snapshot of tf.data, as Dataset.save writes it: one component of an element. It prints as a
// TENSOR. A ragged tensor is a variant, and its values print as {"type_name": …, "tensors": [TENSOR, …]}.
package tfmessage

// Package predictionlog prints PredictionLog records as JSON lines. They hold the requests, and sometimes the responses, in
// request logs and warm-up files of TensorFlow Serving.
//
//	{"predict_log": {"request": {"model_spec": {"name": "ranker"}, "inputs": {"words": TENSOR, "words_1": TENSOR}}}}
//
// Members have the names of the .proto files; fields that the record does not set are left out. A TENSOR is
// {"dtype": "int64", "shape": [3], "values": [0, 2, 3]}, with its elements in row-major order. A ragged tensor is printed as
// its component tensors, since the record does not state which of them belong together. Examples and ExampleListWithContexts
// are printed as by package recordjson; client_id and messages with options of a call as {"b64": …}.
package predictionlog

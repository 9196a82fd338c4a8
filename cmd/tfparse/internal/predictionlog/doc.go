// Package predictionlog prints records of type PredictionLog as JSON lines: the requests, and sometimes the answers,
// of TensorFlow Serving's request logs and warm-up files.
//
//	{"predict_log": {"request": {"model_spec": {"name": "ranker"}, "inputs": {"words": TENSOR, "words_1": TENSOR}}}}
//
// Members are named as in the .proto files; a field that is not in the record is no member. A TENSOR is
// {"dtype": "int64", "shape": [3], "values": [0, 2, 3]}, its elements in row-major order. Ragged tensors are their
// components, as the signature has them: the record does not say which belong together. An Example or ExampleListWithContext
// prints as package recordjson prints a record. Messages that say how a call is run, and client_id, are {"b64": …}.
package predictionlog

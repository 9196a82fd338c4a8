package model

import (
	"fmt"

	"github.com/tfparse/tfparse/internal/wire"
)

// WarmupFile is the name, inside a SavedModel directory, of the requests that TensorFlow Serving runs before
// it serves a model: an uncompressed TFRecord of PredictionLog messages. See [AppendPredictionLog].
const WarmupFile = "assets.extra/tf_serving_warmup_requests"

// MaxWarmup is the number of records that TensorFlow Serving reads from a WarmupFile. With more of
// them it refuses to load the model (kMaxNumRecords in warmup_util.h).
const MaxWarmup = 1000

// A Method is a call of TensorFlow Serving's PredictionService that a PredictionLog can hold.
type Method uint8

// The methods, with the numbers of their fields in PredictionLog.
const (
	Classify Method = 2
	Regress  Method = 3
	Predict  Method = 6
)

// String returns the name of the method, such as "Predict".
func (m Method) String() string {
	switch m {
	case Classify:
		return "Classify"
	case Regress:
		return "Regress"
	case Predict:
		return "Predict"
	}
	return fmt.Sprintf("Method(%d)", uint8(m))
}

// Call returns the method that a signature is for, by the name of the method in it: Classify or Regress for
// signatures of serialized Examples that TensorFlow 1 and Estimators export, and Predict for all
// others.
func (s *Signature) Call() Method {
	switch s.Method {
	case "tensorflow/serving/classify":
		return Classify
	case "tensorflow/serving/regress":
		return Regress
	}
	return Predict
}

// AppendPredictionLog appends a PredictionLog that holds one request: a record of a [WarmupFile]. The
// request is one of [AppendPredictRequest] for Predict, and of [AppendExamplesRequest] or
// [AppendExampleListRequest] for the others; it is copied as it is. TensorFlow Serving does not
// load a model if one of its warm-up requests fails, so make them from feeds of a [Binding].
//
// The error wraps ErrRequest: an unknown method, an empty request, or more than 2 GiB.
func AppendPredictionLog(dst []byte, call Method, request []byte) ([]byte, error) {
	switch call {
	case Classify, Regress, Predict:
	default:
		return dst, fmt.Errorf("%w: %v is no method of a PredictionLog", ErrRequest, call)
	}
	if len(request) == 0 {
		return dst, fmt.Errorf("%w: a PredictionLog of an empty request", ErrRequest)
	}
	size := int64(len(request))
	b := wire.AppendHeader(dst, int32(call), wire.SizeField(size)) // predict_log and the like
	b = wire.AppendHeader(b, 1, size)                              // request
	return within(dst, append(b, request...))
}

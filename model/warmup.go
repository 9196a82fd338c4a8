package model

import (
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/tensor"
)

// WarmupFile is the path, in a SavedModel directory, of the warm-up requests that TensorFlow Serving
// runs before it serves the model. The file is an uncompressed TFRecord of PredictionLog messages.
// See [AppendWarmup].
const WarmupFile = "assets.extra/tf_serving_warmup_requests"

// MaxWarmup is the maximum number of records in a WarmupFile. TensorFlow Serving does not load a model
// with more (kMaxNumRecords in warmup_util.h).
const MaxWarmup = 1000

// A Method is a method of TensorFlow Serving's PredictionService. A PredictionLog contains a request
// for one method.
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

// Call returns the method for calls of a signature, according to its field Method. It is Classify or
// Regress for signatures that take serialized Examples, which TensorFlow 1 and Estimators export,
// else Predict.
func (s *Signature) Call() Method {
	switch s.Method {
	case "tensorflow/serving/classify":
		return Classify
	case "tensorflow/serving/regress":
		return Regress
	}
	return Predict
}

// AppendPredictionLog appends a PredictionLog with one request: a record of a [WarmupFile]. It does
// not check the request, which comes from [AppendPredictRequest] for Predict, and from
// [AppendExamplesRequest] or [AppendExampleListRequest] for other methods. [AppendWarmup] checks a
// PredictRequest first.
//
// The error wraps ErrRequest: for an unknown method, an empty request, or more than 2 GiB.
func AppendPredictionLog(dst []byte, call Method, request []byte) ([]byte, error) {
	switch call {
	case Classify, Regress, Predict:
	default:
		return dst, fmt.Errorf("%w: unknown method %v", ErrRequest, call)
	}
	if len(request) == 0 {
		return dst, fmt.Errorf("%w: the request is empty", ErrRequest)
	}
	size := int64(len(request))
	b := wire.AppendHeader(dst, int32(call), wire.SizeField(size)) // predict_log and the like
	b = wire.AppendHeader(b, 1, size)                              // request
	return checkSize(dst, append(b, request...))
}

// AppendWarmup appends a PredictionLog with a PredictRequest: a record of a [WarmupFile]. It first
// checks outputs and feeds against the signature, because TensorFlow Serving does not load a model if
// a warm-up request fails. The error is from [Signature.CheckServing], wraps [ErrRequest], or joins
// an [*InputError] for each feed that does not fit.
func AppendWarmup(dst []byte, sig *Signature, to ModelSpec, feeds []Feed, outputs ...string) ([]byte, error) {
	if sig.Call() != Predict {
		return dst, fmt.Errorf("%w: signature %q has the method %v and takes serialized Examples; want one for Predict", ErrRequest, sig.Name, sig.Call())
	}
	if err := sig.CheckServing(outputs...); err != nil {
		return dst, err
	}
	if err := sig.checkFeeds(feeds); err != nil {
		return dst, err
	}
	request, err := AppendPredictRequest(nil, to, feeds, outputs...)
	if err != nil {
		return dst, err
	}
	return AppendPredictionLog(dst, Predict, request)
}

// checkFeeds checks feeds against the signature: every tensor without a default must occur once, with
// its dtype and shape, and row_splits must fit. Feeds from [Binding.Feeds] always fit. TensorFlow
// itself does not check row_splits.
//
// The error joins an [*InputError] with the name of each tensor that does not fit.
func (s *Signature) checkFeeds(feeds []Feed) error {
	var errs []error
	fail := func(name, want, got string) {
		errs = append(errs, &InputError{Input: name, Want: want, Got: got, Err: ErrFit})
	}
	known := map[string]*Feed{}
	for _, t := range s.Inputs {
		for _, c := range t.Components {
			known[c.Name] = nil
		}
	}
	for i := range feeds {
		f := &feeds[i]
		switch before, ok := known[f.Name]; {
		case !ok:
			fail(f.Name, "", "no such tensor in the signature")
		case before != nil:
			fail(f.Name, "one tensor", "several")
		default:
			known[f.Name] = f
		}
	}
	for _, t := range s.Inputs {
		rows := int64(-1) // number of rows according to the outer row_splits; -1 if unknown
		for i := range t.Components {
			c := &t.Components[(i+1)%len(t.Components)] // flat values of a ragged tensor come last
			if t.Form != feature.RaggedForm {
				c = &t.Components[i]
			}
			f := known[c.Name]
			switch {
			case f == nil && !c.Optional:
				fail(c.Name, fmt.Sprintf("%v %v", c.DType, c.Shape), "no tensor")
			case f == nil:
			case f.DType != c.DType || !c.Shape.Allows(f.Shape):
				fail(c.Name, fmt.Sprintf("%v %v", c.DType, c.Shape), fmt.Sprintf("%v %v", f.DType, tensor.Shape(f.Shape)))
			case t.Form == feature.RaggedForm && len(f.Shape) > 0:
				n := f.Shape[0]
				if c.Part == RowSplits {
					n--
				}
				if rows >= 0 && n != rows {
					fail(c.Name, fmt.Sprintf("%d rows, the last entry of the outer row_splits", rows), fmt.Sprint(n))
				}
				if rows = -1; c.Part == RowSplits {
					var ok bool
					if rows, ok = f.lastSplit(); !ok {
						fail(c.Name, "row_splits from 0 that do not decrease", "other row_splits")
					}
				}
			}
		}
	}
	return errors.Join(errs...)
}

// lastSplit returns the last entry of row_splits, which is the number of items. It is not ok if the
// row_splits are invalid.
func (f *Feed) lastSplit() (last int64, ok bool) {
	n := len(f.Int64s) + len(f.Int32s)
	for i := range n {
		var split int64
		if f.DType == tensor.Int32 && i < len(f.Int32s) {
			split = int64(f.Int32s[i])
		} else if f.DType == tensor.Int64 && i < len(f.Int64s) {
			split = f.Int64s[i]
		}
		if split < last || i == 0 && split != 0 {
			return -1, false
		}
		last = split
	}
	return last, n > 0
}

package model

import (
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/wire"
)

// WarmupFile is the name, inside a SavedModel directory, of the requests that TensorFlow Serving runs before
// it serves a model: an uncompressed TFRecord of PredictionLog messages. See [AppendWarmup].
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

// Call returns the method that a signature is for, by its field Method: Classify or Regress for
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
// [AppendExampleListRequest] for the others; it is copied as it is. [AppendWarmup] checks a PredictRequest
// first.
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

// AppendWarmup appends a PredictionLog of a PredictRequest that is checked against the signature: a record of a
// [WarmupFile]. TensorFlow Serving does not load a model if one of its warm-up requests fails. It checks
// with [Signature.CheckServing] and [Signature.checkFeeds].
func AppendWarmup(dst []byte, sig *Signature, to ModelSpec, feeds []Feed, outputs ...string) ([]byte, error) {
	if sig.Call() != Predict {
		return dst, fmt.Errorf("%w: signature %q is for %v, which takes Examples", ErrRequest, sig.Name, sig.Call())
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

// checkFeeds reports whether feeds are what the signature takes: every tensor without a default once and no
// others, of its dtype and shape, with row_splits that divide what they partition. Those of [Binding.Feeds] are;
// feeds made otherwise may not be, and TensorFlow computes with row_splits that do not fit.
//
// The error is the join of an [*InputError] for each tensor that is wrong, under the name of the tensor.
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
			fail(f.Name, "one tensor", "two")
		default:
			known[f.Name] = f
		}
	}
	for _, t := range s.Inputs {
		rows := int64(-1) // that the row_splits outside of these make
		for i := range t.Components {
			c := &t.Components[(i+1)%len(t.Components)] // of a ragged tensor the row_splits come first
			if t.Form != feature.RaggedForm {
				c = &t.Components[i]
			}
			f := known[c.Name]
			switch {
			case f == nil && !c.Optional:
				fail(c.Name, fmt.Sprintf("%v %v", c.DType, c.Shape), "no tensor")
			case f == nil:
			case f.DType != c.DType || !c.Shape.holds(f.Shape):
				fail(c.Name, fmt.Sprintf("%v %v", c.DType, c.Shape), fmt.Sprintf("%v %v", f.DType, Shape(f.Shape)))
			case t.Form == feature.RaggedForm && len(f.Shape) > 0:
				n := f.Shape[0]
				if c.Part == RowSplits {
					n--
				}
				if rows >= 0 && n != rows {
					fail(c.Name, fmt.Sprintf("%d rows, by the row_splits", rows), fmt.Sprint(n))
				}
				if rows = -1; c.Part == RowSplits {
					var ok bool
					if rows, ok = f.lastSplit(); !ok {
						fail(c.Name, "row_splits that begin with 0 and never decrease", "others")
					}
				}
			}
		}
	}
	return errors.Join(errs...)
}

// holds reports whether a shape of a tensor is one that s allows.
func (s Shape) holds(shape []int64) bool {
	if s == nil {
		return true
	}
	for i, d := range shape {
		if i < len(s) && s[i] >= 0 && s[i] != d {
			return false
		}
	}
	return len(s) == len(shape)
}

// lastSplit returns the number of items that row_splits divide. ok is false if they are none.
func (f *Feed) lastSplit() (last int64, ok bool) {
	n := len(f.Int64s) + len(f.Int32s)
	for i := range n {
		var split int64
		if f.DType == Int32 && i < len(f.Int32s) {
			split = int64(f.Int32s[i])
		} else if f.DType == Int64 && i < len(f.Int64s) {
			split = f.Int64s[i]
		}
		if split < last || i == 0 && split != 0 {
			return -1, false
		}
		last = split
	}
	return last, n > 0
}

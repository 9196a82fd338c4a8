package model

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/wire"
	"github.com/tfparse/tfparse/tensor"
)

// ErrRequest means that a request cannot be encoded.
var ErrRequest = errors.New("model: request cannot be written")

// A ModelSpec names the model and the signature of a request, like TensorFlow Serving's ModelSpec
// message.
type ModelSpec struct {
	Name         string // name of the model
	Signature    string // name of the signature; "" means "serving_default"
	Version      int64  // version of the model; 0 means the latest; must be 0 with a VersionLabel
	VersionLabel string // label of a version, such as "stable"; "" for no label
}

// appendProto appends the message as field 1.
func (s ModelSpec) appendProto(b []byte) ([]byte, error) {
	if s.Version != 0 && s.VersionLabel != "" {
		return b, fmt.Errorf("%w: both version and version label are set", ErrRequest)
	}
	if s.Version < 0 {
		return b, fmt.Errorf("%w: want a version of at least 0, got %d", ErrRequest, s.Version)
	}
	version := int64(0)
	if s.Version != 0 {
		version = 1 + int64(wire.SizeVarint(uint64(s.Version)))
	}
	size := int64(0)
	for _, text := range [...]string{s.Name, s.Signature, s.VersionLabel} {
		if text != "" {
			size += wire.SizeField(int64(len(text)))
		}
	}
	if version != 0 {
		size += wire.SizeField(version)
	}
	b = wire.AppendHeader(b, 1, size)
	b = appendText(b, 1, s.Name)
	if version != 0 { // an Int64Value
		b = wire.AppendHeader(b, 2, version)
		b = wire.AppendVarint(wire.AppendTag(b, 1, wire.TypeVarint), uint64(s.Version))
	}
	b = appendText(b, 3, s.Signature)
	return appendText(b, 4, s.VersionLabel), nil
}

func appendText(b []byte, num int32, s string) []byte {
	if s == "" {
		return b
	}
	return append(wire.AppendHeader(b, num, int64(len(s))), s...)
}

// AppendPredictRequest appends a PredictRequest of TensorFlow Serving: the body of a gRPC call to
// tensorflow.serving.PredictionService/Predict. The feeds are the inputs: see [Binding.Feeds]. The
// outputs are the output_filter; if there are none, the response contains all outputs.
// [Signature.CheckServing] checks the names.
//
// The error wraps ErrRequest for a feed without a name, whose input Serving cannot feed, and for a
// request of more than 2 GiB. If there is an error, dst is returned unchanged.
func AppendPredictRequest(dst []byte, to ModelSpec, feeds []Feed, outputs ...string) ([]byte, error) {
	b, err := to.appendProto(dst)
	if err != nil {
		return dst, err
	}
	for i := range feeds {
		f := &feeds[i]
		if f.Name == "" {
			return dst, fmt.Errorf("%w: input %d of dtype %v has no name: TensorFlow Serving cannot feed it", ErrRequest, i, f.DType)
		}
		size, err := f.sizeTensor()
		if err != nil {
			return dst, err
		}
		// An entry of the map inputs.
		b = wire.AppendHeader(b, 2, wire.SizeField(int64(len(f.Name)))+wire.SizeField(size))
		b = append(wire.AppendHeader(b, 1, int64(len(f.Name))), f.Name...)
		b = f.appendTensor(wire.AppendHeader(b, 2, size))
	}
	for _, name := range outputs {
		b = append(wire.AppendHeader(b, 3, int64(len(name))), name...)
	}
	return checkSize(dst, b)
}

// checkSize returns b, or dst and an error if b is more than 2 GiB - 1 longer than dst.
func checkSize(dst, b []byte) ([]byte, error) {
	if len(b)-len(dst) > math.MaxInt32 {
		return dst, fmt.Errorf("%w: the message has more than 2 GiB - 1 bytes", ErrRequest)
	}
	return b, nil
}

// contentSize returns the size of tensor_content.
func (f *Feed) contentSize() int64 {
	return 8*int64(len(f.Int64s)) + 4*int64(len(f.Int32s)) + 4*int64(len(f.Floats)) + int64(len(f.Bytes))
}

// elements returns the number of elements. It is not ok if not all elements are in the slice for the
// dtype.
func (f *Feed) elements() (n int, ok bool) {
	all := len(f.Int64s) + len(f.Int32s) + len(f.Floats) + len(f.Strings) + len(f.Bytes)
	switch f.DType {
	case tensor.Int64:
		n = len(f.Int64s)
	case tensor.Int32:
		n = len(f.Int32s)
	case tensor.Float32:
		n = len(f.Floats)
	case tensor.String:
		n = len(f.Strings)
	default:
		size := f.DType.Size()
		return len(f.Bytes) / max(size, 1), size > 0 && len(f.Bytes) == all && all%size == 0
	}
	return n, n == all
}

// sizeTensor returns the size of the TensorProto of a feed.
func (f *Feed) sizeTensor() (int64, error) {
	elements, ok := f.elements()
	if !ok {
		return 0, fmt.Errorf("%w: input %q of dtype %v has elements of another type", ErrRequest, f.Name, f.DType)
	}
	count := int64(1)
	dims := int64(0)
	for _, d := range f.Shape {
		if count *= d; d < 0 || count > math.MaxInt32 {
			return 0, fmt.Errorf("%w: input %q has shape %v, want known sizes and fewer than 2^31 elements", ErrRequest, f.Name, tensor.Shape(f.Shape))
		}
		dims += wire.SizeField(tensor.SizeDim(d))
	}
	if count != int64(elements) {
		return 0, fmt.Errorf("%w: input %q has %d elements for shape %v", ErrRequest, f.Name, elements, tensor.Shape(f.Shape))
	}
	size := 1 + int64(wire.SizeVarint(uint64(f.DType))) + wire.SizeField(dims)
	if n := f.contentSize(); n > 0 {
		size += wire.SizeField(n)
	}
	for _, s := range f.Strings {
		size += wire.SizeField(int64(len(s)))
	}
	return size, nil
}

// appendTensor appends the TensorProto of a feed.
func (f *Feed) appendTensor(b []byte) []byte {
	b = tensor.AppendHead(b, f.DType, f.Shape)
	if n := f.contentSize(); n > 0 {
		b = wire.AppendHeader(b, 4, n)
		for _, v := range f.Int64s {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
		for _, v := range f.Int32s {
			b = binary.LittleEndian.AppendUint32(b, uint32(v))
		}
		b = append(wire.AppendPackedFloats(b, f.Floats), f.Bytes...)
	}
	for _, s := range f.Strings {
		b = append(wire.AppendHeader(b, 8, int64(len(s))), s...)
	}
	return b
}

// AppendExamplesRequest appends a request of encoded Examples: the body of a gRPC call to Classify or
// Regress. ClassificationRequest and RegressionRequest have the same encoding. The error contains the
// index of the first record that does not decode.
func AppendExamplesRequest(dst []byte, to ModelSpec, records ...[]byte) ([]byte, error) {
	b, err := to.appendProto(dst)
	if err != nil {
		return dst, err
	}
	list := int64(0)
	for i, r := range records {
		if err := example.TypeExample.Validate(r); err != nil {
			return dst, fmt.Errorf("%w: record %d: %w", ErrRequest, i, err)
		}
		list += wire.SizeField(int64(len(r)))
	}
	b = wire.AppendHeader(b, 2, wire.SizeField(list)) // input
	b = wire.AppendHeader(b, 1, list)                 // example_list
	for _, r := range records {
		b = append(wire.AppendHeader(b, 1, int64(len(r))), r...)
	}
	return checkSize(dst, b)
}

// AppendExampleListRequest is AppendExamplesRequest for one ExampleListWithContext, such as a query
// and its documents. Serving merges the features of the context into every Example. A feature in
// both is an error, because the result would be undefined.
func AppendExampleListRequest(dst []byte, to ModelSpec, record []byte) ([]byte, error) {
	b, err := to.appendProto(dst)
	if err != nil {
		return dst, err
	}
	if _, err := decodeList(record); err != nil {
		return dst, fmt.Errorf("%w: %w", ErrRequest, err)
	}
	size := int64(len(record))
	b = wire.AppendHeader(b, 2, wire.SizeField(size)) // input
	b = wire.AppendHeader(b, 2, size)                 // example_list_with_context
	return checkSize(dst, append(b, record...))
}

// decodeList decodes an ExampleListWithContext. A feature in the context and in an Example is an
// error.
func decodeList(record []byte) (list example.ExampleList, err error) {
	if err := list.UnmarshalBinary(record); err != nil {
		return list, err
	}
	for i, e := range list.Examples {
		for name := range e {
			if _, ok := list.Context[name]; ok {
				return list, fmt.Errorf("feature %q is in the context and in example %d", name, i)
			}
		}
	}
	return list, nil
}

package model_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/tensor"
)

// A servingCase is a line of serving.jsonl, which testdata/make/serving.py made.
type servingCase struct {
	Kind  string
	Bytes []byte
	Spec  struct {
		Name, Signature, Label string
		Version                int64
	}
	Feeds []struct {
		Name, DType string
		Shape       []int64
		Values      json.RawMessage
	}
	Records [][]byte
	Outputs json.RawMessage
}

func (c *servingCase) spec() model.ModelSpec {
	return model.ModelSpec{Name: c.Spec.Name, Signature: c.Spec.Signature, Version: c.Spec.Version, VersionLabel: c.Spec.Label}
}

func servingCases(t testing.TB, kind string) []servingCase {
	t.Helper()
	cases := slices.DeleteFunc(readCases[servingCase](t, "serving.jsonl"), func(c servingCase) bool { return c.Kind != kind })
	if len(cases) == 0 {
		t.Fatalf("no case of %s", kind)
	}
	return cases
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestAppendPredictRequest compares requests byte for byte with those of TensorFlow Serving's own messages.
func TestAppendPredictRequest(t *testing.T) {
	for i, c := range servingCases(t, "predict") {
		var feeds []model.Feed
		for _, f := range c.Feeds {
			feed := model.Feed{Name: f.Name, Shape: f.Shape}
			switch f.DType {
			case "int64":
				feed.DType = tensor.Int64
				must(t, json.Unmarshal(f.Values, &feed.Int64s))
			case "int32":
				feed.DType = tensor.Int32
				must(t, json.Unmarshal(f.Values, &feed.Int32s))
			case "float32":
				feed.DType = tensor.Float32
				must(t, json.Unmarshal(f.Values, &feed.Floats))
			default:
				feed.DType = tensor.String
				must(t, json.Unmarshal(f.Values, &feed.Strings))
			}
			feeds = append(feeds, feed)
		}
		var outputs []string
		must(t, json.Unmarshal(c.Outputs, &outputs))
		got, err := model.AppendPredictRequest([]byte("x"), c.spec(), feeds, outputs...)
		if err != nil || !bytes.Equal(got[1:], c.Bytes) {
			t.Errorf("case %d: %x, %v; want %x", i, got, err, c.Bytes)
		}
		if n := testing.AllocsPerRun(10, func() { got, err = model.AppendPredictRequest(got[:0], c.spec(), feeds, outputs...) }); n != 0 {
			t.Errorf("case %d: %v allocations", i, n)
		}
	}
}

func TestAppendExamplesRequest(t *testing.T) {
	for i, c := range servingCases(t, "examples") {
		got, err := model.AppendExamplesRequest(nil, c.spec(), c.Records...)
		if err != nil || !bytes.Equal(got, c.Bytes) {
			t.Errorf("case %d: %x, %v; want %x", i, got, err, c.Bytes)
		}
	}
	for i, c := range servingCases(t, "list") {
		got, err := model.AppendExampleListRequest(nil, c.spec(), c.Records[0])
		if err != nil || !bytes.Equal(got, c.Bytes) {
			t.Errorf("list %d: %x, %v; want %x", i, got, err, c.Bytes)
		}
	}
}

// TestRequestFaults checks that requests are not written if Serving would reject them or the result would be undefined.
func TestRequestFaults(t *testing.T) {
	good := model.Feed{Name: "x", DType: tensor.Int64, Shape: []int64{1}, Int64s: []int64{1}}
	feed := func(change func(*model.Feed)) []model.Feed {
		f := good
		change(&f)
		return []model.Feed{good, f}
	}
	both, err := example.ExampleList{Context: example.Example{"a": ints(1)}, HasContext: true, Examples: []example.Example{{}, {"a": ints(2)}}}.MarshalBinary()
	must(t, err)
	for _, c := range []struct {
		name, want string
		request    func(dst []byte) ([]byte, error)
	}{
		{"no name", "input 1 of dtype int64 has no name: TensorFlow Serving cannot feed it", func(dst []byte) ([]byte, error) {
			return model.AppendPredictRequest(dst, model.ModelSpec{}, feed(func(f *model.Feed) { f.Name = "" }))
		}},
		{"shape", `input "x" has 1 elements for shape [2]`, func(dst []byte) ([]byte, error) {
			return model.AppendPredictRequest(dst, model.ModelSpec{}, feed(func(f *model.Feed) { f.Shape = []int64{2} }))
		}},
		{"elements of another type", `input "x" of dtype bool has elements of another type`, func(dst []byte) ([]byte, error) {
			return model.AppendPredictRequest(dst, model.ModelSpec{}, feed(func(f *model.Feed) { f.DType = tensor.Bool }))
		}},
		{"elements of two types", `input "x" of dtype int64 has elements of another type`, func(dst []byte) ([]byte, error) {
			return model.AppendPredictRequest(dst, model.ModelSpec{}, feed(func(f *model.Feed) { f.Bytes = []byte{1} }))
		}},
		{"half an element", `input "x" of dtype int16 has elements of another type`, func(dst []byte) ([]byte, error) {
			return model.AppendPredictRequest(dst, model.ModelSpec{}, feed(func(f *model.Feed) { f.DType, f.Int64s, f.Bytes = tensor.Int16, nil, []byte{1, 2, 3} }))
		}},
		{"REST: float16", `input "x": float16 cannot be sent as JSON: use gRPC`, func(dst []byte) ([]byte, error) {
			return model.AppendRESTRequest(dst, model.ModelSpec{}, feed(func(f *model.Feed) { f.DType, f.Int64s, f.Bytes = tensor.Float16, nil, []byte{1, 2} }))
		}},
		{"negative size", `input "x" has shape [?]`, func(dst []byte) ([]byte, error) {
			return model.AppendPredictRequest(dst, model.ModelSpec{}, feed(func(f *model.Feed) { f.Shape = []int64{-1} }))
		}},
		{"two versions", "both version and version label are set", func(dst []byte) ([]byte, error) {
			return model.AppendPredictRequest(dst, model.ModelSpec{Version: 1, VersionLabel: "a"}, nil)
		}},
		{"a broken record", "record 1: example:", func(dst []byte) ([]byte, error) {
			return model.AppendExamplesRequest(dst, model.ModelSpec{}, nil, []byte{1})
		}},
		{"a broken list", "example:", func(dst []byte) ([]byte, error) {
			return model.AppendExampleListRequest(dst, model.ModelSpec{}, []byte{1})
		}},
		{"a feature in context and example", `feature "a" is in the context and in example 1`, func(dst []byte) ([]byte, error) {
			return model.AppendExampleListRequest(dst, model.ModelSpec{}, both)
		}},
		{"REST: empty list of rows", `input "x": shape [0, 3] cannot be sent as JSON: use gRPC`, func(dst []byte) ([]byte, error) {
			return model.AppendRESTRequest(dst, model.ModelSpec{}, feed(func(f *model.Feed) { f.Shape, f.Int64s = []int64{0, 3}, nil }))
		}},
		{"REST: no name", "input 1 of dtype int64 has no name", func(dst []byte) ([]byte, error) {
			return model.AppendRESTRequest(dst, model.ModelSpec{}, feed(func(f *model.Feed) { f.Name = "" }))
		}},
		{"REST: name", "is not UTF-8", func(dst []byte) ([]byte, error) {
			return model.AppendRESTRequest(dst, model.ModelSpec{}, feed(func(f *model.Feed) { f.Name = "\xff" }))
		}},
		{"REST: signature", "is not UTF-8", func(dst []byte) ([]byte, error) {
			return model.AppendRESTRequest(dst, model.ModelSpec{Signature: "\xff"}, nil)
		}},
		{"REST: shape", "elements for shape", func(dst []byte) ([]byte, error) {
			return model.AppendRESTRequest(dst, model.ModelSpec{}, feed(func(f *model.Feed) { f.Shape = []int64{2} }))
		}},
	} {
		b, err := c.request([]byte("dst"))
		if string(b) != "dst" || !errors.Is(err, model.ErrRequest) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q, %v", c.name, b, err)
		}
	}
}

// TestAppendRESTRequest checks the columnar format of the REST API, by the rules of Serving's
// json_tensor.cc: see https://www.tensorflow.org/tfx/serving/api_rest.
func TestAppendRESTRequest(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		feed model.Feed
		want string
	}{
		{model.Feed{DType: tensor.Int64, Shape: []int64{3}, Int64s: []int64{1, -2, math.MaxInt64}}, `[1,-2,9223372036854775807]`},
		{model.Feed{DType: tensor.Int32, Shape: []int64{2}, Int32s: []int32{0, 2}}, `[0,2]`},
		{model.Feed{DType: tensor.Int64, Shape: []int64{0}}, `[]`},
		{model.Feed{DType: tensor.Int64, Shape: []int64{2, 0}}, `[[],[]]`},
		{model.Feed{DType: tensor.Int64, Shape: []int64{}, Int64s: []int64{5}}, `5`},
		{model.Feed{DType: tensor.Float32, Shape: []int64{2, 2}, Floats: []float32{1, 0.1, 1e20, -0.5}}, `[[1.0,0.1],[1e+20,-0.5]]`},
		{model.Feed{DType: tensor.Float32, Shape: []int64{2}, Floats: []float32{0, float32(math.Copysign(0, -1))}}, `[0.0,-0.0]`},
		{model.Feed{DType: tensor.Float32, Shape: []int64{3}, Floats: []float32{nan, float32(math.Inf(1)), float32(math.Inf(-1))}}, `[NaN,Infinity,-Infinity]`},
		{model.Feed{DType: tensor.String, Shape: []int64{3}, Strings: []string{"", "a\"\n", "größe"}}, `["","a\"\n","größe"]`},
		{model.Feed{DType: tensor.Bool, Shape: []int64{2}, Bytes: []byte{1, 0}}, `[true,false]`},
		{model.Feed{DType: tensor.Int8, Shape: []int64{2}, Bytes: []byte{255, 127}}, `[-1,127]`},
		{model.Feed{DType: tensor.Uint8, Shape: []int64{2, 1}, Bytes: []byte{255, 0}}, `[[255],[0]]`},
		{model.Feed{DType: tensor.Int16, Shape: []int64{2}, Bytes: []byte{0, 128, 1, 0}}, `[-32768,1]`},
		{model.Feed{DType: tensor.Uint32, Shape: []int64{1}, Bytes: []byte{255, 255, 255, 255}}, `[4294967295]`},
		{model.Feed{DType: tensor.Uint64, Shape: []int64{1}, Bytes: bytes.Repeat([]byte{255}, 8)}, `[18446744073709551615]`},
		{model.Feed{DType: tensor.Float64, Shape: []int64{2}, Bytes: []byte{0, 0, 0, 0, 0, 0, 240, 63, 154, 153, 153, 153, 153, 153, 185, 63}}, `[1.0,0.1]`},
		{model.Feed{DType: tensor.String, Shape: []int64{1, 1}, Strings: []string{"\xff"}}, `[[{"b64":"/w=="}]]`},
	} {
		c.feed.Name = "x"
		got, err := model.AppendRESTRequest(nil, model.ModelSpec{Name: "m", Signature: "s"}, []model.Feed{c.feed})
		if want := `{"signature_name":"s","inputs":{"x":` + c.want + `}}`; err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
	got, err := model.AppendRESTRequest(nil, model.ModelSpec{}, []model.Feed{
		{Name: "a", DType: tensor.Int64, Shape: []int64{0}}, {Name: "b", DType: tensor.Int64, Shape: []int64{0}}})
	if err != nil || string(got) != `{"inputs":{"a":[],"b":[]}}` {
		t.Errorf("%s, %v", got, err)
	}
}

// TestParseResponse decodes responses that Serving's own messages encoded.
func TestParseResponse(t *testing.T) {
	for i, c := range servingCases(t, "response") {
		r, err := model.ParseResponse(c.Bytes)
		must(t, err)
		var outputs []struct {
			Name, DType string
			Shape       tensor.Shape
			Data        [][]byte
		}
		must(t, json.Unmarshal(c.Outputs, &outputs))
		if r.Spec != c.spec() || len(r.Outputs) != len(outputs) {
			t.Errorf("case %d: %v", i, r)
		}
		for _, want := range outputs {
			got, err := r.Output(want.Name)
			must(t, err)
			data := [][]byte{got.Bytes}
			if got.DType == tensor.String {
				data = nil
				for _, s := range got.Strings {
					data = append(data, []byte(s))
				}
			}
			if got.DType.String() != want.DType || !slices.Equal(got.Shape, want.Shape) || !slices.EqualFunc(data, want.Data, bytes.Equal) {
				t.Errorf("case %d: %v, want %v", i, got, want)
			}
		}
		for n := range c.Bytes {
			if r, err := model.ParseResponse(c.Bytes[:n]); (r == nil) == (err == nil) {
				t.Fatalf("case %d cut at %d: %v, %v", i, n, r, err)
			}
		}
	}
}

// TestRaggedOutput makes one tensor from flat values and row_splits of a response.
func TestRaggedOutput(t *testing.T) {
	r, err := model.ParseResponse(servingCases(t, "response")[1].Bytes)
	must(t, err)
	got, err := model.RaggedOutput[float32](r, "flat", "splits")
	must(t, err)
	want, err := ragged.FromSlices[float32]([][][2]float32{{{1.5, 2}}, {{3, 4}, {5, 6}}})
	must(t, err)
	if got.String() != want.String() || got.RaggedRank() != 1 {
		t.Errorf("%v, want %v", got, want)
	}
	if dense, err := model.RaggedOutput[string](r, "text"); err != nil || dense.RaggedRank() != 0 || dense.Len() != 3 {
		t.Errorf("%v, %v", dense, err)
	}
	for _, c := range []struct {
		values string
		splits []string
		want   string
	}{
		{"flut", nil, `model: no such output: "flut": the response has ["flat" "inner" "none" "one" "splits" "text"]`},
		{"flat", []string{"split"}, `no such output: "split"`},
		{"text", nil, `model: output "text": tensor: unexpected dtype: want float32 for float32, got string`},
		{"flat", []string{"text"}, `output "text"`},
		{"flat", []string{"flat"}, `output "flat"`},
		{"flat", []string{"inner"}, `output "flat"`}, // two values for three
		{"flat", []string{"splits", "splits"}, `output "flat"`},
	} {
		if x, err := model.RaggedOutput[float32](r, c.values, c.splits...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q by %q: %v, %v", c.values, c.splits, x, err)
		}
	}
}

func FuzzParseResponse(f *testing.F) {
	for _, c := range servingCases(f, "response") {
		f.Add(c.Bytes)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := model.ParseResponse(b)
		if (r == nil) == (err == nil) {
			t.Fatalf("%v, %v", r, err)
		}
		if err == nil {
			for _, o := range r.Outputs {
				_, _ = model.RaggedOutput[float32](r, o.Name, r.Outputs[0].Name)
			}
		}
	})
}

// TestAppendPredictionLog compares with messages of prediction_log.proto that protowire encodes.
func TestAppendPredictionLog(t *testing.T) {
	request := bytes.Repeat([]byte("r"), 300)
	for call, num := range map[model.Method]protowire.Number{model.Predict: 6, model.Classify: 2, model.Regress: 3} {
		inner := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), request)
		want := protowire.AppendBytes(protowire.AppendTag([]byte("dst"), num, protowire.BytesType), inner)
		got, err := model.AppendPredictionLog([]byte("dst"), call, request)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v: %q, %v; want %q", call, got, err, want)
		}
	}
	for _, c := range []struct {
		call    model.Method
		request []byte
	}{{0, request}, {4, request}, {model.Predict, nil}} {
		if b, err := model.AppendPredictionLog([]byte("dst"), c.call, c.request); !errors.Is(err, model.ErrRequest) || string(b) != "dst" {
			t.Errorf("%v of %d bytes: %q, %v", c.call, len(c.request), b, err)
		}
	}
	for name, want := range map[string]model.Method{"tensorflow/serving/classify": model.Classify, "tensorflow/serving/regress": model.Regress, "": model.Predict} {
		if got := (&model.Signature{Method: name}).Call(); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

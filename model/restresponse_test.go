package model_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/model"
)

// outputsOf is a signature with outputs, as "name: dtype [sizes]".
func outputsOf(outputs ...model.TensorSpec) *model.Signature {
	for i := range outputs {
		outputs[i].Components = []model.Component{{Name: outputs[i].Name(), DType: outputs[i].DType, Shape: outputs[i].Shape}}
	}
	return &model.Signature{Name: "s", Outputs: outputs}
}

func output(name string, dtype model.DType, shape ...int64) model.TensorSpec {
	return model.TensorSpec{Path: []string{name}, DType: dtype, Shape: shape}
}

// show prints a response as "name dtype shape: values".
func show(t *testing.T, r *model.Response) string {
	var all []string
	for _, o := range r.Outputs {
		var v any = o.Tensor.Strings
		var err error
		switch o.Tensor.DType {
		case model.Int32:
			v, err = model.ValuesOf[int32](o.Tensor)
		case model.Int64:
			v, err = model.ValuesOf[int64](o.Tensor)
		case model.Uint8:
			v, err = model.ValuesOf[uint8](o.Tensor)
		case model.Float32:
			v, err = model.ValuesOf[float32](o.Tensor)
		case model.Float64:
			v, err = model.ValuesOf[float64](o.Tensor)
		case model.Bool:
			v, err = model.ValuesOf[bool](o.Tensor)
		}
		must(t, err)
		all = append(all, fmt.Sprintf("%s %v %v: %v", o.Name, o.Tensor.DType, o.Tensor.Shape, v))
	}
	return strings.Join(all, "; ")
}

// The answers that TensorFlow Serving's tests of util/json_tensor.cc expect it to write (commit 9d981c5c), and what they hold.
func TestParseRESTResponse(t *testing.T) {
	ints, strs, bytes := output("int_tensor", model.Int32, -1, 3, 2), output("str_tensor", model.String, -1, -1), output("str_tensor_bytes", model.String, -1, 2)
	floats, doubles := output("float_tensor", model.Float32, -1, -1), output("double_scalar_tensor", model.Float64, -1)
	const several = "double_scalar_tensor float64 [2]: [8 9]; float_tensor float32 [2, 1]: [1 2]; int_tensor int32 [2, 3, 2]: [1 2 3 4 5 6 7 8 9 0 1 2]; " +
		"str_tensor string [2, 2]: [foo bar baz bat]; str_tensor_bytes string [2, 2]: [hello world tf serving]"
	for _, c := range []struct {
		name    string
		outputs []model.TensorSpec
		body    string
		want    string
	}{
		{"rows", []model.TensorSpec{ints}, `{"predictions": [[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 0], [1, 2]]]}`, "int_tensor int32 [2, 3, 2]: [1 2 3 4 5 6 7 8 9 0 1 2]"},
		{"columns", []model.TensorSpec{ints}, `{"outputs": [[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 0], [1, 2]]]}`, "int_tensor int32 [2, 3, 2]: [1 2 3 4 5 6 7 8 9 0 1 2]"},
		{"scalars", []model.TensorSpec{ints}, `{ "predictions": [1, 2, 3, 4, 5] }`, "int_tensor int32 [5]: [1 2 3 4 5]"},
		{"bytes", []model.TensorSpec{bytes}, `{"predictions": [[{"b64": "aGVsbG8="}, {"b64": "d29ybGQ="}], [{"b64": "dGY="}, {"b64": "c2VydmluZw=="}]]}`, "str_tensor_bytes string [2, 2]: [hello world tf serving]"},
		{"floats", []model.TensorSpec{floats}, `{"predictions": [[9e+06, 999999.0, 0.5], [0.0003, 3e-05, 555557.5]]}`, "float_tensor float32 [2, 3]: [9e+06 999999 0.5 0.0003 3e-05 555557.5]"},
		{"not finite", []model.TensorSpec{floats}, `{"predictions": [[NaN, Infinity], [3.0, -Infinity ]]}`, "float_tensor float32 [2, 2]: [NaN +Inf 3 -Inf]"},
		{"several in rows", []model.TensorSpec{ints, strs, bytes, floats, doubles}, `{"predictions": [
			{"double_scalar_tensor": 8.0, "float_tensor": [1.0], "int_tensor": [[1, 2], [3, 4], [5, 6]], "str_tensor": ["foo", "bar"], "str_tensor_bytes": [{"b64": "aGVsbG8="}, {"b64": "d29ybGQ="}]},
			{"double_scalar_tensor": 9.0, "float_tensor": [2.0], "int_tensor": [[7, 8], [9, 0], [1, 2]], "str_tensor": ["baz", "bat"], "str_tensor_bytes": [{"b64": "dGY="}, {"b64": "c2VydmluZw=="}]}]}`, several},
		{"several in columns", []model.TensorSpec{ints, strs, bytes, floats, doubles}, `{"outputs": {"double_scalar_tensor": [8.0, 9.0], "float_tensor": [[1.0], [2.0]],
			"int_tensor": [[[1, 2], [3, 4], [5, 6]], [[7, 8], [9, 0], [1, 2]]], "str_tensor": [["foo", "bar"], ["baz", "bat"]],
			"str_tensor_bytes": [[{"b64": "aGVsbG8="}, {"b64": "d29ybGQ="}], [{"b64": "dGY="}, {"b64": "c2VydmluZw=="}]]}}`, several},
		{"no rows", []model.TensorSpec{ints}, `{ "predictions": [] }`, "int_tensor int32 [0, 3, 2]: []"},
		{"no rows of several", []model.TensorSpec{bytes, ints}, `{ "predictions": [] }`, "int_tensor int32 [0, 3, 2]: []; str_tensor_bytes string [0, 2]: []"},
		{"no rows of unknown sizes", []model.TensorSpec{strs}, `{ "predictions": [] }`, "str_tensor string [0]: []"},
		{"empty rows", []model.TensorSpec{strs}, `{ "predictions": [[], []] }`, "str_tensor string [2, 0]: []"},
		{"a scalar", []model.TensorSpec{doubles}, `{"outputs": -0.5}`, "double_scalar_tensor float64 []: [-0.5]"},
		{"other members", []model.TensorSpec{output("b", model.Bool, -1)}, `{"model": [{}], "outputs": [true,false]}`, "b bool [2]: [true false]"},
		{"bytes of a number", []model.TensorSpec{output("u", model.Uint8, -1)}, `{"outputs": [255, 0]}`, "u uint8 [2]: [255 0]"},
	} {
		r, err := model.ParseRESTResponse(outputsOf(c.outputs...), []byte(c.body))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := show(t, r); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	for _, c := range []struct {
		body string
		is   error
		want string
	}{
		{`{ "error": "Bad key: \"key\"" }`, model.ErrServer, `the server answered with an error: Bad key: "key"`},
		{`{"error": 1}`, model.ErrMessage, "want a string"},
		{`{"outputs": [[1,2],[3]]}`, model.ErrMessage, `column 23: unexpected message: output "x": lists of 2 and of 1`},
		{`{"outputs": [1,[2]]}`, model.ErrMessage, "a list among elements"},
		{`{"outputs": [[2],1]}`, model.ErrMessage, "an element among lists"},
		{`{"outputs": [[],1]}`, model.ErrMessage, "an element among lists"},
		{`{"outputs": [1.0]}`, model.ErrMessage, "want a value of int32"},
		{`{"outputs": [2147483648]}`, model.ErrMessage, "want a value of int32"},
		{`{"outputs": ["1"]}`, model.ErrMessage, "want a value of int32"},
		{`{"outputs": [null]}`, model.ErrMessage, "want a value of int32"},
		{`{"outputs": [NaN]}`, model.ErrMessage, "want a value of int32"},
		{`{"outputs": [1], "predictions": [1]}`, model.ErrMessage, `"outputs" and "predictions"`},
		{`{"results": [1]}`, model.ErrMessage, `want "outputs" or "predictions"`},
		{`{"outputs": [1]`, model.ErrMessage, "not JSON"},
		{`{"outputs": [1]} x`, model.ErrMessage, "not JSON"},
		{`[1]`, model.ErrMessage, "want an object"},
		{``, model.ErrMessage, "want an object"},
		{`{"outputs": ` + strings.Repeat("[", 300), model.ErrMessage, "more than 254 axes"},
	} {
		r, err := model.ParseRESTResponse(outputsOf(output("x", model.Int32, -1)), []byte(c.body))
		if r != nil || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40s: %v, %v; want %s", c.body, r, err, c.want)
		}
	}
	two := outputsOf(output("a", model.Int32, -1), output("b", model.Float16, -1))
	for body, want := range map[string]string{
		`{"predictions": [{"a": 1}]}`: `no output "b"`, `{"predictions": [{"a": 1, "a": 1}]}`: `output "a" is there twice`, `{"outputs": {"c": 1}}`: `output "c", and the signature has ["a" "b"]`,
		`{"predictions": [1]}`: "want an object", `{"predictions": {}}`: "want a list of rows", `{"outputs": {"a": [1], "b": [1]}}`: "TensorFlow Serving writes no float16 as JSON",
	} {
		if r, err := model.ParseRESTResponse(two, []byte(body)); r != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v; want %s", body, r, err, want)
		}
	}
	m, err := model.Open("../testdata/models/ragged3")
	must(t, err)
	if _, err := model.ParseRESTResponse(&m.Signatures()[0], []byte(`{}`)); !errors.Is(err, model.ErrDType) {
		t.Errorf("a ragged output: %v", err)
	}
}

// FuzzParseRESTResponse wants rectangular tensors or an error.
func FuzzParseRESTResponse(f *testing.F) {
	f.Add([]byte(`{"predictions": [{"a": [[1.5, NaN]], "b": ["x", {"b64": "AA=="}]}]}`))
	f.Add([]byte(`{"outputs": {"a": [], "b": [[]]}}`))
	sig := outputsOf(output("a", model.Float32, -1, 2), output("b", model.String))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := model.ParseRESTResponse(sig, body)
		if (r == nil) == (err == nil) {
			t.Fatalf("%v, %v", r, err)
		}
		if err != nil {
			return
		}
		for _, o := range r.Outputs {
			n := int64(1)
			for _, d := range o.Tensor.Shape {
				n *= d
			}
			if got := int64(len(o.Tensor.Bytes)/4 + len(o.Tensor.Strings)); got != n {
				t.Fatalf("%v: %d elements", o.Tensor.Shape, got)
			}
		}
	})
}

// Floats that Serving takes in requests and rounds, as strconv rounds them too: facts of json_tensor_test.cc.
func TestServingFloats(t *testing.T) {
	for text, want := range map[string]float64{
		"1435774380": float64(float32(1435774380)), "1435774380.0": float64(float32(1435774380)), "1": 1, "5.003": float64(float32(5.003)), "0.0": 0,
		"1.79769e+308": math.Inf(1), "-1.79769e+308": math.Inf(-1), "2.22507e-308": 0, "-2.22507e-308": math.Copysign(0, -1),
	} {
		got, err := element(json.Number(text), model.Float32)
		if x, ok := got.(float64); err != nil || !ok || math.Float64bits(x) != math.Float64bits(want) {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
}

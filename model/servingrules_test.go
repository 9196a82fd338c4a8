package model_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/tensor"
)

// TestServingTensorRules checks that the slow parser follows Serving's rules for tensors, and that AppendRESTRequest
// writes the tensors that Serving accepts, if it can write them.
func TestServingTensorRules(t *testing.T) {
	for _, c := range []struct {
		rule  string
		dtype tensor.DType
		text  string
		want  string // shape and values; "" if rejected
	}{
		{"a list of lists", tensor.Int64, `[[1,2],[3,4],[5,6]]`, `[3 2] [1 2 3 4 5 6]`},
		{"a scalar has no dimension", tensor.Int64, `7`, `[] [7]`},
		{"an empty list has one dimension", tensor.Int64, `[]`, `[0] []`},
		{"the size of a list is that of the first", tensor.Int64, `[[],[]]`, `[2 0] []`},
		{"lists must be rectangular", tensor.Int64, `[[1],[2,3]]`, ``},
		{"no list beside a value", tensor.Int64, `[1,[2]]`, ``},
		{"no value beside a list", tensor.Int64, `[[1],2]`, ``},
		{"no value behind an empty list", tensor.Int64, `[[],[1]]`, ``},
		{"an integer for a float", tensor.Float32, `[1,2.5,-3]`, `[3] [1 2.5 -3]`},
		{"an integer for a double", tensor.Float64, `[1,0.1]`, `[2] [1 0.1]`},
		{"an exponent", tensor.Float32, `[1e+20]`, `[1] [1.0000000200408773e+20]`},
		{"bare tokens", tensor.Float32, `[NaN,Infinity,-Infinity]`, `[3] [NaN +Inf -Inf]`},
		{"no quoted NaN", tensor.Float32, `["NaN"]`, ``},
		{"no point in an integer", tensor.Int64, `[1.0]`, ``},
		{"no exponent in an integer", tensor.Int64, `[1e2]`, ``},
		{"no NaN as an integer", tensor.Int32, `[NaN]`, ``},
		{"the limits of int64", tensor.Int64, `[-9223372036854775808,9223372036854775807]`, `[2] [-9223372036854775808 9223372036854775807]`},
		{"beyond int64", tensor.Int64, `[9223372036854775808]`, ``},
		{"the limits of int32", tensor.Int32, `[-2147483648,2147483647]`, `[2] [-2147483648 2147483647]`},
		{"beyond int32", tensor.Int32, `[2147483648]`, ``},
		{"the limit of uint64", tensor.Uint64, `[18446744073709551615]`, `[1] [18446744073709551615]`},
		{"no sign for uint32", tensor.Uint32, `[-1]`, ``},
		{"a bool", tensor.Bool, `[true,false]`, `[2] [true false]`},
		{"no number as bool", tensor.Bool, `[1]`, ``},
		{"no bool as number", tensor.Int64, `[true]`, ``},
		{"no null", tensor.Float32, `[null]`, ``},
		{"a string", tensor.String, `"größe"`, `[] [größe]`},
		{"no number as string", tensor.String, `[1]`, ``},
		{"base64", tensor.String, `[{"b64":"YQ=="},"b"]`, `[2] [a b]`},
		{"base64 with another member", tensor.String, `[{"b64":"YQ==","x":1}]`, ``},
		{"base64 that is none", tensor.String, `[{"b64":"?"}]`, ``},
		{"base64 of a number", tensor.String, `[{"b64":1}]`, ``},
		{"no base64 for a number", tensor.Int64, `[{"b64":"YQ=="}]`, ``},
		{"no float16", tensor.Float16, `[1.0]`, ``},
		{"no bfloat16", tensor.BFloat16, `[1.0]`, ``},
		{"no uint16", tensor.Uint16, `[1]`, ``},
	} {
		doc, err := parseServing([]byte(`{"x":` + c.text + `}`))
		must(t, err)
		shape, values, err := tensorOf(doc["x"], c.dtype)
		got := fmt.Sprint(shape, values)
		if (err != nil) != (c.want == "") || err == nil && got != c.want {
			t.Errorf("%s: %s, %v; want %s", c.rule, got, err, c.want)
		}
	}
}

// TestServingExampleRules checks that the slow parser follows Serving's rules for the features of Examples.
func TestServingExampleRules(t *testing.T) {
	ints, floats := example.Int64s, example.Floats
	for _, c := range []struct {
		rule, text string
		want       example.Value
		refused    bool
	}{
		{"integers are int64", `[1,-2]`, ints(1, -2), false},
		{"a point makes a float", `[8.0,9.5]`, floats(8, 9.5), false},
		{"an exponent makes a float", `[1e2]`, floats(100), false},
		{"bare tokens are floats", `[0.5,Infinity,-Infinity]`, floats(0.5, float32(math.Inf(1)), float32(math.Inf(-1))), false},
		{"a value without a list", `20`, ints(20), false},
		{"true is 1", `[5,true,false]`, ints(5, 1, 0), false},
		{"strings and base64", `["a",{"b64":"/w=="}]`, example.Strings("a", "\xff"), false},
		{"an empty list has no kind", `[]`, example.Value{}, false},
		{"no integer beside a float", `[1,2.5]`, example.Value{}, true},
		{"no float beside an integer", `[2.5,1]`, example.Value{}, true},
		{"no string beside a number", `[1,"a"]`, example.Value{}, true},
		{"no bool beside a float", `[1.5,true]`, example.Value{}, true},
		{"no null", `[null]`, example.Value{}, true},
		{"no list in a list", `[[1],2]`, example.Value{}, true},
		{"no object", `[{"x":1}]`, example.Value{}, true},
		{"beyond int64", `[18446744073709551603]`, example.Value{}, true},
	} {
		list, _, err := examplesOf([]byte(`{"examples":[{"f":` + c.text + `}]}`))
		if (err != nil) != c.refused || err == nil && !list.Examples[0]["f"].Equal(c.want) {
			t.Errorf("%s: %v, %v; want %v", c.rule, list.Examples, err, c.want)
		}
	}
	for _, body := range []string{`{"examples":[]}`, `{"examples":{}}`, `{}`, `{"examples":[1]}`, `{"signature_name":1,"examples":[{}]}`} {
		if list, _, err := examplesOf([]byte(body)); err == nil {
			t.Errorf("%s: %v", body, list)
		}
	}
}

// TestAppendRESTExamplesRequest checks the bodies of classify and regress calls, and that Serving's rules give back
// the same Examples.
func TestAppendRESTExamplesRequest(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		rule string
		e    example.Example
		want string
	}{
		{"names are sorted", example.Example{"b": example.Int64s(1), "a": example.Int64s(2)}, `{"a":[2],"b":[1]}`},
		{"floats have a point", example.Example{"x": example.Floats(1, -0.5, 16777216)}, `{"x":[1.0,-0.5,16777216.0]}`},
		{"or an exponent", example.Example{"x": example.Floats(1e20, 1e-7)}, `{"x":[1e+20,1e-07]}`},
		{"minus zero", example.Example{"x": example.Floats(float32(math.Copysign(0, -1)))}, `{"x":[-0.0]}`},
		{"bare tokens", example.Example{"x": example.Floats(inf, -inf)}, `{"x":[Infinity,-Infinity]}`},
		{"int64", example.Example{"x": example.Int64s(math.MinInt64, math.MaxInt64)}, `{"x":[-9223372036854775808,9223372036854775807]}`},
		{"bytes", example.Example{"x": example.Strings("a\"", "\xff", "größe", "\x00")}, `{"x":["a\"",{"b64":"/w=="},"größe","\u0000"]}`},
		{"no kind", example.Example{"x": {}}, `{"x":[]}`},
		{"no features", example.Example{}, `{}`},
		{"names that mean something elsewhere", example.Example{"b64": example.Strings("YQ=="), "context": {}, "NaN": {}}, `{"NaN":[],"b64":["YQ=="],"context":[]}`},
	} {
		rec, err := c.e.MarshalBinary()
		must(t, err)
		got, err := model.AppendRESTExamplesRequest([]byte("x"), model.ModelSpec{Name: "m", Signature: "s"}, rec, rec)
		if want := `x{"signature_name":"s","examples":[` + c.want + "," + c.want + `]}`; err != nil || string(got) != want {
			t.Errorf("%s: %s, %v; want %s", c.rule, got, err, want)
			continue
		}
		read, signature, err := examplesOf(got[1:])
		if err != nil || signature != "s" || read.HasContext || len(read.Examples) != 2 || !equalExample(read.Examples[1], c.e) {
			t.Errorf("%s: Serving reads %v, %v", c.rule, read, err)
		}
	}
	nan, err := example.Example{"x": example.Floats(float32(math.NaN()))}.MarshalBinary()
	must(t, err)
	if got, err := model.AppendRESTExamplesRequest(nil, model.ModelSpec{}, nan); err != nil || string(got) != `{"examples":[{"x":[NaN]}]}` {
		t.Errorf("%s, %v", got, err)
	}
	list := example.ExampleList{Context: example.Example{"q": example.Strings("a")}, HasContext: true, Examples: []example.Example{{"x": ints(1)}, {}}}
	rec, err := list.MarshalBinary()
	must(t, err)
	got, err := model.AppendRESTExampleListRequest(nil, model.ModelSpec{}, rec)
	if want := `{"context":{"q":["a"]},"examples":[{"x":[1]},{}]}`; err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	without, err := example.ExampleList{Examples: []example.Example{{}}}.MarshalBinary()
	must(t, err)
	if got, err := model.AppendRESTExampleListRequest(nil, model.ModelSpec{}, without); err != nil || string(got) != `{"context":{},"examples":[{}]}` {
		t.Errorf("%s, %v", got, err)
	}
}

func equalExample(a, b example.Example) bool {
	if len(a) != len(b) {
		return false
	}
	for name, v := range a {
		w, ok := b[name]
		if !ok || !v.Equal(w) {
			return false
		}
	}
	return true
}

// TestRESTFaults checks the errors of values that cannot be sent as JSON.
func TestRESTFaults(t *testing.T) {
	encode := func(e example.Example) []byte {
		b, err := e.MarshalBinary()
		must(t, err)
		return b
	}
	both, err := example.ExampleList{Context: example.Example{"a": ints(1)}, HasContext: true, Examples: []example.Example{{"a": ints(2)}}}.MarshalBinary()
	must(t, err)
	none, err := example.ExampleList{Context: example.Example{"a": ints(1)}, HasContext: true}.MarshalBinary()
	must(t, err)
	listOf, err := example.ExampleList{Examples: []example.Example{{}, {"a": {Int64s: []int64{}}}}}.MarshalBinary()
	must(t, err)
	examples := func(to model.ModelSpec, recs ...[]byte) func([]byte) ([]byte, error) {
		return func(dst []byte) ([]byte, error) { return model.AppendRESTExamplesRequest(dst, to, recs...) }
	}
	list := func(rec []byte) func([]byte) ([]byte, error) {
		return func(dst []byte) ([]byte, error) {
			return model.AppendRESTExampleListRequest(dst, model.ModelSpec{}, rec)
		}
	}
	predict := func(f model.Feed) func([]byte) ([]byte, error) {
		return func(dst []byte) ([]byte, error) {
			return model.AppendRESTRequest(dst, model.ModelSpec{}, []model.Feed{f})
		}
	}
	for _, c := range []struct {
		rule, want string
		request    func([]byte) ([]byte, error)
	}{
		{"a list of int64 without values", `record 1: feature "x": an empty int64_list cannot be sent as JSON: use gRPC`, examples(model.ModelSpec{}, nil, encode(example.Example{"x": {Int64s: []int64{}}}))},
		{"a list of floats without values", `an empty float_list`, examples(model.ModelSpec{}, encode(example.Example{"x": {Floats: []float32{}}}))},
		{"a list of bytes without values", `an empty bytes_list`, examples(model.ModelSpec{}, encode(example.Example{"x": {Bytes: [][]byte{}}}))},
		{"a name that is not UTF-8", `record 0: feature "\xff" is not UTF-8`, examples(model.ModelSpec{}, encode(example.Example{"\xff": ints(1)}))},
		{"a zero byte in a name", `feature "a\x00b" has a zero byte`, examples(model.ModelSpec{}, encode(example.Example{"a\x00b": ints(1)}))},
		{"no Examples", `want at least 1 Example, got 0`, examples(model.ModelSpec{})},
		{"a broken record", `record 1: example: `, examples(model.ModelSpec{}, nil, []byte{1})},
		{"a signature that is not UTF-8", `signature "\xff" is not UTF-8`, examples(model.ModelSpec{Signature: "\xff"}, nil)},
		{"a context without Examples", `want at least 1 Example`, list(none)},
		{"a feature in context and example", `feature "a" is in the context and in example 0`, list(both)},
		{"a list in an example", `example 1: feature "a": an empty`, list(listOf)},
		{"a broken list", `example: `, list([]byte{1})},
		{"a zero byte in the name of an input", `input "a\x00" has a zero byte`, predict(model.Feed{Name: "a\x00", DType: tensor.Int64, Shape: []int64{0}})},
		{"an input that looks like base64", `the only input "b64" would be read as base64`, predict(model.Feed{Name: "b64", DType: tensor.String, Strings: []string{"YQ=="}})},
	} {
		b, err := c.request([]byte("dst"))
		if string(b) != "dst" || !errors.Is(err, model.ErrRequest) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q, %v; want %s", c.rule, b, err, c.want)
		}
	}
}

// TestRESTRandom checks random tensors and Examples: by Serving's rules, every bit survives.
func TestRESTRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	float := func() float32 {
		for {
			if v := math.Float32frombits(r.Uint32()); v == v {
				return v
			}
		}
	}
	text := func() string {
		b := make([]byte, r.IntN(5))
		for i := range b {
			b[i] = "\x00\"\\NaI{\xff\xc3\xb6"[r.IntN(10)]
		}
		return string(b)
	}
	for range 2000 {
		f := model.Feed{Name: "x", Shape: make([]int64, r.IntN(4))}
		n := 1
		for i := range f.Shape {
			f.Shape[i] = 1 + r.Int64N(3)
			if i == len(f.Shape)-1 && r.IntN(8) == 0 {
				f.Shape[i] = 0
			}
			n *= int(f.Shape[i])
		}
		want := make([]any, 0, n)
		e := example.Example{}
		for range n {
			switch len(f.Shape) % 3 {
			case 0:
				f.DType, f.Floats = tensor.Float32, append(f.Floats, float())
				want = append(want, float64(f.Floats[len(f.Floats)-1]))
			case 1:
				f.DType, f.Int64s = tensor.Int64, append(f.Int64s, int64(r.Uint64())>>r.IntN(64))
				want = append(want, f.Int64s[len(f.Int64s)-1])
			default:
				f.DType, f.Strings = tensor.String, append(f.Strings, text())
				want = append(want, f.Strings[len(f.Strings)-1])
			}
		}
		if n == 0 {
			f.DType = tensor.Int64
		}
		body, err := model.AppendRESTRequest(nil, model.ModelSpec{}, []model.Feed{f})
		must(t, err)
		doc, err := parseServing(body)
		must(t, err)
		shape, values, err := tensorOf(doc["inputs"].(map[string]any)["x"], f.DType)
		if err != nil || !slices.Equal(shape, f.Shape) || !slices.Equal(values, want) {
			t.Fatalf("%s: Serving reads %v of shape %v, %v; want %v", body, values, shape, err, f)
		}
		e["f"], e["i"] = example.Value{Floats: f.Floats}, example.Value{Int64s: f.Int64s}
		e["s"] = example.Strings(text(), text())
		rec, err := e.MarshalBinary()
		must(t, err)
		if body, err = model.AppendRESTExamplesRequest(nil, model.ModelSpec{}, rec); err != nil {
			t.Fatal(err)
		}
		if read, _, err := examplesOf(body); err != nil || !equalExample(read.Examples[0], e) {
			t.Fatalf("%s: Serving reads %v, %v; want %v", body, read, err, e)
		}
	}
}

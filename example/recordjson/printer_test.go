package recordjson

import (
	"encoding"
	"errors"
	"math"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
)

func encode(t testing.TB, m encoding.BinaryMarshaler) []byte {
	t.Helper()
	msg, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return msg
}

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
	odd = math.Float32frombits(0xffc00001)
)

func TestPrint(t *testing.T) {
	for _, c := range []struct {
		why  string
		msg  encoding.BinaryMarshaler
		opts Options
		want string
	}{
		{"an empty Example", example.Example{}, Options{}, `{}`},
		{"an empty SequenceExample", example.Sequence{}, Options{}, `{"context":{},"feature_lists":{}}`},
		{"an empty list has no context", example.ExampleList{}, Options{}, `{"examples":[]}`},
		{"an empty context is there", example.ExampleList{HasContext: true}, Options{}, `{"context":{},"examples":[]}`},
		{"names are sorted by bytes",
			example.Example{"b": example.Int64s(1), "B": example.Int64s(2), "": example.Int64s(3), "é": example.Int64s(4)}, Options{},
			`{"":[3],"B":[2],"b":[1],"é":[4]}`},
		{"every kind",
			example.Example{"i": example.Int64s(-1, 0, 9), "f": example.Floats(1, 0.1, -2.5), "s": example.Strings("a", "\xff", ""), "n": {}}, Options{},
			`{"f":[1.0,0.1,-2.5],"i":[-1,0,9],"n":null,"s":["a",{"b64":"/w=="},""]}`},
		{"every kind, typed",
			example.Example{"i": example.Int64s(-1, 0, 9), "f": example.Floats(1, 0.1, -2.5), "s": example.Strings("a", "\xff", ""), "n": {}}, Options{Typed: true},
			`{"f":{"float32":[1.0,0.1,-2.5]},"i":{"int64":[-1,0,9]},"n":null,"s":{"string":["a",{"b64":"/w=="},""]}}`},
		{"empty lists look alike",
			example.Example{"i": example.Int64s(), "f": example.Floats(), "s": example.Bytes()}, Options{},
			`{"f":[],"i":[],"s":[]}`},
		{"empty lists, typed",
			example.Example{"i": example.Int64s(), "f": example.Floats(), "s": example.Bytes()}, Options{Typed: true},
			`{"f":{"float32":[]},"i":{"int64":[]},"s":{"string":[]}}`},
		{"numbers as strings",
			example.Example{"i": example.Int64s(math.MinInt64, 7), "f": example.Floats(7)}, Options{Int64: Int64String},
			`{"f":[7.0],"i":["-9223372036854775808","7"]}`},
		{"what is not finite", example.Example{"f": example.Floats(nan, inf, -inf, odd)}, Options{}, `{"f":["NaN","Infinity","-Infinity","NaN"]}`},
		{"what is not finite as null", example.Example{"f": example.Floats(nan, 1, -inf)}, Options{NaN: NaNNull}, `{"f":[null,1.0,null]}`},
		{"another NaN keeps its bits when typed", example.Example{"f": example.Floats(nan, odd, 1)}, Options{Typed: true},
			`{"f":{"float32":["NaN",{"nan":"ffc00001"},1.0]}}`},
		{"bytes in hexadecimal", example.Example{"s": example.Strings("ab")}, Options{Bytes: BytesHex}, `{"s":[{"hex":"6162"}]}`},
		{"bytes in hexadecimal, typed", example.Example{"s": example.Strings("ab")}, Options{Bytes: BytesHex, Typed: true}, `{"s":{"string":[{"hex":"6162"}]}}`},
		{"bytes by their length", example.Example{"s": example.Strings("ab", "")}, Options{Bytes: BytesLen}, `{"s":[2,0]}`},
		{"selection", example.Example{"a": example.Int64s(1), "b": example.Int64s(2), "\xff": example.Int64s(3)}, Options{Select: []string{"b", "b64:/w==", "z"}},
			`{"b":[2],"b64:/w==":[3]}`},
		{"selection of nothing", example.Example{"a": example.Int64s(1)}, Options{Select: []string{}}, `{}`},
		{"selection in a SequenceExample",
			example.Sequence{Context: example.Example{"a": example.Int64s(1), "b": {}}, Lists: map[string][]example.Value{"a": {}, "b": {example.Int64s(2)}}},
			Options{Select: []string{"b"}}, `{"context":{"b":null},"feature_lists":{"b":[[2]]}}`},
		{"position", example.Example{"a": example.Int64s(1)}, Options{Position: true}, `{"_file":"f","_record":3,"_offset":99,"a":[1]}`},
		{"position alone", example.Example{}, Options{Position: true}, `{"_file":"f","_record":3,"_offset":99}`},
		{"position of a SequenceExample", example.Sequence{}, Options{Position: true},
			`{"_file":"f","_record":3,"_offset":99,"context":{},"feature_lists":{}}`},
		{"position of a list", example.ExampleList{}, Options{Position: true}, `{"_file":"f","_record":3,"_offset":99,"examples":[]}`},
		{"names of position members are taken, at the top",
			example.Example{"_file": example.Int64s(1), "_offset": example.Int64s(2), "_record": example.Int64s(3), "_other": example.Int64s(4)}, Options{},
			`{"b64:X2ZpbGU=":[1],"b64:X29mZnNldA==":[2],"_other":[4],"b64:X3JlY29yZA==":[3]}`},
		{"below they are free", example.ExampleList{HasContext: true, Context: example.Example{"_file": {}}, Examples: []example.Example{{"_record": {}}}}, Options{},
			`{"context":{"_file":null},"examples":[{"_record":null}]}`},
		{"a lone empty list called examples", example.Example{"examples": example.Int64s()}, Options{}, `{"b64:ZXhhbXBsZXM=":[]}`},
		{"the same with its position", example.Example{"examples": example.Int64s()}, Options{Position: true},
			`{"_file":"f","_record":3,"_offset":99,"b64:ZXhhbXBsZXM=":[]}`},
		{"an Example in the shape of a SequenceExample",
			example.Example{"context": example.Int64s(1), "feature_lists": example.Floats()}, Options{Typed: true},
			`{"context":{"int64":[1]},"b64:ZmVhdHVyZV9saXN0cw==":{"float32":[]}}`},
		{"steps",
			example.Sequence{Lists: map[string][]example.Value{"a": {example.Int64s(1, 2), example.Int64s(), {}}, "none": {}}}, Options{},
			`{"context":{},"feature_lists":{"a":[[1,2],[],null],"none":[]}}`},
		{"steps, typed",
			example.Sequence{Lists: map[string][]example.Value{"a": {example.Int64s(1, 2), example.Floats(), {}}, "none": {}}}, Options{Typed: true},
			`{"context":{},"feature_lists":{"a":[{"int64":[1,2]},{"float32":[]},null],"none":[]}}`},
		{"a list of examples",
			example.ExampleList{HasContext: true, Context: example.Example{"q": example.Strings("x")}, Examples: []example.Example{{}, {"a": example.Int64s(1)}}}, Options{},
			`{"context":{"q":["x"]},"examples":[{},{"a":[1]}]}`},
	} {
		typ := example.TypeExample
		switch c.msg.(type) {
		case example.Sequence:
			typ = example.TypeSequence
		case example.ExampleList:
			typ = example.TypeExampleList
		}
		if err := c.opts.Validate(); err != nil {
			t.Errorf("%s: %v", c.why, err)
		}
		if got := print(t, NewPrinter(typ, &c.opts), encode(t, c.msg)); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.why, got, c.want)
		}
	}
}

func TestPrintRaw(t *testing.T) {
	for _, c := range []struct {
		opts Options
		want string
	}{
		{Options{}, `{"b64":"AP8="}`},
		{Options{Bytes: BytesBase64, Typed: true}, `{"b64":"AP8="}`},
		{Options{Bytes: BytesHex}, `{"hex":"00ff"}`},
		{Options{Bytes: BytesLen}, `{"len":2}`},
		{Options{Position: true}, `{"_file":"f","_record":3,"_offset":99,"b64":"AP8="}`},
	} {
		if got := print(t, NewPrinter(example.TypeRaw, &c.opts), []byte{0, 255}); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestPrintErrors(t *testing.T) {
	floats, text := example.Floats(1, nan), example.Strings("ok", "ok", "\xff")
	for _, c := range []struct {
		msg  encoding.BinaryMarshaler
		typ  example.MessageType
		opts Options
		want string
		is   error
	}{
		{example.Example{"a": floats}, example.TypeExample, Options{NaN: NaNError},
			`feature "a": value 1: value is not a finite number`, ErrNotFinite},
		{example.Example{"a": text}, example.TypeExample, Options{Bytes: BytesUTF8},
			`feature "a": value 2: value is not UTF-8`, ErrNotUTF8},
		{example.Sequence{Context: example.Example{"a": text}}, example.TypeSequence, Options{Bytes: BytesUTF8},
			`context: feature "a": value 2: value is not UTF-8`, ErrNotUTF8},
		{example.Sequence{Lists: map[string][]example.Value{"a": {{}, floats}}}, example.TypeSequence, Options{NaN: NaNError},
			`feature_lists: feature "a": step 1: value 1: value is not a finite number`, ErrNotFinite},
		{example.ExampleList{HasContext: true, Context: example.Example{"a": text}}, example.TypeExampleList, Options{Bytes: BytesUTF8},
			`context: feature "a": value 2: value is not UTF-8`, ErrNotUTF8},
		{example.ExampleList{Examples: []example.Example{{}, {"a": text}}}, example.TypeExampleList, Options{Bytes: BytesUTF8},
			`examples[1]: feature "a": value 2: value is not UTF-8`, ErrNotUTF8},
	} {
		dst, err := NewPrinter(c.typ, &c.opts).Append([]byte("kept"), encode(t, c.msg), tfrecord.Position{})
		if err == nil || err.Error() != c.want || !errors.Is(err, c.is) || string(dst) != "kept" {
			t.Errorf("got %q, %v; want %s", dst, err, c.want)
		}
	}
}

// The error for a damaged feature has its name. Its offset counts from the start of the outermost message.
func TestPrintDamage(t *testing.T) {
	damage := func(msg []byte) []byte {
		// The value of the only feature, int64 [1], becomes an unterminated varint.
		msg = append([]byte(nil), msg...)
		msg[len(msg)-1] |= 0x80
		return msg
	}
	bad := example.Example{"a": example.Int64s(1)}
	for _, c := range []struct {
		typ example.MessageType
		msg encoding.BinaryMarshaler
	}{
		{example.TypeExample, bad},
		{example.TypeSequence, example.Sequence{Context: bad}},
		{example.TypeSequence, example.Sequence{Lists: map[string][]example.Value{"a": {{}, example.Int64s(1)}}}},
		{example.TypeExampleList, example.ExampleList{HasContext: true, Context: bad, Examples: []example.Example{{}, {}}}},
		{example.TypeExampleList, example.ExampleList{Examples: []example.Example{{}, bad}}},
	} {
		msg := damage(encode(t, c.msg))
		var want error
		switch c.typ {
		case example.TypeExample:
			want = example.TypeExample.Validate(msg)
		case example.TypeSequence:
			want = example.TypeSequence.Validate(msg)
		case example.TypeExampleList:
			want = example.TypeExampleList.Validate(msg)
		}
		dst, got := NewPrinter(c.typ, nil).Append([]byte("kept"), msg, tfrecord.Position{})
		if want == nil || got == nil || got.Error() != want.Error() || string(dst) != "kept" {
			t.Errorf("got %q, %v; want %v", dst, got, want)
		}
		if fault, ok := errors.AsType[*example.Error](got); !ok || fault.Feature != "a" {
			t.Errorf("the error does not name the feature: %v", got)
		}
	}
}

func TestOptionsValidate(t *testing.T) {
	for _, o := range []Options{{Typed: true, Bytes: BytesLen}, {Typed: true, NaN: NaNNull}, {Select: []string{"a", "b64:?"}}} {
		if err := o.Validate(); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

package recordjson

import (
	"bytes"
	"encoding"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

type kinds map[string]example.Kind

func TestEncode(t *testing.T) {
	for _, c := range []struct {
		line  string
		kinds kinds
		want  encoding.BinaryMarshaler
	}{
		{`{}`, nil, example.Example{}},
		{" \t{ \"a\" : [ 1 ,\r2 ] , \"b\" : null } ", nil, example.Example{"a": example.Int64s(1, 2), "b": {}}},

		// The values determine the kind.
		{`{"a":[0,-1,9223372036854775807,-9223372036854775808]}`, nil, example.Example{"a": example.Int64s(0, -1, math.MaxInt64, math.MinInt64)}},
		{`{"a":[1,2.0]}`, nil, example.Example{"a": example.Floats(1, 2)}},
		{`{"a":[1e2]}`, nil, example.Example{"a": example.Floats(100)}},
		{`{"a":[1E+2,-1.5e-3]}`, nil, example.Example{"a": example.Floats(100, -0.0015)}},
		{`{"a":[-0.0,0.0,-0e0]}`, nil, example.Example{"a": example.Floats(float32(math.Copysign(0, -1)), 0, float32(math.Copysign(0, -1)))}},
		{`{"a":[-0,1.5]}`, nil, example.Example{"a": example.Floats(float32(math.Copysign(0, -1)), 1.5)}},
		{`{"a":[1e-45,3.4028235e38,1.17549435e-38]}`, nil, example.Example{"a": example.Floats(1e-45, math.MaxFloat32, 1.17549435e-38)}},
		{`{"a":[1.5,99999999999999999999]}`, nil, example.Example{"a": example.Floats(1.5, 1e20)}},
		{`{"a":[16777217.0]}`, nil, example.Example{"a": example.Floats(16777216)}},
		{`{"a":[1.0000001788139343261718749]}`, nil, example.Example{"a": example.Floats(math.Float32frombits(0x3f800001))}}, // below a midpoint: rounded once
		{`{"a":["NaN",1]}`, nil, example.Example{"a": example.Floats(nan, 1)}},
		{`{"a":[1,"-Infinity","Infinity"]}`, nil, example.Example{"a": example.Floats(1, -inf, inf)}},
		{`{"a":[NaN]}`, nil, example.Example{"a": example.Floats(nan)}}, // as Python's json.dumps writes them
		{`{"a":[1, -Infinity ,Infinity],"b":[ NaN,"NaN"],"c":{"float32":[NaN]}}`, nil,
			example.Example{"a": example.Floats(1, -inf, inf), "b": example.Floats(nan, nan), "c": example.Floats(nan)}},
		{`{"a":["NaN","Infinity"]}`, nil, example.Example{"a": example.Strings("NaN", "Infinity")}},
		{`{"a":["NaN","x"]}`, nil, example.Example{"a": example.Strings("NaN", "x")}},
		{`{"a":[{"nan":"ffc00001"}]}`, nil, example.Example{"a": example.Floats(odd)}},
		{`{"a":["x",{"b64":"/w=="},{"hex":"00Ff"},""]}`, nil, example.Example{"a": example.Strings("x", "\xff", "\x00\xff", "")}},
		{`{"a":["\u00e9\ud83d\ude42\n\/"]}`, nil, example.Example{"a": example.Strings("é🙂\n/")}},
		{`{"a":[],"b":[ ]}`, nil, example.Example{"a": {}, "b": {}}}, // no kind, like in TensorFlow if no values are given

		// A given kind resolves ambiguous values.
		{`{"a":[1,2]}`, kinds{"a": example.FloatList}, example.Example{"a": example.Floats(1, 2)}},
		{`{"a":["NaN"]}`, kinds{"a": example.FloatList}, example.Example{"a": example.Floats(nan)}},
		{`{"a":["12","-3"],"b":["12"]}`, kinds{"a": example.Int64List}, example.Example{"a": example.Int64s(12, -3), "b": example.Strings("12")}},
		{`{"a":[]}`, kinds{"a": example.Int64List}, example.Example{"a": example.Int64s()}},
		{`{"a":null}`, kinds{"a": example.Int64List}, example.Example{"a": {}}},
		{`{"b64:/w==":[1]}`, kinds{"\xff": example.FloatList}, example.Example{"\xff": example.Floats(1)}},

		// The typed form, next to the plain form.
		{`{"a":{"int64":["1",2]},"b":{"float32":[1,"NaN",{"nan":"7fc00000"}]},"c":{"string":["NaN",{"hex":""}]},"d":[1]}`, nil,
			example.Example{"a": example.Int64s(1, 2), "b": example.Floats(1, nan, nan), "c": example.Strings("NaN", ""), "d": example.Int64s(1)}},
		{`{"a":{"int64":[]},"b":{"float32":[]},"c":{"string":[]}}`, kinds{"b": example.FloatList},
			example.Example{"a": example.Int64s(), "b": example.Floats(), "c": example.Bytes()}},

		// Names and positions.
		{`{"":[1],"b64:YjY0Og==":[2],"b64:_":null}`, nil, nil},
		{`{"":[1],"b64:YjY0Og==":[2],"b64:X2ZpbGU=":[3],"x\ty":[4]}`, nil,
			example.Example{"": example.Int64s(1), "b64:": example.Int64s(2), "_file": example.Int64s(3), "x\ty": example.Int64s(4)}},
		{`{"_file":"f","_record":1,"_offset":null,"a":[1]}`, nil, example.Example{"a": example.Int64s(1)}},

		// Other messages.
		{`{"context":{"a":[1]},"feature_lists":{"b":[[1],[],null],"c":[]},"_record":0}`, nil,
			example.Sequence{Context: example.Example{"a": example.Int64s(1)}, Lists: map[string][]example.Value{
				"b": {example.Int64s(1), example.Int64s(), {}}, "c": {}}}},
		{`{"feature_lists":{"b":[["NaN"],[1.5],[2.0,"Infinity"]],"c":[["NaN"]],"d":[[],[]]}}`, nil,
			example.Sequence{Lists: map[string][]example.Value{
				"b": {example.Floats(nan), example.Floats(1.5), example.Floats(2, inf)}, "c": {example.Strings("NaN")}, "d": {{}, {}}}}},
		{`{"feature_lists":{"b":[[],[1],[]],"c":[[1],[]],"d":[[],null],"e":[[],["NaN"],[]]}}`, nil,
			example.Sequence{Lists: map[string][]example.Value{
				"b": {example.Int64s(), example.Int64s(1), example.Int64s()}, "c": {example.Int64s(1), example.Int64s()}, "d": {{}, {}},
				"e": {example.Bytes(), example.Strings("NaN"), example.Bytes()}}}},
		{`{"context":{},"feature_lists":{"b":[{"int64":[1]},{"float32":[]},null],"c":[{"int64":[1]},[]]}}`, nil,
			example.Sequence{Lists: map[string][]example.Value{
				"b": {example.Int64s(1), example.Floats(), {}}, "c": {example.Int64s(1), example.Int64s()}}}},
		{`{"context":{"b":[1]},"feature_lists":{"b":[[1],[2.5]]}}`, kinds{"b": example.FloatList},
			example.Sequence{Context: example.Example{"b": example.Floats(1)}, Lists: map[string][]example.Value{
				"b": {example.Floats(1), example.Floats(2.5)}}}},
		{`{"examples":[{"a":[1]},{}],"context":{"_file":[2]}}`, nil,
			example.ExampleList{HasContext: true, Context: example.Example{"_file": example.Int64s(2)}, Examples: []example.Example{{"a": example.Int64s(1)}, {}}}},
		{`{"examples":[]}`, nil, example.ExampleList{}},
		{`{"context":{},"examples":[]}`, nil, example.ExampleList{HasContext: true}},
	} {
		e := NewEncoder(example.TypeAuto, c.kinds)
		for range 2 { // the second time the type and the names are known
			got, err := e.Append([]byte("kept"), []byte(c.line))
			if c.want == nil {
				if err == nil {
					t.Errorf("%s: taken", c.line)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", c.line, err)
			} else if want := encode(t, c.want); !bytes.Equal(got, append([]byte("kept"), want...)) {
				t.Errorf("%s:\ngot  %x\nwant %x", c.line, got[4:], want)
			}
		}
	}
}

func TestEncodeErrors(t *testing.T) {
	for _, c := range []struct {
		typ  example.MessageType
		line string
		want string
	}{
		// Not Unicode, not an object.
		{example.TypeAuto, "{\"a\":[\"\xff\"]}", `column 8: line is not UTF-8`},
		{example.TypeAuto, "{\"a\":[\"\xed\xa0\x80\"]}", `column 8: line is not UTF-8`},
		{example.TypeAuto, `{"a":["x\ud800"]}`, `column 7: feature "a": value 0: escape of half a surrogate pair is not Unicode`},
		{example.TypeAuto, `{"a\udc00":[1]}`, `column 2: escape of half a surrogate pair is not Unicode`},
		{example.TypeAuto, `[1]`, `column 1: want an object, got an array; jq -c '.[]' splits it`},
		{example.TypeAuto, ` [`, `column 2: want an object, got an array; jq -c '.[]' splits it`},
		{example.TypeAuto, `[{"a":[1]},`, `column 1: want an object, got an array; jq -c '.[]' splits it`},
		{example.TypeAuto, `{`, `column 1: unexpected end of JSON input; jq -c . writes a record on one line`},
		{example.TypeAuto, `{"a":[1]`, `column 8: unexpected end of JSON input`},

		// Output of Python's json.dumps with its defaults.
		{example.TypeAuto, `{"a":[NaN,"x"]}`, `column 11: feature "a": value 1: a string among numbers`},
		{example.TypeAuto, `{"a":{"int64":[NaN]}}`, `column 16: feature "a": value 0: want an integer without point and exponent`},
		{example.TypeAuto, `{"a":NaN}`, `column 6: feature "a": want a list of values, null, or an object such as {"int64": [1, 2]}, got NaN: write [NaN]; jq -c 'map_values(if type == "array" or . == null then . else [.] end)' does so in all lines`},
		{example.TypeAuto, `{"a":[NaN],}`, `column 12: invalid character '}' looking for beginning of object key string`},
		{example.TypeAuto, `{NaN:[1]}`, `column 2: NaN is not JSON; write "NaN"`},
		{example.TypeAuto, `{"a":[-NaN]}`, `column 8: NaN is not JSON; write "NaN"`},
		{example.TypeAuto, `{"a":[NaN1]}`, `column 7: NaN is not JSON; write "NaN"`},
		{example.TypeAuto, `{"a":["\"NaN",Infinity]`, `column 23: unexpected end of JSON input`},
		{example.TypeAuto, `{"a":[nan]}`, `column 8: invalid character 'a' in literal null (expecting 'u')`},
		{example.TypeAuto, `null`, `column 1: want an object, which is one record`},

		// Values.
		{example.TypeAuto, `{"a":1}`, `column 6: feature "a": want a list of values, null, or an object such as {"int64": [1, 2]}, got 1: write [1]; jq -c 'map_values(if type == "array" or . == null then . else [.] end)' does so in all lines`},
		{example.TypeAuto, `{"a":"x"}`, `column 6: feature "a": want a list of values, null, or an object such as {"int64": [1, 2]}, got "x": write ["x"]; jq -c 'map_values(if type == "array" or . == null then . else [.] end)' does so in all lines`},
		{example.TypeAuto, `{"a":true}`, `column 6: feature "a": want a list of values, null, or an object such as {"int64": [1, 2]}, got true: write [1] or [0]`},
		{example.TypeAuto, `{"a":"` + strings.Repeat("x", 99) + `"}`, `column 6: feature "a": want a list of values, null, or an object such as {"int64": [1, 2]}, got a value: write it in brackets; jq -c 'map_values(if type == "array" or . == null then . else [.] end)' does so in all lines`},
		{example.TypeAuto, `{"a":[1,"x"]}`, `column 9: feature "a": value 1: a string among numbers`},
		{example.TypeAuto, `{"a":["x",{"b64":""},1.5]}`, `column 22: feature "a": value 2: a number among strings`},
		{example.TypeAuto, `{"a":[1,"NaN",{"b64":""}]}`, `column 15: feature "a": value 2: a string among numbers`},
		{example.TypeAuto, `{"a":[null]}`, `column 7: feature "a": value 0: null in a list is not a value`},
		{example.TypeAuto, `{"a":[1,true]}`, `column 9: feature "a": value 1: true and false are not values; write 1 or 0`},
		{example.TypeAuto, `{"a":[[1]]}`, `column 7: feature "a": value 0: want a value, got a list`},
		{example.TypeAuto, `{"a":[{"b64":"","hex":""}]}`, `column 7: feature "a": value 0: want a value, {"b64": "…"} or {"hex": "…"}, got another object`},
		{example.TypeAuto, `{"a":[9223372036854775808]}`, `column 7: feature "a": value 0: number is out of the range of int64`},
		{example.TypeAuto, `{"a":[0,-9223372036854775809]}`, `column 9: feature "a": value 1: number is out of the range of int64`},
		{example.TypeAuto, `{"a":[-0]}`, `column 7: feature "a": value 0: -0 is not an int64; write a float as -0.0`},
		{example.TypeAuto, `{"a":[1.0,3.5e38]}`, `column 11: feature "a": value 1: number is out of the range of float32`},
		{example.TypeAuto, `{"a":[{"b64":"YQ"}]}`, `column 14: feature "a": value 0: not base64 in the standard alphabet with padding`},
		{example.TypeAuto, `{"a":[{"b64":"YQ==\n"}]}`, `column 14: feature "a": value 0: line break in base64`},
		{example.TypeAuto, `{"a":[{"hex":"abc"}]}`, `column 14: feature "a": value 0: not an even number of hexadecimal digits`},
		{example.TypeAuto, `{"a":[{"nan":"7f800000"}]}`, `column 7: feature "a": value 0: want the eight hexadecimal digits of a float32 NaN`},

		// The typed form.
		{example.TypeAuto, `{"a":{}}`, `column 6: feature "a": want one member, "int64", "float32" or "string"`},
		{example.TypeAuto, `{"a":{"int32":[1]}}`, `column 7: feature "a": want a member "int64", "float32" or "string", got "int32"`},
		{example.TypeAuto, `{"a":{"int64":1}}`, `column 15: feature "a": want a list of values`},
		{example.TypeAuto, `{"a":{"int64":[1],"float32":[]}}`, `column 19: feature "a": want one member, got a second`},
		{example.TypeAuto, `{"a":{"int64":[1.0]}}`, `column 16: feature "a": value 0: want an integer without point and exponent`},
		{example.TypeAuto, `{"a":{"int64":[1e2]}}`, `column 16: feature "a": value 0: want an integer without point and exponent`},
		{example.TypeAuto, `{"a":{"int64":["+1"]}}`, `column 16: feature "a": value 0: want the decimal digits of an int64`},
		{example.TypeAuto, `{"a":{"int64":["007"]}}`, `column 16: feature "a": value 0: want the decimal digits of an int64`},
		{example.TypeAuto, `{"a":{"int64":[null]}}`, `column 16: feature "a": value 0: want an int64`},
		{example.TypeAuto, `{"a":{"float32":["1.5"]}}`, `column 18: feature "a": value 0: want a number, "NaN", "Infinity" or "-Infinity"`},
		{example.TypeAuto, `{"a":{"float32":[null]}}`, `column 18: feature "a": value 0: want a number`},
		{example.TypeAuto, `{"a":{"float32":[{"b64":""}]}}`, `column 18: feature "a": value 0: want a number`},
		{example.TypeAuto, `{"a":{"string":[1]}}`, `column 17: feature "a": value 0: want a string`},
		{example.TypeAuto, `{"a":{"string":[{"nan":"7fc00001"}]}}`, `column 17: feature "a": value 0: want a string, {"b64": "…"} or {"hex": "…"}`},
		{example.TypeAuto, `{"k":{"float32":[1.0]}}`, `column 7: feature "k": line says float32, the given kind is int64`},
		{example.TypeAuto, `{"k":[1.0]}`, `column 7: feature "k": value 0: want an integer without point and exponent`},

		// Names.
		{example.TypeAuto, `{"a":[1],"b":[2],"a":[1]}`, `column 18: feature "a" is given twice`},
		{example.TypeAuto, `{"a":[1],"b64:YQ==":[1]}`, `column 10: feature "a" is given twice`},
		{example.TypeAuto, `{"a":[1],"\u0061":[1]}`, `column 10: feature "a" is given twice`},
		{example.TypeAuto, `{"b64:YR==":[1]}`, `column 2: name "b64:YR==": not base64 in the standard alphabet with padding`},
		{example.TypeAuto, `{"_file":[1]}`, `column 10: _file is a record position; write the feature as "b64:X2ZpbGU="`},
		{example.TypeAuto, `{"_file":"x","_file":"y"}`, `column 14: member "_file" is given twice`},

		// Messages.
		{example.TypeAuto, `{"context":{"a":[1]}}`, `column 13: feature "context": want a member "int64", "float32" or "string", got "a"`},
		{example.TypeAuto, `{"context":{},"feature_lists":{"a":[1]}}`, `column 37: feature_lists: feature "a": step 0: want a list of values, null, or an object such as {"int64": [1, 2]}, got 1: write [1]`},
		{example.TypeAuto, `{"context":{},"feature_lists":{"a":null}}`, `column 36: feature_lists: feature "a": want a list of steps, each a list of values`},
		{example.TypeAuto, `{"context":{},"feature_lists":{"a":[[1],[1.5]]}}`, `column 36: feature_lists: feature "a": steps of one list hold values of different kinds`},
		{example.TypeAuto, `{"context":{},"feature_lists":{"a":[[1],["NaN"]]}}`, `column 36: feature_lists: feature "a": steps of one list hold values of different kinds`},
		{example.TypeAuto, `{"context":{},"feature_lists":{"a":[[1],["x",2]]}}`, `column 46: feature_lists: feature "a": step 1: value 1: a number among strings`},
		{example.TypeAuto, `{"context":{},"feature_lists":{"a":[],"a":[]}}`, `column 39: feature_lists: feature list "a" is given twice`},
		{example.TypeAuto, `{"context":{"a":[1,"x"]},"feature_lists":{}}`, `column 20: context: feature "a": value 1: a string among numbers`},
		{example.TypeAuto, `{"context":{},"examples":[{},{"a":[1,"x"]}]}`, `column 38: examples[1]: feature "a": value 1: a string among numbers`},
		{example.TypeSequence, `{"context":{},"context":{}}`, `column 15: member "context" is given twice`},
		{example.TypeSequence, `{"a":[1]}`, `column 2: member "a" is not part of a record of type sequence`},
		{example.TypeSequence, `{"context":[]}`, `column 12: context: want an object of features`},
		{example.TypeSequence, `{"feature_lists":[]}`, `column 18: feature_lists: want an object of feature lists`},
		{example.TypeExampleList, `{"examples":{}}`, `column 13: examples: want a list of examples`},
		{example.TypeExampleList, `{"examples":[1]}`, `column 14: examples[0]: want an object of features`},
		{example.TypeExampleList, `{"feature_lists":{}}`, `column 2: member "feature_lists" is not part of a record of type elwc`},
		{example.TypeRaw, `{}`, `column 3: want a member "b64" or "hex"`},
		{example.TypeRaw, `{"b64":"","hex":""}`, `column 17: hex: want one string`},
		{example.TypeRaw, `{"b64":[1]}`, `column 8: b64: want one string`},
		{example.TypeRaw, `{"hex":"0"}`, `column 8: hex: not an even number of hexadecimal digits`},
		{example.TypeRaw, `{"len":2}`, `column 2: member "len" is not part of a record of type raw`},
		{example.TypeExample, `{"b64":"YQ=="}`, `column 8: feature "b64": want a list of values, null, or an object such as {"int64": [1, 2]}, got "YQ==": write ["YQ=="]; jq -c 'map_values(if type == "array" or . == null then . else [.] end)' does so in all lines`},
	} {
		e := NewEncoder(c.typ, kinds{"k": example.Int64List})
		for range 2 {
			got, err := e.Append([]byte("kept"), []byte(c.line))
			if err == nil || err.Error() != c.want || string(got) != "kept" {
				t.Errorf("%.80s:\ngot  %v\nwant %s", c.line, err, c.want)
			}
			if _, ok := errors.AsType[*Error](err); !ok {
				t.Errorf("%.80s: the error is a %T", c.line, err)
			}
		}
	}
}

// The messages are those of encoding/json, and the place is the same within one byte.
func TestEncodeSyntaxErrors(t *testing.T) {
	for line, column := range map[string]int{
		``:                                   1,
		`{"a":[1]`:                           8,
		`{"a":[1]}}`:                         10,
		`{"a":[1]} {}`:                       11,
		`{"a":[01]}`:                         8,
		`{"a":[1,]}`:                         9,
		`{"a":[NaN],[}`:                      12,
		`{"a":[1.]}`:                         9,
		`{"a":["x` + "\t" + `"]}`:            9,
		`{"a":['x']}`:                        7,
		`{"a":[1]}//`:                        10,
		`{"a":` + strings.Repeat("[", 20000): 10005,
		strings.Repeat(`{"a":`, 20000):       50001,
	} {
		_, err := NewEncoder(example.TypeAuto, nil).Append(nil, []byte(line))
		fault, ok := errors.AsType[*Error](err)
		if !ok || fault.Column < column-1 || fault.Column > column+1 || fault.Column < 1 {
			t.Errorf("%.40s: got %v, want column %d", line, err, column)
		}
	}
}

// The shape of a line determines its type. A Printer of that type prints the result as the same line, so no part of
// the line was misinterpreted.
func TestShape(t *testing.T) {
	for line, want := range map[string]example.MessageType{
		`{}`:                                example.TypeAuto,
		`{"_file":"f"}`:                     example.TypeAuto,
		`{"a":[1]}`:                         example.TypeExample,
		`{"b64":"AA=="}`:                    example.TypeRaw,
		`{"b64":["AA=="]}`:                  example.TypeExample,
		`{"b64":null}`:                      example.TypeExample,
		`{"b64":{"int64":[]}}`:              example.TypeExample,
		`{"context":null}`:                  example.TypeExample,
		`{"context":{"int64":[1]}}`:         example.TypeExample,
		`{"feature_lists":{"int64":[1]}}`:   example.TypeExample,
		`{"feature_lists":{"int64":[]}}`:    example.TypeExample,
		`{"examples":{"int64":[]}}`:         example.TypeExample,
		`{"examples":["x"]}`:                example.TypeExample,
		`{"examples":[{"b64":"/w=="}]}`:     example.TypeExample,
		`{"examples":[{"b64":"/w=="},"x"]}`: example.TypeExample,
		`{"context":null,"examples":[]}`:    example.TypeExample,
		`{"context":[1],"examples":[]}`:     example.TypeExample,
		`{"context":{"int64":[1]},"examples":{"int64":[]}}`:                              example.TypeExample,
		`{"context":[1],"feature_lists":[1]}`:                                            example.TypeExample,
		`{"context":null,"feature_lists":{"int64":[]}}`:                                  example.TypeExample,
		`{"context":{"int64":[1]},"feature_lists":null}`:                                 example.TypeExample,
		`{"context":{"int64":[]},"feature_lists":{"int64":[1]}}`:                         example.TypeExample,
		`{"context":{"string":["x"]},"feature_lists":{"float32":[1.5]}}`:                 example.TypeExample,
		`{"context":{"string":["x"]},"feature_lists":{"string":[{"b64":"/w=="}]}}`:       example.TypeExample,
		`{"a":[1],"context":null,"examples":[],"feature_lists":[]}`:                      example.TypeExample,
		`{"context":{},"feature_lists":{}}`:                                              example.TypeSequence,
		`{"_file":"f","context":{},"feature_lists":{}}`:                                  example.TypeSequence,
		`{"context":{"a":[1]},"feature_lists":{"int64":[]}}`:                             example.TypeSequence,
		`{"context":{"int64":[1]},"feature_lists":{"int64":[]}}`:                         example.TypeSequence,
		`{"context":{"int64":[1]},"feature_lists":{"int64":[[1]]}}`:                      example.TypeSequence,
		`{"context":{"int64":[1]},"feature_lists":{"int64":[null]}}`:                     example.TypeSequence,
		`{"context":{"int64":{"int64":[1]}},"feature_lists":{"string":[{"string":[]}]}}`: example.TypeSequence,
		`{"context":{"int64":null},"feature_lists":{"int64":[]}}`:                        example.TypeSequence,
		`{"context":{},"feature_lists":{"float32":[[1.5]],"int64":[]}}`:                  example.TypeSequence,
		`{"examples":[]}`:                                   example.TypeExampleList,
		`{"examples":[{}]}`:                                 example.TypeExampleList,
		`{"examples":[{"b64":["x"]}]}`:                      example.TypeExampleList,
		`{"examples":[{"b64":null}]}`:                       example.TypeExampleList,
		`{"examples":[{"b64":{"string":[]}},{}]}`:           example.TypeExampleList,
		`{"context":{"int64":[1]},"examples":[]}`:           example.TypeExampleList,
		`{"context":{"int64":[1]},"examples":[{"a":null}]}`: example.TypeExampleList,
		`{"context":{},"examples":[]}`:                      example.TypeExampleList,
	} {
		if typ, _ := lineShape(jsonscan.NewCursor([]byte(line))); typ != want {
			t.Errorf("%s: got %v, want %v", line, typ, want)
			continue
		}
		msg, err := NewEncoder(example.TypeAuto, nil).Append(nil, []byte(line))
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if want == example.TypeAuto {
			want = example.TypeExample
		}
		o := &Options{Typed: strings.Contains(line, `{"int64":[`) || strings.Contains(line, `{"string":[`), Position: strings.Contains(line, "_file")}
		if got := print(t, NewPrinter(want, o), msg); got != line && !strings.Contains(line, "_file") {
			// An empty list in the plain form has no kind.
			plain := strings.NewReplacer(`"examples":null`, `"examples":[]`, `"feature_lists":null`, `"feature_lists":[]`).
				Replace(print(t, NewPrinter(want, nil), msg))
			if plain != line {
				t.Errorf("%s: prints as %s and %s", line, plain, got)
			}
		}
	}
}

// The first line that shows a type determines the type of the stream, also for later lines that are ambiguous
// alone.
func TestTypeOfStream(t *testing.T) {
	e := NewEncoder(example.TypeAuto, nil)
	for _, line := range []string{`{}`, `{"a":[1]}`, `{}`, `{"examples":[]}`, `{"context":{"int64":[1]},"feature_lists":{"int64":[]}}`} {
		msg, err := e.Append(nil, []byte(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if line != `{}` && len(owned[example.Example](t, msg)) == 0 {
			t.Errorf("%s was not read as an Example", line)
		}
	}
	want := `column 1: line has the form of type sequence, earlier lines of type example`
	if _, err := e.Append(nil, []byte(`{"context":{},"feature_lists":{}}`)); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	e = NewEncoder(example.TypeAuto, nil)
	e.Append(nil, []byte(`{"examples":[{}]}`))
	if _, err := e.Append(nil, []byte(`{"b64":""}`)); err == nil {
		t.Error("a raw record among lists is taken")
	}
	if msg, err := e.Append(nil, []byte(`{}`)); err != nil || len(msg) != 0 {
		t.Errorf("{} among lists: %x, %v", msg, err)
	}
}

func TestUnusedKinds(t *testing.T) {
	e := NewEncoder(example.TypeAuto, kinds{"a": example.Int64List, "b": example.Int64List, "c": example.Int64List})
	if _, err := e.Append(nil, []byte(`{"b":null}`)); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(e.Unused(), " "); got != "a c" {
		t.Errorf("got %s", got)
	}
}

// A result does not refer to the memory of the line, and does not depend on earlier lines.
func TestEncoderKeepsNothing(t *testing.T) {
	e := NewEncoder(example.TypeAuto, nil)
	var want [][]byte
	var got [][]byte
	for _, line := range []string{
		`{"a":["x","\n",{"b64":"/w=="}],"b":[1.5],"c":[1,2,3]}`, `{"a":[]}`, `{}`, `{"d":["\t"],"c":[],"b":null}`,
	} {
		fresh, err := NewEncoder(example.TypeAuto, nil).Append(nil, []byte(line))
		if err != nil {
			t.Fatal(err)
		}
		buf := []byte(line)
		msg, err := e.Append(nil, buf)
		if err != nil {
			t.Fatal(err)
		}
		for i := range buf {
			buf[i] = '!'
		}
		want, got = append(want, fresh), append(got, msg)
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Errorf("line %d: got %x, want %x", i, got[i], want[i])
		}
	}
}

// Memory grows with the largest line, not with the number of lines.
func TestEncoderMemory(t *testing.T) {
	e := NewEncoder(example.TypeAuto, nil)
	line := []byte(`{"context":{"a":[1,2],"b":[1.5]},"feature_lists":{"c":[["x"],["\n"],[{"b64":"/w=="}]]}}`)
	for range 5000 {
		if _, err := e.Append(nil, line); err != nil {
			t.Fatal(err)
		}
	}
	if n := cap(e.ints) + cap(e.floats) + cap(e.body) + cap(e.steps) + cap(e.text) + cap(e.listEntries.buf) + len(e.lists.entries); n > 2000 {
		t.Errorf("room for %d elements is kept", n)
	}
}

// Names are kept from line to line, but only a limited number.
func TestEncoderNames(t *testing.T) {
	e := NewEncoder(example.TypeAuto, nil)
	for i := range 3 * maxNames {
		if _, err := e.Append(nil, fmt.Appendf(nil, `{"name %d":[1]}`, i)); err != nil {
			t.Fatal(err)
		}
		if len(e.features.entries) > maxNames+1 || len(e.features.index) > maxNames+1 {
			t.Fatalf("%d names are kept", len(e.features.entries))
		}
	}
}

package raggedjson

import (
	"errors"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tfrecord"
)

func newParser(t testing.TB, spec string) *feature.Parser {
	t.Helper()
	var s feature.Spec
	if err := s.UnmarshalJSON([]byte(spec)); err != nil {
		t.Fatal(err)
	}
	p, err := feature.NewParser(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const everyKind = `{"features": {
	"label": {"fixed_len": {"dtype": "int64", "shape": [], "default": [-1]}},
	"must":  {"fixed_len": {"dtype": "int64", "shape": []}},
	"box":   {"fixed_len": {"dtype": "float32", "shape": [2, 2], "default": [0, 0, 0, 0]}},
	"seq":   {"fixed_len_sequence": {"dtype": "float32", "shape": [2]}},
	"tags":  {"var_len": {"dtype": "string"}},
	"bag":   {"sparse": {"index_key": ["i", "j"], "value_key": "v", "dtype": "int64", "size": [9, 2]}},
	"doc":   {"ragged": {"dtype": "int64", "value_key": "tokens", "partitions": [
	           {"row_lengths": "para"}, {"uniform_row_length": 2}, {"row_splits": "sent"}, {"uniform_row_length": 2}]}},
	"_file": {"var_len": {"dtype": "int64"}}}}`

// A row that is read and printed is the same row. Missing members are treated like missing features of a record.
func TestRows(t *testing.T) {
	for _, c := range []struct{ spec, line, want string }{
		{everyKind, `{"must":1}`,
			`{"b64:X2ZpbGU=":[],"bag":{"indices":[],"values":[]},"box":[[0.0,0.0],[0.0,0.0]],"doc":[],"label":-1,"must":1,"seq":[],"tags":[]}`},
		{everyKind, `{"_file":"x","_record":3,"_offset":0,"tags":["a",{"b64":"/w=="},{"hex":"00"}],"b64:X2ZpbGU=":[1],` +
			`"bag":{"values":[5,6],"indices":[[8,1],[0,0]]},"box":[[1,-0.0],[NaN,3e20]],"doc":[[],[[[],[[1,2],[3,4]]]]],"label":"7","must":-9,"seq":[[1,2],[3,4]]}`,
			`{"b64:X2ZpbGU=":[1],"bag":{"indices":[[8,1],[0,0]],"values":[5,6]},"box":[[1.0,-0.0],["NaN",3e+20]],"doc":[[],[[[],[[1,2],[3,4]]]]],"label":7,"must":-9,` +
				`"seq":[[1.0,2.0],[3.0,4.0]],"tags":["a",{"b64":"/w=="},"\u0000"]}`},
		{`{"features":{"n":{"fixed_len":{"dtype":"int64","shape":[2,0]}}}}`, `{"n":[[],[]]}`, `{"n":[[],[]]}`},
		{`{"context":{"a":{"fixed_len":{"dtype":"int64","shape":[],"default":0}}},
		   "sequence":{"s":{"fixed_len_sequence":{"dtype":"int64","shape":[2],"allow_missing":true}},"v":{"var_len":{"dtype":"string"}},
		   "a":{"ragged":{"dtype":"int64","partitions":[{"row_starts":"p"}]}}}}`,
			`{"sequence":{"s":[[1,2]],"v":[["x"],[]],"a":[[[1],[]],[]]}}`,
			`{"context":{"a":0},"sequence":{"a":[[[1],[]],[]],"s":[[1,2]],"v":[["x"],[]]}}`},
		{`{"sequence":{"v":{"var_len":{"dtype":"string"}}}}`, `{"context":{}}`, `{"context":{},"sequence":{"v":[]}}`},
		{`{"context":{"q":{"var_len":{"dtype":"string"}}},"examples":{"n":{"fixed_len":{"dtype":"int64","shape":[],"default":0}},
		   "s":{"sparse":{"index_key":"i","value_key":"v","dtype":"int64","size":3}},"f":{"fixed_len_sequence":{"dtype":"int64","shape":[]}}}}`,
			`{"examples":[{},{"n":1,"s":{"indices":[[2]],"values":[4]},"f":[1,2]}]}`,
			`{"context":{"q":[]},"examples":[{"f":[],"n":0,"s":{"indices":[],"values":[]}},{"f":[1,2],"n":1,"s":{"indices":[[2]],"values":[4]}}]}`},
		{`{"context":{"q":{"var_len":{"dtype":"string"}}},"examples":{}}`, `{"context":{"q":["x"]},"examples":[{},{}]}`, `{"context":{"q":["x"]}}`},
		{`{"examples":{"n":{"var_len":{"dtype":"int64"}}}}`, `{}`, `{"examples":[]}`},
	} {
		p := newParser(t, c.spec)
		r := NewReader(p)
		if err := r.Append([]byte(c.line)); err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		b, err := r.Batch()
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		printer := NewPrinter(p, nil)
		printer.Load(b)
		if got, err := printer.AppendRow(nil, 0, tfrecord.Position{}); err != nil || string(got) != c.want {
			t.Errorf("%s:\ngot  %s, %v\nwant %s", c.line, got, err, c.want)
		}
	}
}

// If a line is not a row of the spec, the error has the place, and nothing is added.
func TestReaderFaults(t *testing.T) {
	const sequence = `{"context":{"c":{"fixed_len":{"dtype":"int64","shape":[]}}},
		"sequence":{"s":{"fixed_len_sequence":{"dtype":"int64","shape":[]}},"v":{"var_len":{"dtype":"string"}}}}`
	const list = `{"examples":{"n":{"fixed_len":{"dtype":"int64","shape":[]}}}}`
	for _, c := range []struct{ spec, line, want string }{
		{everyKind, `{"must":1`, `column 9: unexpected end of JSON input`},
		{everyKind, `[1]`, `column 1: want an object, got an array; jq -c '.[]' splits it`},
		{everyKind, `{"must":NaN}`, `column 9: feature "must": want an integer without point and exponent`},
		{everyKind, `{"rows":1,"columns":{}}`, `column 2: the spec has no feature "rows" (a batch of tensors cannot be read: its padding hides where rows end)`},
		{sequence, `{"rows":1,"context":{}}`, `column 2: member "rows" is not part of the spec (a batch of tensors cannot be read: its padding hides where rows end)`},
		{everyKind, `{"must":1,"other":2}`, `column 11: the spec has no feature "other"`},
		{everyKind, `{"must":1,"must":2}`, `column 11: feature "must" is given twice`},
		{everyKind, `{"label":1}`, `column 12: feature "must": feature is missing and has no default`},
		{everyKind, `{"_file":[1],"must":1}`, `column 10: _file is a record position; write the feature as "b64:X2ZpbGU="`},
		{everyKind, `{"b64:!":1}`, `column 2: name "b64:!": not base64 in the standard alphabet with padding`},
		{everyKind, `{"\ud800":1}`, `column 2: escape of half a surrogate pair is not Unicode`},
		{everyKind, `{"must":[1]}`, `column 9: feature "must": want an int64`},
		{everyKind, `{"must":1.5}`, `column 9: feature "must": want an integer without point and exponent`},
		{everyKind, `{"must":null}`, `column 9: feature "must": want an int64`},
		{everyKind, `{"box":[[1,2],[3]]}`, `column 15: feature "box": [1]: want 2 items, for shape [2 2], got 1`},
		{everyKind, `{"box":[[1,2],3]}`, `column 15: feature "box": [1]: want a list of 2 items, for shape [2 2]`},
		{everyKind, `{"box":[[1,2],[3,"x"]]}`, `column 18: feature "box": [1][1]: want a number, "NaN", "Infinity" or "-Infinity"`},
		{everyKind, `{"box":[[1,2]]}`, `column 8: feature "box": want 2 items, for shape [2 2], got 1`},
		{everyKind, `{"seq":[1,2]}`, `column 9: feature "seq": [0]: want a list of 2 items, for shape [2]`},
		{everyKind, `{"tags":"a"}`, `column 9: feature "tags": want a list of values`},
		{everyKind, `{"tags":["a",{"b64":"!"}]}`, `column 21: feature "tags": [1]: not base64 in the standard alphabet with padding`},
		{everyKind, `{"tags":["a",1]}`, `column 14: feature "tags": [1]: want a string`},
		{everyKind, `{"doc":[[[[],[]]],3]}`, `column 19: feature "doc": [1]: want a list of lists`},
		{everyKind, `{"doc":[[[[]]]]}`, `column 10: feature "doc": [0][0]: want 2 items, got 1`},
		{everyKind, `{"doc":[[[[],[[1]]]]]}`, `column 15: feature "doc": [0][0][1][0]: want 2 items, for shape [2], got 1`},
		{everyKind, `{"bag":[]}`, `column 8: feature "bag": want an object with "indices" and "values"`},
		{everyKind, `{"bag":{"indices":[[1,1]]}}`, `column 8: feature "bag": want an object with "indices" and "values"`},
		{everyKind, `{"bag":{"indices":[[1,1]],"values":[]}}`, `column 8: feature "bag": want equal numbers of indices and values, got 1 and 0`},
		{everyKind, `{"bag":{}}`, `column 8: feature "bag": want an object with "indices" and "values"`},
		{everyKind, `{"bag":{"indices":[[1,1],[2]],"values":[1,2]}}`, `column 26: feature "bag": [1]: indices: want 2 indices, one per dimension, got 1`},
		{everyKind, `{"bag":{"indices":[1]}}`, `column 20: feature "bag": [0]: indices: want a list of 2, one index per dimension`},
		{everyKind, `{"bag":{"indices":[[1,1],[9,1]],"values":[1,2]}}`, `column 27: feature "bag": [1][0]: indices: want an index at least 0 and less than 9, got 9`},
		{everyKind, `{"bag":{"indices":[],"values":[],"size":3}}`, `column 34: feature "bag": want "indices" and "values", got "size"`},
		{everyKind, `{"bag":{"values":[],"values":[]}}`, `column 21: feature "bag": member "values" is given twice`},
		{everyKind, `{"bag":{"values":["x"]}}`, `column 19: feature "bag": [0]: values: want an integer without point and exponent`},
		{sequence, `{"context":{"c":1},"feature_lists":{}}`, `column 20: member "feature_lists" is not part of the spec`},
		{sequence, `{"context":{"c":1},"context":{}}`, `column 20: member "context" is given twice`},
		{sequence, `{"context":[]}`, `column 12: context: want an object of features`},
		{sequence, `{"context":{"c":1}}`, `column 20: sequence: feature "s": feature is missing and has no default`},
		{sequence, `{"sequence":{"s":[]}}`, `column 22: context: feature "c": feature is missing and has no default`},
		{sequence, `{"context":{"c":1},"sequence":{"s":3}}`, `column 36: sequence: feature "s": want a list of steps`},
		{sequence, `{"context":{"c":1},"sequence":{"s":[1],"v":["x"]}}`, `column 45: sequence: feature "v": [0]: want a list of values`},
		{list, `{"examples":{}}`, `column 13: examples: want a list of examples`},
		{list, `{"examples":[{"n":1},2]}`, `column 22: examples[1]: want an object of features`},
		{list, `{"examples":[{"n":1},{"n":"x"}]}`, `column 27: examples[1]: feature "n": want an integer without point and exponent`},
		{list, `{"examples":[{"n":1},{}]}`, `column 24: examples[1]: feature "n": feature is missing and has no default`},
		{list, `{"sequence":{}}`, `column 2: member "sequence" is not part of the spec`},
	} {
		p := newParser(t, c.spec)
		r := NewReader(p)
		err := r.Append([]byte(c.line))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\ngot  %v\nwant %s", c.line, err, c.want)
		}
		if _, ok := errors.AsType[*recordjson.Error](err); !ok {
			t.Errorf("%s: an error without coordinates: %v", c.line, err)
		}
		if r.Len() != 0 {
			t.Errorf("%s: %d rows", c.line, r.Len())
		}
		if b, err := r.Batch(); err != nil || b.Len() != 0 {
			t.Errorf("%s: something is left of the line: %v", c.line, err)
		}
	}
}

// A line that fails does not change the rows before and after it.
func TestReaderGoesOn(t *testing.T) {
	p := newParser(t, everyKind)
	r := NewReader(p)
	good := []string{
		`{"must":1,"doc":[[[[[1,2]],[]]]],"tags":["a"],"bag":{"indices":[[1,1]],"values":[3]},"seq":[[1,2]]}`,
		`{"must":2,"doc":[[],[]],"tags":["b","c"]}`,
	}
	bad := `{"must":3,"doc":[[[[[1,2]],[]]]],"tags":["x"],"bag":{"indices":[[1,1]],"values":[3]},"seq":[[1,2]],"box":7}`
	for round := range 2 {
		for _, line := range []string{good[0], bad, good[1], bad} {
			if err := r.Append([]byte(line)); (err != nil) != (line == bad) {
				t.Fatal(err)
			}
		}
		b, err := r.Batch()
		if err != nil || b.Len() != 2 {
			t.Fatalf("round %d: %v", round, err)
		}
		printer := NewPrinter(p, nil)
		printer.Load(b)
		for i, line := range good {
			got, err := printer.AppendRow(nil, i, tfrecord.Position{})
			want := NewReader(p)
			if err := want.Append([]byte(line)); err != nil {
				t.Fatal(err)
			}
			alone, err2 := want.Batch()
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			printer := NewPrinter(p, nil)
			printer.Load(alone)
			if w, err := printer.AppendRow(nil, 0, tfrecord.Position{}); err != nil || string(w) != string(got) {
				t.Errorf("round %d, row %d: got %s, want %s", round, i, got, w)
			}
		}
		r.Reset()
	}
}

// Every error of a reader is one line.
func TestErrorIsOneLine(t *testing.T) {
	e := &recordjson.Error{Column: 3, Path: example.PathTo("sequence", "a\nb"), Nested: []int{1, 0}, Err: errors.New("x\ny")}
	if got, want := e.Error(), `column 3: sequence: feature "a\nb": [1][0]: x y`; got != want || strings.Contains(got, "\n") {
		t.Errorf("got %s, want %s", got, want)
	}
}

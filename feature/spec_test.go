package feature_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/random"
)

const designJSON = `{"features": {
   "label":  {"fixed_len": {"dtype": "int64", "shape": [], "default": [0]}},
   "seq":    {"fixed_len_sequence": {"dtype": "float32", "shape": [2], "default": -1}},
   "tags":   {"var_len": {"dtype": "string"}},
   "bag":    {"sparse": {"index_key": ["ix"], "value_key": "val", "dtype": "float32", "size": [100]}},
   "one":    {"sparse": {"index_key": "jx", "value_key": "val2", "dtype": "float32", "size": 7, "already_sorted": true}},
   "doc":    {"ragged": {"dtype": "int64", "value_key": "tokens",
                         "partitions": [{"row_lengths": "para"}, {"row_splits": "sent"}, {"row_starts": "a"}, {"row_limits": "b"}, {"value_row_ids": "c"}, {"uniform_row_length": 2}]}},
   "plain":  {"ragged": {"dtype": "string"}},
   "b64:/w==": {"fixed_len": {"dtype": "string", "shape": [2, 2], "default": [["a", "é"], ["\"", {"b64": "/w=="}]]}},
   "nan":    {"fixed_len": {"dtype": "float32", "shape": [4], "default": ["NaN", "Infinity", "-Infinity", 1e-3]}}}}`

func designSpec() feature.Spec {
	nan := float32(math.NaN())
	inf := float32(math.Inf(1))
	return feature.Spec{Features: feature.Features{
		"label": feature.FixedLen{DType: feature.Int64, Shape: []int{}, Default: example.Int64s(0)},
		"seq":   feature.FixedLenSequence{DType: feature.Float32, Shape: []int{2}, Default: example.Floats(-1)},
		"tags":  feature.VarLen{DType: feature.String},
		"bag":   feature.Sparse{DType: feature.Float32, IndexKeys: []string{"ix"}, ValueKey: "val", Size: []int64{100}},
		"one":   feature.Sparse{DType: feature.Float32, IndexKeys: []string{"jx"}, ValueKey: "val2", Size: []int64{7}, Sorted: true},
		"doc": feature.Ragged{DType: feature.Int64, ValueKey: "tokens", Partitions: []feature.Partition{
			feature.RowLengths("para"), feature.RowSplits("sent"), feature.RowStarts("a"), feature.RowLimits("b"), feature.ValueRowIDs("c"), feature.UniformRowLength(2)}},
		"plain": feature.Ragged{DType: feature.String},
		"\xff":  feature.FixedLen{DType: feature.String, Shape: []int{2, 2}, Default: example.Strings("a", "é", `"`, "\xff")},
		"nan":   feature.FixedLen{DType: feature.Float32, Shape: []int{4}, Default: example.Floats(nan, inf, -inf, 1e-3)},
	}}
}

// In JSON all NaN are one.
var specEqual = cmp.Options{cmpopts.EquateEmpty(), cmp.Comparer(func(a, b example.Value) bool {
	nan := func(f float32) bool { return f != f }
	return slices.EqualFunc(a.Floats, b.Floats, func(x, y float32) bool { return x == y || nan(x) && nan(y) }) &&
		slices.Equal(a.Int64s, b.Int64s) && slices.EqualFunc(a.Bytes, b.Bytes, slices.Equal)
})}

func TestSpecJSON(t *testing.T) {
	var s feature.Spec
	if err := json.Unmarshal([]byte(designJSON), &s); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(designSpec(), s, specEqual); d != "" {
		t.Errorf("read (-want +got):\n%s", d)
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var again feature.Spec
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if d := cmp.Diff(s, again, specEqual); d != "" {
		t.Errorf("written and read again (-want +got):\n%s", d)
	}
	const want = `{"features":{"bag":{"sparse":{"dtype":"float32","index_key":["ix"],"value_key":"val","size":[100]}},` +
		`"doc":{"ragged":{"dtype":"int64","value_key":"tokens","partitions":[{"row_lengths":"para"},{"row_splits":"sent"},{"row_starts":"a"},{"row_limits":"b"},{"value_row_ids":"c"},{"uniform_row_length":2}]}},` +
		`"label":{"fixed_len":{"dtype":"int64","shape":[],"default":[0]}},` +
		`"nan":{"fixed_len":{"dtype":"float32","shape":[4],"default":["NaN","Infinity","-Infinity",0.001]}},` +
		`"one":{"sparse":{"dtype":"float32","index_key":["jx"],"value_key":"val2","size":[7],"already_sorted":true}},` +
		`"plain":{"ragged":{"dtype":"string","partitions":[]}},` +
		`"seq":{"fixed_len_sequence":{"dtype":"float32","shape":[2],"default":[-1]}},` +
		`"tags":{"var_len":{"dtype":"string"}},` +
		`"b64:/w==":{"fixed_len":{"dtype":"string","shape":[2,2],"default":["a","é","\"",{"b64":"/w=="}]}}}}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}

func TestSpecJSONRandom(t *testing.T) {
	for seed := range uint64(500) {
		s := random.New(nil, seed).Spec()
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var again feature.Spec
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if d := cmp.Diff(s, again, specEqual); d != "" {
			t.Fatalf("%s (-want +got):\n%s", text, d)
		}
	}
}

// faults returns the lines of an error, all of which must be *SpecError.
func faults(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range list.Unwrap() {
			var se *feature.SpecError
			if !errors.As(e, &se) {
				t.Errorf("%v is no *SpecError", e)
			}
		}
	}
	return strings.Split(err.Error(), "\n")
}

// TestSpecJSONFaults has documents with something wrong, and all that is said.
func TestSpecJSONFaults(t *testing.T) {
	f := func(feature string) string { return `{"features": {"a": ` + feature + `}}` }
	for _, c := range []struct {
		json string
		want []string
	}{
		{`{`, []string{`spec: byte 1: unexpected EOF`}},
		{`{} {}`, []string{`spec: byte 4: more after the document`}},
		{"{\"features\": {\"\xff\": 1}}", []string{`spec: the document is not UTF-8`}},
		{`{"features": {"\ud800": {}}}`, []string{`spec: byte 22: half a surrogate pair in a string`}},
		{strings.Repeat("[", 100), []string{`spec: byte 65: nested deeper than 64`}},
		{`[]`, []string{`spec: the document is a list, want an object`}},
		{`null`, []string{`spec: the document is null, want an object`}},
		{`{"feature": {}}`, []string{`spec: unknown member "feature": want features, context, sequence or examples`}},
		{`{"features": {}, "features": {}}`, []string{`spec: the document has member "features" twice`}},
		{`{"features": []}`, []string{`spec: features is a list, want an object`}},
		{`{"features": {"a": {"var_len": {"dtype": "int64"}}, "a": {"var_len": {"dtype": "int64"}}}}`, []string{`spec: features has member "a" twice`}},
		{`{"features": {"b64:!": {"var_len": {"dtype": "int64"}}}}`, []string{`feature "": name "b64:!": not base64 in the standard alphabet with padding`}},
		{f(`{}`), []string{`feature "a": the feature has 0 members, want one: its kind`}},
		{f(`{"var_len": {"dtype": "int64"}, "ragged": {"dtype": "int64"}}`), []string{`feature "a": the feature has 2 members, want one: its kind`}},
		{f(`{"varlen": {"dtype": "int64"}}`), []string{`feature "a": unknown kind "varlen": want fixed_len, fixed_len_sequence, var_len, sparse or ragged; is it "var_len"?`}},
		{f(`{"var_len": {}}`), []string{`feature "a": var_len without dtype`}},
		{f(`{"var_len": {"dtype": "int32", "shape": [1], "x": null}}`), []string{`feature "a": dtype "int32": want int64, float32 or string`, `feature "a": var_len has an unknown member "shape"`, `feature "a": var_len has an unknown member "x"`}},
		{f(`{"var_len": {"dtype": "int64", "dtype": "int64"}}`), []string{`feature "a": var_len has member "dtype" twice`}},
		{f(`{"var_len": {"dtype": 1}}`), []string{`feature "a": dtype is a number, want a string`}},
		{f(`{"fixed_len": {"dtype": "int64"}}`), []string{`feature "a": fixed_len without shape`}},
		{f(`{"fixed_len": {"dtype": "int64", "shape": null}}`), []string{`feature "a": shape is null, want a list of numbers`}},
		{f(`{"fixed_len": {"dtype": "int64", "shape": [null, -1, 1.5, 1e3, 99999999999]}}`), []string{
			`feature "a": shape: dimension 0 is null, want a number: it must be known`, `feature "a": shape: dimension 1 is -1, want 0 to 2147483647`,
			`feature "a": shape: dimension 2 is 1.5, want a number: it must be known`, `feature "a": shape: dimension 3 is 1e3, want a number: it must be known`, `feature "a": shape: dimension 4 is 99999999999, want 0 to 2147483647`}},
		{f(`{"fixed_len": {"dtype": "int64", "shape": [], "default": "x"}}`), []string{`feature "a": default is "x", want int64 numbers`}},
		{f(`{"fixed_len": {"dtype": "int64", "shape": [], "default": 1.0}}`), []string{`feature "a": default is 1.0, want int64 numbers`}},
		{f(`{"fixed_len": {"dtype": "int64", "shape": [], "default": 9223372036854775808}}`), []string{`feature "a": default is 9223372036854775808, want int64 numbers`}},
		{f(`{"fixed_len": {"dtype": "float32", "shape": [], "default": 1e39}}`), []string{`feature "a": default is 1e39, want float32 numbers`}},
		{f(`{"fixed_len": {"dtype": "float32", "shape": [], "default": "nan"}}`), []string{`feature "a": default is "nan", want float32 numbers`}},
		{f(`{"fixed_len": {"dtype": "string", "shape": [], "default": 1}}`), []string{`feature "a": default is 1, want strings`}},
		{f(`{"fixed_len": {"dtype": "string", "shape": [], "default": {"b64": "!"}}}`), []string{`feature "a": default is illegal base64 data at input byte 0, want strings`}},
		{f(`{"fixed_len": {"dtype": "string", "shape": [], "default": {"hex": "00"}}}`), []string{`feature "a": default is an object, want strings`}},
		{f(`{"fixed_len_sequence": {"dtype": "int64", "shape": [], "allow_missing": false}}`), []string{`feature "a": allow_missing is false: only in sequence a list may be required`}},
		{f(`{"fixed_len_sequence": {"dtype": "int64", "shape": [], "allow_missing": 1}}`), []string{`feature "a": allow_missing is a number, want true or false`}},
		{f(`{"sparse": {"dtype": "int64"}}`), []string{`feature "a": sparse without value_key`, `feature "a": sparse without index_key`, `feature "a": sparse without size`}},
		{f(`{"sparse": {"dtype": "int64", "value_key": "", "index_key": "", "size": 1}}`), []string{`feature "a": value_key is empty`, `feature "a": index_key is empty`}},
		{f(`{"sparse": {"dtype": "int64", "value_key": "v", "index_key": ["i"], "size": 1}}`), []string{`feature "a": index_key is a list, size is a number: want two lists, or string and number`}},
		{f(`{"sparse": {"dtype": "int64", "value_key": "v", "index_key": [1], "size": ["x"]}}`), []string{`feature "a": index_key is a number, want a string`, `feature "a": size is "x", want a number`}},
		{f(`{"ragged": {"dtype": "int64", "value_key": ""}}`), []string{`feature "a": value_key is empty`}},
		{f(`{"ragged": {"dtype": "int64", "partitions": {}}}`), []string{`feature "a": partitions is an object, want a list`}},
		{f(`{"ragged": {"dtype": "int64", "partitions": [1, {}, {"row_lenghts": "n"}, {"row_splits": 1}, {"uniform_row_length": "2"}]}}`), []string{
			`feature "a": partition 0 is a number, want an object`, `feature "a": partition 1 has 0 members, want one`, `feature "a": partition 2: unknown member "row_lenghts"; is it "row_lengths"?`,
			`feature "a": partition 3 is a number, want a string`, `feature "a": partition 4: uniform_row_length is "2", want a number`}},
		// Faults of the document and of the spec, in several groups, come together.
		{`{"context": {"a": {"var_len": {"dtype": "x"}}, "b": {"fixed_len": {"dtype": "int64", "shape": [2], "default": [1]}}}, "sequence": {"c": {"fixed_len": {"dtype": "int64", "shape": []}}}}`, []string{
			`context feature "a": dtype "x": want int64, float32 or string`, `context feature "b": the default has 1 values, shape [2] wants 2`, `sequence feature "c": fixed_len is not allowed in sequence`}},
	} {
		before := feature.Spec{Context: feature.Features{"kept": feature.VarLen{DType: feature.Int64}}}
		s := before
		err := s.UnmarshalJSON([]byte(c.json))
		if got := faults(t, err); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s\ngot  %s\nwant %s", c.json, strings.Join(got, "\n     "), strings.Join(c.want, "\n     "))
		}
		if !reflect.DeepEqual(s, before) {
			t.Errorf("%s changed the spec", c.json)
		}
	}
}

// TestValidate has specs that make no sense, and all that is said.
func TestValidate(t *testing.T) {
	i, f, s := feature.Int64, feature.Float32, feature.String
	rag := func(parts ...feature.Partition) feature.Features {
		return feature.Features{"a": feature.Ragged{DType: i, Partitions: parts}}
	}
	varlen := feature.Features{"v": feature.VarLen{DType: i}}
	for _, c := range []struct {
		what string
		spec feature.Spec
		want []string
	}{
		{"nothing", feature.Spec{}, []string{`spec: no features`}},
		{"empty maps", feature.Spec{Context: feature.Features{}, Sequence: feature.Features{}}, []string{`spec: no features`}},
		{"two messages", feature.Spec{Features: varlen, Context: varlen}, []string{`spec: features cannot be combined with context, sequence or examples`}},
		{"other two messages", feature.Spec{Sequence: varlen, Examples: varlen}, []string{`spec: sequence cannot be combined with examples`}},
		{"no kind at all", feature.Spec{Features: feature.Features{"a": nil}}, []string{`feature "a": <nil> is not a feature`}},
		{"a pointer", feature.Spec{Features: feature.Features{"a": &feature.VarLen{DType: i}}}, []string{`feature "a": *feature.VarLen is not a feature`}},
		{"no dtype", feature.Spec{Features: feature.Features{"a": feature.VarLen{}}}, []string{`feature "a": dtype is not set: want int64, float32 or string`}},
		{"no such dtype", feature.Spec{Features: feature.Features{"a": feature.VarLen{DType: 9}}}, []string{`feature "a": dtype is not set: want int64, float32 or string`}},
		{"shapes", feature.Spec{Features: feature.Features{"a": feature.FixedLen{DType: i, Shape: []int{-1, 2, -3}}, "b": feature.FixedLen{DType: i, Shape: []int{1 << 16, 1 << 16}}, "c": feature.FixedLenSequence{DType: i, Shape: []int{2, 0}}}}, []string{
			`feature "a": dimension 0 of shape [-1 2 -3] is negative`, `feature "a": dimension 2 of shape [-1 2 -3] is negative`, `feature "b": shape [65536 65536] has more than 2147483647 values`, `feature "c": a block of shape [2 0] has no values: blocks cannot be counted`}},
		{"shapes without values", feature.Spec{Features: feature.Features{
			"a": feature.FixedLen{DType: i, Shape: []int{1 << 20, 0}}, "b": feature.FixedLen{DType: i, Shape: []int{1 << 10, 1<<10 + 1, 0}},
			"c": feature.FixedLen{DType: i, Shape: []int{0, math.MaxInt32, math.MaxInt32}}, "d": feature.FixedLen{DType: i, Shape: []int{math.MaxInt32, math.MaxInt32, 0}},
		}}, []string{`feature "b": shape [1024 1025 0] has more than 1048576 empty rows`, `feature "c": shape [0 2147483647 2147483647] has more than 1048576 empty rows`, `feature "d": shape [2147483647 2147483647 0] has more than 1048576 empty rows`}},
		{"defaults", feature.Spec{Features: feature.Features{
			"a": feature.FixedLen{DType: i, Default: example.Floats(1)},
			"b": feature.FixedLen{DType: i, Shape: []int{2}, Default: example.Int64s(1)},
			"c": feature.FixedLen{DType: i, Shape: []int{2}, Default: example.Int64s()},
			"d": feature.FixedLenSequence{DType: i, Default: example.Int64s(1, 2)},
			"e": feature.FixedLenSequence{DType: i, Default: example.Int64s()},
			"f": feature.FixedLen{DType: i, Shape: []int{0}, Default: example.Int64s()},
			"g": feature.FixedLen{DType: i, Default: example.Value{Int64s: []int64{1}, Floats: []float32{1}}},
		}}, []string{
			`feature "a": the default is float_list, dtype int64 wants int64_list`, `feature "b": the default has 1 values, shape [2] wants 2`, `feature "c": the default has 0 values, shape [2] wants 2`,
			`feature "d": the default has 2 values: padding is one`, `feature "e": the default has 0 values: padding is one`, `feature "g": the default has values of several kinds`}},
		{"a default in sequence", feature.Spec{Sequence: feature.Features{"a": feature.FixedLenSequence{DType: i, Default: example.Int64s(1)}}}, []string{`sequence feature "a": a default is not allowed in sequence: padding is 0 or empty`}},
		{"kinds in the wrong place", feature.Spec{
			Context:  feature.Features{"a": feature.FixedLenSequence{DType: i}, "b": feature.Sparse{DType: i, IndexKeys: []string{"i"}, ValueKey: "v", Size: []int64{1}}},
			Sequence: feature.Features{"a": feature.FixedLen{DType: i}, "b": feature.Sparse{DType: i, IndexKeys: []string{"i"}, ValueKey: "v", Size: []int64{1}}},
		}, []string{`context feature "a": fixed_len_sequence is not allowed in context`, `context feature "b": sparse is not allowed in context`, `sequence feature "a": fixed_len is not allowed in sequence`, `sequence feature "b": sparse is not allowed in sequence`}},
		{"all kinds in the context of a list", feature.Spec{
			Context:  feature.Features{"a": feature.FixedLenSequence{DType: i}, "b": feature.Sparse{DType: i, IndexKeys: []string{"i"}, ValueKey: "v", Size: []int64{1}}},
			Examples: varlen,
		}, nil},
		{"sparse", feature.Spec{Features: feature.Features{"a": feature.Sparse{DType: i}, "b": feature.Sparse{DType: i, IndexKeys: []string{"x", "y"}, ValueKey: "z", Size: []int64{-1}}}}, []string{
			`feature "a": sparse without an index key`, `feature "a": sparse without a value key`, `feature "b": 2 index keys and 1 sizes: want as many`, `feature "b": size [-1] is negative`}},
		{"partitions", feature.Spec{Features: rag(nil, feature.UniformRowLength(0), feature.UniformRowLength(-2), feature.UniformRowLength(1<<40))}, []string{
			`feature "a": partition 0: <nil> is not a partition`, `feature "a": partition 1: uniform_row_length must be at least 1, got 0`, `feature "a": partition 2: uniform_row_length must be at least 1, got -2`, `feature "a": partition 3: uniform_row_length 1099511627776 is more than 2147483647`}},
		{"a cell too large behind another fault", feature.Spec{Features: feature.Features{
			"a": feature.FixedLen{DType: i, Shape: []int{-1}},
			"b": feature.Ragged{DType: i, Partitions: []feature.Partition{feature.UniformRowLength(1 << 16), feature.UniformRowLength(1 << 16)}},
		}}, []string{`feature "a": dimension 0 of shape [-1] is negative`, `feature "b": shape [65536 65536] has more than 2147483647 values`}},
		{"a cell too large", feature.Spec{Features: rag(feature.UniformRowLength(1<<16), feature.UniformRowLength(1<<16))}, []string{`feature "a": shape [65536 65536] has more than 2147483647 values`}},
		{"large lengths that are not one cell", feature.Spec{Features: rag(feature.UniformRowLength(1<<16), feature.RowLengths("n"), feature.UniformRowLength(1<<16))}, nil},
		{"classes", feature.Spec{Features: feature.Features{
			"d": feature.FixedLen{DType: i}, "v": feature.VarLen{DType: i},
			"r1": feature.Ragged{DType: i, ValueKey: "v"}, "r2": feature.Ragged{DType: f, ValueKey: "x", Partitions: []feature.Partition{feature.RowLengths("d")}},
			"s": feature.Sparse{DType: f, IndexKeys: []string{"d"}, ValueKey: "v", Size: []int64{1}},
		}}, []string{`feature "r2": key "d" is read as ragged here and as dense by "d"`, `feature "s": key "d" is read as sparse here and as dense by "d"`, `feature "s": key "v" is read as sparse here and as ragged by "r1"`, `feature "v": key "v" is read as sparse here and as ragged by "r1"`}},
		{"dtypes", feature.Spec{Features: feature.Features{
			"x": feature.Ragged{DType: i, ValueKey: "v"}, "y": feature.Ragged{DType: s, ValueKey: "v"},
			"z": feature.Ragged{DType: f, ValueKey: "w", Partitions: []feature.Partition{feature.RowLengths("w")}},
		}}, []string{`feature "y": key "v" is read as string here and as int64 by "x"`, `feature "z": key "w" is read as int64 here and as float32 by "z"`}},
		{"sharing that works", feature.Spec{Features: feature.Features{
			"x": feature.Ragged{DType: i, ValueKey: "v", Partitions: []feature.Partition{feature.RowLengths("n"), feature.RowSplits("n")}}, "y": feature.Ragged{DType: i, ValueKey: "v"}, "n": feature.Ragged{DType: i},
			"s": feature.Sparse{DType: f, IndexKeys: []string{"i"}, ValueKey: "w", Size: []int64{1}}, "t": feature.Sparse{DType: f, IndexKeys: []string{"i"}, ValueKey: "w", Size: []int64{2}}, "w": feature.VarLen{DType: f}, "i": feature.VarLen{DType: i},
		}}, nil},
		{"the same key in two groups", feature.Spec{Context: feature.Features{"v": feature.VarLen{DType: i}}, Sequence: feature.Features{"v": feature.Ragged{DType: s}}}, nil},
	} {
		err := c.spec.Validate()
		if got := faults(t, err); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\ngot  %s\nwant %s", c.what, strings.Join(got, "\n     "), strings.Join(c.want, "\n     "))
		}
		_, parserErr := feature.NewParser(c.spec, nil)
		if (parserErr == nil) != (err == nil) {
			t.Errorf("%s: NewParser: %v", c.what, parserErr)
		}
		if _, jsonErr := c.spec.MarshalJSON(); (jsonErr == nil) != (err == nil) {
			t.Errorf("%s: MarshalJSON: %v", c.what, jsonErr)
		}
	}
}

// TestParserKeepsSpec changes a spec after the parser was made.
func TestParserKeepsSpec(t *testing.T) {
	shape, value := []int{2}, []int64{1, 2}
	s := feature.Spec{Features: feature.Features{"a": feature.FixedLen{DType: feature.Int64, Shape: shape, Default: example.Int64s(value...)}}}
	p := parser(t, s)
	shape[0], value[0] = 9, 9
	s.Features["b"] = feature.VarLen{DType: feature.Int64}
	p.Spec().Features["c"] = feature.VarLen{DType: feature.Int64}
	x, err := feature.ColumnOf[int64](must(p.Parse(nil)).Columns(), "a")
	if err != nil || x.Values()[0] != 1 || x.Shape()[1] != 2 || columns(must(p.Parse(nil)).Columns()) != 1 {
		t.Errorf("got %v %v, %v", x.Shape(), x.Values(), err)
	}
}

func TestDType(t *testing.T) {
	for _, d := range random.DTypes {
		text := must(d.MarshalText())
		var again feature.DType
		if err := again.UnmarshalText(text); err != nil || again != d || string(text) != d.String() {
			t.Errorf("%s: %v, %v", text, again, err)
		}
	}
	var d feature.DType
	if _, err := d.MarshalText(); err == nil {
		t.Error("the zero dtype has a name")
	}
	if err := d.UnmarshalText([]byte("int32")); err == nil {
		t.Error("int32 is a dtype")
	}
}

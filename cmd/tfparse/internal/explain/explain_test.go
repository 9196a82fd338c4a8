package explain

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// bytesAway removes byte offsets, which the tests of the parser check.
func bytesAway(s string) string {
	return regexp.MustCompile(`(byte(":)? ?)\d+`).ReplaceAllString(s, "${1}N")
}

func marshal(t *testing.T, m interface{ AppendBinary([]byte) ([]byte, error) }) []byte {
	t.Helper()
	b, err := m.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var cutUp = feature.Spec{Features: feature.Features{"r": feature.Ragged{DType: feature.Int64, ValueKey: "v", Partitions: []feature.Partition{
	feature.RowLengths("outer"), feature.UniformRowLength(2), feature.RowSplits("inner"), feature.UniformRowLength(3)}}}}

var kinds = feature.Spec{Features: feature.Features{
	"n": feature.FixedLen{DType: feature.Int64, Shape: []int{2}},
	"q": feature.FixedLenSequence{DType: feature.Float32, Shape: []int{2}},
	"s": feature.Sparse{DType: feature.String, ValueKey: "sv", IndexKeys: []string{"si", "sj"}, Size: []int64{3, 3}},
}}

var lists = feature.Spec{Sequence: feature.Features{
	"f": feature.FixedLenSequence{DType: feature.Int64},
	"g": feature.Ragged{DType: feature.Int64, Partitions: []feature.Partition{feature.RowLengths("gl")}},
}}

// Every broken rule is reported with its remedy.
func TestRemedies(t *testing.T) {
	good := example.Example{"n": example.Int64s(1, 2)}
	with := func(name string, v example.Value) []byte {
		e := example.Example{name: v}
		for n, v := range good {
			if _, ok := e[n]; !ok {
				e[n] = v
			}
		}
		return marshal(t, e)
	}
	seq := func(l map[string][]example.Value) []byte { return marshal(t, example.Sequence{Lists: l}) }
	ones := []example.Value{example.Int64s(1), example.Int64s(1)}
	list := feature.Spec{Examples: feature.Features{"n": feature.FixedLen{DType: feature.Int64}}}
	inContext := func(f feature.Features) feature.Spec { return feature.Spec{Context: f, Examples: feature.Features{}} }
	for _, c := range []struct {
		spec           feature.Spec
		record         []byte
		feature        string
		message        string
		want, got, fix string
	}{
		{kinds, nil, "n", `feature "n": required feature is missing`, `a feature "n"`, "none", `2 values of type int64 under key "n", or a default in the spec`},
		{kinds, with("n", example.Int64s(1)), "n", `feature "n": wrong number of values: want 2 for shape [2], got 1 (byte N)`, "2 for shape [2]", "1",
			`2 values of type int64 under key "n", or another shape in the spec`},
		{kinds, with("n", example.Floats(1, 2)), "n", `feature "n": example: feature holds another kind at byte N: want int64_list, got float_list`, "int64_list", "float_list",
			`int64_list under key "n", or dtype float32 in the spec`},
		{kinds, with("q", example.Floats(1, 2, 3)), "q", `feature "q": wrong number of values: want a multiple of 2 for shape [2], got 3 (byte N)`, "a multiple of 2 for shape [2]", "3",
			`a multiple of 2 for shape [2] under key "q"`},
		{kinds, with("sv", example.Strings("x")), "s", `feature "s" (key "si"): sparse indices do not fit: want 1 indices, one for each value, got 0`, "1 indices, one for each value", "0",
			`1 indices, one for each value under key "si"`},
		{kinds, with("sj", example.Strings("x")), "s", `feature "s" (key "sj"): example: feature holds another kind at byte N: want int64_list, got bytes_list`, "int64_list", "bytes_list",
			`int64_list under key "sj"`},
		{cutUp, marshal(t, example.Example{"v": example.Int64s(1, 2, 3), "inner": example.Int64s(0, 1, 1), "outer": example.Int64s(2)}), "r",
			`feature "r" (key "outer"): partition 0: invalid row partition: row_lengths[0]: want 0 to 1, the items that are left, got 2 (byte N)`,
			"0 to 1, the items that are left", "2", `entry 0 under key "outer" being 0 to 1, the items that are left`},
		{cutUp, marshal(t, example.Example{"v": example.Int64s(1, 2)}), "r",
			`feature "r" (key "v"): partition 3: invalid row partition: uniform_row_length: want a multiple of 3 items, got 2 (byte N)`,
			"a multiple of 3 items", "2", `a multiple of 3 items under key "v"`},
		{lists, seq(nil), "f", `sequence feature "f": required feature is missing`, `a feature list "f"`, "none", `a feature list "f", or allow_missing in the spec`},
		{lists, seq(map[string][]example.Value{"f": {}, "g": ones, "gl": ones[:1]}), "g", `sequence feature "g" (key "gl"): partition 0: steps do not align: want 2 steps, as there are of values, got 1 (byte N)`,
			"2 steps, as there are of values", "1", `2 steps, as there are of values under key "gl"`},
		{lists, seq(map[string][]example.Value{"f": {example.Int64s(1), example.Int64s(1, 2)}}), "f", `sequence feature "f": step 1: wrong number of values: want 1 for shape [], got 2 (byte N)`,
			"1 for shape []", "2", `1 for shape [] in step 1 under key "f"`},
		{list, marshal(t, example.ExampleList{Examples: []example.Example{{"n": example.Int64s(1)}, {}}}), "n", `examples feature "n": example 1: required feature is missing`, `a feature "n"`, "none",
			`1 value of type int64 in example 1 under key "n", or a default in the spec`},
		// The record has the feature in another group than the spec.
		{lists, marshal(t, example.Sequence{Context: good, Lists: map[string][]example.Value{"g": ones}}), "f", `sequence feature "f": required feature is missing`, `a feature list "f"`, "none",
			`a feature list "f", or allow_missing in the spec`},
		{lists, marshal(t, example.Sequence{Context: example.Example{"f": example.Int64s(1)}}), "f", `sequence feature "f": required feature is missing`, `a feature list "f"`, "none",
			`a spec of "f" in group context, where the record has it`},
		{feature.Spec{Context: list.Examples, Sequence: lists.Sequence}, seq(map[string][]example.Value{"f": ones, "n": ones}), "n", `context feature "n": required feature is missing`, `a feature "n"`, "none",
			`a spec of "n" in group sequence, where the record has it`},
		{inContext(list.Examples), marshal(t, example.ExampleList{Examples: []example.Example{{}, {"n": example.Int64s(1)}}}), "n", `context feature "n": required feature is missing`, `a feature "n"`, "none",
			`a spec of "n" in group examples, where the record has it`},
		{list, marshal(t, example.ExampleList{HasContext: true, Context: good, Examples: []example.Example{{}}}), "n", `examples feature "n": example 0: required feature is missing`, `a feature "n"`, "none",
			`a spec of "n" in group context, where the record has it`},
	} {
		r, err := Record(c.spec, c.record)
		if err != nil {
			t.Errorf("%s: %v", c.message, err)
			continue
		}
		for _, f := range append([]Feature{{Name: jsonscan.Name(c.feature), Fault: r.Fault}}, r.Features...) {
			if string(f.Name) != c.feature {
				continue
			}
			if f.Fault == nil || bytesAway(f.Fault.Error()) != c.message || f.Fault.Want != c.want || f.Fault.Got != c.got || f.Fault.Remedy != c.fix {
				t.Errorf("got  %v\nwant %s: want %s, got %s; %s\n%+v", f.Fault, c.message, c.want, c.got, c.fix, f.Fault)
			}
			if f.Row != nil {
				t.Errorf("%s: a value that does not fit: %s", c.message, f.Row)
			}
		}
	}
}

// Other features are reported despite a fault, and so are the partitions inside the broken one.
func TestText(t *testing.T) {
	spec := feature.Spec{Features: feature.Features{"r": cutUp.Features["r"], "ok": feature.VarLen{DType: feature.String}, "none": feature.VarLen{DType: feature.Int64}}}
	record := marshal(t, example.Example{
		"v": example.Int64s(make([]int64, 36)...), "inner": example.Int64s(0, 1, 3, 6, 12), "outer": example.Int64s(1, 2),
		"ok": example.Strings(strings.Repeat("ü", 50), "\xff"),
	})
	r, err := Record(spec, record)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	r.Text(&b, "here")
	const fault = `feature "r" (key "outer"): partition 0: invalid row partition: row_lengths[1]: want 0 to 1, the items that are left, got 2 (byte N)`
	want := `here: does not fit the spec: ` + fault + `

"none": var_len int64
  key "none", values: none
  gives []

"ok": var_len string
  key "ok", values: 2 values of string: ["` + strings.Repeat("ü", 30) + `…",{"b64":"/w=="}]
  gives ["` + strings.Repeat("ü", 50) + `",{"b64":"/w=="}]

"r": ragged int64, partitions row_lengths, uniform_row_length 2, row_splits, uniform_row_length 3
  key "v", values: 36 values of int64: [0,0,0,0,0,0,0,0,…]
  key "outer", partition 0 (row_lengths): 2 values of int64: [1,2]
  key "inner", partition 2 (row_splits): 5 values of int64: [0,1,3,6,12]
  partition 3 (uniform_row_length) divides 36 values into 12 rows of 3, 3, 3, 3, 3, 3, 3, 3, …
  partition 2 (row_splits) divides 12 values into 4 rows of 1, 2, 3, 6
  partition 1 (uniform_row_length) divides 4 values into 2 rows of 2, 2
  does not fit: ` + fault + `
  would fit with entry 1 under key "outer" being 0 to 1, the items that are left
`
	if got := bytesAway(b.String()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The step with the fault is printed even beyond the limit of steps.
func TestSteps(t *testing.T) {
	var steps, cuts []example.Value
	for range 9 {
		steps, cuts = append(steps, example.Int64s(7)), append(cuts, example.Int64s(1))
	}
	cuts[7] = example.Int64s(2)
	r, err := Record(lists, marshal(t, example.Sequence{Lists: map[string][]example.Value{"f": steps, "g": steps, "gl": cuts}}))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	r.Text(&b, "here")
	for _, want := range []string{
		"\n  key \"gl\", partition 0 (row_lengths): 9 steps\n    step 0: 1 value of int64: [1]\n",
		"\n    step 3: 1 value of int64: [1]\n    step 7: 1 value of int64: [2]\n    and 4 steps more\n",
		"\n  gives [7,7,7,7,7,7,7,7,7]\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
}

// Bytes that are not a message have no features.
func TestWhole(t *testing.T) {
	r, err := Record(kinds, []byte{0x0a, 0xff})
	if err != nil || r.Fault == nil || !r.Fault.Whole || len(r.Features) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// The JSON output has all of the text output, with null for unknown values.
func TestJSON(t *testing.T) {
	r, err := Record(kinds, marshal(t, example.Example{"n": example.Int64s(1), "sv": example.Strings("a"), "si": example.Int64s(1), "sj": example.Int64s(2)}))
	if err != nil {
		t.Fatal(err)
	}
	r.File, r.Record, r.Offset, r.Address = "x", 3, 9, "x#3"
	got, err := json.Marshal(r)
	want := `{"file":"x","record":3,"address":"x#3","offset":9,"fits":false,` +
		`"fault":{"message":"feature \"n\": wrong number of values: want 2 for shape [2], got 1 (byte N)","group":"features","feature":"n","key":"n","step":null,"level":null,"byte":N,` +
		`"want":"2 for shape [2]","got":"1","remedy":"2 values of type int64 under key \"n\", or another shape in the spec"},"other":null,"features":[` +
		`{"group":"features","name":"n","kind":"fixed_len int64 of shape [2]","fits":false,"keys":[{"key":"n","roles":["values"],"found":true,"units":null,` +
		`"lists":[{"unit":null,"found":true,"kind":"int64","count":1,"values":[1],"error":null}],"error":null}],"partitions":[],"value":null,` +
		`"fault":{"message":"feature \"n\": wrong number of values: want 2 for shape [2], got 1 (byte N)","group":"features","feature":"n","key":"n","step":null,"level":null,"byte":N,` +
		`"want":"2 for shape [2]","got":"1","remedy":"2 values of type int64 under key \"n\", or another shape in the spec"}},` +
		`{"group":"features","name":"q","kind":"fixed_len_sequence float32 of shape [2]","fits":true,"keys":[{"key":"q","roles":["values"],"found":false,"units":null,` +
		`"lists":[{"unit":null,"found":false,"kind":null,"count":0,"values":[],"error":null}],"error":null}],"partitions":[],"value":[],"fault":null},` +
		`{"group":"features","name":"s","kind":"sparse string of size [3 3]","fits":true,"keys":[` +
		`{"key":"sv","roles":["values"],"found":true,"units":null,"lists":[{"unit":null,"found":true,"kind":"string","count":1,"values":["a"],"error":null}],"error":null},` +
		`{"key":"si","roles":["index 0"],"found":true,"units":null,"lists":[{"unit":null,"found":true,"kind":"int64","count":1,"values":[1],"error":null}],"error":null},` +
		`{"key":"sj","roles":["index 1"],"found":true,"units":null,"lists":[{"unit":null,"found":true,"kind":"int64","count":1,"values":[2],"error":null}],"error":null}],` +
		`"partitions":[],"value":{"indices":[[1,2]],"values":["a"]},"fault":null}]}`
	if err != nil || bytesAway(string(got)) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

// A record of another message type is distinguished from a record with missing features.
func TestOther(t *testing.T) {
	must := feature.Features{"n": feature.FixedLen{DType: feature.Int64}}
	one := example.Example{"m": example.Int64s(1)}
	plain := marshal(t, one)
	lists := marshal(t, example.Sequence{Context: one, Lists: map[string][]example.Value{"l": {example.Int64s(1)}}})
	list := marshal(t, example.ExampleList{Examples: []example.Example{one}})
	for _, c := range []struct {
		what   string
		spec   feature.Spec
		record []byte
		want   string
	}{
		{"an Example without the feature", feature.Spec{Features: must}, plain, ""},
		{"a SequenceExample for an Example", feature.Spec{Features: must}, lists, "it looks like a record of type sequence, and the spec is for type example"},
		{"a list for an Example", feature.Spec{Features: must}, list, "it looks like a record of type elwc, and the spec is for type example"},
		{"an Example for a SequenceExample", feature.Spec{Context: must}, plain, "it looks like a record of type example, and the spec is for type sequence"},
		{"an Example for a list", feature.Spec{Examples: must}, plain, "it looks like a record of type example, and the spec is for type elwc"},
		{"a SequenceExample of another kind", feature.Spec{Context: feature.Features{"m": feature.FixedLen{DType: feature.String}}}, plain, ""},
		{"nothing known", feature.Spec{Features: must}, []byte{0x0a, 0xff}, ""},
	} {
		r, err := Record(c.spec, c.record)
		if err != nil || r.Fault == nil || (r.Other != nil) != (c.want != "") || r.Other != nil && *r.Other != c.want {
			t.Errorf("%s: %+v, %v, want %q", c.what, r, err, c.want)
			continue
		}
		var b strings.Builder
		if r.Text(&b, "here"); c.want != "" && !strings.Contains(b.String(), "\n"+c.want+"\n") {
			t.Errorf("%s: no %q in\n%s", c.what, c.want, &b)
		}
	}
}

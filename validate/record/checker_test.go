package record_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/infer"
	"github.com/tfparse/tfparse/internal/pbtext"
	"github.com/tfparse/tfparse/internal/test/testkit"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/record"
)

func encode(t testing.TB, m interface{ MarshalBinary() ([]byte, error) }) []byte {
	t.Helper()
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func checker(t testing.TB, schema string, opts *record.Options) *record.Checker {
	t.Helper()
	var s pb.Schema
	if err := pbtext.Unmarshal([]byte(schema), &s); err != nil {
		t.Fatal(err)
	}
	c, err := record.NewChecker(&s, opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ExampleChecker() {
	var schema pb.Schema
	_ = pbtext.Unmarshal([]byte(`
		feature { name: "age" type: INT int_domain { min: 0 max: 120 } presence { min_fraction: 1 } }
		feature { name: "city" type: BYTES domain: "cities" }
		string_domain { name: "cities" value: ["Oslo", "Rome"] }`), &schema)
	checker, err := record.NewChecker(&schema, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	msg, _ := example.Example{"city": example.Strings("Oslo", "Bern")}.MarshalBinary()
	for _, f := range checker.Check(msg) {
		fmt.Println(f)
	}
	// Output:
	// feature "age": FEATURE_TYPE_LOW_FRACTION_PRESENT: want a required feature, got none
	// feature "city": value 1: ENUM_TYPE_UNEXPECTED_STRING_VALUES: want a value of the domain, got "Bern"
}

// Package infer finds pairs without a declaration; the Checker then checks them.
func ExampleNewChecker_pairs() {
	in := infer.New(example.TypeExample, nil)
	for n := range 20 {
		e := example.Example{"words": example.Int64s(make([]int64, n+3)...), "words/lengths": example.Int64s(int64(n), 2, 1)}
		msg, _ := e.MarshalBinary()
		_ = in.Add(msg)
	}
	checker, err := record.NewChecker(nil, &record.Options{Pairs: in.Report().Pairs})
	if err != nil {
		fmt.Println(err)
		return
	}
	msg, _ := example.Example{"words": example.Int64s(1, 2, 3, 4), "words/lengths": example.Int64s(2, 3)}.MarshalBinary()
	for _, f := range checker.Check(msg) {
		fmt.Println(f, f.Warning)
	}
	// Output:
	// feature "words/lengths": RAGGED_STRUCTURE: want 4 values in all (of "words"), got row_lengths for 5 true
}

// TestPairsOfOtherTypes checks a partition that is not of type int64.
func TestPairsOfOtherTypes(t *testing.T) {
	lists := func(v ...example.Value) example.Sequence {
		return example.Sequence{Lists: map[string][]example.Value{"words": {v[0]}, "lengths": {v[1]}}}
	}
	words := example.Strings("a", "b", "c", "d")
	flat, nested := infer.New(example.TypeExample, nil), infer.New(example.TypeSequence, nil)
	for n := range 20 {
		w, l := example.Strings(make([]string, n+3)...), example.Int64s(int64(n), 2, 1)
		if err := flat.Add(encode(t, example.Example{"words": w, "lengths": l})); err != nil {
			t.Fatal(err)
		}
		if err := nested.Add(encode(t, lists(w, l))); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name    string
		message example.MessageType
		pairs   []infer.Pair
		record  []byte
		want    string
	}{
		{"examples", example.TypeExample, flat.Report().Pairs, encode(t, example.Example{"words": words, "lengths": example.Strings("4")}),
			`feature "lengths": RAGGED_STRUCTURE: want INT for row_lengths (of "words"), got BYTES`},
		{"feature lists", example.TypeSequence, nested.Report().Pairs, encode(t, lists(words, example.Floats(4))),
			`feature "##SEQUENCE##.lengths": step 0: RAGGED_STRUCTURE: want INT for row_lengths (of "##SEQUENCE##.words"), got FLOAT`},
	} {
		ch, err := record.NewChecker(nil, &record.Options{Message: c.message, Pairs: c.pairs})
		if err != nil {
			t.Fatal(err)
		}
		found := ch.Check(c.record)
		if got := strings.Join(texts(found), "\n"); got != c.want {
			t.Errorf("%s: %s, wanted %s", c.name, got, c.want)
			continue
		}
		if f := found[0]; !f.Warning || f.Pair == nil || f.Pair.Of != "words" {
			t.Errorf("%s: warning %t, pair %v", c.name, f.Warning, f.Pair)
		}
	}
}

// TestPairsOfOnePartition checks that an invalid partition is reported once, even if it partitions
// several features, and as an error if it is declared. A wrong sum is reported for each feature.
func TestPairsOfOnePartition(t *testing.T) {
	I := example.Int64s
	in := infer.New(example.TypeExample, nil)
	for n := range 20 {
		v := I(make([]int64, n+3)...)
		if err := in.Add(encode(t, example.Example{"a/values": v, "b/values": v, "b/splits": I(0, 2, int64(n)+3), "c/values": v})); err != nil {
			t.Fatal(err)
		}
	}
	pairs := in.Report().Pairs
	cut := map[string]bool{}
	for _, p := range pairs {
		if p.Against == 0 {
			cut[p.Of] = true
		}
	}
	if len(cut) < 3 {
		t.Fatalf("pairs of %v, want three features", cut)
	}
	declared := feature.Spec{Features: feature.Features{"c": feature.Ragged{DType: feature.Int64, ValueKey: "c/values", Partitions: []feature.Partition{feature.RowSplits("b/splits")}}}}
	three := I(7, 8, 9)
	for _, c := range []struct {
		name   string
		spec   feature.Spec
		splits example.Value
		want   []string
	}{
		{"falling", feature.Spec{}, I(0, 3, 0, 3), []string{`feature "b/splits": value 2: RAGGED_STRUCTURE: want at least 3, as before (of "b/values"), got 0`}},
		{"no numbers", feature.Spec{}, example.Floats(1), []string{`feature "b/splits": RAGGED_STRUCTURE: want INT for row_splits (of "b/values"), got FLOAT`}},
		{"declared", declared, I(0, 3, 0, 3), []string{`feature "b/splits": value 2: RAGGED_STRUCTURE: want at least 3, as before (of "c/values"), got 0`}},
	} {
		ch, err := record.NewChecker(nil, &record.Options{Spec: c.spec, Pairs: pairs})
		if err != nil {
			t.Fatal(err)
		}
		found := ch.Check(encode(t, example.Example{"a/values": three, "b/values": three, "b/splits": c.splits, "c/values": three}))
		if got := texts(found); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwanted\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			continue
		}
		if f := found[0]; f.Warning == (c.name == "declared") || f.Example != -1 || f.Warning && f.Pair.Of != "b/values" {
			t.Errorf("%s: warning %t, example %d, pair %v", c.name, f.Warning, f.Example, f.Pair)
		}
	}
	ch, err := record.NewChecker(nil, &record.Options{Pairs: pairs})
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]bool{}
	for _, f := range ch.Check(encode(t, example.Example{"a/values": three, "b/values": three, "b/splits": I(0, 2, 5), "c/values": three})) {
		of[f.Pair.Of] = true
	}
	if len(of) != 3 {
		t.Errorf("wrong sums are reported for %v, want three features", of)
	}
}

func texts(found []record.Finding) []string {
	var all []string
	for _, f := range found {
		all = append(all, f.String())
	}
	return all
}

func TestCheck(t *testing.T) {
	I, F, S := example.Int64s, example.Floats, example.Strings
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		name, schema string
		record       example.Example
		want         []string
	}{
		{"all is well", `feature { name: 'a' type: INT value_count { min: 1 max: 2 } int_domain { min: 0 max: 9 } }`, example.Example{"a": I(0, 9)}, nil},
		{"a new feature", `feature { name: 'a' type: INT }`, example.Example{"b": I(1)}, []string{`feature "b": SCHEMA_NEW_COLUMN: want a feature of the schema, got another name`}},
		{"one that nobody looks at", `feature { name: 'a' type: INT lifecycle_stage: DEPRECATED presence { min_fraction: 1 } }`, example.Example{"a": S("x")}, nil},
		{"one that is not there", `feature { name: 'a' type: INT shape { } }`, example.Example{}, []string{`feature "a": FEATURE_TYPE_LOW_FRACTION_PRESENT: want a required feature, got none`}},
		{"one without a kind is not there", `feature { name: 'a' type: INT presence { min_fraction: 1 } }`, example.Example{"a": {}}, []string{`feature "a": FEATURE_TYPE_LOW_FRACTION_PRESENT: want a required feature, got none`}},
		{"min_count is of data sets", `feature { name: 'a' type: INT presence { min_count: 1 } }`, example.Example{}, nil},
		{"another type", `feature { name: 'a' type: INT int_domain { } }`, example.Example{"a": F(1)}, []string{`feature "a": UNEXPECTED_DATA_TYPE: want INT, got FLOAT`}},
		{"too few values", `feature { name: 'a' type: INT value_count { min: 2 } }`, example.Example{"a": I(1)}, []string{`feature "a": FEATURE_TYPE_LOW_NUMBER_VALUES: want at least 2 values, got 1`}},
		{"too many values", `feature { name: 'a' value_count { max: 1 } }`, example.Example{"a": S("x", "y")}, []string{`feature "a": FEATURE_TYPE_HIGH_NUMBER_VALUES: want at most 1 values, got 2`}},
		{"another shape", `feature { name: 'a' type: INT shape { dim { size: 2 } dim { size: 2 } } }`, example.Example{"a": I(1, 2, 3)}, []string{`feature "a": INVALID_FEATURE_SHAPE: want 4 values, as the shape has, got 3`}},
		{"integers", `feature { name: 'a' type: INT int_domain { min: 3 max: 5 } }`, example.Example{"a": I(4, 2, 1, 6)}, []string{
			`feature "a": value 1: INT_TYPE_SMALL_INT: want at least 3, got 2 and 1 more`, `feature "a": value 3: INT_TYPE_BIG_INT: want at most 5, got 6`}},
		{"floats", `feature { name: 'a' type: FLOAT float_domain { min: -1 max: 1 disallow_nan: true disallow_inf: true } }`, example.Example{"a": F(0, nan, -inf, 1.5)}, []string{
			`feature "a": value 1: FLOAT_TYPE_HAS_NAN: want no NaN, got NaN`, `feature "a": value 2: FLOAT_TYPE_HAS_INF: want no infinity, got -Inf`,
			`feature "a": value 2: FLOAT_TYPE_SMALL_FLOAT: want at least -1, got -Inf`, `feature "a": value 3: FLOAT_TYPE_BIG_FLOAT: want at most 1, got 1.5`}},
		{"booleans", `feature { name: 'a' type: INT bool_domain { } } feature { name: 'b' type: FLOAT bool_domain { } } feature { name: 'c' type: BYTES bool_domain { true_value: 'y' } }`,
			example.Example{"a": I(1, 2), "b": F(0, 0.5), "c": S("y", "n")}, []string{
				`feature "a": value 1: BOOL_TYPE_BIG_INT: want at most 1, got 2`, `feature "b": value 1: BOOL_TYPE_UNEXPECTED_FLOAT: want 0 or 1, got 0.5`,
				`feature "c": value 1: ENUM_TYPE_UNEXPECTED_STRING_VALUES: want the true_value or the false_value, got "n"`}},
		{"strings", `feature { name: 'a' type: BYTES string_domain { value: 'x' } }`, example.Example{"a": S("x", "y", "\xff", "z")}, []string{
			`feature "a": value 2: ENUM_TYPE_INVALID_UTF8: want text in UTF-8, got "\xff"`, `feature "a": value 1: ENUM_TYPE_UNEXPECTED_STRING_VALUES: want a value of the domain, got "y" and 1 more`}},
		{"a share of strings is of data sets", `feature { name: 'a' type: BYTES string_domain { value: 'x' } distribution_constraints { min_domain_mass: 0.9 } }`, example.Example{"a": S("y")}, nil},
		{"numbers as strings", `feature { name: 'a' type: BYTES int_domain { max: 9 } } feature { name: 'b' type: BYTES float_domain { min: 1 } }`, example.Example{"a": S("7", "10", "x"), "b": S("0.5", "")}, []string{
			`feature "a": value 2: INT_TYPE_NOT_INT_STRING: want an integer, got "x"`, `feature "a": value 1: INT_TYPE_BIG_INT: want at most 9, got "10"`,
			`feature "b": value 1: FLOAT_TYPE_STRING_NOT_FLOAT: want a number that is allowed, got ""`, `feature "b": value 0: FLOAT_TYPE_SMALL_FLOAT: want at least 1, got "0.5"`}},
		{"images", `feature { name: 'a' type: BYTES image_domain { max_image_byte_size: 2 } }`, example.Example{"a": S("ab", "abc")}, []string{`feature "a": value 1: MAX_IMAGE_BYTE_SIZE_EXCEEDED: want at most 2 bytes, got 3`}},
		{"a sparse feature", `feature { name: 'i' type: INT } feature { name: 'v' type: FLOAT } sparse_feature { name: 's' index_feature { name: 'i' } value_feature { name: 'v' } }`,
			example.Example{"i": I(1, 2), "v": F(1)}, []string{`feature "s": SPARSE_FEATURE_LENGTH_MISMATCH: want parts of one length, got "v" 1, "i" 2`}},
		{"a weighted feature", `feature { name: 'i' type: INT } feature { name: 'w' type: FLOAT } weighted_feature { name: 's' feature { step: 'i' } weight_feature { step: 'w' } }`,
			example.Example{"i": I(1, 2)}, []string{`feature "s": WEIGHTED_FEATURE_LENGTH_MISMATCH: want parts of one length, got "i" 2, "w" 0`}},
		{"a part that is no feature", `feature { name: 'v' type: FLOAT } sparse_feature { name: 's' index_feature { name: 'i' } value_feature { name: 'v' } }`,
			example.Example{"i": I(1), "v": F(1)}, []string{`feature "i": SCHEMA_NEW_COLUMN: want a feature of the schema, got another name`}},
		{"a ragged tensor of the schema", `feature { name: 'v' type: INT } feature { name: 'n' type: INT } tensor_representation_group { key: '' value { tensor_representation { key: 't' value {
			ragged_tensor { feature_path { step: 'v' } partition { row_length: 'n' } partition { uniform_row_length: 2 } } } } } }`,
			example.Example{"v": I(1, 2, 3, 4), "n": I(1, 2)}, []string{`feature "n": RAGGED_STRUCTURE: want 2 rows of 2 in all (of "v"), got row_lengths for 3`}},
		{"a sparse tensor of the schema", `feature { name: 'i' type: INT } feature { name: 'v' type: FLOAT } tensor_representation_group { key: '' value { tensor_representation { key: 't' value {
			sparse_tensor { index_column_names: 'i' value_column_name: 'v' dense_shape { dim { size: 9 } } } } } } }`,
			example.Example{"i": I(1, 2), "v": F(1)}, []string{`feature "t": SPARSE_FEATURE_LENGTH_MISMATCH: want parts of one length, got "v" 1, "i" 2`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := texts(checker(t, c.schema, nil).Check(encode(t, c.record))); !slices.Equal(got, c.want) {
				t.Errorf("\ngot    %s\nwanted %s", strings.Join(got, "\n       "), strings.Join(c.want, "\n       "))
			}
		})
	}
}

func TestRagged(t *testing.T) {
	I := example.Int64s
	values := func(n int) example.Value { return I(make([]int64, n)...) }
	for _, c := range []struct {
		name       string
		partitions []feature.Partition
		record     example.Example
		want       string
	}{
		{"lengths", []feature.Partition{feature.RowLengths("p")}, example.Example{"v": values(3), "p": I(1, 2)}, ""},
		{"lengths that do not add up", []feature.Partition{feature.RowLengths("p")}, example.Example{"v": values(3), "p": I(1, 1)}, `"p": RAGGED_STRUCTURE: want 3 values in all (of "v"), got row_lengths for 2`},
		{"a negative length", []feature.Partition{feature.RowLengths("p")}, example.Example{"v": values(3), "p": I(4, -1)}, `"p": value 1: RAGGED_STRUCTURE: want a length that is not negative (of "v"), got -1`},
		{"lengths without end", []feature.Partition{feature.RowLengths("p")}, example.Example{"v": values(3), "p": I(1<<62, 1<<62)}, `"p": value 1: RAGGED_STRUCTURE: want lengths that add up (of "v"), got a sum beyond 2^63`},
		{"splits", []feature.Partition{feature.RowSplits("p")}, example.Example{"v": values(3), "p": I(0, 0, 3)}, ""},
		{"splits that fall", []feature.Partition{feature.RowSplits("p")}, example.Example{"v": values(3), "p": I(0, 4, 3)}, `"p": value 2: RAGGED_STRUCTURE: want at least 4, as before (of "v"), got 3`},
		{"splits that begin late", []feature.Partition{feature.RowSplits("p")}, example.Example{"v": values(3), "p": I(1, 3)}, `"p": value 0: RAGGED_STRUCTURE: want 0 first (of "v"), got 1`},
		{"no splits of no values", []feature.Partition{feature.RowSplits("p")}, example.Example{}, ""},
		{"no splits of values", []feature.Partition{feature.RowSplits("p")}, example.Example{"v": values(1)}, `"p": RAGGED_STRUCTURE: want 1 values in all (of "v"), got row_splits for 0`},
		{"limits", []feature.Partition{feature.RowLimits("p")}, example.Example{"v": values(3), "p": I(1, 2)}, `"p": RAGGED_STRUCTURE: want 3 values in all (of "v"), got row_limits for 2`},
		{"starts", []feature.Partition{feature.RowStarts("p")}, example.Example{"v": values(3), "p": I(0, 3)}, ""},
		{"starts beyond the end", []feature.Partition{feature.RowStarts("p")}, example.Example{"v": values(3), "p": I(0, 4)}, `"p": RAGGED_STRUCTURE: want 3 values in all (of "v"), got row_starts for 4`},
		{"row ids", []feature.Partition{feature.ValueRowIDs("p")}, example.Example{"v": values(3), "p": I(0, 2, 1)}, `"p": value 2: RAGGED_STRUCTURE: want at least 2, as before (of "v"), got 1`},
		{"levels that do not fit", []feature.Partition{feature.RowLengths("q"), feature.RowLengths("p")}, example.Example{"v": values(3), "p": I(1, 2), "q": I(1, 2)}, `"q": RAGGED_STRUCTURE: want 2 rows in all (of "p"), got row_lengths for 3`},
		{"uniform rows that do not divide", []feature.Partition{feature.UniformRowLength(2)}, example.Example{"v": values(3)}, `"v": RAGGED_STRUCTURE: want a multiple of 2, got 3 values`},
		{"uniform rows of rows", []feature.Partition{feature.UniformRowLength(2), feature.RowSplits("p")}, example.Example{"v": values(3), "p": I(0, 1, 2, 3)}, `"p": RAGGED_STRUCTURE: want a multiple of 2, got 3 rows`},
		{"a partition of another type", []feature.Partition{feature.RowSplits("p")}, example.Example{"p": example.Floats(0)}, `"p": RAGGED_STRUCTURE: want INT for row_splits (of "v"), got FLOAT`},
		{"a partition in the middle of another type", []feature.Partition{feature.RowLengths("q"), feature.RowLengths("p")}, example.Example{"v": values(3), "p": example.Strings("3"), "q": I(1)}, `"p": RAGGED_STRUCTURE: want INT for row_lengths (of "v"), got BYTES`},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := feature.Spec{Features: feature.Features{"v": feature.Ragged{DType: feature.Int64, Partitions: c.partitions}}}
			ch, err := record.NewChecker(nil, &record.Options{Spec: spec})
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(texts(ch.Check(encode(t, c.record))), "\n")
			if got != "" {
				got = strings.TrimPrefix(got, "feature ")
			}
			if got != c.want {
				t.Errorf("got %s, wanted %s", got, c.want)
			}
			// feature.Parser accepts the record exactly if there are no findings.
			p, err := feature.NewParser(spec, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Parse(encode(t, c.record)); (err != nil) != (c.want != "") {
				t.Errorf("the parser says %v", err)
			}
		})
	}
}

// TestRaggedListOfTheSchema checks that row partitions of feature lists are checked step by step.
func TestRaggedListOfTheSchema(t *testing.T) {
	c := checker(t, `feature { name: '##SEQUENCE##' type: STRUCT struct_domain { feature { name: 'v' type: INT } feature { name: 'n' type: INT } } }
		tensor_representation_group { key: '' value { tensor_representation { key: 't' value { ragged_tensor { feature_path { step: '##SEQUENCE##' step: 'v' } partition { row_length: 'n' } } } } } }`,
		&record.Options{Message: example.TypeSequence})
	I := example.Int64s
	for _, test := range []struct {
		lengths []example.Value
		want    []string
	}{
		{[]example.Value{I(1, 2), I(2)}, nil},
		{[]example.Value{I(1, 2), I(3)}, []string{`feature "##SEQUENCE##.n": step 1: RAGGED_STRUCTURE: want 2 values in all (of "##SEQUENCE##.v"), got row_lengths for 3`}},
	} {
		msg, err := example.Sequence{Lists: map[string][]example.Value{"v": {I(1, 2, 3), I(4, 5)}, "n": test.lengths}}.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if got := texts(c.Check(msg)); !slices.Equal(got, test.want) {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

func TestSequence(t *testing.T) {
	c := checker(t, `feature { name: 'id' type: INT presence { min_fraction: 1 } }
		feature { name: '##SEQUENCE##' type: STRUCT struct_domain { feature { name: 'w' type: INT value_counts { value_count { min: 2 } value_count { max: 2 } } int_domain { max: 5 } } feature { name: 'n' type: INT } } }`,
		&record.Options{Message: example.TypeSequence, Spec: feature.Spec{Sequence: feature.Features{"w": feature.Ragged{DType: feature.Int64, Partitions: []feature.Partition{feature.RowLengths("n")}}}}})
	I := example.Int64s
	for _, v := range []struct {
		record example.Sequence
		want   []string
	}{
		{example.Sequence{Context: example.Example{"id": I(1)}, Lists: map[string][]example.Value{"w": {I(1), I(1, 2)}, "n": {I(1), I(2)}}}, nil},
		{example.Sequence{Context: example.Example{"id": I(1), "x": I(1)}, Lists: map[string][]example.Value{"y": {}}},
			[]string{`feature "x": SCHEMA_NEW_COLUMN: want a feature of the schema, got another name`, `feature "##SEQUENCE##.y": SCHEMA_NEW_COLUMN: want a feature of the schema, got another name`}},
		{example.Sequence{Context: example.Example{"id": I(1)}, Lists: map[string][]example.Value{"w": {I(1, 9, 3)}, "n": {I(2)}}},
			[]string{`feature "##SEQUENCE##.w": step 0: value 1: INT_TYPE_BIG_INT: want at most 5, got 9`, `feature "##SEQUENCE##.w": step 0: FEATURE_TYPE_HIGH_NUMBER_VALUES: want at most 2 values, got 3`,
				`feature "##SEQUENCE##.w": FEATURE_TYPE_LOW_NUMBER_VALUES: want at least 2 values, got 1`,
				`feature "##SEQUENCE##.n": step 0: RAGGED_STRUCTURE: want 3 values in all (of "##SEQUENCE##.w"), got row_lengths for 2`}},
	} {
		if got := texts(c.Check(encode(t, v.record))); !slices.Equal(got, v.want) {
			t.Errorf("\ngot    %s\nwanted %s", strings.Join(got, "\n       "), strings.Join(v.want, "\n       "))
		}
	}
}

func TestBadRecord(t *testing.T) {
	c := checker(t, `feature { name: 'a' type: INT }`, nil)
	msg := encode(t, example.Example{"a": example.Int64s(1, 2, 3)})
	for cut := 1; cut < len(msg); cut++ {
		found := c.Check(msg[:cut])
		var where *example.Error
		if len(found) != 1 || found[0].Rule != record.BadRecord || !errors.As(found[0].Err, &where) {
			t.Fatalf("cut at %d: %q", cut, texts(found))
		}
	}
}

// TestBadRepeat has a feature twice, malformed the first time: the error is that of Validate, which contains the feature.
func TestBadRepeat(t *testing.T) {
	entry := func(field byte) []byte { // "a": a feature, or a list of one step, with a field of number 0
		value := []byte{0x02, 0x00}
		if field == 2 {
			value = append([]byte{0x0a, 0x02}, value...)
		}
		e := append([]byte{0x0a, 1, 'a', 0x12, byte(len(value))}, value...)
		m := append([]byte{0x0a, byte(len(e))}, e...)
		return append([]byte{field<<3 | 2, byte(len(m))}, m...)
	}
	for typ, field := range map[example.MessageType]byte{example.TypeExample: 1, example.TypeSequence: 2} {
		msg := append(entry(field), entry(field)...)
		want := typ.Validate(msg)
		c := checker(t, `feature { name: 'a' } feature { name: '##SEQUENCE##' struct_domain { feature { name: 'a' } } }`, &record.Options{Message: typ})
		found := c.Check(msg)
		if len(found) != 1 || found[0].Rule != record.BadRecord || want == nil || !strings.Contains(want.Error(), `feature "a"`) || found[0].Err.Error() != want.Error() {
			t.Errorf("%v: %q, want %v", typ, texts(found), want)
		}
	}
}

func TestEnvironment(t *testing.T) {
	const schema = `feature { name: 'label' type: INT presence { min_fraction: 1 } not_in_environment: 'SERVING' } default_environment: ['TRAINING', 'SERVING']`
	with, without := encode(t, example.Example{"label": example.Int64s(1)}), encode(t, example.Example{})
	for env, want := range map[string][2]int{"": {0, 1}, "TRAINING": {0, 1}, "SERVING": {1, 0}} {
		c := checker(t, schema, &record.Options{Environment: env})
		if got := [2]int{len(c.Check(with)), len(c.Check(without))}; got != want {
			t.Errorf("%q: %v, wanted %v", env, got, want)
		}
	}
	if _, err := record.NewChecker(&pb.Schema{}, &record.Options{Environment: "X"}); err == nil {
		t.Error("an environment that is not in the schema")
	}
}

const wide = `feature { name: 'a' type: INT int_domain { min: 0 } presence { min_fraction: 1 } } feature { name: 'b' type: FLOAT float_domain { max: 9 } }
	feature { name: 'c' type: BYTES string_domain { value: ['x', 'y'] } } feature { name: 'n' type: INT } feature { name: 'v' type: INT }`

func sound(t testing.TB) (*record.Checker, []byte) {
	spec := feature.Spec{Features: feature.Features{"v": feature.Ragged{DType: feature.Int64, Partitions: []feature.Partition{feature.RowLengths("n")}}}}
	c := checker(t, wide, &record.Options{Spec: spec})
	return c, encode(t, example.Example{"a": example.Int64s(1, 2), "b": example.Floats(1, 2), "c": example.Strings("x", "y"), "n": example.Int64s(1, 2), "v": example.Int64s(5, 6, 7)})
}

func TestNoAllocation(t *testing.T) {
	c, msg := sound(t)
	if found := c.Check(msg); found != nil {
		t.Fatal(texts(found))
	}
	if testkit.Race {
		t.Skip("skipped: pools are emptied at random in race builds")
	}
	if n := testing.AllocsPerRun(1000, func() { c.Check(msg) }); n > 0 {
		t.Errorf("%v allocations for a record without findings", n)
	}
}

func TestConcurrent(t *testing.T) {
	c, msg := sound(t)
	bad := encode(t, example.Example{"a": example.Int64s(-1)})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				if found := c.Check(msg); found != nil {
					t.Errorf("%q", texts(found))
				}
				if found := c.Check(bad); len(found) != 1 || found[0].Observed != "-1" {
					t.Errorf("%q", texts(found))
				}
			}
		})
	}
	wg.Wait()
}

func TestMaxFindings(t *testing.T) {
	e := example.Example{}
	for i := range 300 {
		e[fmt.Sprint(i)] = example.Int64s(1)
	}
	found := checker(t, "", nil).Check(encode(t, e))
	if n := len(found); n != 101 {
		t.Fatalf("%d findings, wanted 100 and one that counts the others", n)
	}
	if last := found[100]; last.Rule != record.MoreFindings || last.Count != 200 || last.Warning {
		t.Errorf("the last of 101 findings is %+v, wanted one that counts 200 more", last)
	}
	if found := checker(t, "", &record.Options{Ignore: []string{"SCHEMA_NEW_COLUMN"}}).Check(encode(t, e)); len(found) != 0 {
		t.Errorf("%d findings of a rule to ignore", len(found))
	}
	if found := checker(t, "", &record.Options{MaxFindings: 300}).Check(encode(t, e)); len(found) != 300 || found[299].Rule == record.MoreFindings {
		t.Errorf("%d findings, wanted 300", len(found))
	}
}

func FuzzCheck(f *testing.F) {
	c, msg := sound(f)
	f.Add(msg)
	seq := checker(f, `feature { name: '##SEQUENCE##' type: STRUCT struct_domain { feature { name: 'v' type: INT } } }`, &record.Options{Message: example.TypeSequence,
		Spec: feature.Spec{Sequence: feature.Features{"v": feature.Ragged{DType: feature.Int64, Partitions: []feature.Partition{feature.RowSplits("n")}}}}})
	f.Add(encode(f, example.Sequence{Lists: map[string][]example.Value{"v": {example.Int64s(1)}, "n": {example.Int64s(0, 1)}}}))
	elwc := checker(f, elwcSchema, &record.Options{Message: example.TypeExampleList})
	f.Add(list(f, example.Example{"query": example.Strings("q")}, example.Example{"doc": example.Int64s(-1)}))
	f.Fuzz(func(t *testing.T, msg []byte) {
		for _, c := range []*record.Checker{c, seq, elwc} {
			for _, f := range c.Check(msg) {
				if f.Rule == "" || f.Offset >= len(msg) || f.Count < 1 {
					t.Errorf("%+v", f)
				}
				_ = f.String()
			}
		}
	})
}

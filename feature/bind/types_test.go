package bind_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/bind"
)

type inner struct {
	Deep int64 `tfparse:"deep"`
}

type partition = []feature.Partition

// TestSpec has the meanings of Go types.
func TestSpec(t *testing.T) {
	type features struct {
		A     int64          `tfparse:"a"`
		B     uint8          `tfparse:"b,default=255"`
		C     bool           `tfparse:"c,default=true"`
		D     float64        `tfparse:"d,default=NaN"`
		E     string         `tfparse:"e,default=','"`
		F     []byte         `tfparse:"f,default=''"`
		G     [3]float32     `tfparse:"g,default=0.5"`
		H     [2][3]readWord `tfparse:"h"`
		I     *int32         `tfparse:"i"`
		J     *[]byte        `tfparse:"j"`
		K     *[2]grade      `tfparse:"k"`
		L     []string       `tfparse:"l"`
		M     [][]byte       `tfparse:"m"`
		N     [][4]float32   `tfparse:"n"`
		O     [][]int        `tfparse:"o,row_splits=o/s"`
		P     [][][]int      `tfparse:"p,value_row_ids=p/r,row_limits=p/l,value_key=p/v"`
		Q     [][2][]int     `tfparse:"q,row_starts=q/s"`
		R     [][][]int      `tfparse:"r,uniform_row_length=2,uniform_row_length=3"`
		S     [][][2][]byte  `tfparse:"s,row_lengths=s/l"`
		T     [0]string      `tfparse:"t"`
		U     grades         `tfparse:"it's"`
		V     [][]yes        `tfparse:"'\\xff\\'\\\\\"',row_lengths=s/l"`
		X     map[string]int `tfparse:"-"`
		Y     rows           `tfparse:"y,row_lengths=o/l"`
		Z     []ratio        `tfparse:"'-',round"`
		inner                // the fields of an embedded struct are used, even if its type is not exported
	}
	const i, f, s = feature.Int64, feature.Float32, feature.String
	type lists struct {
		A []int8         `tfparse:"a"`
		B [][2]float32   `tfparse:"b,allow_missing"`
		C [][][]string   `tfparse:"c,row_lengths=c/l"`
		D [][]string     `tfparse:"d"`
		E [][][2]string  `tfparse:"e"`
		F [][]byte       `tfparse:"f"`
		G [][2][3]int64  `tfparse:"g"`
		H [][][][3]int64 `tfparse:"h,uniform_row_length=4"`
	}
	nan := mustParse(t, `{"features": {"d": {"fixed_len": {"dtype": "float32", "shape": [], "default": ["NaN"]}}}}`).Features["d"].(feature.FixedLen).Default
	zero := example.Int64s(0)
	for _, c := range []struct {
		what string
		new  func() (feature.Spec, error)
		want feature.Spec
	}{
		{"an Example", spec[features], feature.Spec{Features: feature.Features{
			"a":         feature.FixedLen{DType: i},
			"b":         feature.FixedLen{DType: i, Default: example.Int64s(255)},
			"c":         feature.FixedLen{DType: i, Default: example.Int64s(1)},
			"d":         feature.FixedLen{DType: f, Default: nan},
			"e":         feature.FixedLen{DType: s, Default: example.Strings(",")},
			"f":         feature.FixedLen{DType: s, Default: example.Strings("")},
			"g":         feature.FixedLen{DType: f, Shape: []int{3}, Default: example.Floats(0.5, 0.5, 0.5)},
			"h":         feature.FixedLen{DType: s, Shape: []int{2, 3}},
			"i":         feature.VarLen{DType: i},
			"j":         feature.VarLen{DType: s},
			"k":         feature.Ragged{DType: f, Partitions: partition{feature.UniformRowLength(2)}},
			"l":         feature.Ragged{DType: s},
			"m":         feature.Ragged{DType: s},
			"n":         feature.Ragged{DType: f, Partitions: partition{feature.UniformRowLength(4)}},
			"o":         feature.Ragged{DType: i, Partitions: partition{feature.RowSplits("o/s")}},
			"p":         feature.Ragged{DType: i, ValueKey: "p/v", Partitions: partition{feature.ValueRowIDs("p/r"), feature.RowLimits("p/l")}},
			"q":         feature.Ragged{DType: i, Partitions: partition{feature.UniformRowLength(2), feature.RowStarts("q/s")}},
			"r":         feature.Ragged{DType: i, Partitions: partition{feature.UniformRowLength(2), feature.UniformRowLength(3)}},
			"s":         feature.Ragged{DType: s, Partitions: partition{feature.RowLengths("s/l"), feature.UniformRowLength(2)}},
			"t":         feature.FixedLen{DType: s, Shape: []int{0}},
			"y":         feature.Ragged{DType: i, Partitions: partition{feature.RowLengths("o/l")}},
			"-":         feature.Ragged{DType: f},
			"it's":      feature.Ragged{DType: f},
			"deep":      feature.FixedLen{DType: i},
			"\xff'\\\"": feature.Ragged{DType: i, Partitions: partition{feature.RowLengths("s/l")}},
		}}},
		{"a SequenceExample", spec[struct {
			Context struct {
				A int64   `tfparse:"a,default=0"`
				B []int64 `tfparse:"b"`
				C *int64  `tfparse:"c"`
			} `tfparse:",context"`
			Lists lists `tfparse:",sequence"`
		}], feature.Spec{
			Context: feature.Features{"a": feature.FixedLen{DType: i, Default: zero}, "b": feature.Ragged{DType: i}, "c": feature.VarLen{DType: i}},
			Sequence: feature.Features{
				"a": feature.FixedLenSequence{DType: i},
				"b": feature.FixedLenSequence{DType: f, Shape: []int{2}, AllowMissing: true},
				"c": feature.Ragged{DType: s, Partitions: partition{feature.RowLengths("c/l")}},
				"d": feature.Ragged{DType: s},
				"e": feature.Ragged{DType: s, Partitions: partition{feature.UniformRowLength(2)}},
				"f": feature.FixedLenSequence{DType: s},
				"g": feature.FixedLenSequence{DType: i, Shape: []int{2, 3}},
				"h": feature.Ragged{DType: i, Partitions: partition{feature.UniformRowLength(4), feature.UniformRowLength(3)}},
			},
		}},
		{"a list of examples", spec[struct {
			inner `tfparse:",context"`
			Docs  []inner `tfparse:",examples"`
		}], feature.Spec{
			Context:  feature.Features{"deep": feature.FixedLen{DType: i}},
			Examples: feature.Features{"deep": feature.FixedLen{DType: i}},
		}},
		{"a context alone, in a struct that is embedded", spec[struct {
			Outer struct{ X int } `tfparse:"-"`
			struct1
		}], feature.Spec{Context: feature.Features{"deep": feature.FixedLen{DType: i}}}},
	} {
		got, err := c.new()
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if d := cmp.Diff(c.want, got, cmp.Comparer(func(x, y example.Value) bool { return x.Equal(y) })); d != "" {
			t.Errorf("%s: %s", c.what, d)
		}
	}
}

type struct1 struct {
	Part inner `tfparse:",context"`
}

func spec[T any]() (feature.Spec, error) {
	c, err := bind.New[T](nil)
	if err != nil {
		return feature.Spec{}, err
	}
	return c.Spec(), nil
}

func mustParse(t *testing.T, json string) (s feature.Spec) {
	t.Helper()
	if err := s.UnmarshalJSON([]byte(json)); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFaults proves that making the codec reports all errors of types and tags at once, with the field and the tag.
func TestFaults(t *testing.T) {
	type small uint8
	type node struct {
		Kids []struct {
			A    int64   `tfparse:"a"`
			Kids []inner `tfparse:",examples"`
		} `tfparse:",examples"`
	}
	for _, c := range []struct {
		what string
		typ  any
		want []string // for every error: the path, then a part of the text
	}{
		{"not a struct", 1, []string{"", "want a struct"}},
		{"a pointer to a struct", &inner{}, []string{"", "want a struct"}},
		{"nothing", struct{}{}, []string{"", "no field has a tag"}},
		{"nothing exported", struct{ a int }{}, []string{"", "no field has a tag"}},
		{"no tag", struct {
			A int `tfparse:"a"`
			B int
		}{}, []string{"B", "no tag"}},
		{"the tag of another package", struct {
			A int `json:"a"`
		}{}, []string{"A", "no tag"}},
		{"no name", struct {
			A int `tfparse:",default=1"`
			B int `tfparse:""`
		}{}, []string{"A", "no name", "B", "no name"}},
		{"not exported", struct {
			a int `tfparse:"a"`
			B int `tfparse:"b"`
		}{}, []string{"a", "not exported"}},
		{"an embedded pointer", struct {
			*inner
			B int `tfparse:"b"`
		}{}, []string{"inner", "embed the struct itself"}},
		{"one feature twice", struct {
			A struct {
				B int `tfparse:"b"`
			} `tfparse:",context"`
			B struct {
				B string `tfparse:"b"`
			} `tfparse:",context"`
		}{}, []string{"B.B", `feature "b" is already field A.B`}},
		{"types that mean nothing", struct {
			A map[string]int `tfparse:"a"`
			B any            `tfparse:"b"`
			C complex64      `tfparse:"c"`
			D uintptr        `tfparse:"d"`
			E func()         `tfparse:"e"`
			F inner          `tfparse:"f"`
			G **int          `tfparse:"g"`
			H []*int         `tfparse:"h"`
			I *[]int         `tfparse:"i"`
			J [4]byte        `tfparse:"j"`
			K []small        `tfparse:"k"`
			L [2]small       `tfparse:"l"`
			M [2][]int       `tfparse:"m,row_lengths=m/l"`
			N [][]*int       `tfparse:"n,row_lengths=m/l"`
			O []inner        `tfparse:"o"`
			P chan int       `tfparse:"p"`
		}{}, []string{
			"A", "map[string]int cannot be a feature", "B", "interface {} cannot be a feature", "C", "complex64 cannot be a feature", "D", "uintptr cannot be a feature",
			"E", "func() cannot be a feature", "F", "cannot be a feature: embed or tag it", "G", "*int cannot be a feature", "H", "*int cannot be a feature", "I", "pointer to a slice",
			"J", "[4]uint8 is ambiguous", "K", "is ambiguous", "L", "is ambiguous", "M", "array of slices",
			"N", "*int cannot be a feature", "O", "cannot be a feature: embed or tag it", "P", "chan int cannot be a feature",
		}},
		{"options that mean nothing", struct {
			A int       `tfparse:"a,row_lengths=k"`
			B []int     `tfparse:"b,row_lengths=k"`
			C []int     `tfparse:"c,default=0"`
			D *int      `tfparse:"d,default=0"`
			E int       `tfparse:"e,allow_missing"`
			F string    `tfparse:"f,round"`
			G float32   `tfparse:"g,round"`
			H *int      `tfparse:"h,value_key=k"`
			I int       `tfparse:"i,value_key=k"`
			J [][]int   `tfparse:"j"`
			K [][][]int `tfparse:"k,row_lengths=k1"`
			L [][]int   `tfparse:"l,row_lengths=l1,row_splits=l2"`
			M [][2]int  `tfparse:"m,uniform_row_length=2"`
			N [0]int    `tfparse:"n,default=0"`
			O [][]int   `tfparse:"o,row_lengths=o1,value_key=''"`
		}{}, []string{
			"A", "a partition needs a slice inside a slice", "B", "partitions in the tag: want 0, one for each inner slice, got 1", "C", "option default", "D", "option default", "E", "option allow_missing",
			"F", "only float64 is rounded", "G", "only float64 is rounded", "H", "option value_key", "I", "option value_key", "J", "partitions in the tag: want 1, one for each inner slice, got 0",
			"K", "partitions in the tag: want 2, one for each inner slice, got 1", "L", "partitions in the tag: want 1, one for each inner slice, got 2", "M", "partitions in the tag: want 0, one for each inner slice, got 1", "N", "the array has no values", "O", "the key is empty",
		}},
		{"tags that cannot be read", struct {
			A int     `tfparse:"a,defalt=0"`
			B int     `tfparse:"b,default=0,default=1"`
			C int     `tfparse:"c,default"`
			D int     `tfparse:"d,default="`
			E float64 `tfparse:"e,round=1"`
			F [][]int `tfparse:"f,row_lengths"`
			G [][]int `tfparse:"g,uniform_row_length=many"`
			H int     `tfparse:"'h"`
			I int     `tfparse:"'i'x"`
			J int     `tfparse:"'\\q'"`
			K int     `tfparse:"k,"`
			L [][]int `tfparse:"l,row_splits="`
			M int     `tfparse:"m, default=0"`
			N int     `tfparse:"n,default='1'2"`
			O [][]int `tfparse:"o,RowLengths=k"`
		}{}, []string{
			"A", `unknown option "defalt"`, "B", "duplicate option", "C", "option default needs a text", "D", "no text after =", "E", "has no text",
			"F", "option row_lengths needs a text", "G", `invalid length "many"`, "H", "a quote is not closed", "I", "want a comma", "J", "invalid escape", "K", `unknown option ""`,
			"L", "no text after =", "M", `unknown option " default"`, "N", "want a comma", "O", "unknown option",
		}},
		{"defaults of another type", struct {
			A int8    `tfparse:"a,default=128"`
			B uint    `tfparse:"b,default=-1"`
			C int     `tfparse:"c,default=1.0"`
			D bool    `tfparse:"d,default=1"`
			E float32 `tfparse:"e,default=many"`
			F float64 `tfparse:"f,default=1e39"`
			G uint64  `tfparse:"g,default=9223372036854775808"`
		}{}, []string{
			"A", `want -128 to 127 for int8, got "128"`, "B", `for uint, got "-1"`, "C", `got "1.0"`, "D", `want true or false, got "1"`,
			"E", `want a float32, got "many"`, "F", `want a float32, got "1e39"`, "G", "want 0 to 9223372036854775807 for uint64",
		}},
		{"parts", struct {
			A inner   `tfparse:"name,context"`
			B inner   `tfparse:",context,round"`
			C inner   `tfparse:",context,sequence"`
			D []inner `tfparse:",context"`
			E inner   `tfparse:",examples"`
			F int     `tfparse:",sequence"`
			G struct {
				X int
			} `tfparse:",context"`
			H struct{ x int } `tfparse:",context"`
		}{}, []string{
			"A", "no name and no options", "B", "no name and no options", "C", "conflicting options context and sequence", "D", "want a struct",
			"E", "want a slice of structs", "F", "want a struct", "G.X", "no tag", "H", "no fields",
		}},
		{"two lists of examples", struct {
			A []inner `tfparse:",examples"`
			B []inner `tfparse:",examples"`
		}{}, []string{"B", "field A is already the list of examples"}},
		{"a part in a part", node{}, []string{"Kids.Kids", "examples inside examples"}},
		{"two messages", struct {
			A int   `tfparse:"a"`
			B inner `tfparse:",context"`
		}{}, []string{"", "cannot be combined with"}},
		{"sequence and examples", struct {
			A struct {
				A []int64 `tfparse:"a"`
			} `tfparse:",sequence"`
			B []inner `tfparse:",examples"`
		}{}, []string{"", "cannot be combined with"}},
		{"no steps", struct {
			A struct {
				A int64    `tfparse:"a"`
				B [2]int64 `tfparse:"b"`
				C *int64   `tfparse:"c"`
				D []int64  `tfparse:"d,default=0"`
			} `tfparse:",sequence"`
		}{}, []string{"A.A", "one element per step", "A.B", "one element per step", "A.C", "one element per step", "A.D", "option default"}},
		{"what the spec refuses", struct {
			A []int    `tfparse:"a"`
			B int      `tfparse:"b"`
			C [][]int  `tfparse:"c,row_lengths=b"`
			D [][]int  `tfparse:"d,uniform_row_length=0"`
			E [][]int  `tfparse:"e,row_lengths=f"`
			F []string `tfparse:"f"`
			G [][0]int `tfparse:"g"`
		}{}, []string{"C", `key "b"`, "D", "at least 1", "F", `key "f"`, "G", "at least 1"}},
	} {
		_, err := bind.Compile(reflect.TypeOf(c.typ))
		if err == nil {
			t.Errorf("%s: no error", c.what)
			continue
		}
		errs := []error{err}
		if list, ok := err.(interface{ Unwrap() []error }); ok {
			errs = list.Unwrap()
		}
		for i, err := range errs {
			var e *bind.TypeError
			if !errors.As(err, &e) {
				t.Errorf("%s: %T: %v", c.what, err, err)
				continue
			}
			if text := e.Error(); strings.Contains(text, "\n") || e.Field != "" && !strings.Contains(text, "field "+e.Field) || e.Tag != "" && !strings.Contains(text, e.Tag[:1]) {
				t.Errorf("%s: %s", c.what, text)
			}
			if 2*i+1 >= len(c.want) {
				t.Errorf("%s: one more: %v", c.what, err)
				continue
			}
			if e.Field != c.want[2*i] || !strings.Contains(e.Err.Error(), c.want[2*i+1]) {
				t.Errorf("%s: got field %q: %v, want field %q: %s", c.what, e.Field, e.Err, c.want[2*i], c.want[2*i+1])
			}
		}
		if len(errs) != len(c.want)/2 {
			t.Errorf("%s: %d errors, want %d", c.what, len(errs), len(c.want)/2)
		}
	}
}

// TestSpecErrors proves that errors.As finds the errors of the parser.
func TestSpecErrors(t *testing.T) {
	_, err := bind.New[struct {
		A int     `tfparse:"a"`
		B [][]int `tfparse:"b,row_lengths=a"`
	}](nil)
	var e *feature.SpecError
	if !errors.As(err, &e) || e.Feature != "b" {
		t.Errorf("got %v", err)
	}
	if _, err := bind.New[inner](&feature.ParserOptions{MaxRows: -1}); err == nil {
		t.Error("a negative limit is accepted")
	}
}

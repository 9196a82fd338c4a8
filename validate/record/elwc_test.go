package record_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/feature/infer"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/validate/record"
)

const elwcSchema = `
	feature { name: "query" type: BYTES presence { min_fraction: 1 } }
	feature { name: "##EXAMPLES##" type: STRUCT value_count { max: 3 } struct_domain {
		feature { name: "doc" type: INT presence { min_fraction: 1 } int_domain { min: 0 } }
		feature { name: "kind" type: BYTES domain: "kinds" } } }
	string_domain { name: "kinds" value: "a" }`

func list(t testing.TB, context example.Example, examples ...example.Example) []byte {
	return encode(t, &example.ExampleList{Context: context, HasContext: context != nil, Examples: examples})
}

func TestExampleList(t *testing.T) {
	c := checker(t, elwcSchema, &record.Options{Message: example.TypeExampleList})
	query := example.Example{"query": example.Strings("q")}
	doc := example.Example{"doc": example.Int64s(1), "kind": example.Strings("a")}
	for name, x := range map[string]struct {
		msg  []byte
		want []string
	}{
		"sound":           {list(t, query, doc, doc), nil},
		"without example": {list(t, query), nil},
		"values of an example": {list(t, query, doc, doc, example.Example{"doc": example.Int64s(1, -2), "kind": example.Strings("b")}), []string{
			`feature "##EXAMPLES##.doc": example 2: value 1: INT_TYPE_SMALL_INT: want at least 0, got -2`,
			`feature "##EXAMPLES##.kind": example 2: value 0: ENUM_TYPE_UNEXPECTED_STRING_VALUES: want a value of the domain, got "b"`}},
		"too many examples": {list(t, query, doc, doc, doc, doc), []string{`feature "##EXAMPLES##": FEATURE_TYPE_HIGH_NUMBER_VALUES: want at most 3 examples, got 4`}},
		"no context": {list(t, nil, doc), []string{
			`feature "query": FEATURE_TYPE_LOW_FRACTION_PRESENT: want a required feature, got none`}},
		"other names": {list(t, example.Example{"query": example.Strings("q"), "doc": example.Int64s(1)}, example.Example{"doc": example.Int64s(1), "query": example.Strings("q")}), []string{
			`feature "doc": SCHEMA_NEW_COLUMN: want a feature of the schema, got another name`,
			`feature "##EXAMPLES##.query": example 0: SCHEMA_NEW_COLUMN: want a feature of the schema, got another name`}},
	} {
		if got := texts(c.Check(x.msg)); !slices.Equal(got, x.want) {
			t.Errorf("%s: %q, wanted %q", name, got, x.want)
		}
	}

	for i, f := range c.Check(list(t, example.Example{"other": {}}, example.Example{}, example.Example{})) {
		if want := []int{-1, -1, 0, 1}[i]; f.Example != want { // other is new, query is missing
			t.Errorf("%v is in example %d, wanted %d", f, f.Example, want)
		}
	}
	msg := list(t, query, doc, example.Example{"doc": example.Floats(7)})
	found := c.Check(msg)
	if len(found) != 1 || found[0].Offset <= 0 || !strings.Contains(string(msg[:found[0].Offset]), "doc") {
		t.Errorf("the offset in the whole record: %+v", found)
	}
	bad := slices.Clone(msg)
	bad[len(bad)-1] = 0xff // cuts the last example
	for i := range bad {
		for _, f := range c.Check(bad[:i]) { // every finding has a position
			if f.Rule == record.BadRecord && f.Err == nil {
				t.Errorf("%d bytes: %v", i, f)
			}
		}
	}
	if few := checker(t, elwcSchema, &record.Options{Message: example.TypeExampleList, MaxFindings: 1}).Check(list(t, nil, nil, nil)); len(few) != 2 || few[1].Rule != record.MoreFindings {
		t.Errorf("%q, wanted one finding and one that counts the others", texts(few))
	} else if all := c.Check(list(t, nil, nil, nil)); few[1].Count != len(all)-1 {
		t.Errorf("%d more findings, wanted %d", few[1].Count, len(all)-1)
	}
}

// TestExampleListPairs checks inferred pairs in the examples and in the context.
func TestExampleListPairs(t *testing.T) {
	in := infer.New(example.TypeExampleList, nil)
	rows := func(n int, lengths ...int64) example.Example {
		return example.Example{"w": example.Int64s(make([]int64, n)...), "w/lengths": example.Int64s(lengths...)}
	}
	for n := range 20 {
		if err := in.Add(list(t, rows(n+2, int64(n), 2), rows(n+3, int64(n), 3), rows(5, 2, 3))); err != nil {
			t.Fatal(err)
		}
	}
	c, err := record.NewChecker(nil, &record.Options{Message: example.TypeExampleList, Pairs: in.Report().Pairs})
	if err != nil {
		t.Fatal(err)
	}
	found := c.Check(list(t, rows(4, 2, 1), rows(5, 2, 3), rows(5, 2, 4)))
	for i, f := range found {
		if g := []feature.Group{feature.InContext, feature.InExamples}[i]; !f.Warning || f.Pair == nil || f.Pair.Group != g || f.Pair.Of != "w" {
			t.Errorf("the pair of %v is %+v", f, f.Pair)
		}
	}
	got := texts(found)
	want := []string{
		`feature "w/lengths": RAGGED_STRUCTURE: want 4 values in all (of "w"), got row_lengths for 3`,
		`feature "##EXAMPLES##.w/lengths": example 1: RAGGED_STRUCTURE: want 5 values in all (of "##EXAMPLES##.w"), got row_lengths for 6`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, wanted %q", got, want)
	}
	spec := feature.Spec{Examples: feature.Features{"w": feature.Ragged{DType: feature.Int64, Partitions: []feature.Partition{feature.RowLengths("w/lengths")}}}}
	if c, err = record.NewChecker(nil, &record.Options{Message: example.TypeExampleList, Spec: spec}); err != nil {
		t.Fatal(err)
	}
	if got := c.Check(list(t, rows(4, 2, 1), rows(5, 2, 4))); len(got) == 1 && got[0].Pair != nil {
		t.Error("a pair that is declared was not found by looking")
	}
	if got := texts(c.Check(list(t, rows(4, 2, 1), rows(5, 2, 4)))); len(got) != 1 || !strings.Contains(got[0], "example 0: ") {
		t.Errorf("a declared column: %q", got)
	}
	for _, o := range []record.Options{{Spec: feature.Spec{Features: feature.Features{}}}, {Pairs: []infer.Pair{{Group: feature.InFeatures}}}} {
		o.Message = example.TypeExampleList
		if _, err := record.NewChecker(nil, &o); err == nil {
			t.Error("options of other records: no error")
		}
	}
}

func TestExampleListNoAllocation(t *testing.T) {
	if testkit.Race {
		t.Skip("skipped: the race detector allocates")
	}
	c := checker(t, elwcSchema, &record.Options{Message: example.TypeExampleList})
	doc := example.Example{"doc": example.Int64s(1), "kind": example.Strings("a")}
	msg := list(t, example.Example{"query": example.Strings("q")}, doc, doc, doc)
	if n := testing.AllocsPerRun(1000, func() { c.Check(msg) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 200 {
				if found := c.Check(msg); found != nil {
					t.Error(found)
				}
			}
		})
	}
	group.Wait()
}

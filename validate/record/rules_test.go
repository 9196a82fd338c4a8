package record_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/internal/test/testkit"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/record"
)

// TestRules checks the findings of rules, with and without a schema.
func TestRules(t *testing.T) {
	rules, err := expr.ParseRules("len(a) == len(b.c)\nwarning: all(a < 2)\nmax(a) < 1\n`b.c` != 3")
	if err != nil {
		t.Fatal(err)
	}
	encode := func(m interface{ MarshalBinary() ([]byte, error) }) []byte {
		b, err := m.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	good := encode(example.Example{"a": example.Int64s(1), "b.c": example.Int64s(1)})
	bad := encode(example.Example{"a": example.Int64s(1, 2, 3), "b.c": example.Int64s(3)})
	schema := &pb.Schema{Feature: []*pb.Feature{{Name: new("a"), Type: pb.FeatureType_INT.Enum()}}}
	all := []string{
		`feature "a": CUSTOM_VALIDATION: want len(a) == len(b.c), got len(a) 3, len(b.c) 1 warning=false`,
		`feature "a": value 1: CUSTOM_VALIDATION: want a < 2, got a 2 and 1 more warning=true`,
		`feature "'b.c'": value 0: CUSTOM_VALIDATION: want b.c != 3, got b.c 3 warning=false`,
	}
	newColumn := `feature "'b.c'": SCHEMA_NEW_COLUMN: want a feature of the schema, got another name warning=false`
	more := func(n, of int, warning bool) string {
		return fmt.Sprintf("MORE_FINDINGS: want at most %d findings in a record, got %d more warning=%v", of, n, warning)
	}
	for _, c := range []struct {
		schema *pb.Schema
		opts   record.Options
		msg    []byte
		want   []string
	}{
		{nil, record.Options{}, good, nil},
		{nil, record.Options{}, bad, all},
		{schema, record.Options{}, bad, append([]string{newColumn}, all...)},
		{schema, record.Options{MaxFindings: 2}, bad, []string{newColumn, all[0], more(2, 2, false)}},
		{schema, record.Options{MaxFindings: 1}, bad, []string{newColumn, more(3, 1, false)}},
		{nil, record.Options{MaxFindings: 1}, bad, []string{all[0], more(2, 1, false)}},
		{schema, record.Options{Ignore: []string{"CUSTOM_VALIDATION"}}, bad, []string{newColumn}},
		{nil, record.Options{}, bad[:len(bad)-1], []string{"BAD_RECORD: example: unexpected EOF at byte"}},
	} {
		c.opts.Rules = rules
		checker, err := record.NewChecker(c.schema, &c.opts)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range checker.Check(c.msg) {
			text := fmt.Sprintf("%v warning=%v", f, f.Warning)
			if f.Err != nil {
				text = text[:43]
			}
			got = append(got, text)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%v: %s", c.opts.MaxFindings, d)
		}
		if c.want == nil && !testkit.Race {
			if n := testing.AllocsPerRun(100, func() { checker.Check(c.msg) }); n >= 1 {
				t.Errorf("%v allocations", n)
			}
		}
	}
	ofLists, err := expr.ParseRules("all(list(a) < 2)\nq == 1")
	if err != nil {
		t.Fatal(err)
	}
	for typ, msg := range map[example.MessageType][]byte{
		example.TypeSequence:    encode(example.Sequence{Context: example.Example{"q": example.Int64s(1)}, Lists: map[string][]example.Value{"a": {example.Int64s(1), example.Int64s(1, 2)}}}),
		example.TypeExampleList: encode(example.ExampleList{Context: example.Example{"q": example.Int64s(2)}, HasContext: true, Examples: []example.Example{{"a": example.Int64s(1)}, {"a": example.Int64s(1, 2)}}}),
	} {
		checker, err := record.NewChecker(nil, &record.Options{Message: typ, Rules: ofLists})
		if err != nil {
			t.Fatal(err)
		}
		want := map[example.MessageType]string{
			example.TypeSequence: `[feature "##SEQUENCE##.a": step 1: value 1: CUSTOM_VALIDATION: want list(a) < 2, got list(a) 2]`,
			example.TypeExampleList: `[feature "##EXAMPLES##.a": example 1: value 1: CUSTOM_VALIDATION: want list(a) < 2, got list(a) 2 ` +
				`feature "q": CUSTOM_VALIDATION: want q == 1, got q [2]]`,
		}[typ]
		if got := fmt.Sprint(checker.Check(msg)); got != want {
			t.Errorf("%v: %s\nwant %s", typ, got, want)
		}
	}
}

package expr_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// TestViolations checks the texts and positions of violations.
func TestViolations(t *testing.T) {
	x := encoded(t, example.Example{
		"a": example.Int64s(1, 5, 7), "b": example.Int64s(2, 4, 6), "short": example.Floats(0.1), "s": example.Strings("x", strings.Repeat("long", 30)), "many": example.Int64s(1, 2, 3, 4, 5, 6), "type": example.Int64s(3),
	})
	s := encoded(t, example.Sequence{Context: example.Example{"c": example.Int64s(1)}, Lists: map[string][]example.Value{
		"a": {example.Int64s(1), example.Int64s(5, 7)}, "b": {example.Int64s(2), example.Int64s(6, 6)}, "few": {example.Int64s(1)}, "mixed": {example.Int64s(1), example.Strings("x")},
	}})
	l := encoded(t, example.ExampleList{Context: example.Example{"c": example.Int64s(1)}, HasContext: true, Examples: []example.Example{
		{"a": example.Int64s(1), "b": example.Int64s(2)}, {"a": example.Int64s(9), "b": example.Int64s(3)}, {"a": example.Int64s(1), "b": example.Strings("x")},
	}})
	none := expr.Violation{Example: -1, Step: -1, Value: -1, Count: 1}
	at := func(v expr.Violation, change func(v *expr.Violation)) expr.Violation {
		change(&v)
		return v
	}
	for _, c := range []struct {
		rule     string
		typ      example.MessageType
		msg      []byte
		observed string
		want     expr.Violation // without texts
		expected string         // "": the rule
	}{
		{"len(a) == len(short)", example.TypeExample, x, "len(a) 3, len(short) 1", at(none, func(v *expr.Violation) { v.Feature = "a" }), ""},
		{"all(a < b)", example.TypeExample, x, "a 5, b 4", at(none, func(v *expr.Violation) { v.Feature, v.Value, v.Count = "a", 1, 2 }), "a < b"},
		{"has(a) && all(a < b && a != 5)", example.TypeExample, x, "a 5, b 4", at(none, func(v *expr.Violation) { v.Feature, v.Value, v.Count = "a", 1, 2 }), "a < b && a != 5"},
		{"all(a) < 6", example.TypeExample, x, "a 7", at(none, func(v *expr.Violation) { v.Feature, v.Value = "a", 2 }), ""},
		{"a != 5", example.TypeExample, x, "a 5", at(none, func(v *expr.Violation) { v.Feature, v.Value = "a", 1 }), ""},
		{"any(a == b)", example.TypeExample, x, "a [1, 5, 7], b [2, 4, 6]", at(none, func(v *expr.Violation) { v.Feature = "a" }), ""},
		{"any(many) > 6 || short == 0.2", example.TypeExample, x, "any(many) [1, 2, 3, 4, 5, …], short [0.1]", at(none, func(v *expr.Violation) { v.Feature = "many" }), ""},
		{"!(a[0] == 1)", example.TypeExample, x, "a[0] 1", at(none, func(v *expr.Violation) { v.Feature = "a" }), ""},
		{"record: has(gone)", example.TypeExample, x, "has(gone) is false", at(none, func(v *expr.Violation) { v.Feature, v.Offset = "gone", -1 }), "has(gone)"},
		{"gone > 5 && a > 5", example.TypeExample, x, "gone []", at(none, func(v *expr.Violation) { v.Feature, v.Offset = "gone", -1 }), "gone > 5"},
		{"a[9] > 5", example.TypeExample, x, "a[9] none", at(none, func(v *expr.Violation) { v.Feature = "a" }), ""},
		{"s !~ \"^long\"", example.TypeExample, x, `s "` + strings.Repeat("long", 20) + `"…`, at(none, func(v *expr.Violation) { v.Feature, v.Value = "s", 1 }), ""},
		{"all(a < short)", example.TypeExample, x, "1", at(none, func(v *expr.Violation) { v.Feature = "short" }), "3 values, as a, in all(a < short)"},
		{"s > 3", example.TypeExample, x, "bytes_list", at(none, func(v *expr.Violation) { v.Feature = "s" }), "int64_list or float_list, in s > 3"},
		{"record: type == 4", example.TypeExample, x, "type [3]", at(none, func(v *expr.Violation) { v.Feature = "type" }), "type == 4"},
		{"all(list(a) < list(b))", example.TypeSequence, s, "list(a) 7, list(b) 6", at(none, func(v *expr.Violation) { v.Feature, v.InList, v.Step, v.Value = "a", true, 1, 1 }), "list(a) < list(b)"},
		{"all(list(a) < list(few))", example.TypeSequence, s, "1", at(none, func(v *expr.Violation) { v.Feature, v.InList = "few", true }), "2 steps, as list(a), in all(list(a) < list(few))"},
		{"all(list(mixed)) < 3", example.TypeSequence, s, "bytes_list", at(none, func(v *expr.Violation) { v.Feature, v.InList, v.Step = "mixed", true, 1 }), "int64_list or float_list, in all(list(mixed)) < 3"},
		{"c > len(list(a))", example.TypeSequence, s, "c [1], len(list(a)) 2", at(none, func(v *expr.Violation) { v.Feature = "c" }), ""},
		{"all(list(a) < 5)", example.TypeExampleList, l, "list(a) 9", at(none, func(v *expr.Violation) { v.Feature, v.InList, v.Example, v.Value = "a", true, 1, 0 }), "list(a) < 5"},
		{"all(list(a)) < 9 || list(b) == 7", example.TypeExampleList, l, "bytes_list", at(none, func(v *expr.Violation) { v.Feature, v.InList, v.Example = "b", true, 2 }), "int64_list or float_list, in all(list(a)) < 9 || list(b) == 7"},
		{"c == 2", example.TypeExampleList, l, "c [1]", at(none, func(v *expr.Violation) { v.Feature = "c" }), ""},
	} {
		rules, err := expr.ParseRules(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		all, err := rules.CheckRecord(c.typ, c.msg)
		if err != nil || len(all) != 1 || len(rules.OfRecords()) != 1 {
			t.Errorf("%s: %v, %v", c.rule, all, err)
			continue
		}
		if c.expected == "" {
			c.expected = c.rule
		}
		c.want.Expected, c.want.Observed, c.want.Text = c.expected, c.observed, "want "+c.expected+", got "+c.observed
		got := all[0]
		if got.Offset > 0 { // the offset depends on the order of the features
			got.Offset = 0
		}
		if d := cmp.Diff(c.want, got, cmpopts.IgnoreFields(expr.Violation{}, "Rule")); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.rule, d)
		}
	}
}

// TestParseRules checks which rules are about records, and that comments and prefixes are removed.
func TestParseRules(t *testing.T) {
	rules, err := expr.ParseRules("\ufeff# comment\r\n\n max(x) < 5 # \"\nwarning: len(x) == 2\r\nerror:record: max == \"#\" # it\nhas(x)\nx[0] < max[1]\n`max` > 2\nx < 3 && !has(y)\nwarning:  y + list(z)[0][0] > 3 || has(list(z))\nabs(name2) < 3")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, all := range [][]*expr.Rule{rules.OfStatistics(), rules.OfRecords()} {
		for _, r := range all {
			got = append(got, fmt.Sprintf("%d: line %d: %s, %v", i, r.Line, r.Text, r.Warning))
		}
	}
	want := []string{"0: line 3: max(x) < 5, false", "0: line 6: has(x), false", "1: line 4: len(x) == 2, true", `1: line 5: max == "#", false`, "1: line 7: x[0] < max[1], false", "1: line 8: `max` > 2, false",
		"1: line 9: x < 3 && !has(y), false", "1: line 10: y + list(z)[0][0] > 3 || has(list(z)), true", "1: line 11: abs(name2) < 3, false"}
	if d := cmp.Diff(want[:7], got[:min(7, len(got))]); d != "" {
		t.Error(d)
	}
	for text, want := range map[string]string{
		"max(x) <":                           `line 1, column 9: want a statistic or a number, got the end`,
		" warning: record: x <":              `line 1, column 22: want a feature or a constant, got the end`,
		"\nlen(x) == max(x)":                 `line 2, column 1: len works on records, this rule on statistics; prefix it with record:`,
		"any(x < y) || max < 3":              `line 1, column 1: any works on records, this rule on statistics; prefix it with record:`,
		"list(x) < max":                      `line 1, column 1: list works on records, this rule on statistics; prefix it with record:`,
		"isnan(x) || max < 1":                `line 1, column 1: isnan works on records, this rule on statistics; prefix it with record:`,
		"`x` < max":                          "line 1, column 1: want a statistic or a number, got the name \"x\"",
		"x < max":                            `line 1, column 1: there is no statistic "x"; want one of avg_length`,
		"has(x[0]) && max < 3":               `line 1, column 5: want the name of a feature, got x`,
		"record: max(x) < 3":                 `line 1, column 9: there is no function "max"; want one of abs`,
		"record: x before < 3":               `line 1, column 11: want a comparison such as == or in, got the name "before"`,
		"x before < 3":                       `line 1, column 1: there is no statistic "x"`,
		"x < 3 < 4":                          `line 1, column 7: want &&, || or the end, got "<"`,
		"record: warning: x < 3":             `line 1, column 16: unexpected ":"`,
		strings.Repeat("# comment\n", 2e5):   `line 1, column 1: rules of more than 1048576 bytes`,
		"\u00fcber == 1 || \u00fcber \u00df": `line 1, column 19: want a comparison such as == or in, got the name "ß"`,
	} {
		_, err := expr.ParseRules(text)
		if _, ok := errors.AsType[*expr.SyntaxError](err); !ok || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v\nwant %s", text, err, want)
		}
	}
	features, err := expr.ParseRules("len(x) == len(`a b`)\n\n warning: !has(y) || any(list(y) == list(z)) && y == 3")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]expr.RuleFeature{{"x", false, 1, 5}, {"a b", false, 1, 15}, {"y", true, 3, 31}, {"z", true, 3, 42}}, features.Features()); d != "" {
		t.Error(d)
	}
}

// TestCheckRecord checks that checking rules does not allocate, and that damaged records are errors, not violations.
func TestCheckRecord(t *testing.T) {
	rules, err := expr.ParseRules("len(tokens) == len(tags)\nall(tokens > 0)\nlabel in [1, 2, 3] && score == 0.1")
	if err != nil {
		t.Fatal(err)
	}
	msg := encoded(t, recipe)
	if !testkit.Race { // with the race detector, sync.Pool drops items at random
		if n := testing.AllocsPerRun(200, func() {
			if all, err := rules.CheckRecord(example.TypeExample, msg); all != nil || err != nil {
				t.Fatal(all, err)
			}
		}); n >= 1 {
			t.Errorf("%v allocations", n)
		}
	}
	if all, err := rules.CheckRecord(example.TypeExample, msg[:len(msg)-1]); all != nil || err == nil {
		t.Errorf("a record that is cut: %v, %v", all, err)
	}
	none, err := expr.ParseRules("max(x) < 5")
	if err != nil {
		t.Fatal(err)
	}
	if all, err := none.CheckRecord(example.TypeExample, []byte{1}); all != nil || err != nil {
		t.Errorf("without rules about records: %v, %v", all, err)
	}
}

// someStatistics are the statistics that FuzzExpr checks rules against.
type someStatistics struct{}

func (someStatistics) Value(s *expr.Statistic) (float64, string, error) {
	if len(s.Feature) > 3 {
		return 0, "", errors.New("there is none")
	}
	return float64(len(s.Feature)), s.Name, nil
}

func (someStatistics) Has(s *expr.Statistic) error {
	if len(s.Feature) > 3 {
		return errors.New("there is none")
	}
	return nil
}

// FuzzExpr compiles arbitrary text as an expression and as rules, and evaluates it for arbitrary messages.
func FuzzExpr(f *testing.F) {
	page, err := os.ReadFile("../docs/expressions.md")
	if err != nil {
		f.Fatal(err)
	}
	msg := encoded(f, recipe)
	for line := range strings.Lines(string(page)) {
		if text, _, ok := strings.Cut(line, " # "); ok {
			f.Add(strings.TrimSpace(text), msg)
		}
	}
	f.Add("!(any(`a b`) in [1, 2.5]) || list(x)[1][-1] =~ 'x'", msg)
	f.Add(`isnan(nans) && has(feature("a\xff"))`, []byte{0x0a, 1})
	types := []example.MessageType{example.TypeExample, example.TypeSequence, example.TypeExampleList}
	f.Fuzz(func(t *testing.T, text string, msg []byte) {
		if rules, err := expr.ParseRules(text); err != nil {
			if e, ok := err.(*expr.SyntaxError); !ok || e.Line < 1 || e.Column < 1 || e.Column > len(text)+1 {
				t.Fatalf("%q: %v", text, err)
			}
		} else {
			for _, r := range rules.OfStatistics() {
				if v := r.Check(someStatistics{}); v != nil && (v.Text == "" || v.Expected == "") {
					t.Fatalf("%q: %v", text, v)
				}
			}
			for _, typ := range types {
				all, err := rules.CheckRecord(typ, msg)
				if len(all) > len(rules.OfRecords()) || err != nil && all != nil {
					t.Fatalf("%q: %v, %v", text, all, err)
				}
			}
		}
		x, err := expr.Compile(text)
		if err != nil {
			if e, ok := err.(*expr.SyntaxError); !ok || e.Column < 1 || e.Column > len(text)+1 {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		for _, typ := range types {
			first, err1 := x.Match(typ, msg)
			second, err2 := x.Match(typ, msg)
			if first != second || (err1 == nil) != (err2 == nil) || first && err1 != nil {
				t.Fatalf("%q: %v, %v; then %v, %v", text, first, err1, second, err2)
			}
		}
	})
}

func ExampleParseRules() {
	_, err := expr.ParseRules("max(trip_miles) <")
	fmt.Println(err)
	// Output:
	// line 1, column 18: want a statistic or a number, got the end
}

func ExampleRules_CheckRecord() {
	rules, err := expr.ParseRules("len(labels) == len(xmin)\nall(xmin < xmax)\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	msg, err := example.Example{"labels": example.Int64s(3), "xmin": example.Floats(0.1, 0.8), "xmax": example.Floats(0.5, 0.6)}.MarshalBinary()
	if err != nil {
		fmt.Println(err)
		return
	}
	violations, err := rules.CheckRecord(example.TypeExample, msg)
	for _, v := range violations {
		fmt.Printf("line %d: %s: value %d: %s\n", v.Rule.Line, v.Feature, v.Value, v.Text)
	}
	fmt.Println(err)
	// Output:
	// line 1: labels: value -1: want len(labels) == len(xmin), got len(labels) 1, len(xmin) 2
	// line 2: xmin: value 1: want xmin < xmax, got xmin 0.8, xmax 0.6
	// <nil>
}

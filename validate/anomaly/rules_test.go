package anomaly_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/prototext"

	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/internal/test/testkit"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/anomaly"
)

func list(t testing.TB, text string) *pb.DatasetFeatureStatisticsList {
	t.Helper()
	l := &pb.DatasetFeatureStatisticsList{}
	if err := prototext.Unmarshal([]byte(text), l); err != nil {
		t.Fatal(err)
	}
	return l
}

// A ruleData holds the data sets of a test.
type ruleData struct {
	Now, Before, Serving *pb.DatasetFeatureStatisticsList
	Schema               *pb.Schema
}

// check returns the findings of the rules in a text.
func (d ruleData) check(text string) (all []anomaly.Finding, err error) {
	rules, err := expr.ParseRules(text)
	if err != nil {
		return nil, err
	}
	opts := &anomaly.Options{Previous: d.Before, Serving: d.Serving, Report: func(f anomaly.Finding) { all = append(all, f) }}
	_, err = anomaly.CheckRules(&pb.Anomalies{}, rules, d.Now, d.Schema, opts)
	return all, err
}

const today = `datasets { num_examples: 1000
  features { path { step: "miles" } type: FLOAT num_stats { common_stats { num_non_missing: 1000 tot_num_values: 1000 min_num_values: 1 max_num_values: 1 avg_num_values: 1 }
    mean: 12.5 std_dev: 3 min: 0 max: 812 median: 11 num_zeros: 4 } }
  features { path { step: "city" } type: STRING string_stats { common_stats { num_non_missing: 750 num_missing: 250 tot_num_values: 750 min_num_values: 1 max_num_values: 1 } unique: 12 avg_length: 4.5 } }
  features { path { step: "empty" } type: INT num_stats { common_stats { num_non_missing: 1000 } } }
  features { path { step: "a" step: "b.c" } type: INT num_stats { common_stats { num_non_missing: 1 num_missing: 999 tot_num_values: 1 } mean: 1 min: 1 max: 1 median: 1 } }
}`

const yesterday = `datasets { num_examples: 2000
  features { path { step: "miles" } type: FLOAT num_stats { common_stats { num_non_missing: 2000 tot_num_values: 2000 } mean: 5 std_dev: 3 max: 90 median: 4 } }
  features { path { step: "gone" } type: INT num_stats { common_stats { num_non_missing: 2000 tot_num_values: 2000 } mean: 5 } }
}`

// TestRules checks which rules fail, for which features, and the texts.
func TestRules(t *testing.T) {
	data := ruleData{Now: list(t, today), Before: list(t, yesterday), Schema: &pb.Schema{Feature: []*pb.Feature{{Name: new("planned"), Type: pb.FeatureType_FLOAT.Enum()}}}}
	for _, c := range []struct {
		rule string
		want []string // path: text
	}{
		{"max(miles) < 500", []string{"miles: max(miles) is 812, wanted < 500"}},
		{"max(miles) < 1000", nil},
		{"500 > max(miles)", []string{"miles: 500 is 500, wanted > max(miles) (max(miles) 812)"}},
		{"num_missing / num_examples < 0.01", []string{
			"city: num_missing / num_examples is 0.25, wanted < 0.01 (num_missing 250, num_examples 1000)",
			"a.'b.c': num_missing / num_examples is 0.999, wanted < 0.01 (num_missing 999, num_examples 1000)"}},
		{"mean(miles) / mean(miles) before in 0.8..1.25", []string{"miles: mean(miles) / mean(miles) before is 2.5, wanted 0.8..1.25 (mean(miles) 12.5, mean(miles) before 5)"}},
		{"mean / mean before in 0.8..1.25", []string{"miles: mean / mean before is 2.5, wanted 0.8..1.25 (mean 12.5, mean before 5)"}}, // of the features that both have
		{"mean now / mean before in 2..3", nil},
		{"num_examples >= num_examples before", []string{": num_examples is 1000, wanted >= num_examples before (num_examples before 2000)"}},
		{"abs(mean(miles) - 10) * 2 <= 1 + 3", []string{"miles: abs(mean(miles) - 10) * 2 is 5, wanted <= 1 + 3 (mean(miles) 12.5)"}},
		{"(mean(miles) - 10) * 2 == 5", nil},
		{"mean(miles) -10 == 2.5 && -mean(miles) == -12.5", nil},
		{"max(miles) < 500 || unique(city) < 10", []string{"miles: max(miles) is 812, wanted < 500; and unique(city) is 12, wanted < 10"}},
		{"max(miles) > 500 && unique(city) < 10", []string{"miles: unique(city) is 12, wanted < 10"}},
		{"!(max(miles) > 500)", []string{"miles: max(miles) > 500 is true, wanted false (max(miles) 812)"}},
		{`type in ["float", "int"]`, []string{`city: type is "string", wanted in ["float", "int"]`}},
		{`type not in ["string"] || name == "city"`, nil},
		{`name =~ "^(miles|city|empty|a)"`, nil},
		{`name < "f" || type == "float"`, nil},
		{`name !~ "y$"`, []string{`city: name is "city", wanted !~ "y$"`, `empty: name is "empty", wanted !~ "y$"`}},
		{"max(`a.'b.c'`) == 1 && max(feature(\"a.'b.c'\")) == 1", nil},
		{"max(empty) < 5", []string{"empty: max(empty) has no value in the data set: the feature has no numbers, wanted max(empty) < 5"}},
		{"max(planned) < 5", []string{"planned: there is no feature planned in the data set, wanted max(planned) < 5"}},
		{"!has(planned) || max(planned) < 5", nil},
		{"has(planned)", []string{"planned: there is no feature planned in the data set"}},
		{"num_zeros / num_missing < 5", []string{"miles: num_zeros / num_missing is +Inf, wanted < 5 (num_zeros 4, num_missing 0)", "empty: num_zeros / num_missing is NaN, wanted < 5 (num_zeros 0, num_missing 0)"}},
		{"min_num_values == 1", []string{"empty: min_num_values is 0, wanted == 1", "a.'b.c': min_num_values is 0, wanted == 1"}},
		{"unique <= 0x10 # a comment", nil},
		{`name != "#" # "`, nil},
		{"warning: num_examples > 5000", []string{": num_examples is 1000, wanted > 5000"}},
	} {
		all, err := data.check("# comment\n\n  " + c.rule + "\r\n")
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		var got []string
		for _, v := range all {
			got = append(got, pathText(v.Path)+": "+v.Text)
			if warning := v.Severity == pb.AnomalyInfo_WARNING; v.Type != pb.AnomalyInfo_CUSTOM_VALIDATION || warning != strings.HasPrefix(c.rule, "warning") {
				t.Errorf("%s: %v", c.rule, v)
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.rule, d)
		}
	}
}

// TestRuleSides checks Expected and Observed of violations.
func TestRuleSides(t *testing.T) {
	for text, want := range map[string][2]string{
		"max(miles) < 500":                      {"< 500", "812"},
		"num_missing(city) / num_examples < .1": {"< 0.1", "0.25"},
		"mean(miles) in 1..5":                   {"1..5", "12.5"},
		"type(city) in [\"int\"]":               {`in ["int"]`, `"string"`},
		"max(miles) < 5 || unique(city) < 5":    {"max(miles) < 5 || unique(city) < 5", "max(miles) 812, unique(city) 12"},
		"max(miles) > 5 && unique(city) < 5":    {"< 5", "12"},
		"!(max(miles) > 5)":                     {"!(max(miles) > 5)", "max(miles) 812"},
		"max(empty) < 5":                        {"max(empty) < 5", "max(empty) has no value in the data set: the feature has no numbers"},
		"has(other)":                            {"has(other)", "there is no feature other in the data set"},
	} {
		all, err := ruleData{Now: list(t, today)}.check(text)
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: %v, %v", text, all, err)
		}
		if got := [2]string{all[0].Expected, all[0].Observed}; got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func pathText(path []string) string {
	for i, step := range path {
		if strings.Contains(step, ".") {
			path[i] = "'" + step + "'"
		}
	}
	return strings.Join(path, ".")
}

// TestRuleErrors checks positions and texts of errors in rules.
func TestRuleErrors(t *testing.T) {
	for text, want := range map[string]string{
		"max(miles)":                            `line 1, column 11: want a comparison such as == or in, got the end`,
		"\n\n mean(miles) < ":                   `line 3, column 15: want a statistic or a number, got the end`,
		"max(miles) < 5 5":                      `line 1, column 16: want &&, || or the end, got the number 5`,
		"maximum(miles) < 5":                    `line 1, column 1: there is no statistic "maximum"; want one of avg_length, avg_num_bytes,`,
		"warning: num_missing/num_examples < 1": `line 1, column 10: there is no statistic "num_missing/num_examples" (with a space, num_missing / is an operation)`,
		"error: warning: max < 5":               `line 1, column 15: unexpected ":"`,
		"num_examples(miles) < 5":               `line 1, column 1: num_examples describes the whole data set; it takes no feature`,
		"1 < 2":                                 `line 1, column 3: < compares two constants; name a statistic`,
		"type == 5":                             `line 1, column 6: == compares a number with a string`,
		"max =~ \"a\"":                          `line 1, column 1: =~ matches strings; want name, type or slice to its left`,
		"name =~ \"(\"":                         "line 1, column 9: error parsing regexp: missing closing ): `(`",
		"max / 0 < 1":                           `line 1, column 5: division by zero: / 0`,
		"max / (2 - 2) + 1 < 1":                 `line 1, column 5: division by zero: / (2 - 2)`,
		"num_examples * 2 / abs(-0.0) < 1":      `line 1, column 18: division by zero: / abs(-0)`,
		"quantile(miles) < 5":                   `line 1, column 1: quantile takes a feature and a number from 0 to 1`,
		"quantile(miles, 99) < 5":               `line 1, column 17: want a number from 0 to 1, got the number 99`,
		"quantile < 5":                          `line 1, column 1: quantile takes a feature and a number from 0 to 1`,
		"share(city, Oslo) < 5":                 `line 1, column 13: want a value as a string, got the name "Oslo"`,
		"share(miles, \"1\", 2) < 5":            `line 1, column 1: share takes a feature and a value as a string`,
		"max(miles, 5) < 5":                     `line 1, column 12: max takes only a feature`,
		"quantile(city, 0.5) < 5":               `line 1, column 1: quantile is a statistic of numbers, but city has type BYTES`,
		"jensen_shannon(miles) < 0.1":           `line 1, column 1: jensen_shannon compares two data sets: want before or serving after it`,
		"jensen_shannon(miles) now < 0.1":       `line 1, column 1: jensen_shannon compares two data sets`,
		"jensen_shannon(miles) before < 0.1":    `line 1, column 1: there is no data set "before"`,
		"max in 5..4":                           `line 1, column 8: the range 5..4 is empty`,
		"max in 5":                              `line 1, column 8: want a range such as 0.8..1.25, or a list such as [1, 2], got the number 5`,
		"max in [1, \"a\"]":                     `line 1, column 12: want a number, got the string "a"`,
		"name + 1 < 5":                          `line 1, column 6: + calculates with numbers, got a string`,
		"max(miles < 5":                         `line 1, column 11: want ")", got "<"`,
		"slice(miles) == \"\"":                  `line 1, column 1: slice describes the whole data set; it takes no feature`,
		"slice before == \"\"":                  `line 1, column 1: slice names a slice of the checked data set only`,
		"max(5) < 5":                            `line 1, column 5: want the name of a feature, got the number 5`,
		"max(`miles) < 5":                       "line 1, column 5: the quote ` has no end",
		strings.Repeat("(", 200) + "max < 5":    `line 1, column 101: the expression nests more than 100 deep`,
		strings.Repeat("-", 200) + "max < 5":    `line 1, column 101: the expression nests more than 100 deep`,
		"max(mile) < 5":                         `line 1, column 1: there is no feature "mile" in the statistics; is it "miles"?`,
		"max < 5 || mean(Miles) < 5":            `line 1, column 12: there is no feature "Miles" in the statistics; is it "miles"?`,
		"mean(city) < 5":                        `line 1, column 1: mean is a statistic of numbers, but city has type BYTES`,
		"max < 5 * max before":                  `line 1, column 11: there is no data set "before": the previous data set is not given`,
		"mean serving < 5":                      `line 1, column 1: there is no data set "serving": the serving data set is not given`,
	} {
		_, err := ruleData{Now: list(t, today)}.check(text)
		if _, ok := errors.AsType[*expr.SyntaxError](err); !ok || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v\nwant %s", text, err, want)
		}
	}
}

// TestRulesLikeGo compares random rules with the same expressions as package go/parser reads them, calculated in float64.
func TestRulesLikeGo(t *testing.T) {
	data := ruleData{Now: list(t, today)}
	g := generator{r: rand.New(rand.NewPCG(19, 1))}
	compared := 0
	for range testkit.Rounds(3000) {
		ours, theirs := g.condition(3)
		tree, err := parser.ParseExpr(theirs)
		if err != nil {
			t.Fatal(err)
		}
		want := evaluation{}
		want.condition(t, tree)
		if want.dividesByZero {
			continue
		}
		all, err := data.check(ours)
		if err != nil {
			if strings.Contains(err.Error(), "two constants") {
				continue
			}
			t.Fatalf("%s: %v", ours, err)
		}
		compared++
		if holds := len(all) == 0; holds != want.holds {
			t.Fatalf("%s is %v, and %s %v", ours, holds, theirs, want.holds)
		}
	}
	if compared < testkit.Rounds(3000)/2 {
		t.Errorf("%d rules were compared", compared)
	}
}

// An evaluation evaluates a Go expression of numbers without names. It evaluates all operands, to find
// each division by zero.
type evaluation struct{ holds, dividesByZero bool }

func (e *evaluation) condition(t *testing.T, x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		e.holds = e.condition(t, x.X)
	case *ast.UnaryExpr: // !
		e.holds = !e.condition(t, x.X)
	case *ast.BinaryExpr:
		switch x.Op {
		case token.LAND, token.LOR:
			a, b := e.condition(t, x.X), e.condition(t, x.Y)
			e.holds = a && b || x.Op == token.LOR && (a || b)
		default:
			a, b := e.number(t, x.X), e.number(t, x.Y)
			e.holds = map[token.Token]bool{token.LSS: a < b, token.LEQ: a <= b, token.GTR: a > b, token.GEQ: a >= b, token.EQL: a == b, token.NEQ: a != b}[x.Op]
		}
	default:
		t.Fatalf("%T is no condition", x)
	}
	return e.holds
}

func (e *evaluation) number(t *testing.T, x ast.Expr) float64 {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return e.number(t, x.X)
	case *ast.UnaryExpr: // -
		return -e.number(t, x.X)
	case *ast.BasicLit:
		v, err := strconv.ParseFloat(x.Value, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	case *ast.BinaryExpr:
		a, b := e.number(t, x.X), e.number(t, x.Y)
		e.dividesByZero = e.dividesByZero || x.Op == token.QUO && b == 0
		return map[token.Token]float64{token.ADD: a + b, token.SUB: a - b, token.MUL: a * b, token.QUO: a / b}[x.Op]
	}
	t.Fatalf("%T is no number", x)
	return 0
}

// knownStatistics are the statistics that random rules name.
var knownStatistics = []struct {
	name  string
	value float64
}{{"mean(miles)", 12.5}, {"std_dev(miles)", 3}, {"max(miles)", 812}, {"num_zeros(miles)", 4}, {"num_examples", 1000}, {"unique(city)", 12}}

// A generator makes random expressions, both as a rule and in Go.
type generator struct{ r *rand.Rand }

func (g *generator) condition(depth int) (ours, theirs string) {
	switch n := g.r.IntN(6); {
	case depth > 0 && n < 2:
		op := []string{" && ", " || "}[n]
		a, b := g.condition(depth - 1)
		c, d := g.condition(depth - 1)
		return a + op + c, b + op + d
	case depth > 0 && n == 2:
		a, b := g.condition(depth - 1)
		return "!(" + a + ")", "!(" + b + ")"
	case depth > 0 && n == 3:
		a, b := g.condition(depth - 1)
		return "(" + a + ")", "(" + b + ")"
	}
	op := []string{" < ", " <= ", " > ", " >= ", " == ", " != "}[g.r.IntN(6)]
	a, b := g.sum(2)
	c, d := g.sum(2)
	return a + op + c, b + op + d
}

func (g *generator) sum(depth int) (ours, theirs string) {
	switch n := g.r.IntN(8); {
	case depth > 0 && n < 4:
		op := []string{" + ", " - ", " * ", " / "}[n]
		a, b := g.sum(depth - 1)
		c, d := g.sum(depth - 1)
		return a + op + c, b + op + d
	case depth > 0 && n == 4:
		a, b := g.sum(depth - 1)
		return "(" + a + ")", "(" + b + ")"
	case n == 5:
		v := float64(g.r.IntN(9)-4) / 2
		return fmt.Sprint(v), fmt.Sprintf("(%.1f)", v)
	}
	k := knownStatistics[g.r.IntN(len(knownStatistics))]
	return k.name, fmt.Sprintf("%.1f", k.value)
}

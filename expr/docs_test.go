package expr_test

import (
	"os"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/expr"
)

// TestDocs checks that every example about a record in docs/expressions.md gives the documented result. Package validate/anomaly
// tests the examples about statistics.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../docs/expressions.md")
	if err != nil {
		t.Fatal(err)
	}
	var first, record string
	examples := 0
	for _, block := range strings.Split(string(page), "\n```")[1:] {
		lang, text, ok := strings.Cut(block, "\n")
		if lang == "json" && ok {
			if record = strings.ReplaceAll(text, "\n", ""); first == "" {
				first = record
			}
		}
		if lang != "expr" && lang != "rules" {
			continue
		}
		if lang == "rules" {
			record = first
		}
		typ := example.TypeExample
		switch {
		case strings.Contains(record, "feature_lists"):
			typ = example.TypeSequence
		case strings.Contains(record, "examples"):
			typ = example.TypeExampleList
		}
		msg, err := recordjson.NewEncoder(typ, map[string]example.Kind{"none": example.Int64List}).Append(nil, []byte(record))
		if err != nil {
			t.Fatalf("%s: %v", record, err)
		}
		for line := range strings.Lines(text) {
			i := strings.LastIndex(line, " # ")
			if i < 0 {
				t.Errorf("%s: no answer", line)
				continue
			}
			examples++
			evaluate := evaluateExpr
			if lang == "rules" {
				evaluate = evaluateRule
			}
			want, got := strings.TrimSpace(line[i+3:]), evaluate(typ, strings.TrimSpace(line[:i]), msg)
			if message, ok := strings.CutPrefix(want, "error: "); ok && strings.Contains(got, message) || lang == "expr" && strings.HasPrefix(want+":", got+":") {
				continue
			}
			if got != want {
				t.Errorf("%s\ngot %s", line, got)
			}
		}
	}
	if examples < 40 {
		t.Errorf("%d examples: the test looks at too little", examples)
	}
}

func evaluateExpr(typ example.MessageType, text string, msg []byte) string {
	f, err := expr.Compile(text)
	if err != nil {
		return err.Error()
	}
	ok, err := f.Match(typ, msg)
	switch {
	case err != nil:
		return err.Error()
	case ok:
		return "true"
	}
	return "false"
}

func evaluateRule(typ example.MessageType, text string, msg []byte) string {
	rules, err := expr.ParseRules(text)
	if err != nil {
		return err.Error()
	}
	all, err := rules.CheckRecord(typ, msg)
	switch {
	case err != nil:
		return err.Error()
	case len(rules.OfRecords()) != 1:
		return "not about records"
	case len(all) > 0:
		return all[0].Text
	}
	return "holds"
}

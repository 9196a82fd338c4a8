package anomaly_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// TestRuleDocs checks that every rule about statistics in docs/expressions.md has the documented result for recipes.tfrecord, and that
// the page lists all statistics.
func TestRuleDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/expressions.md")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("../../testdata/recipes.tfrecord")
	if err != nil {
		t.Fatal(err)
	}
	a, err := stats.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	for rest := b; len(rest) > 0; {
		rec, n, err := tfrecord.ConsumeRecord(rest)
		if err == nil {
			err = a.Add(rec)
		}
		if err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
	}
	list, _, err := a.Detailed(1)
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(page), "\n```statistics\n")
	if !ok {
		t.Fatal("the page has no rules about statistics")
	}
	text, table, _ := strings.Cut(text, "\n```\n")
	for line := range strings.Lines(text) {
		i := strings.LastIndex(line, " # ")
		want := strings.TrimSpace(line[i+3:])
		all, err := ruleData{Now: list, Before: list}.check(line)
		got := "holds"
		if len(all) > 0 {
			got = strings.Join(all[0].Path, ".") + ": " + all[0].Text
		}
		if message, ok := strings.CutPrefix(want, "error: "); ok && err != nil {
			if !strings.Contains(err.Error(), message) {
				t.Errorf("%s%v", line, err)
			}
			continue
		}
		if err != nil || got != want {
			t.Errorf("%sgot %s, %v", line, got, err)
		}
	}
	for _, name := range expr.StatisticNames() {
		if !strings.Contains(table, "`"+name+"`") && !strings.Contains(table, "`"+name+"(") {
			t.Errorf("the page has no statistic %s", name)
		}
		argument := map[string]string{"quantile": ", 0.5", "share": `, "a"`}[name]
		known := false
		for _, text := range []string{"%s > 0 || num_examples > 0", `%s != "" || num_examples > 0`, "%s(minutes%s) > 0 || num_examples > 0", "%s(minutes%s) before > 0 || num_examples > 0", `%s(minutes) != ""`, "%s(title%s) != 0 || num_examples > 0", "%s(title) before != 0 || num_examples > 0"} {
			args := []any{name, argument}[:strings.Count(text, "%s")]
			if _, err := (ruleData{Now: list, Before: list}).check(fmt.Sprintf(text, args...)); err == nil {
				known = true // and its value was looked up without a panic
			}
		}
		if !known {
			t.Errorf("no rule can name %s", name)
		}
	}
}

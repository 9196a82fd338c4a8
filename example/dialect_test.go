package example_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

var (
	quoted  = regexp.MustCompile("`([^`]*)`")
	numbers = regexp.MustCompile(`[0-9]+`)
)

// The table of differences in DIALECT.md agrees with the vectors: it has every reason for which a vector requires a
// different outcome than TensorFlow's. TestWireVectors tests the outcomes.
func TestDialectTable(t *testing.T) {
	t.Setenv(testkit.FolderVariable, "") // the table names only cases of this repository
	cases := map[string]*testkit.Case{}
	open := map[string]string{} // reasons that no row has named yet, each with a case
	for _, c := range wireCases(t) {
		cases[c.Name] = c
		if w := c.Want(); w.Ours {
			open[numbers.ReplaceAllString(w.Why, "n")] = c.Name
		}
	}
	tests := testNames(t)
	text, err := os.ReadFile("DIALECT.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "## Differences from TensorFlow")
	if !ok {
		t.Fatal("no table")
	}
	row := 0
	for line := range strings.Lines(table) {
		cell := strings.Split(line, " | ")
		if len(cell) != 6 || !strings.HasPrefix(line, "| ") || cell[0] == "| no." || cell[0] == "| ---" {
			continue
		}
		row++
		if cell[0] != "| "+strconv.Itoa(row) {
			t.Errorf("row %d begins with %q", row, cell[0])
		}
		proofs := quoted.FindAllStringSubmatch(cell[5], -1)
		if len(proofs) == 0 {
			t.Errorf("row %d has no proof", row)
		}
		for _, p := range proofs {
			name := p[1]
			if strings.HasPrefix(name, "Test") {
				if !tests[name] {
					t.Errorf("row %d: there is no %s", row, name)
				}
				continue
			}
			c := cases[name]
			if c == nil || !c.Want().Ours {
				t.Errorf("row %d: no vector %q differs from TensorFlow", row, name)
				continue
			}
			w := c.Want()
			delete(open, numbers.ReplaceAllString(w.Why, "n"))
			if accepts := c.Has("expect"); accepts != strings.HasPrefix(cell[2], "accepts") || accepts == strings.HasPrefix(cell[2], "refuses") {
				t.Errorf("row %d: %q: TensorFlow accepts is %v, the table says %q", row, name, accepts, cell[2])
			}
			if w.Fail != strings.HasPrefix(cell[3], "refuses") || w.Fail == strings.HasPrefix(cell[3], "accepts") {
				t.Errorf("row %d: %q: refused here is %v, the table says %q", row, name, w.Fail, cell[3])
			}
			if strings.Contains(w.Why, "ambiguous") != strings.Contains(cell[3], "ambiguous") {
				t.Errorf("row %d: %q: %s; the table says %q", row, name, w.Why, cell[3])
			}
		}
	}
	if row != 30 {
		t.Errorf("%d rows", row)
	}
	for why, name := range open {
		t.Errorf("no row for %q, as in %q", why, name)
	}
}

// testNames returns the names of the tests of this package.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				names[fn.Name.Name] = true
			}
		}
	}
	return names
}

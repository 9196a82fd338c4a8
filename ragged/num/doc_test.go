package num_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNames keeps the table of names in the package comment complete: all functions
// are there, and all that is there exists.
func TestNames(t *testing.T) {
	fset := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if !strings.HasSuffix(name, "_test.go") {
			f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
	}
	p, err := doc.NewFromFiles(fset, files, "github.com/tfparse/tfparse/ragged/num")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	funcs := p.Funcs
	for _, typ := range p.Types {
		funcs = append(funcs, typ.Funcs...)
	}
	word := regexp.MustCompile(`\b[A-Z]\w*`)
	said := map[string]bool{}
	for _, w := range word.FindAllString(p.Doc, -1) {
		said[w] = true
	}
	for _, f := range funcs {
		known[f.Name] = true
		if !said[f.Name] {
			t.Errorf("the package comment does not name %s", f.Name)
		}
	}
	// A row of the table is TensorFlow's names, two spaces or more, and ours.
	_, table, _ := strings.Cut(p.Doc, "# Names")
	rows := 0
	for _, row := range regexp.MustCompile(`(?m)^\t(\S.*?)  +(.*)$`).FindAllStringSubmatch(table, -1) {
		rows++
		for _, name := range word.FindAllString(row[2], -1) {
			if !known[name] {
				t.Errorf("the table of names has %s for %s, which is no function", name, row[1])
			}
		}
	}
	if rows < 60 {
		t.Errorf("the table has %d rows", rows)
	}
}

package num_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNames checks that the table of TensorFlow's names has all functions, except those that
// TensorFlow lacks.
func TestNames(t *testing.T) {
	table, err := os.ReadFile("../NAMES.md")
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	own := map[string]bool{"Over": true, "OverAll": true, "Reduce": true}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() && !own[f.Name.Name] && !strings.Contains(string(table), "`num."+f.Name.Name+"`") {
				t.Errorf("NAMES.md does not name %s", f.Name.Name)
			}
		}
	}
}

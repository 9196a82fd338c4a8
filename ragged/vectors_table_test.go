//go:build !novectors

package ragged_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

// TestNamesTable compares ragged/NAMES.md with the list of operations in the vectors: it has all
// operations, the essential ones have a function or method, and all functions that it names exist.
func TestNamesTable(t *testing.T) {
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	exported := map[string]bool{}
	for name, dir := range map[string]string{
		"ragged": "ragged", "array": "ragged/array", "num": "ragged/num", "text": "ragged/text", "nn": "ragged/nn", "shape": "ragged/shape", "dataset": "dataset",
	} {
		exports(t, exported, name, filepath.Join(root, dir))
	}
	code := regexp.MustCompile("`([^`]+)`")
	table := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (.+) \\|$").FindAllStringSubmatch(read("ragged/NAMES.md"), -1) {
		if _, twice := table[row[1]]; twice {
			t.Errorf("%s stands in the table twice", row[1])
		}
		table[row[1]] = row[2]
		for _, name := range code.FindAllStringSubmatch(row[2], -1) {
			if !exported[name[1]] {
				t.Errorf("the table has %s for %s, which does not exist", name[1], row[1])
			}
		}
	}
	ops := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([ABC-]) \\|").FindAllStringSubmatch(read("testdata/vectors/ragged/OPS.md"), -1)
	for _, op := range ops {
		ours, ok := table[op[1]]
		named := code.FindStringSubmatch(ours)
		switch must := op[2] == "A" || op[2] == "B"; {
		case !ok:
			t.Errorf("%s is not in the table", op[1])
		case must && (named == nil || named[1] == "ragged.Map"):
			t.Errorf("%s has no function of its own, but %q", op[1], ours)
		case named == nil && !strings.HasPrefix(ours, "none") && !strings.HasPrefix(ours, "not needed"):
			t.Errorf("%s: %q names nothing, and does not say so", op[1], ours)
		}
	}
	if len(ops) < 300 {
		t.Errorf("%d operations", len(ops))
	}
}

// exports records the exported names of a package: functions as pkg.Name, methods as
// pkg.Type.Name.
func exports(t *testing.T, into map[string]bool, pkg, dir string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() {
				continue
			}
			prefix := pkg + "."
			if fn.Recv != nil {
				prefix += receiver(fn.Recv.List[0].Type) + "."
			}
			into[prefix+fn.Name.Name] = true
		}
	}
}

// receiver returns the name of the type of a method.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

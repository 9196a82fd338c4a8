//go:build !novectors

package ragged_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// operators are the names that methods of Python have in a program.
var operators = map[string]string{
	"add": "+", "and": "&", "eq": "==", "floordiv": "//", "ge": ">=", "gt": ">", "invert": "~", "le": "<=", "lt": "<", "mod": "%", "mul": "*",
	"ne": "!=", "neg": "-", "or": "|", "pow": "**", "sub": "-", "truediv": "/", "xor": "^", "abs": "abs",
}

// TestNumericNames finds every operation that the vectors may ask of package num in
// its table of names, and nothing there that is never asked for.
func TestNumericNames(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("num", "doc.go"), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	_, names, ok := strings.Cut(f.Doc.Text(), "# Names")
	if !ok {
		t.Fatal("the package comment has no names")
	}
	// Indented lines are names of TensorFlow's, as far as the first two spaces.
	listed := map[string]bool{}
	for _, line := range regexp.MustCompile(`(?m)^\t(\S.*?)(  .*)?$`).FindAllStringSubmatch(names, -1) {
		for _, name := range strings.Fields(line[1]) {
			listed[name] = true
		}
	}
	asked := map[string]bool{}
	for _, ops := range []map[string]raggedOp{raggedElementwise, raggedMapping, raggedReductions, raggedNumArrays} {
		for op := range ops {
			asked[plainName(op)] = true
		}
	}
	for name := range asked {
		if !listed[name] {
			t.Errorf("%s is not in the table", name)
		}
	}
	for name := range listed {
		if !asked[name] {
			t.Errorf("%s is in the table, but no vector may ask for it", name)
		}
	}
	if len(asked) < 100 {
		t.Errorf("%d names", len(asked))
	}
}

// plainName is what the table says for an operation.
func plainName(op string) string {
	if method, ok := strings.CutPrefix(op, "RaggedTensor.__"); ok {
		method = strings.TrimSuffix(method, "__")
		if name, ok := operators[method]; ok {
			return name
		}
		return operators[strings.TrimPrefix(method, "r")]
	}
	for _, prefix := range []string{"tf.math.special.", "tf.math.", "tf.bitwise.", "tf.debugging.", "tf.nn.", "tf.ragged.", "tf."} {
		if name, ok := strings.CutPrefix(op, prefix); ok {
			return name
		}
	}
	return op
}

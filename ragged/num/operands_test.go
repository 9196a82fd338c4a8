package num_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/num"
)

// TestOperandsInErrors gives every operation of two operands shapes that do not broadcast. The error
// must name the operation, and give the lengths in the order of the operands.
func TestOperandsInErrors(t *testing.T) {
	x := must(ragged.FromSlices[int]([][]int{{1, 2}, {3}}))(t)
	y := must(ragged.FromSlices[int]([][]int{{1, 2}, {3, 4, 5}}))(t)
	f, g := ragged.Map(x, func(v int) float64 { return float64(v) }), ragged.Map(y, func(v int) float64 { return float64(v) })
	p, q := num.NotZero(x), num.NotZero(y)
	operations := map[string]struct {
		name string
		err  error
	}{
		"Add":            {"add", second(num.Add(x, y))},
		"Sub":            {"subtract", second(num.Sub(x, y))},
		"Mul":            {"multiply", second(num.Mul(x, y))},
		"Pow":            {"power", second(num.Pow(x, y))},
		"Maximum":        {"maximum", second(num.Maximum(x, y))},
		"Minimum":        {"minimum", second(num.Minimum(x, y))},
		"Div":            {"divide", second(num.Div[float64](f, g))},
		"DivNoNaN":       {"divide without NaN", second(num.DivNoNaN(f, g))},
		"FloorDiv":       {"floor divide", second(num.FloorDiv(x, y))},
		"FloorMod":       {"floor modulo", second(num.FloorMod(x, y))},
		"TruncDiv":       {"truncate divide", second(num.TruncDiv(x, y))},
		"TruncMod":       {"truncate modulo", second(num.TruncMod(x, y))},
		"Equal":          {"equal", second(num.Equal(x, y))},
		"NotEqual":       {"not equal", second(num.NotEqual(x, y))},
		"Less":           {"less", second(num.Less(x, y))},
		"LessEqual":      {"less or equal", second(num.LessEqual(x, y))},
		"Greater":        {"greater", second(num.Greater(x, y))},
		"GreaterEqual":   {"greater or equal", second(num.GreaterEqual(x, y))},
		"And":            {"and", second(num.And(p, q))},
		"Or":             {"or", second(num.Or(p, q))},
		"Xor":            {"xor", second(num.Xor(p, q))},
		"BitAnd":         {"bitwise and", second(num.BitAnd(x, y))},
		"BitOr":          {"bitwise or", second(num.BitOr(x, y))},
		"BitXor":         {"bitwise xor", second(num.BitXor(x, y))},
		"ShiftLeft":      {"shift left", second(num.ShiftLeft(x, y))},
		"ShiftRight":     {"shift right", second(num.ShiftRight(x, y))},
		"CheckEqual":     {"check equal", num.CheckEqual(x, y)},
		"CheckNoneEqual": {"check none equal", num.CheckNoneEqual(x, y)},
		"CheckLess":      {"check less", num.CheckLess(x, y)},
		"CheckLessEqual": {"check less or equal", num.CheckLessEqual(x, y)},
	}
	for name, op := range operations {
		be, ok := errors.AsType[*ragged.BroadcastError](op.err)
		if !ok || !strings.HasPrefix(op.err.Error(), op.name+": ragged: ") {
			t.Errorf("%s: want an error that begins with %q, got %v", name, op.name, op.err)
		} else if *be != (ragged.BroadcastError{Axis: 1, Row: 1, A: 1, B: 3}) {
			t.Errorf("%s: want lengths 1 and 3 in row 1, got %v", name, op.err)
		}
	}
	for _, name := range ofTwoOperands(t) {
		if _, ok := operations[name]; !ok && name != "ZipFlat" { // ZipFlat does not broadcast
			t.Errorf("%s is not in the table", name)
		}
	}
}

// ofTwoOperands lists the functions of the package with two operands called a and b.
func ofTwoOperands(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^func ([A-Z]\w*)(?:\[[^(]*\])?\(a(?: ragged\.Tensor\[\w+\])?, b ragged\.Tensor\[`)
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declared.FindAllSubmatch(src, -1) {
			names = append(names, string(m[1]))
		}
	}
	if len(names) < 25 {
		t.Fatalf("found only %d operations: %q", len(names), names)
	}
	return names
}

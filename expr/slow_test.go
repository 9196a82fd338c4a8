package expr_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// This file is the slow path: a random expression is made as text and as a function of the decoded
// message. The results of package expr must equal those of the function.

// A slowExpr is an expression as text and as a function. ok is false if it compares values of
// different kinds.
type slowExpr struct {
	text string
	eval func(x example.Example) (result, ok bool)
}

// slowValues are the values of a feature: *big.Float, string, or nil for a NaN.
func slowValues(v example.Value) (all []any) {
	for _, i := range v.Int64s {
		all = append(all, new(big.Float).SetPrec(200).SetInt64(i))
	}
	for _, f := range v.Floats {
		if f != f {
			all = append(all, nil)
		} else {
			all = append(all, new(big.Float).SetPrec(200).SetFloat64(float64(f)))
		}
	}
	for _, b := range v.Bytes {
		all = append(all, string(b))
	}
	return all
}

// slowHolds compares two values by an operator.
func slowHolds(a, b any, op string) (result, ok bool) {
	order := 0
	switch x := a.(type) {
	case string:
		y, same := b.(string)
		if !same {
			return false, false
		}
		order = strings.Compare(x, y)
	default:
		if _, text := b.(string); text {
			return false, false
		}
		if a == nil || b == nil {
			return op == "!=", true
		}
		order = a.(*big.Float).Cmp(b.(*big.Float))
	}
	return map[string]bool{"==": order == 0, "!=": order != 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[op], true
}

var ops = []string{"==", "!=", "<", "<=", ">", ">="}

// slowTest makes a comparison of a feature and a constant, a length or an indexed feature.
func slowTest(r *rand.Rand, names []string) slowExpr {
	name := names[r.IntN(len(names))]
	quoted := [...]string{"`" + name + "`", "feature(" + strconv.Quote(name) + ")"}[r.IntN(2)]
	pick := func(all []any, at int) []any {
		if at < 0 {
			at += len(all)
		}
		if at < 0 || at >= len(all) {
			return nil
		}
		return all[at : at+1]
	}
	indexed, at := r.IntN(3) == 0, r.IntN(7)-3
	left := quoted
	if indexed {
		left += fmt.Sprintf("[%d]", at)
	}
	values := func(x example.Example) []any {
		if all := slowValues(x[name]); !indexed {
			return all
		} else {
			return pick(all, at)
		}
	}
	if r.IntN(8) == 0 {
		return slowExpr{"has(" + left + ")", func(x example.Example) (bool, bool) {
			_, ok := x[name]
			return ok && !indexed || len(values(x)) > 0, true
		}}
	}
	says := [...]string{"", "", "any", "all"}[r.IntN(4)]
	op := ops[r.IntN(len(ops))]
	all := says == "all" || says == "" && op == "!="
	if says != "" {
		left = says + "(" + left + ")"
	}
	var right string
	var other func(x example.Example, v any) []any // what v is compared with
	switch r.IntN(5) {
	case 0:
		i := []int64{0, 1, -1, 3, 1 << 24, 1<<24 + 1, 1<<53 + 1, math.MaxInt64, math.MinInt64}[r.IntN(9)]
		right = strconv.FormatInt(i, 10)
		other = func(example.Example, any) []any { return []any{new(big.Float).SetPrec(200).SetInt64(i)} }
	case 1:
		f := []float64{0, 0.1, 1.5, 3, 1 << 24, 1<<24 + 1, 1 << 53, 1e300, -9.3e18}[r.IntN(9)]
		if right = strconv.FormatFloat(f, 'e', -1, 64); r.IntN(2) == 0 {
			right = strconv.FormatFloat(f, 'f', 3, 64)
			f, _ = strconv.ParseFloat(right, 64)
		}
		other = func(x example.Example, _ any) []any {
			if len(x[name].Floats) > 0 {
				return []any{new(big.Float).SetPrec(200).SetFloat64(float64(float32(f)))}
			}
			return []any{new(big.Float).SetPrec(200).SetFloat64(f)}
		}
	case 2:
		s := []string{"", "a", "b\xff", "gluten", "\n\"'"}[r.IntN(5)]
		right = strconv.Quote(s)
		other = func(example.Example, any) []any { return []any{s} }
	case 3:
		of := names[r.IntN(len(names))]
		right = "len(`" + of + "`)"
		other = func(x example.Example, _ any) []any {
			return []any{new(big.Float).SetPrec(200).SetInt64(int64(x[of].Len()))}
		}
	case 4:
		of, at := names[r.IntN(len(names))], r.IntN(3)
		right = fmt.Sprintf("`%s`[%d]", of, at)
		other = func(x example.Example, _ any) []any { return pick(slowValues(x[of]), at) }
	}
	eval := func(x example.Example) (bool, bool) {
		for _, v := range values(x) {
			holds, ok := op == "!=", true
			if w := other(x, v); len(w) > 0 {
				if v == nil && op != "!=" && fmt.Sprintf("%T", w[0]) != "string" {
					holds = false
				} else {
					holds, ok = slowHolds(v, w[0], op)
				}
			}
			if !ok {
				return false, false
			}
			if holds != all {
				return holds, true
			}
		}
		return all, true
	}
	text := left + op + right
	if r.IntN(3) == 0 { // exchange the sides
		text = right + " " + map[string]string{"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}[op] + " " + left
	}
	return slowExpr{text, eval}
}

func slowMatch(r *rand.Rand, names []string) slowExpr {
	name := names[r.IntN(len(names))]
	pattern := []string{"", "a", "^g.*n$", `\xff`}[r.IntN(4)]
	not := r.IntN(2) == 0
	op := map[bool]string{false: "=~", true: "!~"}[not]
	re := regexp.MustCompile(pattern)
	return slowExpr{"`" + name + "` " + op + " " + strconv.Quote(pattern), func(x example.Example) (bool, bool) {
		if v := x[name]; len(v.Int64s)+len(v.Floats) > 0 {
			return false, false
		}
		return slices.ContainsFunc(x[name].Bytes, re.Match) != not, true
	}}
}

// slowAny makes a random expression.
func slowAny(r *rand.Rand, names []string, depth int) slowExpr {
	if depth == 0 || r.IntN(3) == 0 {
		if r.IntN(5) == 0 {
			return slowMatch(r, names)
		}
		return slowTest(r, names)
	}
	a, b := slowAny(r, names, depth-1), slowAny(r, names, depth-1)
	switch r.IntN(3) {
	case 0:
		return slowExpr{"!(" + a.text + ")", func(x example.Example) (bool, bool) {
			result, ok := a.eval(x)
			return !result && ok, ok
		}}
	case 1:
		return slowExpr{"(" + a.text + ") && (" + b.text + ")", func(x example.Example) (bool, bool) {
			if result, ok := a.eval(x); !result || !ok {
				return false, ok
			}
			return b.eval(x)
		}}
	}
	return slowExpr{"(" + a.text + "||" + b.text + ")", func(x example.Example) (bool, bool) {
		if result, ok := a.eval(x); result || !ok {
			return result, ok
		}
		return b.eval(x)
	}}
}

var slowNames = []string{"a", "b/c", "d e", "len", "missing"}

func slowExample(r *rand.Rand) example.Example {
	x := example.Example{}
	for _, name := range slowNames[:4] {
		n := r.IntN(4)
		switch r.IntN(5) {
		case 0:
			v := make([]int64, n)
			for i := range v {
				v[i] = []int64{0, 1, -1, 3, 1 << 24, 1<<24 + 1, 1 << 53, 1<<53 + 1, math.MaxInt64, math.MinInt64}[r.IntN(10)]
			}
			x[name] = example.Int64s(v...)
		case 1:
			v := make([]float32, n)
			for i := range v {
				v[i] = []float32{0, 0.1, 1.5, 3, 1 << 24, nan, float32(math.Inf(1)), -9.3e18}[r.IntN(8)]
			}
			x[name] = example.Floats(v...)
		case 2, 3:
			v := make([]string, n)
			for i := range v {
				v[i] = []string{"", "a", "b\xff", "gluten", "\n\"'"}[r.IntN(5)]
			}
			x[name] = example.Strings(v...)
		case 4:
			if r.IntN(2) == 0 {
				x[name] = example.Value{}
			}
		}
	}
	return x
}

// matchScanned matches a message with an unknown field, which is not in canonical encoding, so that only the scanners of package
// example read it. The result must be the same.
func matchScanned(t *testing.T, f *expr.Filter, typ example.MessageType, msg []byte, want bool, wantErr error) {
	t.Helper()
	got, err := f.Match(typ, append(msg, 9<<3|2, 0))
	if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("%s: %v % x with a field of another number: got %v, %v; want %v, %v", f, typ, msg, got, err, want, wantErr)
	}
}

func TestSlow(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 2))
	matched, refused := 0, 0
	n := testkit.Rounds(4000)
	for range n {
		e := slowAny(r, slowNames, 3)
		f, err := expr.Compile(e.text)
		if err != nil {
			t.Fatalf("%s: %v", e.text, err)
		}
		for range 5 {
			x := slowExample(r)
			want, ok := e.eval(x)
			got, err := f.Match(example.TypeExample, encoded(t, x))
			matchScanned(t, f, example.TypeExample, encoded(t, x), got, err)
			if got != want || (err == nil) != ok {
				t.Fatalf("%s: %v: got %v, %v; want %v, %v", e.text, x, got, err, want, ok)
			}
			inSequence, err := f.Match(example.TypeSequence, encoded(t, example.Sequence{Context: x, Lists: map[string][]example.Value{"a": {{}}}}))
			if inSequence != want || (err == nil) != ok {
				t.Fatalf("%s: in a context %v: got %v, %v; want %v, %v", e.text, x, inSequence, err, want, ok)
			}
			inList, err := f.Match(example.TypeExampleList, encoded(t, example.ExampleList{Context: x, HasContext: true, Examples: []example.Example{{"a": example.Int64s(1)}}}))
			if inList != want || (err == nil) != ok {
				t.Fatalf("%s: in the context of a list %v: got %v, %v; want %v, %v", e.text, x, inList, err, want, ok)
			}
			if want {
				matched++
			}
			if !ok {
				refused++
			}
		}
	}
	if all := 5 * n; matched < all/10 || refused < all/40 || matched+refused > all*9/10 {
		t.Errorf("of %d matches %d are true and %d refused: the expressions prove little", all, matched, refused)
	}
}

// TestSlowLists compares lists of examples with the feature lists of SequenceExamples, in which an
// example that lacks the feature is a step without a kind. Only has(x) distinguishes the two.
func TestSlowLists(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 2))
	name := regexp.MustCompile("`[^`]*`|feature\\(\"(b/c|d e|a|len|missing)\"\\)")
	matched, refused, all := 0, 0, 0
	n := testkit.Rounds(6000)
	for range n {
		text := name.ReplaceAllStringFunc(slowAny(r, slowNames, 2).text, func(name string) string {
			if r.IntN(3) == 0 {
				return fmt.Sprintf("list(%s)[%d]", name, r.IntN(5)-2)
			}
			return "list(" + name + ")"
		})
		f, err := expr.Compile(text)
		if err != nil || strings.Contains(text, "has(") {
			continue // the expression compares two features by index, and a step may lack the index
		}
		for range 5 {
			list := example.ExampleList{}
			sequence := example.Sequence{Lists: map[string][]example.Value{}}
			for range r.IntN(4) {
				x := slowExample(r)
				list.Examples = append(list.Examples, x)
				for _, name := range slowNames {
					sequence.Lists[name] = append(sequence.Lists[name], x[name])
				}
			}
			want, errWant := f.Match(example.TypeSequence, encoded(t, sequence))
			matchScanned(t, f, example.TypeSequence, encoded(t, sequence), want, errWant)
			got, err := f.Match(example.TypeExampleList, encoded(t, list))
			matchScanned(t, f, example.TypeExampleList, encoded(t, list), got, err)
			if got != want || (err == nil) != (errWant == nil) {
				t.Fatalf("%s: %v: got %v, %v; want %v, %v", text, list.Examples, got, err, want, errWant)
			}
			all++
			if want {
				matched++
			}
			if errWant != nil {
				refused++
			}
		}
	}
	if all < n*5/6 || matched < all/8 || refused < all/20 {
		t.Errorf("of %d matches %d are true and %d refused: the expressions prove little", all, matched, refused)
	}
}

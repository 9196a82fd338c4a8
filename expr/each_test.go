package expr_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// TestEach compares conditions inside any and all, for random lists, with loops over the decoded values.
func TestEach(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 2))
	conditions := []struct {
		text string
		eval func(a, b, c int64) bool
	}{
		{"A < B", func(a, b, _ int64) bool { return a < b }},
		{"A == B", func(a, b, _ int64) bool { return a == b }},
		{"A != B", func(a, b, _ int64) bool { return a != b }},
		{"2 > A && B in 1..2", func(a, b, _ int64) bool { return a < 2 && b >= 1 && b <= 2 }},
		{"A + B * 2 >= C || !(A == B)", func(a, b, c int64) bool { return a+b*2 >= c || a != b }},
		{"abs(A - B) <= 1 && C not in [0, 3]", func(a, b, c int64) bool { return max(a-b, b-a) <= 1 && c != 0 && c != 3 }},
		{"A in [1, 2] && (B < C || B > one[0])", func(a, b, c int64) bool { return (a == 1 || a == 2) && (b < c || b > 1) }},
		{"-A < len(A) - C && A == B", func(a, b, c int64) bool { return -a < listLength-c && a == b }},
		{"A in B", func(a, b, _ int64) bool { return a == b }},
	}
	holds := [2]int{}
	for range testkit.Rounds(2000) {
		lists := [3][]int64{}
		for i := range lists {
			for range listLength {
				lists[i] = append(lists[i], r.Int64N(4))
			}
		}
		c := conditions[r.IntN(len(conditions))]
		for _, word := range []string{"any", "all"} {
			want := word == "all"
			for i := range listLength {
				if ok := c.eval(lists[0][i], lists[1][i], lists[2][i]); ok != want {
					want = ok
					break
				}
			}
			if want {
				holds[0]++
			} else {
				holds[1]++
			}
			f, err := expr.Compile(word + "(" + strings.NewReplacer("A", "a", "B", "b", "C", "c").Replace(c.text) + ")")
			if err != nil {
				t.Fatal(err)
			}
			x := example.Example{"one": example.Int64s(1)}
			s := example.Sequence{Context: example.Example{"one": example.Int64s(1)}, Lists: map[string][]example.Value{}}
			l := example.ExampleList{Context: s.Context, HasContext: true, Examples: make([]example.Example, 3)}
			cut := [2]int{r.IntN(listLength), listLength}
			cut[1] -= r.IntN(listLength - cut[0])
			for i, name := range []string{"a", "b", "c"} {
				v := lists[i]
				x[name] = example.Int64s(v...)
				steps := []example.Value{example.Int64s(v[:cut[0]]...), example.Int64s(v[cut[0]:cut[1]]...), example.Int64s(v[cut[1]:]...)}
				s.Lists[name] = steps
				for k, step := range steps {
					if l.Examples[k] == nil {
						l.Examples[k] = example.Example{}
					}
					l.Examples[k][name] = step
				}
			}
			inLists, err := expr.Compile(word + "(" + strings.NewReplacer("len(A)", fmt.Sprint(listLength), "A", "list(a)", "B", "list(b)", "C", "list(c)").Replace(c.text) + ")")
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range []struct {
				typ example.MessageType
				of  *expr.Filter
				msg []byte
			}{{example.TypeExample, f, encoded(t, x)}, {example.TypeSequence, inLists, encoded(t, s)}, {example.TypeExampleList, inLists, encoded(t, l)}} {
				if got, err := m.of.Match(m.typ, m.msg); got != want || err != nil {
					t.Fatalf("%v %v: %v: %v, %v", m.typ, m.of, lists, got, err)
				}
			}
		}
	}
	if holds[0] < testkit.Rounds(2000)/4 || holds[1] < testkit.Rounds(2000)/4 {
		t.Errorf("%d conditions hold and %d do not: they prove little", holds[0], holds[1])
	}
}

const listLength = 3

// TestEachErrors checks the errors of lists that cannot be compared element by element.
func TestEachErrors(t *testing.T) {
	msg := encoded(t, example.Example{"a": example.Int64s(1, 2), "b": example.Int64s(1, 2, 3), "s": example.Strings("x", "y")})
	for text, want := range map[string]string{
		`any(a < b)`:             `example: feature "b": lists of different lengths: want 2 values, as a, got 3`,
		`all(a < missing)`:       `example: feature "missing": lists of different lengths: want 2 values, as a, got 0`,
		`all(a < 5 && b > 0)`:    `example: feature "b": lists of different lengths: want 2 values, as a, got 3`,
		`any(a == s)`:            `example: feature "a": feature holds another kind: want bytes_list, got int64_list`,
		`any(s + 1 > a)`:         `example: feature "s": feature holds another kind: want int64_list or float_list, got bytes_list`,
		`s[0] in 1..2`:           `example: feature "s": feature holds another kind: want int64_list or float_list, got bytes_list`,
		`a[0] in 1..s[0]`:        `example: feature "a": feature holds another kind: want bytes_list, got int64_list`,
		`len(a) in 1..s[0]`:      `example: feature "s": feature holds another kind: want int64_list or float_list, got bytes_list`,
		`1 - abs(s[1]) > 3`:      `example: feature "s": feature holds another kind: want int64_list or float_list, got bytes_list`,
		`any(a < 0) && any(a<b)`: ``, // the right side is not evaluated
	} {
		f, err := expr.Compile(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		_, err = f.Match(example.TypeExample, msg)
		switch {
		case want == "" && err == nil:
		case err == nil || err.Error() != want || errors.Is(err, expr.ErrLengths) != strings.Contains(want, "lengths"):
			t.Errorf("%s: %v\nwant %s", text, err, want)
		}
	}
	for text, want := range map[string]string{
		`any(a[0] < 3)`:                `column 1: want a feature with a list of values in any(…)`,
		`any(any(a) < b)`:              `column 5: any(…) and all(…) cannot contain each other or themselves`,
		`all(any(a < b))`:              `column 5: any(…) and all(…) cannot contain each other or themselves`,
		`any(list(a) < b)`:             `column 1: any pairs feature lists with feature lists only`,
		`any(a + 1) > 3`:               `column 5: want a feature, got a + 1`,
		`a < b + 1`:                    `column 3: < compares two lists; want a[0] < b[0] or any(a < b)`,
		`a + b > 3`:                    `column 7: > compares two lists; want a[0] > b[0] or any(a > b)`,
		`a in b..3`:                    `column 3: in compares two lists; want a[0] == b[0] or any(a == b)`,
		`(a == 1) == 2`:                `column 10: want &&, || or the end, got "=="`,
		`1 + (a == 1) > 2`:             `column 5: want a value, got a condition`,
		`!(a + 1)`:                     `column 9: want a comparison such as == or in, got the end`,
		`"x" + 1 == a`:                 `column 5: + calculates with numbers, got a string`,
		`a / (2 - 2) == 1`:             `column 3: division by zero: / (2 - 2)`,
		`a in 5..4`:                    `column 6: the range 5..4 is empty`,
		`a in "x".."y"`:                `column 6: a range of strings; want numbers`,
		`a in 5`:                       `column 6: want a feature, a range such as 0.8..1.25, or a list such as [1, 2], got the number 5`,
		`a not in b`:                   `column 10: want "[", got the name "b"`,
		`a not == b`:                   `column 7: want a comparison such as == or in, got "=="`,
		`maximum(a) < 5`:               `column 1: there is no function "maximum"; want one of abs, all, any, has, isnan, len, list`,
		`mean(a) before < 5`:           `column 1: there is no function "mean"; want one of abs, all, any, has, isnan, len, list`,
		`a before < 5`:                 `column 3: want a comparison such as == or in, got the name "before"`,
		`len(a) now < 5`:               `column 8: now belongs to statistics`,
		`a[1][2] == 3`:                 `column 1: two indexes; a feature takes one, and list(x) two`,
		`len(a, b) == 3`:               `column 1: len takes one feature`,
		`list(list(a)) == 3`:           `column 1: list takes the name of a feature list`,
		`has(len(a))`:                  `column 5: want a feature, got len(a)`,
		`isnan(any(a))`:                `column 7: want a feature, got any(a)`,
		strings.Repeat("any(", 200):    `column 404: the expression nests more than 100 deep`,
		strings.Repeat("!", 200) + `a`: `column 101: the expression nests more than 100 deep`,
	} {
		if _, err := expr.Compile(text); err == nil || err.Error() != "expr: "+want {
			t.Errorf("%.40s: %v\nwant expr: %s", text, err, want)
		}
	}
}

// TestCalculate compares sums, differences and products of integers with package math/big: they are exact, or the nearest float64
// if they overflow int64.
func TestCalculate(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 3))
	some := []int64{0, 1, -1, 2, -2, 3, math.MaxInt64, math.MinInt64, math.MaxInt64 - 1, math.MinInt64 + 1, 1 << 53, 1<<53 + 1, 1 << 32, -1 << 31, 3037000500}
	for range testkit.Rounds(3000) {
		a, b := some[r.IntN(len(some))], some[r.IntN(len(some))]
		op := r.IntN(3)
		x, y := big.NewInt(a), big.NewInt(b)
		want := [...]func(z, x, y *big.Int) *big.Int{(*big.Int).Add, (*big.Int).Sub, (*big.Int).Mul}[op](new(big.Int), x, y)
		msg := encoded(t, example.Example{"a": example.Int64s(a), "b": example.Int64s(b), "want": example.Int64s(want.Int64())})
		text := fmt.Sprintf("a[0] %s b[0] == want[0] && want[0] == a[0] %[1]s b[0]", [...]string{"+", "-", "*"}[op])
		if !want.IsInt64() {
			fa, fb := float64(a), float64(b)
			text = fmt.Sprintf("a[0] %s b[0] == %v", [...]string{"+", "-", "*"}[op], [...]float64{fa + fb, fa - fb, fa * fb}[op])
		}
		f, err := expr.Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := f.Match(example.TypeExample, msg); !ok || err != nil {
			t.Fatalf("%s of %d and %d: %v, %v", text, a, b, ok, err)
		}
	}
	msg := encoded(t, example.Example{"least": example.Int64s(math.MinInt64), "half": example.Floats(0.1), "three": example.Int64s(3)})
	for text, want := range map[string]bool{
		`-least == 9223372036854775808.0 && abs(least) == 9223372036854775808.0`: true,
		`three / 2 == 1.5 && three[0] / 0.5 == 6`:                                true,
		`half == 0.1 && -half == -0.1 && abs(-half) == 0.1 && (half) == 0.1`:     true,
		`half + 0 == 0.1`: false, // the sum is a float64, not a float32
		`three - 3 == 0 && three -3 == 0 && three/3 == 1`: false, // three/3 is a name
		`three * 2 - 1 == 5 && 2 * (three - 1) == 4`:      true,
		`three / (three[0] - 3) > 1e300`:                  true,
	} {
		f, err := expr.Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := f.Match(example.TypeExample, msg); ok != want || err != nil {
			t.Errorf("%s: %v, %v", text, ok, err)
		}
	}
}

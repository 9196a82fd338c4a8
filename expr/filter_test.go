package expr_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

func encoded(t testing.TB, m interface{ MarshalBinary() ([]byte, error) }) []byte {
	t.Helper()
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var nan = float32(math.NaN())

// recipe is the record of TestMatch.
var recipe = example.Example{
	"label": example.Int64s(3), "tokens": example.Int64s(5, 1, 8), "big": example.Int64s(1<<53 + 1), "none": example.Int64s(), "unset": {},
	"score": example.Floats(0.1), "nans": example.Floats(1, nan), "large": example.Floats(16777216),
	"tags": example.Strings("vegan", "gluten", "käse"), "raw": example.Bytes([]byte("a\xff\nb")),
	"ingredients/name": example.Strings("flour"), "user-id": example.Int64s(7), "a b": example.Int64s(1), "len": example.Int64s(2), "0": example.Int64s(9), "über": example.Int64s(1),
}

func TestMatch(t *testing.T) {
	for text, want := range map[string]bool{
		`label == 3 && len(tokens) > 0 && "gluten" in tags`: true,
		`label == 3.0`: true, `3 == label`: true, `label != 3`: false, `label < 3`: false, `3 <= label`: true, `label == 0x3`: true,
		`tokens == 8`: true, `tokens != 8`: false, `tokens != 9`: true, `all(tokens) > 0`: true, `all(tokens) > 1`: false, `any(tokens) != 8`: true, `any(tokens) > 7`: true,
		`tokens[0] == 5`: true, `tokens[-1] == 8`: true, `tokens[3] == 0`: false, `tokens[3] != 0`: true, `tokens[0] > tokens[1]`: true, `tokens[9] < tokens[1]`: false,
		`len(tokens) == len(tags)`: true, `len(tokens[0]) == 1`: true, `len(missing) == 0`: true, `label[0] in tokens`: false, `tokens[1] in [1, 2]`: true,
		`big == 9007199254740993`: true, `big == 9007199254740992.0`: false, `big > 9007199254740992.0`: true, `big < 1e300`: true, `big > -1e300`: true,
		`score == 0.1`: true, `score < 0.1`: false, `score > 0`: true, `large == 16777217`: false, `large < 16777217`: true, `large == 16777217.0`: true, `label < 3.5`: true, `label > 2.5`: true,
		`nans == 1`: true, `nans != 1`: false, `nans != 2`: true, `all(nans) > 0`: false, `isnan(nans)`: true, `isnan(score)`: false, `nans[1] == nans[1]`: false, `nans[1] != nans[1]`: true,
		`missing == 1`: false, `missing != 1`: true, `all(missing) == 1`: true, `none != 1`: true, `none == 1`: false, `unset == "a"`: false,
		`has(label)`: true, `has(missing)`: false, `has(none)`: true, `has(unset)`: true, `has(tokens[2])`: true, `has(tokens[3])`: false, `has(none[0])`: false,
		`!has(missing) && !(label == 4 || label == 5)`: true, `!label == 3`: false, `label == 4 || label == 3 && has(missing)`: false,
		`"vegan" in tags`: true, `'vegan' in tags`: true, `"vega" in tags`: false, `tags == "gluten"`: true, `tags < "h"`: true, `tags in ["x", "vegan"]`: true, `all(tags) in ["x", "vegan"]`: false,
		`tags =~ "^k.se$"`: true, `tags =~ "^k"`: true, `tags !~ "^k"`: false, `tags !~ "^x"`: true, `all(tags) =~ "[aeu]"`: true, `raw == "a\xff\nb"`: true, `raw =~ "(?s)^a.+b$"`: true,
		`ingredients/name == "flour"`: true, `user-id == 7`: true, "`a b` == 1": true, `feature("a b") == 1`: true, `len == 2`: true, `len(len) == 1`: true, "`0` == 9": true, `über == 1`: true,
		// any and all on either side, also for features without values
		`len(tokens) >= all(tokens[9])`: true, `all(tokens[9]) <= len(tokens)`: true, `len(tokens) >= any(tokens[9])`: false, `3 == all(tokens[9])`: true, `label[0] < all(tokens[9])`: true,
		`label[0] > any(tokens[1])`: true, `label[0] != any(tokens[9])`: false, `label[0] != tokens[9]`: true, `"x" in tags[9]`: false,
		`all(tokens) in [1, 5, 8]`: true, `all(tokens) in [1, 5]`: false, `any(tokens) in [1]`: true, `all(tokens[9]) in [1]`: true, `tokens[9] in [1]`: false,
		`label != 0`: true, `label > -1`: true, `score > 0.0`: true, `score < .5`: true, `label == 3e0`: true, `label == 0X3`: true, `label > -0x3`: true, `label == 30e-1`: true,
		`label in [1, 2.0, 3]`: true, `label in [4, 2.5]`: false, `score in [0.1]`: true, `len(tokens) in [3]`: true, `list(x) == 1`: false, `has(list(x))`: false,
	} {
		f, err := expr.Compile(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := f.Match(example.TypeExample, encoded(t, recipe)); got != want || err != nil {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

func TestMatchSequence(t *testing.T) {
	msg := encoded(t, example.Sequence{
		Context: example.Example{"user": example.Strings("ada")},
		Lists: map[string][]example.Value{
			"page": {example.Strings("home"), example.Strings("search", "result"), {}},
			"wait": {example.Int64s(3), example.Floats(0.5), example.Int64s(9)},
		},
	})
	for text, want := range map[string]bool{
		`user == "ada" && "search" in list(page)`: true, `list(page) == "other"`: false, `list(page) != "other"`: true, `list(page) =~ "^re"`: true, `has(page)`: false, `has(list(page))`: true,
		`len(list(page)) == 3`: true, `len(list(page)[1]) == 2`: true, `list(page)[1] == "result"`: true, `list(page)[1][0] == "result"`: false, `list(page)[-1] == "x"`: false,
		`has(list(page)[2])`: true, `has(list(page)[3])`: false, `has(list(page)[2][0])`: false, `all(list(wait)) > 0`: true, `all(list(wait)) > 1`: false, `list(wait)[-1][0] == 9`: true,
		`list(missing)[-1] == 1`: false, `all(list(missing)) == 1`: true,
	} {
		f, err := expr.Compile(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := f.Match(example.TypeSequence, msg); got != want || err != nil {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

func TestMatchList(t *testing.T) {
	msg := encoded(t, example.ExampleList{
		Context: example.Example{"query": example.Strings("soup"), "shown": example.Int64s(3)}, HasContext: true,
		Examples: []example.Example{
			{"clicked": example.Int64s(1), "score": example.Floats(0.9, 0.1)},
			{"score": example.Floats(0.5)},
			{"clicked": example.Int64s(0), "page": example.Strings("Toast")},
		},
	})
	for text, want := range map[string]bool{
		`query == "soup" && list(clicked) == 1`: true, `list(clicked) == 2`: false, `list(clicked) != 2`: true, `all(list(clicked)) == 1`: false, `all(list(score)) > 0`: true,
		`has(clicked)`: false, `has(list(clicked))`: true, `has(list(query))`: false, `has(list(missing))`: false, `len(list(clicked)) == 3`: true, `len(list(missing)) == 3`: true,
		`len(list(score)[0]) == 2`: true, `list(score)[0][1] < 0.5`: true, `list(clicked)[1] == 1`: false, `has(list(clicked)[1])`: false, `has(list(clicked)[2])`: true,
		`list(page)[-1] =~ "^T"`: true, `list(page)[-2] =~ "^T"`: false, `list(page)[7] == "x"`: false, `shown == 3 && shown[0] >= 3`: true, `len(list(clicked)) == 2`: false,
	} {
		f, err := expr.Compile(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := f.Match(example.TypeExampleList, msg); got != want || err != nil {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	// Errors have the part of the message, and the byte offset.
	part := func(number byte, x string) string { return string([]byte{number<<3 | 2, byte(len(x))}) + x }
	entry := func(feature string) string { return part(1, part(1, part(1, "x")+part(2, feature))) }
	sound, number, cut := entry(part(1, part(1, "a"))), entry("\x1a\x03\x0a\x01\x05"), entry("\x1a\x03\x0a\x01\x85")
	for _, c := range []struct{ proves, expr, msg, want string }{
		{"a number in an example", `list(x) == "b"`, part(1, sound) + part(1, number), `example: examples[1]: feature "x": `},
		{"in the step that is meant", `list(x)[1] == "a"`, part(1, sound) + part(1, number), `example: examples[1]: feature "x": `},
		{"from the end", `list(x)[-1][0] == "a"`, part(1, sound) + part(1, number), `example: examples[1]: feature "x": `},
		{"a list that is cut", `list(x) == 6`, part(1, number) + part(1, cut), fmt.Sprintf(`example: examples[1]: feature "x": unexpected EOF at byte %d`, 2+len(number)+2+len(cut)-1)},
		{"the same in the context", `x == 5`, part(1, number) + part(2, cut), fmt.Sprintf(`example: context: feature "x": unexpected EOF at byte %d`, 2+len(number)+2+len(cut)-1)},
		{"a number in the context", `x == "a"`, part(2, number), `example: context: feature "x": `},
		{"an example whose framing is broken", `list(x) == 5`, part(1, number) + part(1, "\x0a\x05"), `example: examples[1]: unexpected EOF at byte 18: `},
		{"a context whose framing is broken", `x == 5`, part(1, number) + part(2, "\x0a\x05"), `example: context: unexpected EOF at byte 18: `},
		{"two contexts", `x == 5`, part(2, number) + part(2, number), `example: context: ambiguous encoding at byte 16: `},
		{"a list whose framing is broken", `x == 5`, part(1, number) + "\x0a\x05", `example: unexpected EOF at byte 16: `},
	} {
		f, err := expr.Compile(c.expr)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Match(example.TypeExampleList, []byte(c.msg)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s…", c.proves, err, c.want)
		}
	}
}

// TestSyntaxErrors checks the column and the text of every kind of syntax error.
func TestSyntaxErrors(t *testing.T) {
	for text, want := range map[string]string{
		``:                         `column 1: want a feature or a constant, got the end`,
		`label`:                    `column 6: want a comparison such as == or in, got the end`,
		`label = 3`:                `column 7: want "==", got "="`,
		`label == 3 & x == 1`:      `column 12: want "&&", got "&"`,
		`label == 3 label == 4`:    `column 12: want &&, || or the end, got the name "label"`,
		`(label == 3`:              `column 12: want ")", got the end`,
		`label == 3)`:              `column 11: want &&, || or the end, got ")"`,
		`über == "x`:               `column 9: the quote " has no end`,
		`x == "\q"`:                `column 6: "\q" is not a string: unknown escape or line break`,
		`x == 1.2.3`:               `column 6: 1.2.3 is not a number`,
		`x == 9223372036854775808`: `column 6: 9223372036854775808 does not fit an int64`,
		`x == 010`:                 `column 6: 010 is not a number: it begins with a zero`,
		`x == -08`:                 `column 6: -08 is not a number: it begins with a zero`,
		`x == 00.5`:                `column 6: 00.5 is not a number: it begins with a zero`,
		`x == 0b11`:                `column 6: 0b11 is not a number`,
		`x == 0o17`:                `column 6: 0o17 is not a number`,
		`x == 1_0`:                 `column 6: 1_0 is not a number`,
		`x == 0x_f`:                `column 6: 0x_f is not a number`,
		`x == 0x1p4`:               `column 6: 0x1p4 is not a number`,
		`x == 0x1.8p1`:             `column 6: 0x1.8p1 is not a number`,
		`x == 0xffffffffffffffff`:  `column 6: 0xffffffffffffffff does not fit an int64`,
		`any(a[0]) == all(b[0])`:   `column 11: == compares two lists; want a[0] == b[0] or any(a == b)`,
		`a < any(b[0])`:            `column 3: < compares two lists; want a[0] < b[0] or any(a < b)`,
		`all(a[0]) in b`:           `column 11: in compares two lists; want a[0] == b[0] or any(a == b)`,
		`x =~ y`:                   `column 6: want a regular expression as a string, got the name "y"`,
		`x =~ "("`:                 "column 6: error parsing regexp: missing closing ): `(`",
		`3 =~ "a"`:                 `column 1: =~ matches values of a feature; want a feature to its left`,
		`3 == 4`:                   `column 3: == compares two constants; name a feature`,
		`a == b`:                   `column 3: == compares two lists; want a[0] == b[0] or any(a == b)`,
		`len(a) == "x"`:            `column 8: == compares a length with a string`,
		`1 < x < 3`:                `column 7: want &&, || or the end, got "<"`,
		`x in [1, "a"]`:            `column 10: want a number, got the string "a"`,
		`x in []`:                  `column 7: want a number or a string, got "]"`,
		`x[y] == 1`:                `column 3: want an integer, got the name "y"`,
		`has(3)`:                   `column 5: want a feature, got the number 3`,
		`x == 1 # y`:               `column 8: unexpected "#"`,
		`feature(x) == 1`:          `column 9: want a name as a string, got the name "x"`,
		strings.Repeat("(", 200):   `column 101: the expression nests more than 100 deep`,
		strings.Repeat(" ", 70000): `column 65537: an expression of more than 65536 bytes`,
	} {
		_, err := expr.Compile(text)
		if _, ok := errors.AsType[*expr.SyntaxError](err); !ok || err.Error() != "expr: "+want {
			t.Errorf("%.40s: %v\nwant expr: %s", text, err, want)
		}
	}
}

// TestMatchErrors checks the errors of Match.
func TestMatchErrors(t *testing.T) {
	msg := encoded(t, recipe)
	for text, want := range map[string]string{
		`label == "3"`:      `example: feature "label": feature holds another kind: want bytes_list, got int64_list`,
		`score =~ "3"`:      `example: feature "score": feature holds another kind: want bytes_list, got float_list`,
		`tags == 3`:         `example: feature "tags": feature holds another kind: want int64_list or float_list, got bytes_list`,
		`3 in tags`:         `example: feature "tags": feature holds another kind: want int64_list or float_list, got bytes_list`,
		`tags in [1, 2]`:    `example: feature "tags": feature holds another kind: want int64_list or float_list, got bytes_list`,
		`isnan(tags)`:       `example: feature "tags": feature holds another kind: want int64_list or float_list, got bytes_list`,
		`len(x) == tags[0]`: `example: feature "tags": feature holds another kind: want int64_list or float_list, got bytes_list`,
	} {
		f, err := expr.Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Match(example.TypeExample, msg); !errors.Is(err, example.ErrKind) || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", text, err, want)
		}
	}
	f, err := expr.Compile(`label == 3`)
	if err != nil {
		t.Fatal(err)
	}
	twice := append(encoded(t, recipe), encoded(t, example.Example{"label": {}})...)
	if _, err := f.Match(example.TypeExample, twice); !errors.Is(err, example.ErrAmbiguous) {
		t.Errorf("a name twice, the second without kind: %v", err)
	}
	if _, err := f.Match(example.TypeExample, msg[:len(msg)-1]); err == nil {
		t.Error("a message that is cut is accepted")
	}
}

// TestConcurrent checks that many goroutines can use one Filter, and that Match does not allocate.
func TestConcurrent(t *testing.T) {
	f, err := expr.Compile(`label == 3 && len(tokens) > 0 && "gluten" in tags && score < 1.5 && tags =~ "gl.*n"`)
	if err != nil {
		t.Fatal(err)
	}
	msg, other := encoded(t, recipe), encoded(t, example.Example{"label": example.Int64s(4)})
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 200 {
				if ok, err := f.Match(example.TypeExample, msg); !ok || err != nil {
					t.Error(ok, err)
				}
				if ok, err := f.Match(example.TypeExample, other); ok || err != nil {
					t.Error(ok, err)
				}
			}
		})
	}
	group.Wait()
	if testkit.Race {
		return // with the race detector, sync.Pool drops items at random
	}
	if n := testing.AllocsPerRun(200, func() { f.Match(example.TypeExample, msg) }); n >= 1 {
		t.Errorf("%v allocations", n)
	}
}

func ExampleFilter() {
	f, err := expr.Compile(`label == 3 && "gluten" in tags`)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, tags := range [][]string{{"vegan"}, {"vegan", "gluten"}} {
		msg, err := example.Example{"label": example.Int64s(3), "tags": example.Strings(tags...)}.MarshalBinary()
		if err != nil {
			fmt.Println(err)
			return
		}
		ok, err := f.Match(example.TypeExample, msg)
		fmt.Println(ok, err)
	}
	// Output:
	// false <nil>
	// true <nil>
}

func BenchmarkMatch(b *testing.B) {
	msg := encoded(b, recipe)
	for _, text := range []string{`label == 3`, `label == 3 && len(tokens) > 0 && "gluten" in tags`} {
		b.Run(text, func(b *testing.B) {
			f, err := expr.Compile(text)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(msg)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.Match(example.TypeExample, msg); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func ExampleFilter_Match() {
	f, err := expr.Compile(`query == "soup" && list(score) > 0.8`)
	if err != nil {
		panic(err)
	}
	msg, err := example.ExampleList{
		Context: example.Example{"query": example.Strings("miso", "soup")}, HasContext: true,
		Examples: []example.Example{{"score": example.Floats(0.9)}, {"score": example.Floats(0.2)}},
	}.MarshalBinary()
	if err != nil {
		panic(err)
	}
	fmt.Println(f.Match(example.TypeExampleList, msg))
	// Output: true <nil>
}

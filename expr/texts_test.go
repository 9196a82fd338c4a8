package expr

import (
	"maps"
	"slices"
	"testing"
)

func TestTexts(t *testing.T) {
	for text, want := range map[string]map[string][]string{
		`a == "x" && 1 < b`:              {"a": {"x"}},
		`"x" in a || a in ["y", "z"]`:    {"a": {"x", "y", "z"}},
		`any(a == "x" && b != "y")`:      {"a": {"x"}, "b": {"y"}},
		`any(a) == "x" || "y" != all(a)`: {"a": {"x", "y"}},
		`a =~ "^x"`:                      {"a": nil},
		`has(a) && len(b) == 2`:          {},
		`a[0] == b[0]`:                   {},
	} {
		f, err := Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Texts(); !maps.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

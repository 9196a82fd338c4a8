package cli

import (
	"strings"
	"testing"
)

// TestTable checks that columns are aligned as on a terminal, in groups of adjacent rows, and that lines are limited.
func TestTable(t *testing.T) {
	table := Table{Indent: " ", Width: 20}
	table.Row("NAME", "N", "WHAT")
	table.Row("名前", 12, "a\tb")
	table.Row("long name", 3, "料理の名前は長い")
	table.Row("total")
	table.Row("x", "")
	want := " NAME       N   WHAT\n 名前       12  a\\tb\n long name  3   料…\n total\n x\n"
	for range 2 {
		if got := string(table.AppendTo(nil)); got != want {
			t.Errorf("got\n%swant\n%s", got, want)
		}
	}
	if lines := new(Table).Lines(); len(lines) > 0 {
		t.Errorf("an empty table has lines %q", lines)
	}
}

// TestShorten checks that the middle of a text is replaced, in columns of a terminal.
func TestShorten(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns int
		want    string
	}{
		{"abcdef", 6, "abcdef"}, {"abcdefg", 6, "ab…efg"}, {"名前名前", 8, "名前名前"}, {"名前の料理", 8, "名…料理"}, {"名前の料理", 6, "名…理"}, {"a\x1bb", 6, `a\x1bb`},
		{strings.Repeat("é", 9), 4, "é…éé"},
	} {
		if got := Shorten(c.text, c.columns); got != c.want {
			t.Errorf("Shorten(%q, %d): got %q, want %q", c.text, c.columns, got, c.want)
		}
	}
}

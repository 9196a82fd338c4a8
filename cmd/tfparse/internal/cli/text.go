package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// A Table is text in columns, two spaces apart, on a terminal and in a pipe alike. Programs read
// --format json instead. The zero value is an empty table.
type Table struct {
	Indent string // begins each line
	Width  int    // longer lines are cut and end with …; zero: none is

	text strings.Builder // cells with tabs between them
}

// Row adds a row. Cells are printed as fmt.Sprint does, on one line each.
func (t *Table) Row(cells ...any) {
	for i, cell := range cells {
		if i > 0 {
			t.text.WriteByte('\t')
		}
		t.text.WriteString(console.OneLine(fmt.Sprint(cell)))
	}
	t.text.WriteByte('\n')
}

// Lines returns the lines, without spaces at their ends.
func (t *Table) Lines() []string {
	if t.text.Len() == 0 {
		return nil
	}
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	w.Write([]byte(t.text.String()))
	w.Flush()
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	for i, line := range lines {
		line = strings.TrimRight(t.Indent+line, " ")
		if n := utf8.RuneCountInString(line); t.Width > 0 && n > t.Width {
			line = string([]rune(line)[:t.Width-1]) + "…"
		}
		lines[i] = line
	}
	return lines
}

// AppendTo appends the lines.
func (t *Table) AppendTo(dst []byte) []byte {
	for _, line := range t.Lines() {
		dst = append(append(dst, line...), '\n')
	}
	return dst
}

// Shorten returns text of at most width columns: of a longer one the middle is left out.
func Shorten(text string, width int) string {
	runes := []rune(console.OneLine(text))
	if len(runes) <= width {
		return string(runes)
	}
	head := (width - 1) / 2
	return string(runes[:head]) + "…" + string(runes[len(runes)-(width-head-1):])
}

// KindNames are the kinds of features as reports print them, by [example.Kind].
var KindNames = [4]string{example.BytesList: "string", example.FloatList: "float32", example.Int64List: "int64"}

// FeatureName prints a name as a line of JSON does, without the quotes where
// it can do without.
func FeatureName(name string) string {
	quoted := string(jsonscan.AppendName(nil, []byte(name)))
	if bare := quoted[1 : len(quoted)-1]; bare == console.OneLine(bare) && bare != "" && !strings.ContainsAny(bare, `\ `) {
		return bare
	}
	return console.OneLine(quoted)
}

// Percent is a share of a total, rounded so that only everything is 100%.
func Percent(n, of int64) string {
	if n == of {
		return "100%"
	}
	return fmt.Sprintf("%.1f%%", min(99.9, 100*float64(n)/float64(of)))
}

package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// A Table formats text in columns, which are two spaces apart. The zero value is an empty table.
type Table struct {
	Indent string // text before each line
	Width  int    // maximum width in columns of a terminal; longer lines end with …; 0: no limit

	rows [][]string // cells, each on one line
}

// Row adds a row. It formats each cell as fmt.Sprint does, on one line.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = console.OneLine(fmt.Sprint(cell))
	}
	t.rows = append(t.rows, row)
}

// Lines returns the lines of the table, without spaces at the ends. The cells of a column are aligned in adjacent rows that have
// another cell after it, as text/tabwriter does; but widths are in columns of a terminal, and a Chinese character takes two.
func (t *Table) Lines() []string {
	lines, longest := make([]string, len(t.rows)), 0
	for i, row := range t.rows {
		lines[i], longest = t.Indent, max(longest, len(row))
	}
	for column := range longest {
		for i := 0; i < len(lines); i++ {
			width, first := 0, i
			for ; i < len(lines) && len(t.rows[i]) > column+1; i++ {
				width = max(width, console.TextWidth(t.rows[i][column]))
			}
			for k := first; k < i; k++ {
				lines[k] += console.Pad(t.rows[k][column], width+2)
			}
			if i < len(lines) && len(t.rows[i]) == column+1 {
				lines[i] += t.rows[i][column]
			}
		}
	}
	for i, line := range lines {
		if lines[i] = strings.TrimRight(line, " "); t.Width > 0 {
			lines[i] = console.Truncate(lines[i], t.Width)
		}
	}
	return lines
}

// AppendTo appends the table to dst.
func (t *Table) AppendTo(dst []byte) []byte {
	for _, line := range t.Lines() {
		dst = append(append(dst, line...), '\n')
	}
	return dst
}

// Shorten limits text to a number of columns of a terminal. It replaces the middle of a longer text by "…".
func Shorten(text string, columns int) string {
	text = console.OneLine(text)
	if console.TextWidth(text) <= columns {
		return text
	}
	head := console.FitWidth(text, (columns-1)/2)
	tail := len(text)
	for rest := columns - 1 - console.TextWidth(text[:head]); ; {
		r, size := utf8.DecodeLastRuneInString(text[:tail])
		if rest -= console.TextWidth(string(r)); rest < 0 {
			return text[:head] + "…" + text[tail:]
		}
		tail -= size
	}
}

// KindNames are the names of kinds in reports, by [example.Kind].
var KindNames = [4]string{example.BytesList: "string", example.FloatList: "float32", example.Int64List: "int64"}

// KindsText returns the names of the kinds with a count, for a table. counts is indexed by [example.Kind].
func KindsText(counts [4]int64) string {
	var names []string
	for k, n := range counts {
		if n > 0 && k > 0 {
			names = append(names, KindNames[k])
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, "|")
}

// KindCounts returns the counts above 0 by the names of the kinds, for JSON. counts is indexed by [example.Kind].
func KindCounts(counts [4]int64) map[string]int64 {
	byName := map[string]int64{}
	for k, n := range counts {
		if n > 0 && k > 0 {
			byName[KindNames[k]] = n
		}
	}
	return byName
}

// FeatureName returns the name of a feature as JSON output has it, without quotes if they are not necessary.
func FeatureName(name string) string {
	quoted := string(jsonscan.AppendName(nil, []byte(name)))
	if bare := quoted[1 : len(quoted)-1]; bare == console.OneLine(bare) && bare != "" && !strings.ContainsAny(bare, `\ `) {
		return bare
	}
	return console.OneLine(quoted)
}

// Percent formats a share. Only n equal to of is 100%.
func Percent(n, of int64) string {
	if n == of {
		return "100%"
	}
	return fmt.Sprintf("%.1f%%", min(99.9, 100*float64(n)/float64(of)))
}

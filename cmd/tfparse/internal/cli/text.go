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

// A Table formats text in columns, which are two spaces apart. The zero value is an empty table.
type Table struct {
	Indent string // text before each line
	Width  int    // maximum width in characters; longer lines end with …; 0: no limit

	helpText strings.Builder // rows, with tabs between cells
}

// Row adds a row. It formats each cell as fmt.Sprint does, on one line.
func (t *Table) Row(cells ...any) {
	for i, cell := range cells {
		if i > 0 {
			t.helpText.WriteByte('\t')
		}
		t.helpText.WriteString(console.OneLine(fmt.Sprint(cell)))
	}
	t.helpText.WriteByte('\n')
}

// Lines returns the lines of the table, without spaces at the ends.
func (t *Table) Lines() []string {
	if t.helpText.Len() == 0 {
		return nil
	}
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	w.Write([]byte(t.helpText.String()))
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

// AppendTo appends the table to dst.
func (t *Table) AppendTo(dst []byte) []byte {
	for _, line := range t.Lines() {
		dst = append(append(dst, line...), '\n')
	}
	return dst
}

// Shorten limits text to width characters. It replaces the middle of a longer text by "…".
func Shorten(helpText string, width int) string {
	runes := []rune(console.OneLine(helpText))
	if len(runes) <= width {
		return string(runes)
	}
	head := (width - 1) / 2
	return string(runes[:head]) + "…" + string(runes[len(runes)-(width-head-1):])
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

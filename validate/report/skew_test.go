package report_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/validate/report"
)

func writeSkew(t testing.TB, in *report.Skew) (page string, root *element) {
	t.Helper()
	var b bytes.Buffer
	if err := report.WriteSkew(&b, in); err != nil {
		t.Fatal(err)
	}
	page = b.String()
	if policy := "default-src &#39;none&#39;; style-src &#39;sha256-"; strings.Contains(page, "<script") || !strings.Contains(page, policy) || strings.Contains(page, "script-src") {
		t.Error("the page has a script, or no policy against one")
	}
	return page, parse(t, strings.Replace(page, "</body>", "<script></script></body>", 1))
}

// cellsOf returns the texts of a table's cells, by row.
func cellsOf(e *element) (rows [][]string) {
	for _, tr := range e.named("tr") {
		var cells []string
		for _, c := range tr.below {
			cells = append(cells, strings.TrimSpace(c.text))
		}
		rows = append(rows, cells)
	}
	return rows
}

func TestSkewPage(t *testing.T) {
	page, root := writeSkew(t, &report.Skew{
		Title: "Skew between a & b", Sides: [2]string{"a", "b"}, Sizes: [2]string{"1 KiB", ""}, Pairs: 4000, Differing: 12,
		Features: []report.SkewFeature{
			{Name: "fare", Base: 3990, Test: 3995, Match: 3988, Mismatch: 5, BaseOnly: 1, TestOnly: 6, Failed: true},
			{Name: "<b>words</b>", Base: 4000, Test: 4000, Match: 4000},
		},
		Facts: []report.SkewFact{{Name: "Keys", Count: 4100}}, Failed: []string{"1 feature above"},
		Samples: []report.SkewSample{{Key: "id=<7>", Places: [2]string{"a#1", "b#2"}, Changes: []string{"fare: 1 -> 2", "\u202eodd"}}},
		Note:    "tfparse skew",
	})
	rows := cellsOf(root)
	same(t, "the head", rows[0], []string{"Feature", "Pairs that differ", "Share", "In A", "In B", "Same", "Other values", "Only in A", "Only in B", "Differ"})
	same(t, "the first row", rows[1], []string{"fare error", "", "0.3%", "3,990", "3,995", "3,988", "5", "1", "6", "12"})
	same(t, "the second row", rows[2], []string{"<b>words</b>", "", "0.0%", "4,000", "4,000", "4,000", "0", "0", "0", "0"})
	end := 0.0
	bars := root.named("rect")
	for _, b := range bars {
		at, _ := strconv.ParseFloat(strings.TrimSuffix(b.attr["x"], "%"), 64)
		width, _ := strconv.ParseFloat(strings.TrimSuffix(b.attr["width"], "%"), 64)
		if at < end-0.002 || at > end+0.002 {
			t.Errorf("a bar begins at %v%%, and the one before it ends at %v%%", at, end)
		}
		end = at + width
	}
	if len(bars) != 3 || end < 0.29 || end > 0.31 {
		t.Errorf("%d bars up to %v%%, wanted 3 up to 0.3%%", len(bars), end)
	}
	for _, want := range []string{"Skew between a &amp; b", "<dd>12 (0.3%)</dd>", "<dt>Keys</dt><dd>4,100</dd>", "1 feature above", "id=&lt;7&gt;", "fare: 1 -&gt; 2", "and 11 more pairs", "total size 1 KiB"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page, "\u202e") {
		t.Error("the page has a character that turns text round")
	}
}

// TestSkewPageOfNothing checks a page without pairs, and a page with more features than MaxFeatures.
func TestSkewPageOfNothing(t *testing.T) {
	page, _ := writeSkew(t, &report.Skew{})
	for _, want := range []string{"<title>Skew</title>", "<dd>0 (–)</dd>", "no pair of records was compared"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	in := &report.Skew{Pairs: 1, Differing: 1}
	for i := range report.MaxFeatures + 7 {
		in.Features = append(in.Features, report.SkewFeature{Name: fmt.Sprint("f", i), Match: 1})
	}
	changes := make([]string, 1000)
	in.Samples = []report.SkewSample{{Key: strings.Repeat("k", 1<<20), Changes: changes}}
	page, root := writeSkew(t, in)
	if rows := cellsOf(root); len(rows) != report.MaxFeatures+1 || !strings.Contains(page, "and 7 more features, which differ") {
		t.Errorf("%d rows, wanted %d and a line about the others", len(rows), report.MaxFeatures+1)
	}
	if !strings.Contains(page, "and 970 more features") || strings.Contains(page, "more pair") || len(page) > 4<<20 {
		t.Errorf("a page of %d bytes shows all changes of a pair", len(page))
	}
	if err := report.WriteSkew(failing{}, in); err == nil {
		t.Error("a writer that fails is no error")
	}
}

package report_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/reports"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/report"
	"github.com/tfparse/tfparse/validate/stats"
)

// statisticsOf computes the statistics of one feature.
func statisticsOf(t *testing.T, values ...example.Value) report.Side {
	t.Helper()
	acc, err := stats.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range values {
		b, err := example.Example{"a_long/feature_name": v}.MarshalBinary()
		if err == nil {
			err = acc.Add(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	list, details, err := acc.Detailed(1)
	if err != nil {
		t.Fatal(err)
	}
	return report.Side{Statistics: list, Details: details}
}

// TestBytesNames checks that values that are not text are named by their content, one row for each value.
func TestBytesNames(t *testing.T) {
	gif := "GIF89a\x05\x00\x03\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x05\x00\x03\x00\x00\x02\x03\x84\x8f\x50\x00;"
	other := strings.Replace(gif, "\x84", "\x85", 1)
	side := statisticsOf(t, example.Strings(gif), example.Strings(gif), example.Strings(other), example.Strings("\xff\x01"), example.Strings("\xff"+strings.Repeat("\x01", 20_000)), example.Strings("text"))
	rows := texts(parse(t, write(t, &report.Input{Sides: []report.Side{side}})).class("labels")[0].named("th"))
	got := map[string]int{}
	for _, r := range rows[3:] {
		name, _, _ := strings.Cut(r, " B ")
		if i := strings.LastIndexByte(name, ' '); i > 0 && len(name)-i == 9 {
			name = name[:i] // without the digest
		}
		got[name]++
	}
	want := map[string]int{"GIF 5x3, 36 bytes": 2, `\xff\x01, 2 bytes`: 1, `\xff` + strings.Repeat(`\x01`, 15) + "…, 20 kB": 1, "text": 1}
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%d rows %q, wanted %d; there are %q", got[name], name, n, rows)
		}
	}
	// Statistics of TensorFlow Data Validation call all of them the same.
	f := reports.Labels(4, func(i int) string { return []string{"__BYTES_VALUE__", "a", "__BYTES_VALUE__", "__LARGE_BYTES__"}[i] }, "x")
	page := write(t, &report.Input{Sides: []report.Side{{Statistics: reports.List(f)}}})
	if strings.Contains(page, "__BYTES_VALUE__") || strings.Contains(page, "__LARGE_BYTES__") {
		t.Error("the page has a name of TensorFlow Data Validation")
	}
	rows = texts(parse(t, page).class("labels")[0].named("tbody")[0].named("th"))
	same(t, "values without a name", rows, []string{"bytes, not text", "a", "bytes, not text", "a long value"})
}

// TestAxes checks the vertical axis, and that few integers have separate bars with ticks under them.
func TestAxes(t *testing.T) {
	side := statisticsOf(t, example.Int64s(2), example.Int64s(2), example.Int64s(2), example.Int64s(5), example.Int64s(7))
	text := write(t, &report.Input{Sides: []report.Side{side}})
	page := parse(t, text)
	same(t, "vertical axis", texts(page.class("y")[0].named("span")), []string{"60.0%", "0"})
	same(t, "ticks", texts(page.class("scale")[0].named("text")), []string{"2", "7", "3", "4", "5", "6"})
	if bars := page.class("bars")[0].named("path")[0].attr["d"]; strings.Count(bars, "M") != 3 || strings.Count(bars, "z") != 3 {
		t.Errorf("bars %s: wanted three outlines", bars)
	}
	if !strings.Contains(text, "a_<wbr>long/<wbr>feature_<wbr>name") {
		t.Error("a long name cannot break after its underscores and slashes")
	}
}

// TestHighShares checks that high shares of missing values and zeros are marked, and no others.
func TestHighShares(t *testing.T) {
	for _, c := range []struct {
		missing, zeros uint64
		want           []string
	}{{0, 0, nil}, {9, 40, nil}, {11, 40, []string{"89.1%", "11 (10.9%)"}}, {0, 50, []string{"55.6%", "50 (55.6%)"}}} {
		f := reports.Numbers(1, "x")
		f.GetNumStats().CommonStats.NumMissing, f.GetNumStats().NumZeros = c.missing, c.zeros
		got := texts(parse(t, write(t, &report.Input{Sides: []report.Side{{Statistics: reports.List(f)}}})).class("high"))
		same(t, fmt.Sprint(c.missing, " missing, ", c.zeros, " zeros"), got, c.want)
	}
}

// TestNoise checks that features within the noise are marked in the table and at their heading.
func TestNoise(t *testing.T) {
	list := func(middle float64) *pb.DatasetFeatureStatisticsList {
		return reports.List(reports.Numbers(20, "same"), reports.Numbers(middle, "other"))
	}
	page := parse(t, write(t, &report.Input{Sides: []report.Side{{Statistics: list(20)}, {Statistics: list(40)}}}))
	var rows []string
	for _, e := range page.class("within") {
		if e.name == "tr" && e.attr["id"] != "" {
			rows = append(rows, texts(e.named("th"))...)
		}
	}
	same(t, "rows", rows, []string{"same"})
	if n := len(page.class("noise")); n != 1 || len(page.all(func(e *element) bool { return e.attr["id"] == "noise" })) != 1 {
		t.Errorf("%d headings with a note, wanted one, and a control that hides them", n)
	}
}

// TestServed checks the page of a server: no style and no script inside, and links of marks.
func TestServed(t *testing.T) {
	in := reports.Sample()
	in.Served, in.Progress = true, &report.Progress{Text: "The first 5 records", Share: 0.5}
	in.Findings = []report.Finding{{Feature: "age", Severity: "error", Rule: "OLD", Text: "record 3", Command: "tfparse get f#3", Link: "./#/records?file=0&record=3"}}
	var all []report.Selection
	in.Link = func(s report.Selection) string {
		all = append(all, s)
		return "./#/find?where=" + url.QueryEscape("x && \"<script>")
	}
	text := write(t, in)
	for _, bad := range []string{"<style", "<script>", "data:,", "sha256", "ZgotmplZ"} {
		if strings.Contains(text, bad) {
			t.Errorf("there is %s in the page", bad)
		}
	}
	for _, want := range []string{"<link rel=stylesheet href=report.css>", "<script src=report.js></script>", "style-src &#39;self&#39;", `id="progress"`, `value="0.5"`,
		`href="./#/find?where=x&#43;%26%26&#43;%22%3Cscript%3E" target="_top"`, `<a href="./#/records?file=0&amp;record=3" target="_top">`, `<code class="command">tfparse get f#3</code>`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in the page", want)
		}
	}
	for _, what := range []report.Mark{report.MissingMark, report.ValueMark, report.RangeMark} {
		if !slices.ContainsFunc(all, func(s report.Selection) bool { return s.What == what && len(s.Path) > 0 }) {
			t.Errorf("no link of mark %d", what)
		}
	}
	for _, name := range []string{"report.css", "report.js"} {
		if text, ok := report.Asset(name); !ok || text == "" {
			t.Errorf("no %s", name)
		}
	}
	if _, ok := report.Asset("page.css"); ok {
		t.Error("a name that no page has")
	}
}

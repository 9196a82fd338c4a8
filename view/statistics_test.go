package view_test

import (
	"fmt"
	"html"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/view"
)

// writeRecords writes a file of Examples and returns its name and the records.
func writeRecords(t *testing.T, name string, all []example.Example) (string, [][]byte) {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	w, err := tfrecord.Create(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	var records [][]byte
	for _, e := range all {
		b, err := e.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, b)
		if err := w.WriteRecord(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return name, records
}

// open returns a handler.
func open(t *testing.T, names []string, opts *view.Options) *view.Handler {
	t.Helper()
	h, err := view.New(names, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// get returns the body of an answer.
func get(t *testing.T, h http.Handler, address string) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/"+address, nil))
	if w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", address, w.Code, w.Body)
	}
	return w.Body.String()
}

// someExamples makes examples with a value or none of each feature, so that the number of values is that of records.
func someExamples(n int, seed uint64) (all []example.Example) {
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		e := example.Example{
			"age":            example.Int64s(int64(r.IntN(90))),
			"doors":          example.Int64s([]int64{2, 3, 5, 70}[r.IntN(4)]),
			"negative":       example.Int64s(int64(r.IntN(1000)) - 500),
			"id":             example.Int64s(r.Int64N(1 << 50)),
			"fare":           example.Floats(float32(math.Exp(r.NormFloat64() * 2))),
			"temperature":    example.Floats(float32(r.NormFloat64()*10 - 3)),
			"tenth":          example.Floats(float32(r.IntN(11)) / 10),
			"tiny":           example.Floats(float32(r.Float64() * 1e-42)),
			"huge":           example.Floats(float32(r.NormFloat64() * 1e37)),
			"city":           example.Strings([]string{"Oslo", `a "quoted" \ one`, "line\nbreak", "<b>'", "Ærø", "\xff\x00x", "", "7"}[r.IntN(8)]),
			"any":            example.Int64s(int64(r.IntN(3))),
			"a b`c":          example.Int64s(int64(r.IntN(3))),
			"with space/and": example.Floats(float32(r.IntN(3))),
			"\xfe name":      example.Int64s(int64(r.IntN(3))),
		}
		if r.IntN(3) == 0 {
			e["sometimes"] = example.Floats([]float32{0, 1, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 2.5}[r.IntN(6)])
		}
		if i%7 == 0 {
			e["spike"] = example.Floats(float32(math.Pow(10, r.Float64()*8)))
		} else {
			e["spike"] = example.Floats(1)
		}
		all = append(all, e)
	}
	return all
}

var (
	barLink   = regexp.MustCompile(`<a href="([^"]*)" target="_top" tabindex="-1" data-row="(\d+)">`)
	countLink = regexp.MustCompile(`<td[^>]*><a href="([^"]*)" target="_top">([^<]*)</a></td>`)
	rowLink   = regexp.MustCompile(`<tr><th scope="row">(Missing|Zeros|NaN)</th><td[^>]*><a href="([^"]*)" target="_top">([0-9,]+) `)
)

// whereIn returns the expression of a link.
func whereIn(t *testing.T, link string) string {
	t.Helper()
	_, query, ok := strings.Cut(html.UnescapeString(link), "./#/find?")
	values, err := url.ParseQuery(query)
	if !ok || err != nil {
		t.Fatalf("a link to %s: %v", link, err)
	}
	return values.Get("where")
}

// featureIn matches the feature of an expression about a bar.
var featureIn = regexp.MustCompile("^any\\((`[^`]*`|feature\\(\"(?:\\\\.|[^\"])*\"\\)|[\\w/]+)")

// shareText formats a share as the page does.
func shareText(n, total int) string {
	switch v := float64(n) / float64(total); {
	case v == 0 || v == 1:
		return fmt.Sprintf("%.1f%%", 100*v)
	case v < 0.001:
		return "<0.1%"
	case v > 0.999:
		return ">99.9%"
	default:
		return fmt.Sprintf("%.1f%%", math.Round(v*1000)/10)
	}
}

// matches counts the records that an expression selects.
func matches(t *testing.T, where string, records [][]byte) (n int) {
	t.Helper()
	f, err := expr.Compile(where)
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	for _, rec := range records {
		ok, err := f.Match(example.TypeExample, rec)
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		if ok {
			n++
		}
	}
	return n
}

// TestLinks checks that the links of bars, frequent values, missing values, zeros and NaN select as many records as the page counts.
func TestLinks(t *testing.T) {
	name, records := writeRecords(t, "data.tfrecord", someExamples(3000, 1))
	page := get(t, open(t, []string{name}, nil), "features?all=1")
	bars, values, rows := 0, 0, 0
	for _, figure := range strings.Split(page, "<figure ")[1:] {
		_, text, _ := strings.Cut(figure, `<pre class="text">`)
		text, _, _ = strings.Cut(text, "</pre>")
		lines := strings.Split(html.UnescapeString(text), "\n")
		for _, m := range barLink.FindAllStringSubmatch(figure, -1) {
			row, _ := strconv.Atoi(m[2])
			cells := strings.Split(lines[row+1], "\t")
			want := cells[len(cells)-1]
			where := whereIn(t, m[1])
			n := matches(t, where, records)
			got := strconv.Itoa(n)
			if strings.HasSuffix(want, "%") {
				name := featureIn.FindStringSubmatch(where)[1]
				got = shareText(n, matches(t, "has("+name+") && !isnan("+name+")", records))
			}
			if bars++; got != strings.ReplaceAll(want, ",", "") {
				t.Errorf("%s selects %s records, the bar of %q has %s", where, got, cells, want)
			}
		}
	}
	for _, m := range countLink.FindAllStringSubmatch(page, -1) {
		where := whereIn(t, m[1])
		n, err := strconv.Atoi(strings.ReplaceAll(m[2], ",", ""))
		if err != nil || !strings.Contains(where, `== "`) {
			continue // a minimum or a maximum
		}
		if values++; n != matches(t, where, records) {
			t.Errorf("%s selects %d records, the page counts %d", where, matches(t, where, records), n)
		}
	}
	for _, m := range rowLink.FindAllStringSubmatch(page, -1) {
		where := whereIn(t, m[2])
		n, _ := strconv.Atoi(strings.ReplaceAll(m[3], ",", ""))
		if rows++; n != matches(t, where, records) {
			t.Errorf("%s, %s: %d records, the page counts %d", m[1], where, matches(t, where, records), n)
		}
	}
	if bars < 30 || values < 8 || rows < 8 {
		t.Errorf("%d bars, %d values, %d rows with links", bars, values, rows)
	}
}

package view_test

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/internal/test/testkit"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/report"
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

// TestLinks checks that the links of bars, frequent values, missing values, zeros and NaN select the number of records that the page counts.
func TestLinks(t *testing.T) {
	testkit.OneGoroutine(t)
	name, records := writeRecords(t, "data.tfrecord", someExamples(1000, 1))
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

// TestFindings checks that findings are counted, list their records with a command and a link, and that damage is one.
func TestFindings(t *testing.T) {
	all := someExamples(500, 2)
	name, _ := writeRecords(t, "data file's.tfrecord", all)
	old := 0
	for _, e := range all {
		if e["age"].Int64s[0] > 80 {
			old++
		}
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	b[20] ^= 1 // in the first record
	if err := os.WriteFile(name, b, 0o666); err != nil {
		t.Fatal(err)
	}
	if all[0]["age"].Int64s[0] > 80 {
		old--
	}
	schema := &pb.Schema{}
	if err := prototext.Unmarshal([]byte(`feature { name: "age" type: INT int_domain { max: 80 } } feature { name: "gone" type: INT presence { min_fraction: 1 } }`), schema); err != nil {
		t.Fatal(err)
	}
	rules, err := expr.ParseRules("record: len(doors) == 1\nwarning: negative >= -400\nmax(fare) < 0.5\n")
	if err != nil {
		t.Fatal(err)
	}
	h := open(t, []string{name}, &view.Options{Schema: schema, Rules: rules})
	page := get(t, h, "findings?all=1")
	if strings.Contains(page, "<bdi>0: record 0") || !strings.Contains(page, "data file&#39;s.tfrecord: record 0 (offset") {
		t.Error("the damage has no name of a file")
	}
	if features := get(t, h, "features?all=1"); !strings.Contains(features, ": 1 damaged record is left out") {
		t.Error("the statistics do not say that a record is left out")
	}
	for _, want := range []string{
		`<td class="n">` + strconv.Itoa(old) + `</td><td><span class="flag error">error</span></td><th scope="row"><a href="#s0f`,
		`<code>DAMAGED</code>`, `<code>CUSTOM_VALIDATION</code>`, `<code>SCHEMA_MISSING_COLUMN</code>`, `max(fare)`,
		`<code class="command">tfparse get &#39;` + breaks(strings.ReplaceAll(name, "'", `'\''`)) + `#0&#39;</code>`,
		`<a href="./#/records?file=0&amp;record=0" target="_top">`, `id="faulty" checked`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in the page", want)
		}
	}
	n := 0
	for _, m := range regexp.MustCompile(`<a href="\./#/records\?file=0&amp;record=(\d+)" target="_top"><bdi>[^\n]*<code class="command">`).FindAllStringSubmatch(page, -1) {
		if i, err := strconv.Atoi(m[1]); err != nil || i < 0 || i >= 500 {
			t.Errorf("a link to record %s", m[1])
		}
		n++
	}
	if n < min(old, 100) {
		t.Errorf("%d links to records, wanted those of %d findings", n, old)
	}
}

// TestCompare checks the links of both data sets.
func TestCompare(t *testing.T) {
	first, a := writeRecords(t, "a.tfrecord", someExamples(400, 3))
	second, b := writeRecords(t, "b.tfrecord", someExamples(300, 4))
	page := get(t, open(t, []string{first}, &view.Options{Against: []string{second}}), "compare?all=1")
	sides := [2]int{}
	for _, m := range countLink.FindAllStringSubmatch(page, -1) {
		where := whereIn(t, m[1])
		n, err := strconv.Atoi(strings.ReplaceAll(m[2], ",", ""))
		if err != nil || !strings.Contains(where, `== "`) {
			continue
		}
		side, records := 0, a
		if strings.Contains(m[1], "&amp;set=1") {
			side, records = 1, b
		}
		if sides[side]++; n != matches(t, where, records) {
			t.Errorf("%s selects %d records of data set %d, the page counts %d", where, matches(t, where, records), side, n)
		}
	}
	if sides[0] < 8 || sides[1] < 8 || !strings.Contains(page, "Kolmogorov-Smirnov") {
		t.Errorf("links to frequent values: %v", sides)
	}
	if n := len(barLink.FindAllString(page, -1)); n < 100 {
		t.Errorf("%d links of bars", n)
	}
}

// TestProgress checks that a page of the first records comes before everything was read, and that Close ends reading.
func TestProgress(t *testing.T) {
	some := someExamples(2000, 5)
	copies := 40
	if testing.Short() {
		copies = 10
	}
	var all []example.Example
	for range copies {
		all = append(all, some...)
	}
	name, _ := writeRecords(t, "large.tfrecord", all)
	gate := make(chan struct{})
	h := open(t, []string{filepath.Base(name)}, &view.Options{FS: gatedFS{os.DirFS(filepath.Dir(name)), gate}})
	page := get(t, h, "features")
	for _, text := range []string{`id="progress"`, `These are the first `, `<noscript><meta http-equiv="refresh"`, `<link rel=stylesheet href=report.css>`, `<script src=report.js></script>`} {
		if !strings.Contains(page, text) {
			t.Errorf("no %s in the page of a part", text)
		}
	}
	var p report.Progress
	if err := json.Unmarshal([]byte(get(t, h, "features?progress=1")), &p); err != nil || p.Text == "" {
		t.Errorf("progress %+v: %v", p, err)
	}
	close(gate)
	page = get(t, h, "features?all=1")
	if strings.Contains(page, `id="progress"`) || !strings.Contains(page, fmt.Sprintf("%d,000", 2*copies)) {
		t.Error("the page of all records says that it is of a part, or lacks their number")
	}
	if again := get(t, h, "features"); again != page {
		t.Error("the page of all records differs when it is asked for again")
	}
	if file := get(t, h, "features?static=1"); !strings.Contains(file, "<style>") || strings.Contains(file, "#/find") || strings.Contains(file, "report.js") {
		t.Error("the page for a file needs others")
	}
	for _, asset := range []string{"report.css", "report.js"} {
		if get(t, h, asset) == "" {
			t.Errorf("%s is empty", asset)
		}
	}
}

// A gatedFS has files whose second half can be read only after the gate was closed.
type gatedFS struct {
	fs.FS
	gate chan struct{}
}

func (f gatedFS) Open(name string) (fs.File, error) {
	file, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	return &gatedFile{File: file, half: info.Size() / 2, gate: f.gate}, err
}

// A gatedFile is a file of a gatedFS.
type gatedFile struct {
	fs.File
	half int64 // reads that end after it wait for the gate
	pos  int64 // of the next Read
	gate chan struct{}
}

func (f *gatedFile) ReadAt(b []byte, off int64) (int, error) {
	if off < f.half && off+int64(len(b)) > f.half {
		n, err := f.ReadAt(b[:f.half-off], off)
		if err != nil {
			return n, err
		}
		more, err := f.ReadAt(b[n:], off+int64(n))
		return n + more, err
	}
	if off >= f.half {
		<-f.gate
	}
	return f.File.(io.ReaderAt).ReadAt(b, off)
}

func (f *gatedFile) Read(b []byte) (int, error) {
	if n := f.half - f.pos; n > 0 && int64(len(b)) > n {
		b = b[:n]
	}
	n, err := f.ReadAt(b, f.pos)
	if f.pos += int64(n); n > 0 {
		err = nil
	}
	return n, err
}

// breaks escapes a text as the page does.
func breaks(s string) string {
	return strings.NewReplacer("_", "_<wbr>", "/", "/<wbr>").Replace(html.EscapeString(s))
}

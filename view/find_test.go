package view

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tfrecord"
)

// request returns the answer to a request.
func request(t testing.TB, h *Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w
}

// requestJSON decodes the answer to a request, which must succeed.
func requestJSON[T any](t testing.TB, h *Handler, path string) (v T) {
	t.Helper()
	w := request(t, h, path)
	if w.Code != 200 {
		t.Fatalf("%s: status %d: %s", path, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatalf("%s: %v: %s", path, err, w.Body)
	}
	return v
}

// A foundLine is a line of api/find.
type foundLine struct {
	Match    *[2]int64
	Progress *struct{ Share float64 }
	Done     *struct {
		Read, Matches, Misfits, Damaged int64
		Share                           float64
		Next                            *string
		Unknown                         []string
	}
	Error string
}

// find returns the matches and the last line of a search.
func find(t testing.TB, h *Handler, query string) (matches [][2]int64, last foundLine) {
	t.Helper()
	w := request(t, h, "/api/find?"+query)
	if w.Code != 200 {
		t.Fatalf("%s: status %d: %s", query, w.Code, w.Body)
	}
	for line := range bytes.Lines(w.Body.Bytes()) {
		last = foundLine{}
		if err := json.Unmarshal(line, &last); err != nil {
			t.Fatal(err)
		}
		if last.Match != nil {
			matches = append(matches, *last.Match)
		}
	}
	return matches, last
}

func TestFind(t *testing.T) {
	n := 3000
	if testing.Short() {
		n = 1000
	}
	records := testRecords(t, n, 50)
	damaged := encodeRecords(t, tfrecord.None, records)
	damaged[len(damaged)/6] ^= 1 // somewhere in the first half
	files := map[string][]byte{
		"a": encodeRecords(t, tfrecord.GZIP, records), "b": damaged, "c": encodeRecords(t, tfrecord.None, records),
		"empty": nil, "text": []byte("no records\n"), "other": encodeRecords(t, tfrecord.SNAPPY, records[:100]),
	}
	h := newMemory(t, files, &Options{Against: []string{"other"}}, "a", "missing", "empty", "b", "text", "c")
	numbers := map[int]map[int64]int64{} // of each file: the row with a value of i
	for f, name := range []string{"a", "", "", "b", "", "c", "other"} {
		if name == "" {
			continue
		}
		numbers[f] = map[int64]int64{}
		for row, want := range recoverRows(files[name], name) {
			if want.data != nil {
				numbers[f][valueOf(t, want.data)] = int64(row)
			}
		}
	}
	// expected returns the matches of a condition on i.
	expected := func(set int, ok func(i int64) bool) (all [][2]int64) {
		for _, f := range []int{0, 3, 5, 6} {
			if (f == 6) != (set == 1) {
				continue
			}
			for i := range int64(n) {
				if row, present := numbers[f][i]; present && ok(i) {
					all = append(all, [2]int64{int64(f), row})
				}
			}
		}
		return all
	}
	for _, wait := range []bool{false, true} { // while the files are indexed, and after
		if wait {
			for f := range numbers {
				allRows(t, h.files[f], 200)
			}
		}
		all := expected(0, func(int64) bool { return true })
		got, last := find(t, h, "where=")
		if !slices.Equal(got, all) || last.Done == nil || last.Done.Read != int64(len(all)) || last.Done.Next != nil {
			t.Errorf("all: %d matches, want %d; %+v", len(got), len(all), last)
		}
		want := expected(0, func(i int64) bool { return i%7 == 3 && i > 20 })
		var list []string
		for i := int64(24); i < int64(n); i += 7 {
			list = append(list, fmt.Sprint(i))
		}
		where := "where=" + url.QueryEscape("i in ["+strings.Join(list, ", ")+"]")
		if got, last = find(t, h, where); !slices.Equal(got, want) {
			t.Errorf("%d matches, want %d: %+v", len(got), len(want), last)
		}
		// By pages, each from where the last one ended.
		var paged [][2]int64
		for from := "0:0"; ; {
			some, last := find(t, h, where+"&limit=100&from="+from)
			paged = append(paged, some...)
			if len(some) > 100 || last.Done == nil {
				t.Fatalf("%d matches: %+v", len(some), last)
			}
			if last.Done.Next == nil {
				break
			}
			from = *last.Done.Next
		}
		if !slices.Equal(paged, want) {
			t.Errorf("by pages: %d matches, want %d", len(paged), len(want))
		}
		if got, _ := find(t, h, "set=1&where="+url.QueryEscape("i >= 90")); len(got) != 10 || got[0] != [2]int64{6, 90} {
			t.Errorf("second data set: %v", got)
		}
	}
	if _, last := find(t, h, "where="+url.QueryEscape(`i == "x"`)); last.Done == nil || last.Done.Misfits == 0 || last.Done.Matches != 0 {
		t.Errorf("a condition that does not fit: %+v", last)
	}
	matches, err := h.findMatches(t.Context(), "i == 5", 2)
	if err != nil || len(matches) != 2 || matches[0] != (rowAddress{0, 5}) {
		t.Errorf("findMatches: %v, %v", matches, err)
	}
	matches, err = h.findMatches(t.Context(), "", n+5)
	if err != nil || len(matches) != n+5 || matches[n] != (rowAddress{3, 0}) {
		t.Errorf("findMatches: %d, %v", len(matches), err)
	}
}

// valueOf returns the feature i.
func valueOf(t testing.TB, rec []byte) int64 {
	t.Helper()
	f, _, err := example.TypeExample.Lookup(rec, "i")
	if err != nil {
		t.Fatal(err)
	}
	v, err := f.AppendInt64s(nil)
	if err != nil || len(v) != 1 {
		t.Fatal(v, err)
	}
	return v[0]
}

// TestFindCancelled ends a search when its client leaves.
func TestFindCancelled(t *testing.T) {
	h := newMemory(t, map[string][]byte{"f": encodeRecords(t, tfrecord.GZIP, testRecords(t, 20_000, 100))}, nil, "f")
	for i := range 10 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*time.Millisecond)
		r := httptest.NewRequest("GET", "/api/find?where=", nil).WithContext(ctx)
		begin := time.Now()
		h.ServeHTTP(httptest.NewRecorder(), r)
		if d := time.Since(begin); d > 5*time.Second {
			t.Errorf("the search went on for %v", d)
		}
		cancel()
	}
}

func TestCheck(t *testing.T) {
	h := newMemory(t, map[string][]byte{"f": encodeRecords(t, tfrecord.None, testRecords(t, 3, 3))}, nil, "f")
	type answer struct {
		OK    bool
		Error string
		At    int
	}
	for where, want := range map[string]answer{
		"":                  {OK: true},
		"  ":                {OK: true},
		"i == 3":            {OK: true},
		"i ==":              {At: 4},
		"i == 3 )":          {At: 7},
		`text == "😀é" && &`: {At: 17}, // the emoji is two units of UTF-16
	} {
		got := requestJSON[answer](t, h, "/api/check?where="+url.QueryEscape(where))
		if (got.Error == "") != want.OK {
			t.Errorf("%q: %+v", where, got)
		}
		if got.Error = ""; got != want {
			t.Errorf("%q: got %+v, want %+v", where, got, want)
		}
	}
}

func TestExport(t *testing.T) {
	records := testRecords(t, 5000, 3)
	odd, err := example.Example{"i": example.Int64s(), "text": example.Strings("a\"b,\nc")}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	records = append(records, odd)
	h := newMemory(t, map[string][]byte{"f": encodeRecords(t, tfrecord.GZIP, records)}, nil, "f")
	w := request(t, h, "/api/export?as=tfrecord")
	if got := w.Body.Bytes(); w.Code != 200 || !bytes.Equal(got, encodeRecords(t, tfrecord.None, records)) {
		t.Errorf("tfrecord: status %d, %d bytes", w.Code, len(got))
	}
	if got := w.Header().Get("Content-Disposition"); got != "attachment; filename=selection.tfrecord" {
		t.Errorf("Content-Disposition %q", got)
	}
	w = request(t, h, "/api/export?as=jsonl&where="+url.QueryEscape("i == 7 || i == 4999"))
	if got := w.Body.String(); got != `{"i":[7],"text":["007"]}`+"\n"+`{"i":[4999],"text":["4999"]}`+"\n" {
		t.Errorf("jsonl: %s", got)
	}
	w = request(t, h, "/api/export?as=csv")
	rows, err := csv.NewReader(w.Body).ReadAll()
	if err != nil || len(rows) != len(records)+1 {
		t.Fatalf("csv: %d rows, %v", len(rows), err)
	}
	for i, want := range map[int][]string{0: {"i", "text"}, 8: {"7", "007"}, 5001: {"", "a\"b,\nc"}} {
		if !slices.Equal(rows[i], want) {
			t.Errorf("csv: row %d is %q, want %q", i, rows[i], want)
		}
	}
	// A record that CSV cannot hold is an error, and not left out.
	list, err := example.Example{"i": example.Int64s(1, 2)}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	h = newMemory(t, map[string][]byte{"f": encodeRecords(t, tfrecord.None, [][]byte{records[0], list})}, nil, "f")
	if w := request(t, h, "/api/export?as=csv"); w.Code != 400 || !strings.Contains(w.Body.String(), "record 1") {
		t.Errorf("csv of a list: status %d, %s", w.Code, w.Body)
	}
}

func TestSet(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 3))); err != nil {
		t.Fatal(err)
	}
	rec, err := example.Example{"img": example.Strings(picture.String()), "words": example.Strings("flour", "milk"), "lengths": example.Int64s(1, 1),
		"mixed": example.Int64s(1), "empty": {}}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	rec2, err := example.Example{"mixed": example.Floats(1)}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	spec := feature.Spec{Features: feature.Features{
		"steps": feature.Ragged{DType: feature.String, ValueKey: "words", Partitions: []feature.Partition{feature.RowLengths("lengths")}},
		"img":   feature.FixedLen{DType: feature.String},
	}}
	h := newMemory(t, map[string][]byte{"f": encodeRecords(t, tfrecord.None, [][]byte{rec, rec2}), "g": nil}, &Options{Spec: spec, Classes: map[string][]string{"mixed": {"cat"}}}, "f", "none", "g")
	allRows(t, h.files[0], 9)
	got := requestJSON[setAnswer](t, h, "/api/set")
	for ; got.Files[1].State == "scanning"; got = requestJSON[setAnswer](t, h, "/api/set") {
		time.Sleep(time.Millisecond) // the files are opened in the background
	}
	if got.Title != "f" || got.Type != "example" || got.Spec == nil || len(got.Files) != 3 || !slices.Equal(got.Pages, []string{"features"}) {
		t.Errorf("%+v", got)
	}
	if f := got.Files[0]; f.State != "complete" || f.Records == nil || *f.Records != 2 || f.Size == 0 || f.Error != nil {
		t.Errorf("%+v", f)
	}
	if f := got.Files[1]; f.State != "error" || f.Error == nil || f.Name != "none" {
		t.Errorf("%+v", f)
	}
	var lines []string
	for _, f := range got.Features {
		line := fmt.Sprintf("%s %s %v %v", f.ID, f.Kind, f.Image, f.Classes)
		for _, text := range []*string{f.Content, f.Column} {
			if text != nil {
				line += ", " + *text
			}
		}
		lines = append(lines, line)
	}
	want := []string{
		"features:empty unset false false",
		"features:img bytes true false, PNG, fixed_len string",
		"features:lengths int64 false false, row_lengths of steps",
		"features:mixed mixed false true",
		"features:words bytes false false, text, ragged string [row_lengths]",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got  %q\nwant %q", lines, want)
	}
}

// TestPrefix serves the page under a prefix.
func TestPrefix(t *testing.T) {
	h := newMemory(t, map[string][]byte{"f": encodeRecords(t, tfrecord.None, testRecords(t, 3, 3))}, nil, "f")
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/data/train?x=y", nil)
	r.URL.Path = "" // as http.StripPrefix leaves it
	h.ServeHTTP(w, r)
	if w.Code != 307 || w.Header().Get("Location") != "train/" {
		t.Errorf("status %d, Location %q", w.Code, w.Header().Get("Location"))
	}
	if w := request(t, h, "/"); w.Code != 200 || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("status %d, %v", w.Code, w.Header())
	}
}

// TestFindUnknown names features that no record has.
func TestFindUnknown(t *testing.T) {
	h := newFileHandler(t, nil, "../testdata/recipes.tfrecord", "../testdata/recipes.tfrecord")
	for where, want := range map[string]string{
		"zz > 1":                     "[zz]",
		"zz > 1 || list(yy) == 1":    "[zz yy]",
		"minutes > 100000":           "[]",
		"minutes > 3 || zz > 1":      "[]", // there are matches
		"minutes > 100000 && zz > 1": "[zz]",
		"!has(zz)":                   "[]",
	} {
		if _, last := find(t, h, "where="+url.QueryEscape(where)); last.Done == nil || fmt.Sprint(last.Done.Unknown) != want {
			t.Errorf("%s: %+v, want %s", where, last.Done, want)
		}
	}
	err := h.WritePage(t.Context(), &bytes.Buffer{}, &PageOptions{Where: "zz > 1"})
	if e, ok := errors.AsType[*UnknownFeatureError](err); !ok || fmt.Sprint(e.Names) != "[zz]" {
		t.Errorf("page: %v", err)
	}
	if err := h.WritePage(t.Context(), &bytes.Buffer{}, &PageOptions{Where: "minutes > 100000"}); !errors.Is(err, ErrNoRecords) {
		t.Errorf("page: %v", err)
	}
}

// TestFindDamaged counts damage from the first record of a search on.
func TestFindDamaged(t *testing.T) {
	records := testRecords(t, 12, 50)
	data := encodeRecords(t, tfrecord.None, records)
	at := 0
	for i, rec := range records {
		if i == 3 || i == 7 {
			data[at+12] ^= 1
		}
		at += 16 + len(rec)
	}
	h := newMemory(t, map[string][]byte{"a": data}, nil, "a")
	for from, want := range map[string]int64{"0:0": 2, "0:4": 1, "0:7": 1, "0:8": 0} {
		if _, last := find(t, h, "where=&from="+from); last.Done == nil || last.Done.Damaged != want {
			t.Errorf("from %s: %+v, want %d damaged", from, last.Done, want)
		}
	}
	if _, last := find(t, h, "where=&limit=5"); last.Done == nil || last.Done.Damaged != 1 {
		t.Errorf("the first: %+v", last.Done)
	}
}

func TestMixedTypes(t *testing.T) {
	one, err := example.Example{"i": example.Int64s(1)}.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	steps, err := (&example.Sequence{Context: example.Example{"i": example.Int64s(1)}, Lists: map[string][]example.Value{"s": {example.Int64s(1)}}}).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for name, rec := range map[string][]byte{"a": one, "b": one, "s": steps} {
		files[name] = &fstest.MapFile{Data: encodeRecords(t, tfrecord.None, [][]byte{rec}), ModTime: time.Unix(1, 0)}
	}
	for _, c := range []struct {
		names, against []string
		want           string
	}{
		{[]string{"a", "b"}, nil, ""},
		{[]string{"a", "s"}, nil, "a has records of type example, and s of type sequence"},
		{[]string{"b"}, []string{"s"}, "b has records of type example, and s of type sequence"},
		{[]string{"s", "b"}, nil, ""}, // the context has all features of an Example
	} {
		h, err := New(c.names, &Options{FS: files, Against: c.against})
		if c.want == "" && err == nil {
			h.Close()
		} else if err == nil || c.want == "" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c, err, c.want)
		}
	}
}

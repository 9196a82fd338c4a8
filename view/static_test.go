package view

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// writePage returns the page of a handler, and the data in it.
func writePage(t *testing.T, h *Handler, opts *PageOptions) (page string, data struct {
	Set struct {
		Static  bool
		Matches [][2]int64
		Exports []string
		Pages   []string
		Files   []fileAnswer
	}
	Answers map[string]json.RawMessage
	Bytes   map[string]string
	Pages   map[string]string
	Notes   []string
}) {
	t.Helper()
	var b bytes.Buffer
	if err := h.WritePage(t.Context(), &b, opts); err != nil {
		t.Fatal(err)
	}
	page = b.String()
	_, rest, ok := strings.Cut(page, `<script type="application/json" id="data">`)
	text, _, ok2 := strings.Cut(rest, "</script>")
	if !ok || !ok2 {
		t.Fatal("no data in the page")
	}
	if err := json.Unmarshal([]byte(text), &data); err != nil {
		t.Fatal(err)
	}
	return page, data
}

// TestStaticPage compares the answers in a page with those of the handler.
func TestStaticPage(t *testing.T) {
	h := newFileHandler(t, &Options{Spec: readSpec(t, "recipes.spec.json")}, "../testdata/recipes.tfrecord")
	page, data := writePage(t, h, &PageOptions{Limit: 3})
	if got := fmt.Sprint(data.Set.Matches); got != "[[0 0] [0 1] [0 2]]" || !data.Set.Static || len(data.Set.Exports) > 0 || len(data.Notes) > 0 {
		t.Errorf("matches %s, %+v, notes %q", got, data.Set, data.Notes)
	}
	for _, path := range []string{"api/rows?at=0:0,0:1,0:2", "api/record?file=0&record=0", "api/record?file=0&record=2"} {
		if want := strings.TrimSpace(get(t, h, path).Body.String()); string(data.Answers[path]) != want {
			t.Errorf("%s: %s, want %s", path, data.Answers[path], want)
		}
	}
	for _, path := range []string{"api/spec?as=json", "api/copy?file=0&record=1&as=go"} {
		var text string
		if err := json.Unmarshal(data.Answers[path], &text); err != nil || text != get(t, h, path).Body.String() {
			t.Errorf("%s: %v: %s", path, err, data.Answers[path])
		}
	}
	if got := fmt.Sprint(data.Set.Pages); got != "[features]" || !strings.Contains(data.Pages["features"], "allergens") || strings.Contains(data.Pages["features"], "These are the first") {
		t.Errorf("pages %s: %.2000s", got, data.Pages["features"])
	}
	checkPolicy(t, page, data.Pages)
	_, data = writePage(t, h, &PageOptions{Limit: 2, Where: "servings >= 3"})
	if len(data.Set.Matches) != 2 || data.Set.Matches[0] != [2]int64{0, 0} && data.Set.Matches[0][1] == 0 {
		t.Errorf("matches %v", data.Set.Matches)
	}
	if err := h.WritePage(t.Context(), &bytes.Buffer{}, &PageOptions{Where: "servings >"}); err == nil {
		t.Error("an invalid expression: no error")
	}
}

var elementText = regexp.MustCompile(`(?s)<(script|style)([^>]*)>(.*?)</(script|style)>`)

// checkPolicy checks that a page has its scripts and styles inside, and that its policy allows exactly these.
func checkPolicy(t *testing.T, page string, frames map[string]string) {
	t.Helper()
	_, rest, _ := strings.Cut(page, `<meta http-equiv="Content-Security-Policy" content="`)
	policy, _, ok := strings.Cut(rest, `"`)
	policy = html.UnescapeString(policy)
	if !ok || !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %s", policy)
	}
	elements := map[string]int{}
	for _, m := range elementText.FindAllStringSubmatch(page, -1) {
		if strings.Contains(m[2], "application/json") {
			elements["data"]++
			continue
		}
		elements[m[1]]++
		sum := sha256.Sum256([]byte(m[3]))
		if !strings.Contains(policy, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
			t.Errorf("the policy does not allow the %s: %s", m[1], policy)
		}
		if m[1] == "script" && (regexp.MustCompile(`(?m)^(import|export) `).MatchString(m[3]) || !strings.Contains(m[3], "document")) {
			t.Error("the script is not joined")
		}
	}
	if elements["script"] != 1 || elements["style"] != 1 || elements["data"] != 1 {
		t.Errorf("elements %v", elements)
	}
	head, _, _ := strings.Cut(page, "<style>")
	if m := regexp.MustCompile(`(src|href)="?[a-z]`).FindString(head); m != "" {
		t.Errorf("the page refers to a file: %s", m)
	}
	for name, frame := range frames {
		if m := regexp.MustCompile(`<(link|script)[^>]* (src|href)="?[\w/.]+["> ]`).FindString(frame); m != "" {
			t.Errorf("%s refers to a file: %s", name, m)
		}
		for _, m := range elementText.FindAllStringSubmatch(frame, -1) {
			sum := sha256.Sum256([]byte(m[3]))
			if !strings.Contains(policy, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
				t.Errorf("the policy does not allow the %s of %s", m[1], name)
			}
		}
	}
}

// TestStaticHostile writes a page of records whose names and values could end an element.
func TestStaticHostile(t *testing.T) {
	e := example.Example{}
	for _, name := range hostileNames {
		e[name] = example.Strings(name, "</script><script>alert(1)</script>", "<!--<script>", "\u2028")
	}
	page, data := writePage(t, recordsHandler(t, nil, marshal(t, e)), nil)
	checkPolicy(t, page, data.Pages)
	_, text, _ := strings.Cut(page, `id="data">`)
	text, _, _ = strings.Cut(text, "</script>")
	if strings.ContainsAny(text, "<>\u2028\u2029") {
		t.Error("the data have characters of markup")
	}
}

// TestStaticBytes puts images and sounds into a page, up to a limit.
func TestStaticBytes(t *testing.T) {
	testkit.OneGoroutine(t)
	im := testPNG(t, 100, 100)
	var records [][]byte
	for i := range 10 {
		e := example.Example{"image": example.Bytes(im, []byte("text")), "i": example.Int64s(int64(i)), "sound": example.Bytes(testWAV(100)),
			"raw": example.Bytes(bytes.Repeat([]byte{0xff, 0}, 8)), "height": example.Int64s(4), "width": example.Int64s(4)}
		records = append(records, marshal(t, e))
	}
	h := recordsHandler(t, nil, records...)
	_, data := writePage(t, h, nil)
	if len(data.Bytes) != 30 || len(data.Notes) != 0 {
		t.Errorf("%d images, sounds and pictures; notes %q", len(data.Bytes), data.Notes)
	}
	for link, want := range map[string]string{
		"api/bytes?file=0&record=3&feature=features%3Aimage&value=0": "data:image/png;base64," + base64.StdEncoding.EncodeToString(im),
		"api/bytes?file=0&record=9&feature=features%3Asound&value=0": "data:audio/wav;base64," + base64.StdEncoding.EncodeToString(testWAV(100)),
	} {
		if data.Bytes[link] != want {
			t.Errorf("%s: %.100s", link, data.Bytes[link])
		}
	}
	if link := "api/picture?file=0&record=0&feature=features%3Araw&value=0"; !strings.HasPrefix(data.Bytes[link], "data:image/png;base64,") {
		t.Errorf("%s: %.100s", link, data.Bytes[link])
	}
	record := len(get(t, h, "api/record?record=0").Body.String())
	page, data := writePage(t, h, &PageOptions{MaxBytes: int64(3 * record)})
	if n := len(data.Set.Matches); n < 1 || n > 3 || len(data.Notes) == 0 || !strings.Contains(data.Notes[0], "records are left out") {
		t.Errorf("%d records, notes %q", n, data.Notes)
	}
	checkPolicy(t, page, nil)
	p := &staticPage{Bytes: map[string]string{}}
	size := int64(0)
	limit := int64(len(im))
	if missing := p.addBytes(t.Context(), h, get(t, h, "api/record?record=0").Body.Bytes(), &size, limit); missing != 2 || len(p.Bytes) != 1 || size > limit {
		t.Errorf("%d left out, %d added, %d bytes", missing, len(p.Bytes), size)
	}
}

// TestStaticPageWithoutScan writes a page while a file is indexed.
func TestStaticPageWithoutScan(t *testing.T) {
	h := newFileHandler(t, nil, "../testdata/recipes.tfrecord", "../testdata/recipes.tfrecord")
	h.scans.running.Wait()
	h.files[1].update(func() { h.files[1].state, h.files[1].count = scanning, -1 })
	_, data := writePage(t, h, &PageOptions{Limit: 1})
	for _, f := range data.Set.Files {
		if f.State != "complete" {
			t.Errorf("%+v", f)
		}
	}
}

// TestStaticPageDamage reports the damage of the files.
func TestStaticPageDamage(t *testing.T) {
	records := testRecords(t, 12, 50)
	data := encodeRecords(t, tfrecord.None, records)
	data[12] ^= 1
	h := newMemory(t, map[string][]byte{"a": data}, nil, "a")
	var text string
	writePage(t, h, &PageOptions{Limit: 1, OnDamage: func(first []error, all int64) { text = fmt.Sprint(all, first) }})
	if !strings.HasPrefix(text, "1 [a#0: record 0") && !strings.HasPrefix(text, "1 [a: record 0") {
		t.Errorf("got %s", text)
	}
}

// TestScriptSyntax parses the script of the page, which has all modules. The browser tests run it.
func TestScriptSyntax(t *testing.T) {
	testkit.OneGoroutine(t)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("skipped: no node to parse the script with: ", err)
	}
	script, err := joinModules("app.js", map[string]bool{})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "page.mjs")
	if err := os.WriteFile(name, script, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(node, "--check", name).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

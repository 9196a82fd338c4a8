package browser

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/view"
)

// TestView looks at the page of package view.
func TestView(t *testing.T) {
	b := start(t)
	for name, test := range map[string]func(*testing.T, context.Context){
		"start": testStart, "table": testTable, "long": testLongTable, "wide": testWideTable, "empty": testEmptyFile, "ragged": testRaggedDrawing, "pictures": testPictures, "values": testValues,
		"gallery": testGallery, "find": testFind, "keys": testViewKeys, "damaged": testDamaged, "hostile": testHostileRecords, "steps": testSteps, "reports": testReports,
		"candidates": testCandidates, "appearance": testAppearance, "static": testStaticPage,
	} {
		t.Run(name, func(t *testing.T) { test(t, b) })
	}
}

// newView returns the handler for files.
func newView(t *testing.T, opts *view.Options, files ...string) *view.Handler {
	t.Helper()
	h, err := view.New(files, opts)
	must(t, err)
	t.Cleanup(func() { must(t, h.Close()) })
	return h
}

// newPets returns the handler for n pets.
func newPets(t *testing.T, n int) *view.Handler {
	t.Helper()
	return newView(t, &view.Options{Title: "pets", Spec: petSpec, Classes: map[string][]string{"label": petNames}}, writePets(t, n))
}

// openView serves a handler and opens it at a fragment. The page must be silent and ask nothing of another host.
func openView(t *testing.T, browser context.Context, h http.Handler, fragment string, width int64) *page {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	p := load(t, browser, server.URL+"/"+fragment, width)
	checkSilence(t, p, server.URL+"/")
	waitFor(t, p, `document.querySelector('#tabs a') && document.querySelector('#view').firstElementChild`)
	return p
}

// checkSilence holds, at the end of the test, that a page requested nothing but what begins with prefix, and that the console is empty.
func checkSilence(t *testing.T, p *page, prefix string) {
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, r := range p.requests {
			if !strings.HasPrefix(r, prefix) && !strings.HasPrefix(r, "data:") && r != "about:srcdoc" {
				t.Errorf("the page requests %.200s", r)
			}
		}
		for _, r := range p.reports {
			t.Errorf("in the console: %.500s", r)
		}
		p.close()
	})
}

// waitFor waits until a condition in JavaScript is true.
func waitFor(t *testing.T, p *page, condition string) {
	t.Helper()
	for end := time.Now().Add(15 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		// A page that goes on to another one answers with an error.
		ok, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](`(() => { try { return Boolean(`+condition+`) } catch { return false } })()`))
		if ok {
			return
		}
		if time.Now().After(end) {
			picture(t, p, "failed")
			t.Fatalf("this never was true: %s (%v)\nat %.500s", condition, err, eval[string](t, p, `location.hash + ' ' + document.querySelector('#status').textContent + ' ' + document.querySelector('#view').innerText`))
		}
	}
}

// show goes to a fragment and waits for a condition.
func show(t *testing.T, p *page, fragment, condition string) {
	t.Helper()
	do(t, p, fmt.Sprintf(`location.hash = %q`, fragment))
	waitFor(t, p, condition)
}

const (
	rowsShown = `document.querySelectorAll('[role=grid] tbody tr:not(.waits)').length > 0`
	paneShown = `!document.querySelector('#detail').hidden && document.querySelector('#detail .record')`
	// rowNumbers are the numbers of the rows in sight.
	rowNumbers = `(() => { const s = document.querySelector('.scroller').getBoundingClientRect(), head = document.querySelector('[role=grid] th').getBoundingClientRect().bottom;
		return [...document.querySelectorAll('[role=grid] tbody tr')].filter(r => { const b = r.getBoundingClientRect(); return b.top >= head - 1 && b.bottom <= s.bottom + 1 }).map(r => r.cells[0].textContent) })()`
)

// block is the part of the pane with a feature, as a JavaScript expression.
func block(name string) string {
	return fmt.Sprintf(`[...document.querySelectorAll('#detail .feature')].find(f => f.querySelector('h4').textContent === %q)`, name)
}

// testStart holds that the link with the token opens the page once, and that the token is not in sight afterwards.
func testStart(t *testing.T, b context.Context) {
	var guard http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { guard.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL)
	must(t, err)
	token := view.NewToken()
	guard = view.Guard(newPets(t, 20), token, []string{u.Host})
	p := load(t, b, server.URL+"/?token="+token, 1280)
	checkSilence(t, p, server.URL+"/")
	waitFor(t, p, rowsShown)
	if got := eval[string](t, p, `location.href + document.cookie`); got != server.URL+"/" {
		t.Errorf("at %s, wanted no token", got)
	}
	for _, path := range []string{"/", "/?token=" + token, "/api/set"} {
		r, err := http.Get(server.URL + path)
		must(t, err)
		r.Body.Close()
		if r.StatusCode != http.StatusForbidden {
			t.Errorf("without the cookie %s answers %s", path, r.Status)
		}
	}
}

func testTable(t *testing.T, b context.Context) {
	p := openView(t, b, newPets(t, 120), "", 1280)
	waitFor(t, p, rowsShown)
	waitFor(t, p, `[...document.querySelectorAll('.thumb')].slice(0, 5).every(i => i.complete)`)
	picture(t, p, "view_records")
	heads := `[...document.querySelectorAll('[role=grid] thead th')].map(h => h.innerText.replaceAll('\n', ' '))`
	if got := eval[[]string](t, p, heads); len(got) != 11 || got[0] != "#" || got[1] != "image/encoded PNG" && got[1] != "image/encoded JPEG" || got[2] != "label int64" {
		t.Errorf("columns %q", got)
	}
	cell := func(row int, name string) string {
		return eval[string](t, p, fmt.Sprintf(`document.querySelector('#row-%d').cells[[...document.querySelectorAll('[role=grid] thead .name')].findIndex(n => n.textContent === %q) + 1].innerText.replace(/\s+/g, ' ')`, row, name))
	}
	if got := cell(3, "label"); got != "guinea pig 3" {
		t.Errorf("label of record 3: %q", got)
	}
	// The table says how many rows there are, and which ones are here.
	state := `(() => { const g = document.querySelector('[role=grid]'), r = g.querySelector('tbody tr'); return [g.getAttribute('aria-rowcount'), g.getAttribute('aria-colcount'), r.getAttribute('aria-rowindex'), r.cells[0].scope].join(' ') })()`
	waitFor(t, p, `document.querySelector('[role=grid]').getAttribute('aria-rowcount') === '121'`)
	if got := eval[string](t, p, state); got != "121 11 2 row" {
		t.Errorf("state %q", got)
	}
	// Columns in the address, and from the menu.
	show(t, p, "#/records?cols=features:score,features:account/id_of_the_owner", rowsShown+` && document.querySelectorAll('thead th').length === 3`)
	if got := cell(7, "score") + cell(7, "account/id_of_the_owner"); got != "0.599007199254741000" {
		t.Errorf("record 7: %q", got)
	}
	do(t, p, `[...document.querySelectorAll('.opens')].find(b => b.textContent.startsWith('Columns')).click()`)
	waitFor(t, p, `document.querySelector('.choose')`)
	picture(t, p, "view_columns")
	do(t, p, `[...document.querySelectorAll('.choose button')].find(b => b.ariaLabel === 'Move right: score').click()`)
	waitFor(t, p, `location.hash.startsWith('#/records?cols=features:account/id_of_the_owner,features:score') && document.querySelector('thead .name').textContent === 'account/id_of_the_owner'`)
	do(t, p, `[...document.querySelectorAll('.choose label')].find(l => l.textContent.startsWith('caption')).click()`)
	waitFor(t, p, `[...document.querySelectorAll('thead .name')].map(n => n.textContent).join() === 'account/id_of_the_owner,score,caption'`)
	keys(t, p, kb.Escape)
	// Clicking a row opens the record, and the address is that of the record.
	do(t, p, `document.querySelector('#row-4').cells[1].click()`)
	waitFor(t, p, paneShown+` && document.querySelector('#detail h2').textContent.endsWith('pets.tfrecord#4')`)
	if got := eval[string](t, p, `location.hash`); !strings.HasSuffix(got, "&file=0&record=4") {
		t.Errorf("the address is %s", got)
	}
	do(t, p, `history.back()`)
	waitFor(t, p, `document.querySelector('#detail').hidden`)
}

// testWideTable holds that the columns fill the window, and that the page says how many more there are.
func testWideTable(t *testing.T, b context.Context) {
	p := openView(t, b, newView(t, nil, writeRecords(t, "wide.tfrecord", 20, func(i int) example.Example {
		e := example.Example{}
		for j := range 40 {
			e[fmt.Sprintf("f%02d", j)] = example.Int64s(int64(i * j))
		}
		return e
	})), "", 1600)
	waitFor(t, p, rowsShown)
	picture(t, p, "view_wide")
	n := eval[int](t, p, `document.querySelectorAll('[role=grid] thead th').length`) - 1
	if free := eval[float64](t, p, `document.querySelector('[role=grid] thead td').offsetWidth / document.querySelector('.scroller').clientWidth`); n <= 10 || n >= 40 || free > 0.1 {
		t.Errorf("%d columns, and %v of the width is empty", n, free)
	}
	waitFor(t, p, fmt.Sprintf(`[...document.querySelectorAll('.opens')].some(b => b.textContent === 'Columns: %d of 40')`, n))
}

// testEmptyFile holds that the page says that a file has no records, and what a record number looks like.
func testEmptyFile(t *testing.T, b context.Context) {
	p := openView(t, b, newView(t, nil, writeRecords(t, "empty.tfrecord", 0, pet), writePets(t, 20)), "", 1280)
	waitFor(t, p, `document.querySelector('.scroller .empty')?.innerText === 'The file has no records.'`)
	for _, text := range []string{"abc", "-1", "2.5", "#99999999999999999999"} {
		do(t, p, fmt.Sprintf(`document.querySelector('#number').value = %q; document.querySelector('#number').dispatchEvent(new Event('input')); document.querySelector('#jump').requestSubmit()`, text))
		waitFor(t, p, `document.querySelector('#number').validationMessage && document.querySelector('#status').textContent.startsWith('Want the number')`)
	}
}

// testLongTable holds that a table beyond the height that browsers draw shows every row.
func testLongTable(t *testing.T, b context.Context) {
	const n = 400_000
	h := newView(t, nil, writeRecords(t, "long.tfrecord", n, func(i int) example.Example {
		return example.Example{"i": example.Int64s(int64(i)), "text": example.Strings("record " + fmt.Sprint(i))}
	}))
	p := openView(t, b, h, "", 1280)
	waitFor(t, p, `document.querySelector('[role=grid]')?.getAttribute('aria-rowcount') === '400001' && `+rowsShown)
	if got := eval[int](t, p, `document.querySelectorAll('tbody tr').length`); got > 60 {
		t.Errorf("%d rows are elements", got)
	}
	do(t, p, `document.querySelector('[role=grid]').focus()`)
	keys(t, p, kb.End)
	waitFor(t, p, rowNumbers+`.at(-1) === '399999' && document.querySelector('#row-399999').cells[2].textContent === 'record 399999'`)
	keys(t, p, kb.Home)
	waitFor(t, p, rowNumbers+`[0] === '0'`)
	do(t, p, `document.querySelector('#number').value = '#123,456'; document.querySelector('#jump').requestSubmit()`)
	waitFor(t, p, rowNumbers+`.includes('123456') && `+paneShown)
	picture(t, p, "view_jump")
	// The bar goes anywhere, and short movements are by pixels.
	do(t, p, `document.querySelector('.scroller').scrollTop = 4e6`)
	waitFor(t, p, `Math.abs(`+rowNumbers+`[0] - 200000) < 200`)
	from := eval[[]string](t, p, rowNumbers)
	do(t, p, `(async () => { const s = document.querySelector('.scroller'); for (let i = 0; i < 10; i++) { s.scrollTop += 34; await `+frames+` } })()`)
	var first, then int
	fmt.Sscan(from[0], &first)
	fmt.Sscan(eval[[]string](t, p, rowNumbers)[0], &then)
	if then-first < 9 || then-first > 11 {
		t.Errorf("ten rows further: from %d to %d", first, then)
	}
	waitFor(t, p, `document.querySelectorAll('tbody tr.waits').length === 0`)
}

// testRaggedDrawing compares the drawing of a ragged column with the lists that it was made of.
func testRaggedDrawing(t *testing.T, b context.Context) {
	p := openView(t, b, newPets(t, 20), "#/records?file=0&record=2", 1280)
	waitFor(t, p, paneShown)
	var want []string
	flat := 0
	for i, section := range petSteps {
		for j, step := range section {
			for k, word := range step {
				want = append(want, fmt.Sprintf("[%d][%d][%d] %d %s", i, j, k, flat, word))
				flat++
			}
		}
	}
	same(t, "values", eval[[]string](t, p, `[...`+block("steps")+`.querySelectorAll('.word')].map(w => w.dataset.path + ' ' + w.dataset.flat + ' ' + w.textContent)`), want)
	same(t, "labels", eval[[]string](t, p, `[...`+block("steps")+`.querySelectorAll('.label')].map(l => l.textContent)`),
		[]string{"[0]×2", "[0][0]×3", "[0][1]×6", "[1]×0", "[2]×3", "[2][0]×3", "[2][1]×0", "[2][2]×3"})
	same(t, "partitions", eval[[]string](t, p, `[...`+block("steps")+`.querySelectorAll('.partitions p')].map(l => l.innerText.replace(/\s+/g, ' ').trim())`),
		[]string{"row_splits sections/splits 0 2 2 5", "row_lengths steps/lengths 3 6 3 0 3"})
	// The pointer over a word says where it is.
	at := eval[[]float64](t, p, `(() => { const w = [...`+block("steps")+`.querySelectorAll('.word')].find(w => w.textContent === 'door'); w.scrollIntoView({block: 'center'}); const r = w.getBoundingClientRect(); return [r.left + 3, r.top + 5] })()`)
	point(t, p, at[0], at[1])
	record, err := pet(2).MarshalBinary()
	must(t, err)
	if got, want := eval[string](t, p, `document.querySelector('#detail .at').textContent`), fmt.Sprintf("[2][2][2] · flat 14 · steps/words 14 · byte %d (0x%x) · row [2][2] has 3", bytes.Index(record, []byte("door")), bytes.Index(record, []byte("door"))); strings.ReplaceAll(got, ",", "") != want {
		t.Errorf("over a word: %q, wanted %q", got, want)
	}
	same(t, "marked", eval[[]string](t, p, `[...`+block("steps")+`.querySelectorAll('.row.on, .word.on')].map(e => e.dataset.path)`), []string{"[2]", "[2][2]", "[2][2][2]"})
	same(t, "marked in the partitions", eval[[]string](t, p, `[...`+block("steps")+`.querySelectorAll('.partitions p')].map(l => [...l.querySelectorAll('.on')].map(e => e.textContent).join(' '))`), []string{"2 5", "3"})
	picture(t, p, "view_ragged")
	// The same with keys.
	do(t, p, block("steps")+`.querySelector('.tree').focus()`)
	keys(t, p, kb.ArrowLeft)
	if got := eval[string](t, p, `document.querySelector('#detail .at').textContent`); !strings.HasPrefix(got, "[2][2][1] · flat 13 ") {
		t.Errorf("after the arrow: %q", got)
	}
	same(t, "a default", eval[[]string](t, p, `[...`+block("threshold")+`.querySelectorAll('.word')].map(w => w.dataset.path + w.textContent)`), []string{"[0][0]0.5", "[0][1]1.0", "[1][0]1.5", "[1][1]2.0"})
}

// pixel is the colour of an image at a share of its sides, as a JavaScript expression.
func pixel(image string, x, y float64) string {
	return fmt.Sprintf(`(async () => { const i = %s; await i.decode(); const c = document.createElement('canvas'); c.width = i.naturalWidth; c.height = i.naturalHeight; const d = c.getContext('2d');
		d.drawImage(i, 0, 0); return [...d.getImageData(i.naturalWidth * %g, i.naturalHeight * %g, 1, 1).data].slice(0, 3) })()`, image, x, y)
}

func near(got []int, want [3]uint8, by int) bool {
	return len(got) == 3 && !slices.ContainsFunc([]int{0, 1, 2}, func(i int) bool { return max(got[i]-int(want[i]), int(want[i])-got[i]) > by })
}

// testPictures holds that images have their colours and sizes, and boxes their places.
func testPictures(t *testing.T, b context.Context) {
	p := openView(t, b, newPets(t, 20), "", 1280)
	waitFor(t, p, rowsShown)
	for i := range 4 { // PNG and JPEG
		show(t, p, fmt.Sprintf("#/records?file=0&record=%d", i), paneShown+fmt.Sprintf(` && document.querySelector('#detail h2').textContent.endsWith('#%d')`, i))
		image, c := block("image/encoded")+`.querySelector('img')`, petColors[i%4]
		if got := eval[[]int](t, p, pixel(image, 0.5, 0.5)); !near(got, [3]uint8{c.R, c.G, c.B}, 4) {
			t.Errorf("record %d has %v in its middle, wanted %v", i, got, c)
		}
		if got := eval[[]int](t, p, pixel(fmt.Sprintf(`document.querySelector('#row-%d img')`, i), 0.5, 0.5)); !near(got, [3]uint8{c.R, c.G, c.B}, 4) {
			t.Errorf("the thumbnail of record %d has %v in its middle, wanted %v", i, got, c)
		}
		kind := []string{"PNG", "JPEG"}[i%2]
		if got := eval[string](t, p, block("image/encoded")+`.querySelector('.values').innerText`); !strings.Contains(got, kind+" 120x90x3, ") || !strings.Contains(got, "B\n") {
			t.Errorf("record %d: %q", i, got)
		}
	}
	do(t, p, block("image/encoded")+`.scrollIntoView({block: 'center'})`)
	picture(t, p, "view_boxes")
	place := `[...` + block("image/encoded") + `.querySelectorAll('.box')].map(b => { const i = b.closest('.image').querySelector('img').getBoundingClientRect(), r = b.getBoundingClientRect();
		return [(r.left - i.left) / i.width, (r.top - i.top) / i.height, r.width / i.width, r.height / i.height].map(v => Math.round(v * 100)).join(' ') + ' ' + b.textContent })`
	same(t, "boxes", eval[[]string](t, p, place), []string{"25 20 50 60 guinea pig", "10 10 20 30 window"})
	do(t, p, block("image/encoded")+`.querySelector('input').click()`)
	if eval[bool](t, p, block("image/encoded")+`.querySelector('.box').checkVisibility()`) {
		t.Error("the boxes cannot be hidden")
	}
	// The decoded array as a picture: record 3 has the pixels j*6.
	if got := eval[[]int](t, p, pixel(block("pixels")+`.querySelector('img')`, 0, 0.5)); !near(got, [3]uint8{byte(6 * 16 * 3 * 6 % 256), byte((6*16*3 + 1) * 6 % 256), byte((6*16*3 + 2) * 6 % 256)}, 0) {
		t.Errorf("the array has %v", got)
	}
}

// testValues holds how the pane draws values of each kind.
func testValues(t *testing.T, b context.Context) {
	p := openView(t, b, newPets(t, 20), "#/records?file=0&record=1", 1280)
	waitFor(t, p, paneShown)
	for name, want := range map[string]string{
		"label": "dog 1", "account/id_of_the_owner": "9007199254740994", "tokens": "101 1037 4937", "notes": "empty", "caption": "A dog in front of a window, picture 1",
		"image/object/class/text": "dog window",
	} {
		if got := eval[string](t, p, block(name)+`.querySelector('.values').innerText.replace(/\s+/g, ' ').trim()`); got != want {
			t.Errorf("%s: %q, wanted %q", name, got, want)
		}
	}
	if got := eval[string](t, p, block("embedding")+`.querySelector('.charts').innerText + [...`+block("embedding")+`.querySelectorAll('svg')].map(s => s.ariaLabel.split(':')[0]).join()`); !strings.Contains(got, "min -0.") || !strings.Contains(got, "Line of 256 values,Histogram of 256 values") {
		t.Errorf("embedding: %q", got)
	}
	if got := eval[string](t, p, block("blob")+`.querySelector('pre').textContent.split('\n')[0]`); got != "0000  00 01 fe ff 6e 6f 74 20  ····not " {
		t.Errorf("blob: %q", got)
	}
	do(t, p, block("sound")+`.scrollIntoView()`)
	if got := eval[float64](t, p, `new Promise((done, fail) => { const a = `+block("sound")+`.querySelector('audio'); a.addEventListener('loadedmetadata', () => done(a.duration)); a.addEventListener('error', () => fail(a.error)); a.load() })`); got != 0.5 {
		t.Errorf("the sound has %v s", got)
	}
	picture(t, p, "view_values")
	// A long text is folded, with its length.
	if got := eval[string](t, p, block("story")+`.querySelector('button').textContent`); got != "Show all 2,580 characters" {
		t.Errorf("story: %q", got)
	}
	folded := eval[float64](t, p, block("story")+`.offsetHeight`)
	do(t, p, block("story")+`.querySelector('button').click()`)
	if open := eval[float64](t, p, block("story")+`.offsetHeight`); open < 2*folded {
		t.Errorf("folded %v pixels, unfolded %v", folded, open)
	}
	// The record as text.
	for _, form := range []string{"JSON", "Python", "Go"} {
		do(t, p, `globalThis.copied = undefined; Object.defineProperty(navigator, 'clipboard', {configurable: true, value: {writeText: async t => { globalThis.copied = t }}}); [...document.querySelectorAll('.copies button')].find(b => b.textContent === `+fmt.Sprintf("%q", form)+`).click()`)
		waitFor(t, p, `globalThis.copied?.includes('picture 1')`)
	}
}

func testGallery(t *testing.T, b context.Context) {
	p := openView(t, b, newPets(t, 250), "#/gallery", 1280)
	waitFor(t, p, `document.querySelectorAll('.gallery li').length >= 100`)
	waitFor(t, p, `[...document.querySelectorAll('.gallery img')].slice(0, 14).every(i => i.complete)`)
	picture(t, p, "view_gallery")
	labels := `[...document.querySelectorAll('.gallery li')].slice(0, 7).map(l => l.querySelector('.caption').innerText.replace(/\s+/g, ' ').trim())`
	same(t, "labels", eval[[]string](t, p, labels), []string{"cat #0", "dog #1", "rabbit #2", "guinea pig #3", "cat #4", "#5", "rabbit #6"})
	if got := eval[[]int](t, p, pixel(`document.querySelectorAll('.gallery img')[2]`, 0.5, 0.5)); !near(got, [3]uint8{70, 160, 70}, 4) {
		t.Errorf("thumbnail 2 is %v", got)
	}
	do(t, p, `(async () => { for (let i = 0; i < 50 && document.querySelectorAll('.gallery li').length < 250; i++) { const s = document.querySelector('.scroller'); s.scrollTop = s.scrollHeight; await new Promise(r => setTimeout(r, 50)) } })()`)
	waitFor(t, p, `document.querySelectorAll('.gallery li').length === 250 && document.querySelector('.end').textContent === '250 images.'`)
	// Sorted and filtered, with the address.
	show(t, p, "#/gallery?sort=features:score&down=1", `document.querySelector('.gallery .caption')?.innerText.includes('0.99')`)
	picture(t, p, "view_gallery_sorted")
	show(t, p, "#/gallery?where=label%20%3D%3D%202%20%26%26%20score%20%3E%200.5", `document.querySelector('.end').textContent.endsWith('images.') && document.querySelector('.gallery li')`)
	want := 0
	for i := range 250 {
		if i%4 == 2 && i*37%100 > 50 && i != damagedPet {
			want++
		}
	}
	if got := eval[int](t, p, `document.querySelectorAll('.gallery li').length`); got != want {
		t.Errorf("%d images are left, wanted %d", got, want)
	}
	do(t, p, `document.querySelectorAll('.gallery a')[1].click()`)
	waitFor(t, p, paneShown)
	keys(t, p, "j")
	waitFor(t, p, `document.querySelectorAll('.gallery li')[2].className === 'on' && document.querySelector('#detail h2').textContent.endsWith('#' + document.querySelectorAll('.gallery li')[2].dataset.at.split(':')[1])`)
	picture(t, p, "view_gallery_record")
	// The images of all files, or of one.
	shard := func(i int) string {
		return writeRecords(t, fmt.Sprintf("pets-0000%d-of-00003", i), 2, func(j int) example.Example { return pet(2*i + j) })
	}
	p = openView(t, b, newView(t, nil, shard(0), shard(1), shard(2)), "#/gallery", 1280)
	waitFor(t, p, `document.querySelector('.end').textContent === '6 images.'`)
	same(t, "labels of three files", eval[[]string](t, p, labels)[:4], []string{"0 00000#0", "1 00000#1", "2 00001#0", "3 00001#1"})
	same(t, "files", eval[[]string](t, p, `[...document.querySelector('.bar select').options].map(o => o.textContent)`), []string{"all", "pets-00000-of-00003 (2)", "pets-00001-of-00003 (2)", "pets-00002-of-00003 (2)"})
	do(t, p, `document.querySelectorAll('.gallery a')[3].click()`)
	waitFor(t, p, paneShown+` && document.querySelector('#detail h2').textContent.endsWith('pets-00001-of-00003#1')`)
	show(t, p, "#/gallery?only=2", `document.querySelector('.end').textContent === '2 images.'`)
}

func testFind(t *testing.T, b context.Context) {
	p := openView(t, b, newPets(t, 250), "#/find", 1280)
	waitFor(t, p, `document.querySelector('.expression')`)
	do(t, p, `document.querySelector('.expression').focus()`)
	keys(t, p, "label = 3")
	waitFor(t, p, `document.querySelector('.fault').textContent && !document.querySelector('.under').hidden`)
	picture(t, p, "view_find_error")
	// The caret is under the letter at which the error is.
	if got := eval[float64](t, p, `(() => { const i = document.querySelector('.expression'), c = document.querySelector('.caret').getBoundingClientRect(), m = document.createElement('canvas').getContext('2d'); m.font = getComputedStyle(i).font;
		return Math.abs(c.left - i.getBoundingClientRect().left - 11 - m.measureText(document.querySelector('.before').textContent).width) })()`); got > 1.5 {
		t.Errorf("the caret is %v pixels beside", got)
	}
	do(t, p, `document.querySelector('.expression').select()`)
	keys(t, p, "label == 3"+kb.Enter)
	waitFor(t, p, `/^6[0-9] matches in 249|250 records$/.test(document.querySelector('.second .tally').textContent) && `+rowsShown)
	if got := eval[string](t, p, `location.hash`); got != "#/find?where=label%20%3D%3D%203" {
		t.Errorf("the address is %s", got)
	}
	picture(t, p, "view_find")
	same(t, "matches", eval[[]string](t, p, rowNumbers)[:4], []string{"3", "7", "11", "15"})
	waitFor(t, p, `document.querySelector('#status').textContent.includes('matches in')`)
	do(t, p, `document.querySelector('#row-1').cells[1].click()`)
	waitFor(t, p, paneShown)
	keys(t, p, "j")
	waitFor(t, p, `document.querySelector('#detail h2').textContent.endsWith('#11')`)
	do(t, p, `location.reload()`)
	waitFor(t, p, `document.querySelector('#detail h2')?.textContent.endsWith('#11') && document.querySelector('[aria-selected=true]')?.cells[0].textContent === '11'`)
	waitFor(t, p, `[...document.querySelectorAll('.opens')].some(b => b.textContent === 'Export')`)
	do(t, p, `[...document.querySelectorAll('.opens')].find(b => b.textContent === 'Export').click()`)
	waitFor(t, p, `document.querySelector('.menu a')?.getAttribute('href') === 'api/export?as=tfrecord&where=label%20%3D%3D%203'`)
	// CSV cannot hold lists: the page says so.
	do(t, p, `[...document.querySelectorAll('.menu a')].find(a => a.textContent === 'CSV').click()`)
	waitFor(t, p, `!document.querySelector('.menu a') && document.querySelector('[role=alert]')?.textContent.startsWith('Export: ')`)
	picture(t, p, "view_export_error")
	do(t, p, `document.querySelector('[role=alert] button').click()`)
	waitFor(t, p, `!document.querySelector('[role=alert]')`)
	p.mu.Lock()
	p.reports = slices.DeleteFunc(p.reports, func(r string) bool { return strings.Contains(r, "api/export?as=csv") }) // the browser reports the answer
	p.mu.Unlock()
}

func testViewKeys(t *testing.T, b context.Context) {
	p := openView(t, b, newPets(t, 120), "", 1280)
	waitFor(t, p, rowsShown)
	keys(t, p, "jjj")
	waitFor(t, p, `document.querySelector('[aria-selected=true]')?.id === 'row-2'`)
	do(t, p, `document.querySelector('[role=grid]').focus()`)
	if got := eval[string](t, p, `document.activeElement.getAttribute('aria-activedescendant')`); got != "row-2" {
		t.Errorf("the grid is at %s", got)
	}
	keys(t, p, kb.Enter)
	waitFor(t, p, paneShown+` && document.querySelector('#detail h2').textContent.endsWith('#2')`)
	keys(t, p, kb.ArrowDown+"jk")
	waitFor(t, p, `document.querySelector('#detail h2').textContent.endsWith('#3')`)
	keys(t, p, kb.Escape)
	waitFor(t, p, `document.querySelector('#detail').hidden && document.activeElement.role === 'grid'`)
	keys(t, p, "g")
	waitFor(t, p, `document.activeElement.id === 'number'`)
	do(t, p, `document.activeElement.value = ''`) // the driver types the key into the field that it has opened; people's keyboards do not
	keys(t, p, "#17"+kb.Enter)
	waitFor(t, p, paneShown+` && document.querySelector('#detail h2').textContent.endsWith('#17') && `+rowNumbers+`.includes('17')`)
	keys(t, p, "/")
	waitFor(t, p, `location.hash === '#/find' && document.activeElement.className === 'expression'`)
	do(t, p, `document.activeElement.value = ''`)
	keys(t, p, "score > 0.9"+kb.Enter)
	waitFor(t, p, rowsShown+` && location.hash.startsWith('#/find?where=score')`)
	do(t, p, `document.activeElement.blur()`)
	keys(t, p, "?")
	waitFor(t, p, `document.querySelector('#help').open`)
	picture(t, p, "view_help")
	keys(t, p, kb.Escape)
	waitFor(t, p, `!document.querySelector('#help').open`)
	// Everything that takes the focus shows it.
	show(t, p, "#/records?file=0&record=1", paneShown)
	do(t, p, `document.querySelector('.skip').focus()`)
	for range 30 {
		keys(t, p, kb.Tab)
		if got := eval[string](t, p, `(() => { const e = document.activeElement; return e === document.body || getComputedStyle(e).outlineStyle !== 'none' || e.role === 'grid' || e.localName === 'audio' ? '' : e.outerHTML.slice(0, 200) })()`); got != "" {
			t.Errorf("the focus cannot be seen on %s", got)
		}
	}
}

func testDamaged(t *testing.T, b context.Context) {
	p := openView(t, b, newPets(t, 20), "", 1280)
	waitFor(t, p, rowsShown)
	if got := eval[string](t, p, fmt.Sprintf(`document.querySelector('#row-%d').className + ' ' + document.querySelector('#row-%d').innerText`, damagedPet, damagedPet)); !strings.HasPrefix(got, "damaged ") || !strings.Contains(got, "checksum") {
		t.Errorf("the damaged row: %q", got)
	}
	if got := eval[int](t, p, `document.querySelectorAll('tr.damaged').length`); got != 1 {
		t.Errorf("%d damaged rows", got)
	}
	show(t, p, fmt.Sprintf("#/records?file=0&record=%d", damagedPet), paneShown)
	if got := eval[string](t, p, `document.querySelector('#detail .damage').innerText`); !strings.Contains(got, "checksum") {
		t.Errorf("the pane says %q", got)
	}
	picture(t, p, "view_damaged")
	keys(t, p, "j")
	waitFor(t, p, `document.querySelector('#detail h2').textContent.endsWith('#6') && document.querySelector('#detail .feature')`)
}

// testHostileRecords holds that names and values stay text, do not change the page, and do not make it wider.
func testHostileRecords(t *testing.T, b context.Context) {
	h := newView(t, nil, writeRecords(t, "<b>hostile.tfrecord", 30, hostile))
	for _, width := range []int64{1280, 390} {
		p := openView(t, b, h, "", width)
		waitFor(t, p, rowsShown)
		picture(t, p, fmt.Sprintf("view_hostile_%d", width))
		show(t, p, "#/records?file=0&record=2", paneShown)
		picture(t, p, fmt.Sprintf("view_hostile_record_%d", width))
		if got := eval[string](t, p, block("<script>window.ran=1</script>")+`.querySelector('.values').textContent`); got != "<img src=x onerror=window.ran=1>" {
			t.Errorf("a value: %q", got)
		}
		if got := eval[string](t, p, block("__proto__")+`.querySelector('.values').textContent`); got != "2" {
			t.Errorf("__proto__: %q", got)
		}
		if got := eval[string](t, p, block("a,b&c=d#e%41+ f")+`.querySelector('.values').innerText`); !strings.Contains(got, "NaN") {
			t.Errorf("NaN: %q", got)
		}
		for code, want := range map[string]string{
			`String('ran' in window)`: "false",
			`[...document.querySelectorAll('img, iframe, svg:not([role]), object, embed, base')].map(e => e.outerHTML).join()`:                 "",
			`[...document.querySelectorAll('script')].map(e => e.src.replace(/.*\//, '')).join()`:                                              "app.js",
			`[...document.querySelectorAll('*')].flatMap(e => [...e.attributes]).filter(a => a.name.startsWith('on')).map(a => a.name).join()`: "",
			`[...document.querySelectorAll('a')].map(e => e.protocol).filter(p => p !== 'http:').join()`:                                       "",
			`document.documentElement.scrollWidth <= innerWidth && document.body.scrollWidth <= innerWidth ? '' : [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth && !e.closest('.scroller')).map(e => e.localName + '.' + e.className + ' ' + e.getBoundingClientRect().right).join()`: "",
		} {
			if got := eval[string](t, p, code); got != want {
				t.Errorf("%s: %.300s, wanted %s", code, got, want)
			}
		}
		// A column whose name is part of the address.
		show(t, p, "#/records?cols="+url.PathEscape("features:")+"a%2Cb%26c%3Dd%23e%2541%2B%20f,features:__proto__", rowsShown+` && [...document.querySelectorAll('thead .name')].map(n => n.textContent).join('|') === 'a,b&c=d#e%41+ f|__proto__'`)
		do(t, p, `document.querySelector('#row-1').cells[1].click()`)
		waitFor(t, p, paneShown+` && [...document.querySelectorAll('thead .name')].map(n => n.textContent).join('|') === 'a,b&c=d#e%41+ f|__proto__'`)
	}
}

// testReports holds that the pages of statistics are in the frame, and that their links lead to the records.
func testReports(t *testing.T, b context.Context) {
	rules, err := expr.ParseRules("record: score < 0.95\nrecord: len(tokens) > 2\n")
	must(t, err)
	h := newView(t, &view.Options{Title: "pets", Rules: rules, Classes: map[string][]string{"label": petNames}, Against: []string{writeRecords(t, "others.tfrecord", 80, func(i int) example.Example {
		e := pet(i * 3)
		e["score"] = example.Floats(float32(i%10) / 20)
		return e
	})}}, writePets(t, 120))
	p := openView(t, b, h, "", 1280)
	same(t, "tabs", eval[[]string](t, p, `[...document.querySelectorAll('#tabs a')].map(a => a.textContent)`), []string{"Records", "Gallery", "Features", "Findings", "Compare", "Find"})
	inside := `document.querySelector('iframe').contentDocument`
	for _, name := range []string{"features", "findings", "compare"} {
		show(t, p, "#/"+name, inside+`.body.innerText.length > 300 && `+inside+`.readyState === 'complete'`)
		do(t, p, `new Promise(done => setTimeout(done, 1500))`) // until the statistics are complete
		waitFor(t, p, inside+`.querySelector('a[target=_top]')`)
		picture(t, p, "view_"+name)
		do(t, p, inside+`.querySelector('a[target=_top]').dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))`)
		waitFor(t, p, `!document.querySelector('iframe') && (`+rowsShown+` || `+paneShown+`)`)
	}
	// The second data set has its files beside the first ones.
	show(t, p, "#/records?file=1&record=3", paneShown+` && document.querySelector('#detail h2').textContent.endsWith('others.tfrecord#3')`)
	same(t, "files", eval[[]string](t, p, `[...document.querySelectorAll('.bar select optgroup')].map(g => g.children.length + '')`), []string{"1", "1"})
	picture(t, p, "view_against")
}

func testSteps(t *testing.T, b context.Context) {
	h := newView(t, &view.Options{Title: "drives"}, writeRecords(t, "drives.tfrecord", 12, drive))
	p := openView(t, b, h, "#/records?file=0&record=1", 1280)
	waitFor(t, p, paneShown)
	same(t, "steps", eval[[]string](t, p, `[...document.querySelectorAll('.steps thead th')].map(h => h.textContent)`), []string{"step", "0", "1", "2", "3", "4", "5", "6", "7", "8"})
	row := func(name string) []string {
		return eval[[]string](t, p, fmt.Sprintf(`[...[...document.querySelectorAll('.steps tbody tr')].find(r => r.cells[0].innerText.startsWith(%q)).cells].slice(1, 5).map(c => c.innerText.trim())`, name))
	}
	same(t, "speed", row("speed"), []string{"0.0", "4.79", "8.41", "9.97"})
	same(t, "signs", row("signs"), []string{"empty", "stop", "stop turn left", "stop turn left no parking"})
	if got := eval[[]int](t, p, pixel(`document.querySelectorAll('.steps img')[2]`, 0.5, 0.5)); !near(got, [3]uint8{70, 160, 70}, 4) {
		t.Errorf("the frame of step 2 is %v", got) // petPicture(2*(1+2)): colour 2
	}
	do(t, p, `document.querySelectorAll('.steps thead button')[3].click()`)
	waitFor(t, p, `document.querySelector('.chosen h4').textContent === 'Step 3' && document.querySelector('.chosen img')`)
	picture(t, p, "view_steps")
}

func testCandidates(t *testing.T, b context.Context) {
	h := newView(t, &view.Options{Title: "search"}, writeRecords(t, "search.tfrecord", 12, query))
	p := openView(t, b, h, "#/records?file=0&record=1", 1280)
	waitFor(t, p, paneShown)
	if got := eval[string](t, p, block("query")+`.querySelector('.values').innerText`); got != "pancakes without milk 1" {
		t.Errorf("the query is %q", got)
	}
	same(t, "candidate 3", eval[[]string](t, p, `[...document.querySelectorAll('.candidates tbody tr')[3].cells].map(c => c.innerText.trim())`), []string{"3", "1", "Answer 3, which has a title that is too long for one line of…", "–"})
	do(t, p, `document.querySelectorAll('.candidates tbody tr')[4].cells[2].click()`)
	waitFor(t, p, `document.querySelector('.chosen h4').textContent === 'Candidate 4'`)
	picture(t, p, "view_candidates")
}

// testAppearance holds that every view fits into a phone and has dark colours, and makes pictures of all.
func testAppearance(t *testing.T, b context.Context) {
	h := newPets(t, 120)
	views := map[string]string{"records": "", "record": "#/records?file=0&record=2", "gallery": "#/gallery", "find": "#/find?where=label%20%3D%3D%201", "find_empty": "#/find"}
	for _, width := range []int64{1280, 390} {
		for name, fragment := range views {
			p := openView(t, b, h, fragment, width)
			waitFor(t, p, map[string]string{"record": paneShown, "gallery": `document.querySelectorAll('.gallery li').length > 9`, "find_empty": "true"}[name]+map[bool]string{true: rowsShown}[name == "records" || name == "find"])
			media(t, p, "", "light")
			do(t, p, `new Promise(done => setTimeout(done, 300))`)
			light := eval[string](t, p, `getComputedStyle(document.body).backgroundColor`)
			if width == 390 {
				picture(t, p, "view_390_"+name)
			}
			if wide := eval[int64](t, p, `document.documentElement.scrollWidth`); wide > width {
				t.Errorf("%s is %d pixels wide in a window of %d", name, wide, width)
			}
			media(t, p, "", "dark")
			picture(t, p, fmt.Sprintf("view_dark_%d_%s", width, name))
			if dark := eval[string](t, p, `getComputedStyle(document.body).backgroundColor`); dark == light {
				t.Errorf("light and dark are both %s", dark)
			}
			media(t, p, "", "light")
			p.close()
		}
	}
}

// testStaticPage holds that the page in one file shows the same without a server.
func testStaticPage(t *testing.T, b context.Context) {
	var file bytes.Buffer
	must(t, newPets(t, 150).WritePage(t.Context(), &file, &view.PageOptions{Limit: 120}))
	name := filepath.Join(t.TempDir(), "page.html")
	must(t, os.WriteFile(name, file.Bytes(), 0o666))
	address := (&url.URL{Scheme: "file", Path: name}).String()
	p := load(t, b, address, 1280)
	checkSilence(t, p, address)
	waitFor(t, p, rowsShown)
	picture(t, p, "view_static")
	if got := eval[string](t, p, `document.querySelector('[role=grid]').getAttribute('aria-rowcount')`); got != "121" {
		t.Errorf("%s rows, wanted 120 and the head", got)
	}
	do(t, p, `document.querySelector('[role=grid]').focus()`)
	keys(t, p, kb.End)
	waitFor(t, p, rowNumbers+`.at(-1) === '119'`)
	show(t, p, "#/records?file=0&record=2", paneShown)
	if got := eval[[]int](t, p, pixel(block("image/encoded")+`.querySelector('img')`, 0.5, 0.5)); !near(got, [3]uint8{70, 160, 70}, 4) {
		t.Errorf("the image is %v", got)
	}
	if got := eval[int](t, p, block("steps")+`.querySelectorAll('.word').length`); got != 15 {
		t.Errorf("%d words", got)
	}
	show(t, p, "#/gallery", `document.querySelectorAll('.gallery li').length >= 100`)
	tabs := eval[[]string](t, p, `[...document.querySelectorAll('#tabs a')].map(a => a.textContent)`)
	if slices.Contains(tabs, "Find") {
		t.Errorf("tabs %q, though nothing can be found", tabs)
	}
	if slices.Contains(tabs, "Features") {
		show(t, p, "#/features", `document.querySelector('iframe').contentDocument.body.innerText.length > 200`)
		picture(t, p, "view_static_features")
	}
}

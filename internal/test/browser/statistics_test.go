package browser

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"google.golang.org/protobuf/encoding/prototext"

	"github.com/tfparse/tfparse/example"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/view"
)

// trips makes records of about all that a page of statistics can show.
func trips(t *testing.T, name string, n int, seed uint64) string {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	name = filepath.Join(t.TempDir(), name)
	w, err := tfrecord.Create(name, nil)
	must(t, err)
	cities := []string{"Oslo", "Bergen", "Trondheim", "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch", "a/very/long/path/to/some_file_name_that_never_ends.jpg"}
	for range n {
		e := example.Example{
			"age":                         example.Int64s(int64(18 + r.IntN(60+10*int(seed)))),
			"image/class/label":           example.Int64s(int64(r.IntN(5) * r.IntN(2))),
			"number_of_doors":             example.Int64s([]int64{2, 3, 5}[r.IntN(3)]),
			"user_identifier_in_system":   example.Int64s(r.Int64N(1 << 40)),
			"trip/fare_in_local_currency": example.Floats(float32(math.Exp(r.NormFloat64()*1.5 + float64(seed)/3))),
			"temperature":                 example.Floats(float32(r.NormFloat64()*8 + 15)),
			"city":                        example.Strings(cities[int(math.Abs(r.NormFloat64()*float64(seed)))%len(cities)]),
			"image/encoded":               example.Strings("\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x0b\x08\x00\x60\x00\x60\x01\x01\x11\x00\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00" + strings.Repeat(string([]byte{byte(r.IntN(9))}), 1800) + "\xff\xd9"),
		}
		if r.IntN(3) > 0 {
			e["optional_note"] = example.Strings(fmt.Sprintf("note number %d", r.IntN(300)))
		}
		b, err := e.MarshalBinary()
		must(t, err)
		must(t, w.WriteRecord(b))
	}
	must(t, w.Close())
	return name
}

// TestStatistics looks at the pages of statistics that the view serves.
func TestStatistics(t *testing.T) {
	b := start(t)
	schema := &pb.Schema{}
	must(t, prototext.Unmarshal([]byte(`feature { name: "age" type: INT int_domain { max: 70 } } feature { name: "temperature" type: FLOAT float_domain { min: -5 } }`), schema))
	h, err := view.New([]string{trips(t, "train.tfrecord", 1500, 1)}, &view.Options{Schema: schema, Against: []string{trips(t, "eval.tfrecord", 800, 2)}})
	must(t, err)
	defer h.Close()
	server := httptest.NewServer(h)
	defer server.Close()
	for _, name := range []string{"features", "findings", "compare"} {
		t.Run(name, func(t *testing.T) { testStatistics(t, b, server.URL+"/"+name+"?all=1", name) })
	}
	t.Run("frame", func(t *testing.T) {
		p := openView(t, b, h, "#/compare", 1280)
		const inside = `document.querySelector('iframe').contentDocument`
		waitFor(t, p, inside+`.querySelector('.hits a')`)
		picture(t, p, "view_frame")
		do(t, p, inside+`.querySelector('.hits a').dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true, view: `+inside+`.defaultView}))`)
		waitFor(t, p, `location.hash.startsWith('#/find?where=any%28')`)
		waitFor(t, p, rowsShown)
	})
	t.Run("file", func(t *testing.T) {
		name := filepath.Join(t.TempDir(), "page.html")
		f, err := os.Create(name)
		must(t, err)
		must(t, h.WritePage(t.Context(), f, &view.PageOptions{Limit: 20}))
		must(t, f.Close())
		p := load(t, b, (&url.URL{Scheme: "file", Path: name, Fragment: "/findings"}).String(), 1280)
		const inside = `document.querySelector('iframe').contentDocument`
		waitFor(t, p, inside+`.querySelector('.tools:not([hidden])')`) // its script runs
		do(t, p, inside+`.querySelector('.all tbody tr:last-child a').click()`)
		waitFor(t, p, inside+`.documentElement.scrollTop > 100 && `+inside+`.querySelector('.tools')`)
		picture(t, p, "view_file")
		do(t, p, inside+`.querySelector('.findings a[target]').click()`)
		waitFor(t, p, `location.hash.startsWith('#/records?file=0&record=')`)
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, r := range p.reports {
			t.Errorf("in the console: %.500s", r)
		}
	})
	t.Run("accessible", func(t *testing.T) {
		script := axe(t)
		for _, name := range []string{"features", "findings", "compare"} {
			for width, scheme := range map[int64]string{1280: "light", 390: "dark"} {
				p := load(t, b, "about:blank", width)
				media(t, p, "", scheme)
				send(t, p, cdpage.SetBypassCSP, cdpage.SetBypassCSPParams{Enabled: true})
				must(t, chromedp.Do(p.ctx, chromedp.Navigate(server.URL+"/"+name+"?all=1")))
				do(t, p, script+`; 0`)
				for _, v := range eval[[]string](t, p, `axe.run().then(r => r.violations.filter(v => v.impact !== 'minor').map(v => v.impact + ' ' + v.id + ': ' + v.nodes.slice(0, 3).map(n => n.target.join(' ') + ' ' + n.failureSummary).join(' | ')))`) {
					t.Errorf("%s, %d pixels, %s: %.700s", name, width, scheme, v)
				}
				p.close()
			}
		}
	})
}

func testStatistics(t *testing.T, b context.Context, address, name string) {
	for _, width := range []int64{1280, 390} {
		p := load(t, b, address, width)
		do(t, p, frames)
		if wide := eval[int64](t, p, `document.documentElement.scrollWidth`); wide > width {
			t.Errorf("the page is %d pixels wide, more than the window of %d", wide, width)
		}
		if hidden := eval[[]string](t, p, `[...document.querySelectorAll('.card, .feature')].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.querySelector('h3').textContent)`); len(hidden) > 0 {
			t.Errorf("%d pixels: content of %q is cut", width, hidden)
		}
		if scroll := eval[bool](t, p, `(() => { const e = document.querySelector('.all').parentElement; return e.scrollWidth > e.clientWidth + 1 })()`); scroll && width == 1280 {
			t.Error("the table of all features has columns outside 1280 pixels")
		}
		tall(t, p, fmt.Sprintf("view_%s_%d", name, width), width)
		if width == 1280 {
			media(t, p, "", "dark")
			tall(t, p, fmt.Sprintf("view_%s_dark", name), width)
		}
		p.mu.Lock()
		for _, r := range p.reports {
			t.Errorf("in the console: %.500s", r)
		}
		if !slices.ContainsFunc(p.requests, func(r string) bool { return strings.HasSuffix(r, "/report.js") }) {
			t.Errorf("requests: %q", p.requests)
		}
		p.mu.Unlock()
	}
	// A word never breaks inside: each word of the table heads is on one line.
	p := load(t, b, address, 1280)
	broken := eval[[]string](t, p, `[...document.querySelectorAll('th, dt, .kind, .only, h3')].flatMap(e => {
		const walk = document.createTreeWalker(e, NodeFilter.SHOW_TEXT), found = [];
		for (let n = walk.nextNode(); n; n = walk.nextNode()) {
			for (const m of n.data.matchAll(/[\p{L}\p{N}]+/gu)) {
				const r = document.createRange();
				r.setStart(n, m.index);
				r.setEnd(n, m.index + m[0].length);
				if (m[0].length < 40 && new Set([...r.getClientRects()].map(x => Math.round(x.top))).size > 1) found.push(m[0]);
			}
		}
		return found;
	})`)
	if len(broken) > 0 {
		t.Errorf("words break inside: %q", broken)
	}
	// A click on a bar leads to its records, in the whole window.
	link := eval[string](t, p, `(() => { const a = document.querySelector('.hits a'); return a.getAttribute('target') + ' ' + a.getAttribute('href') })()`)
	if !strings.HasPrefix(link, "_top ./#/find?where=any%28") {
		t.Errorf("a bar leads to %q", link)
	}
	if rows := eval[int](t, p, `new Promise(done => { const d = document.querySelector('.hits').closest('figure').querySelector('details'); d.addEventListener('toggle', () => setTimeout(() => done(d.querySelectorAll('td a').length), 0)); d.open = true })`); rows < 2 {
		t.Errorf("the numbers of a chart have %d links", rows)
	}
}

// tall saves what the whole page looks like.
func tall(t *testing.T, p *page, name string, width int64) {
	t.Helper()
	send(t, p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: min(3000, eval[int64](t, p, `document.documentElement.scrollHeight`)), DeviceScaleFactor: 1})
	do(t, p, frames)
	picture(t, p, name)
}

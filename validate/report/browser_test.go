package report_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tfparse/tfparse/internal/test/browser"
	"github.com/tfparse/tfparse/validate/report"
)

// shots names a folder for pictures of pages, for whoever wants to look at them.
const shots = "TFPARSE_SCREENSHOTS"

func save(t *testing.T, in *report.Input) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(name, []byte(write(t, in)), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// open writes a page to a file, as people have it, and opens it. The page must be
// silent: no request but that of itself, and nothing in the console.
func open(t *testing.T, b *browser.Browser, in *report.Input, width int) *browser.Page {
	t.Helper()
	name := save(t, in)
	address := (&url.URL{Scheme: "file", Path: name}).String()
	p, err := b.Open(address, width, 1000)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, r := range p.Requests() {
			if r != address && r != "data:," {
				t.Errorf("the page asks for %.200s", r)
			}
		}
		if n := len(p.Requests()); n == 0 {
			t.Error("no request was seen, not even that for the page")
		}
		for _, f := range p.Faults() {
			t.Errorf("in the console: %.500s", f)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// picture saves what the page looks like, if asked to.
func picture(t *testing.T, p *browser.Page, name string) {
	t.Helper()
	dir := os.Getenv(shots)
	if dir == "" {
		return
	}
	b, err := p.Screenshot()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), b, 0o666)
	}
	if err != nil {
		t.Error(err)
	}
}

// eval evaluates code that gives a T.
func eval[T any](t *testing.T, p *browser.Page, code string) (v T) {
	t.Helper()
	if err := p.Eval(code, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func same[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, wanted %v", what, got, want)
	}
}

const rowNames = `[...document.querySelectorAll('.all tbody tr:not([hidden])')].map(r => r.cells[0].textContent)`
const articleNames = `[...document.querySelectorAll('.feature:not([hidden]) h3')].map(h => h.textContent)`

// TestBrowser looks at pages in a headless Chromium, where there is one.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short starts no browser")
	}
	program, err := browser.Find()
	if err != nil {
		t.Skipf("skipped: no browser: %v", err)
	}
	profile, err := os.MkdirTemp("", "tfparse-browser-") // the browser may write into it until it is killed
	if err != nil {
		t.Fatal(err)
	}
	b, err := browser.Start(program, profile, 2*time.Minute)
	if err != nil {
		os.RemoveAll(profile)
		t.Skipf("skipped: the browser does not start: %v", err)
	}
	t.Cleanup(func() {
		b.Close()
		os.RemoveAll(profile)
	})
	for name, test := range map[string]func(*testing.T, *browser.Browser){
		"sort": testSort, "search": testSearch, "keyboard": testKeyboard, "theme": testTheme, "accessible": testAccessible, "slices": testSlices,
		"bins": testBins, "hostile": testHostile, "hole": testHole, "large": testLarge, "pointer": testPointer, "narrow": testNarrow, "two": testTwo,
	} {
		t.Run(name, func(t *testing.T) { test(t, b) })
	}
}

func testSort(t *testing.T, b *browser.Browser) {
	p := open(t, b, sample(), 1300)
	data := eval[[]string](t, p, rowNames)
	same(t, "in the order of the data", data, []string{"fare", "city", "state", "picture", "##SEQUENCE##", "##SEQUENCE## › stop", "age", "gone"})
	click := func(column string) {
		must(t, p.Eval(fmt.Sprintf(`[...document.querySelectorAll('.all th button')].find(b => b.textContent === %q).click()`, column), nil))
	}
	states := `[...document.querySelectorAll('.all [aria-sort]')].map(h => h.textContent + ' ' + h.getAttribute('aria-sort'))`
	for _, step := range []struct {
		column, state string
		want          []string
	}{
		{"Feature", "ascending", []string{"##SEQUENCE##", "##SEQUENCE## › stop", "age", "city", "fare", "gone", "picture", "state"}},
		{"Feature", "descending", []string{"state", "picture", "gone", "fare", "city", "age", "##SEQUENCE## › stop", "##SEQUENCE##"}},
		{"Mean", "descending", []string{"fare", "##SEQUENCE## › stop", "age", "city", "state", "picture", "##SEQUENCE##", "gone"}},
		{"Mean", "ascending", []string{"age", "##SEQUENCE## › stop", "fare", "city", "state", "picture", "##SEQUENCE##", "gone"}},
		{"Mean", "", data},
		{"Anomalies", "descending", []string{"fare", "state", "gone", "city", "picture", "##SEQUENCE##", "##SEQUENCE## › stop", "age"}},
	} {
		click(step.column)
		same(t, step.column+" "+step.state, eval[[]string](t, p, rowNames), step.want)
		same(t, "sections", eval[[]string](t, p, articleNames), step.want)
		var want []string
		if step.state != "" {
			want = []string{step.column + " " + step.state}
		}
		same(t, "aria-sort", eval[[]string](t, p, states), want)
		status := eval[string](t, p, `document.querySelector('#status').textContent`)
		if step.state != "" && !strings.Contains(status, step.column+", "+step.state) {
			t.Errorf("nothing announces the order: %q", status)
		}
	}
}

func testSearch(t *testing.T, b *browser.Browser) {
	p := open(t, b, sample(), 1300)
	must(t, p.Eval(`document.querySelector('#query').focus()`, nil))
	must(t, p.Type("ST"))
	same(t, "typed", eval[[]string](t, p, rowNames), []string{"state", "##SEQUENCE## › stop"})
	same(t, "sections", eval[[]string](t, p, articleNames), []string{"state", "##SEQUENCE## › stop"})
	if s := eval[string](t, p, `document.querySelector('#status').textContent`); s != "2 of 8 features shown." {
		t.Errorf("the status says %q", s)
	}
	set := func(id, property, value string) {
		must(t, p.Eval(fmt.Sprintf(`{const e = document.getElementById(%q); e.%s = %s; e.dispatchEvent(new Event('input', {bubbles: true}))}`, id, property, value), nil))
	}
	set("query", "value", `""`)
	set("kind", "value", `"string"`)
	same(t, "strings", eval[[]string](t, p, rowNames), []string{"city", "state"})
	set("faulty", "checked", "true")
	same(t, "strings with anomalies", eval[[]string](t, p, rowNames), []string{"state"})
	set("kind", "value", `""`)
	same(t, "with anomalies", eval[[]string](t, p, rowNames), []string{"fare", "state", "gone"})
	set("log", "checked", "true")
	if got := eval[string](t, p, `getComputedStyle(document.querySelector('.bars .lin')).display + getComputedStyle(document.querySelector('.bars .log')).display`); got != "noneinline" {
		t.Errorf("logarithmic heights: %s", got)
	}
}

// testKeyboard goes through the page as one who has no mouse.
func testKeyboard(t *testing.T, b *browser.Browser) {
	p := open(t, b, sample(), 1300)
	focus := `(() => {const e = document.activeElement; return e.id || e.className || e.textContent.trim()})()`
	outline := `getComputedStyle(document.activeElement).outlineStyle`
	var got []string
	for range 10 {
		must(t, p.Press("Tab"))
		got = append(got, eval[string](t, p, focus))
		if o := eval[string](t, p, outline); o == "none" {
			t.Errorf("the focus cannot be seen on %s", got[len(got)-1])
		}
	}
	same(t, "order of the focus", got, []string{"skip", "query", "kind", "theme", "bins", "faulty", "log", "scroll", "Feature", "Type"})
	must(t, p.Press("Enter"))
	if s := eval[string](t, p, `document.querySelector('[aria-sort]').textContent`); s != "Type" {
		t.Errorf("Enter sorts by %q, wanted Type", s)
	}
	must(t, p.Eval(`document.querySelector('.skip').focus()`, nil))
	must(t, p.Press("Enter"))
	if s := eval[string](t, p, `document.activeElement.id`); s != "main" {
		t.Errorf("the skip link leads to %q", s)
	}
}

func testTheme(t *testing.T, b *browser.Browser) {
	p := open(t, b, sample(), 1300)
	back := `getComputedStyle(document.body).backgroundColor`
	choose := func(theme string) {
		must(t, p.Eval(fmt.Sprintf(`{const e = document.querySelector('#theme'); e.value = %q; e.dispatchEvent(new Event('input'))}`, theme), nil))
	}
	must(t, p.Media("", map[string]string{"prefers-color-scheme": "light"}))
	light := eval[string](t, p, back)
	picture(t, p, "light")
	must(t, p.Media("", map[string]string{"prefers-color-scheme": "dark"}))
	dark := eval[string](t, p, back)
	picture(t, p, "dark")
	if light == dark {
		t.Errorf("light and dark are both %s", light)
	}
	choose("light")
	if got := eval[string](t, p, back); got != light {
		t.Errorf("light chosen on a dark system: %s, wanted %s", got, light)
	}
	must(t, p.Media("", map[string]string{"prefers-color-scheme": "light"}))
	choose("dark")
	if got := eval[string](t, p, back); got != dark {
		t.Errorf("dark chosen on a light system: %s, wanted %s", got, dark)
	}
	must(t, p.Media("print", nil))
	picture(t, p, "print")
	if got := eval[string](t, p, back+" + getComputedStyle(document.querySelector('h1')).color"); got != "rgb(255, 255, 255)rgb(27, 36, 48)" {
		t.Errorf("on paper: %s, though the theme is dark", got)
	}
	if got := eval[string](t, p, `getComputedStyle(document.querySelector('.tools')).display`); got != "none" {
		t.Errorf("the tools are printed: %s", got)
	}
}

// testAccessible looks at what assistive technology is told.
func testAccessible(t *testing.T, b *browser.Browser) {
	for _, in := range []*report.Input{sample(), twoSides()} {
		p := open(t, b, in, 1300)
		nodes, err := p.Accessible()
		must(t, err)
		n := map[string]int{}
		for _, node := range nodes {
			n[node.Role]++
			switch node.Role {
			case "button", "link", "image", "img", "region", "searchbox", "combobox", "checkbox", "heading", "columnheader", "rowheader", "DisclosureTriangle", "article", "navigation":
				if node.Name == "" {
					t.Errorf("a %s has no name: %+v", node.Role, node)
				}
			}
			if (node.Role == "image" || node.Role == "img") && node.Description == "" {
				t.Errorf("the chart %q has no description", node.Name)
			}
			if node.Role == "heading" && node.Properties["level"] == 1.0 {
				n["h1"]++
			}
		}
		for role, least := range map[string]int{"h1": 1, "main": 1, "banner": 1, "contentinfo": 1, "search": 1, "button": 5, "columnheader": 5, "rowheader": 8, "article": 8, "status": 1, "searchbox": 1} {
			if n[role] < least || role == "h1" && n[role] != 1 || role == "main" && n[role] != 1 {
				t.Errorf("%d %s, wanted %d; there are %v", n[role], role, least, n)
			}
		}
		if n["image"]+n["img"] < 4 {
			t.Errorf("no charts: %v", n)
		}
	}
}

func testSlices(t *testing.T, b *browser.Browser) {
	in := sample()
	in.Sides[0].Statistics.Datasets[0].Name = "All Examples"
	part := list(numbers(1, "only here"))
	part.Datasets[0].Name = "city_Oslo"
	in.Sides[0].Statistics.Datasets = append(in.Sides[0].Statistics.Datasets, part.Datasets...)
	p := open(t, b, in, 1300)
	shown := `[...document.querySelectorAll('.slice:not([hidden]) h2')].map(h => h.textContent)`
	same(t, "at first", eval[[]string](t, p, shown), []string{"All Examples"})
	must(t, p.Eval(`{const e = document.querySelector('#slice'); e.value = 's1'; e.dispatchEvent(new Event('input', {bubbles: true}))}`, nil))
	same(t, "chosen", eval[[]string](t, p, shown), []string{"city_Oslo"})
	if s := eval[string](t, p, `document.querySelector('#status').textContent`); s != "1 feature." {
		t.Errorf("the status says %q", s)
	}
	// A link into a slice that is hidden shows it.
	must(t, p.Eval(`new Promise(done => { addEventListener('hashchange', () => setTimeout(done, 0)); location.hash = '#s0f1' })`, nil))
	same(t, "followed a link", eval[[]string](t, p, shown), []string{"All Examples"})
}

func testHostile(t *testing.T, b *browser.Browser) {
	p := open(t, b, hostile(), 1300)
	picture(t, p, "hostile")
	// What is in the page is ours, and nothing stands in it that a name has made.
	if got := eval[string](t, p, `[...new Set([...document.querySelectorAll('body *')].map(e => e.localName))].sort().join(' ')`); strings.Contains(got, "img") || strings.Contains(got, "iframe") || strings.Contains(got, "meta") {
		t.Errorf("elements: %s", got)
	}
	for code, want := range map[string]int{
		`document.querySelectorAll('script').length`: 1, `document.querySelectorAll('style').length`: 1, `document.querySelectorAll('base').length`: 0,
		`[...document.querySelectorAll('*')].filter(e => [...e.attributes].some(a => a.name.startsWith('on') || a.name === 'style' || a.name === 'autofocus')).length`: 0,
		`[...document.querySelectorAll('a')].filter(e => !e.getAttribute('href').startsWith('#s') && e.className !== 'skip').length`:                                   0,
	} {
		if got := eval[int](t, p, code); got != want {
			t.Errorf("%s: %d, wanted %d", code, got, want)
		}
	}
	if wide := eval[int](t, p, `document.documentElement.scrollWidth`); wide > 1300 {
		t.Errorf("the page is %d pixels wide, more than the window", wide)
	}
}

// testHole holds that even a hole would not let a script run. It makes the console say so.
func testHole(t *testing.T, b *browser.Browser) {
	p, err := b.Open("file://"+save(t, sample()), 1300, 1000)
	must(t, err)
	ran := eval[bool](t, p, `(() => {
		const s = document.createElement('div');
		try { s.innerHTML = '<img src=x onerror="window.ran = true">'; } catch { }
		document.body.append(s);
		return 'ran' in window || s.childNodes.length > 0;
	})()`)
	if ran {
		t.Error("markup can be made of text")
	}
	must(t, p.Eval(`{const s = document.createElement('script'); try { s.textContent = 'window.ran = true' } catch { } document.body.append(s)}`, nil))
	must(t, p.Eval(`{const s = document.createElement('style'); s.textContent = 'body { color: #010203 }'; document.head.append(s)}`, nil))
	if got := eval[string](t, p, `String('ran' in window) + getComputedStyle(document.body).color`); strings.Contains(got, "true") || strings.Contains(got, "rgb(1, 2, 3)") {
		t.Errorf("scripts or styles of others have an effect: %s", got)
	}
	if len(p.Faults()) == 0 {
		t.Error("the policy of the page says nothing")
	}
	must(t, p.Close())
}

// testLarge holds that a page of a thousand features can be used.
func testLarge(t *testing.T, b *browser.Browser) {
	in := &report.Input{Sides: []report.Side{{Statistics: large(1000)}}}
	began := time.Now()
	p := open(t, b, in, 1300)
	t.Logf("open after %v", time.Since(began).Round(time.Millisecond))
	must(t, p.Call("Performance.enable", map[string]any{"timeDomain": "threadTicks"}, nil))
	var m struct {
		Metrics []struct {
			Name  string
			Value float64
		}
	}
	must(t, p.Call("Performance.getMetrics", nil, &m))
	for _, one := range m.Metrics {
		if one.Name == "ProcessTime" || one.Name == "Nodes" {
			t.Logf("%s: %v", one.Name, one.Value)
		}
	}
	if n := eval[int](t, p, `document.querySelectorAll('.feature').length`); n != 1000 {
		t.Errorf("%d features", n)
	}
	took := eval[float64](t, p, `(() => { const began = performance.now(); document.querySelector('.all th button').click(); document.body.offsetHeight; return performance.now() - began })()`)
	t.Logf("sorted in %.0f ms", took)
	took = eval[float64](t, p, `(() => { const began = performance.now(); const q = document.querySelector('#query'); q.value = '99'; q.dispatchEvent(new Event('input', {bubbles: true})); document.body.offsetHeight; return performance.now() - began })()`)
	t.Logf("searched in %.0f ms", took)
	if n := eval[int](t, p, `document.querySelectorAll('.feature:not([hidden])').length`); n != 19 {
		t.Errorf("%d features have a 99 in their names, wanted 19", n)
	}
}

// testPointer holds that what lies under the pointer is told.
func testPointer(t *testing.T, b *browser.Browser) {
	p := open(t, b, twoSides(), 1300)
	must(t, p.Eval(`document.querySelector('.bars').scrollIntoView({behavior: 'instant', block: 'center'})`, nil))
	at := eval[[]float64](t, p, `(() => { const r = document.querySelector('.bars').getBoundingClientRect(); return [r.left + r.width * 0.6, r.top + 10] })()`)
	told := `document.querySelector('.bars').closest('figure').querySelector('.at').textContent`
	must(t, p.Call("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": at[0], "y": at[1]}, nil))
	if got := eval[string](t, p, told); got != "A 22 to 23: 4.57833  B 22 to 23: 9.69233" {
		t.Errorf("at 22.2: %q", got)
	}
	must(t, p.Call("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": 1, "y": 1}, nil))
	if got := eval[string](t, p, told); got != "" {
		t.Errorf("elsewhere: %q", got)
	}
}

func testNarrow(t *testing.T, b *browser.Browser) {
	for name, in := range map[string]*report.Input{"narrow": sample(), "narrow_two": twoSides()} {
		p := open(t, b, in, 400)
		picture(t, p, name)
		if wide := eval[int](t, p, `document.documentElement.scrollWidth`); wide > 400 {
			t.Errorf("%s: the page is %d pixels wide, more than the window", name, wide)
		}
		must(t, p.Eval(`document.querySelector('.feature').scrollIntoView({behavior: 'instant'})`, nil))
		picture(t, p, name+"_feature")
	}
}

func testTwo(t *testing.T, b *browser.Browser) {
	p := open(t, b, twoSides(), 1300)
	picture(t, p, "two")
	must(t, p.Eval(`document.querySelectorAll('.feature')[0].scrollIntoView({behavior: 'instant'})`, nil))
	picture(t, p, "two_features")
	must(t, p.Eval(`[...document.querySelectorAll('.all th button')].find(b => b.textContent.includes('Jensen')).click()`, nil))
	if got := eval[[]string](t, p, rowNames); got[0] != "city" || got[1] != "fare" {
		t.Errorf("most drift first: %v", got)
	}
	if got := eval[[]string](t, p, `[...document.querySelectorAll('.all th button')].filter(b => b.textContent.startsWith('Mean')).map(b => b.textContent)`); !slices.Equal(got, []string{"Mean, A", "Mean, B"}) {
		t.Errorf("columns of both: %q", got)
	}
}

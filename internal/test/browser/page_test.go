package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp/kb"

	"github.com/tfparse/tfparse/internal/test/reports"
	"github.com/tfparse/tfparse/validate/report"
)

const rowNames = `[...document.querySelectorAll('.all tbody tr:not([hidden])')].map(r => r.cells[0].textContent)`
const articleNames = `[...document.querySelectorAll('.feature:not([hidden]) h3')].map(h => h.textContent)`

// TestPage looks at pages in a headless Chromium, where there is one.
func TestPage(t *testing.T) {
	b := start(t)
	for name, test := range map[string]func(*testing.T, context.Context){
		"sort": testSort, "search": testSearch, "keyboard": testKeyboard, "theme": testTheme, "accessible": testAccessible, "slices": testSlices,
		"bins": testBins, "hostile": testHostile, "hole": testHole, "large": testLarge, "waiting": testWaiting, "order": testOrder, "enlarge": testEnlarge, "hint": testHint, "wrong": testWrong, "pointer": testPointer, "narrow": testNarrow, "two": testTwo,
	} {
		t.Run(name, func(t *testing.T) { test(t, b) })
	}
}

func testSort(t *testing.T, b context.Context) {
	p := open(t, b, reports.Sample(), 1300)
	data := eval[[]string](t, p, rowNames)
	same(t, "errors, warnings, the others", data, []string{"fare", "gone", "state", "city", "picture", "##SEQUENCE##", "##SEQUENCE## › stop", "age"})
	click := func(column string) {
		do(t, p, fmt.Sprintf(`[...document.querySelectorAll('.all th button')].find(b => b.textContent === %q).click()`, column))
	}
	states := `[...document.querySelectorAll('.all [aria-sort]')].map(h => h.textContent + ' ' + h.getAttribute('aria-sort'))`
	for _, step := range []struct {
		column, state string
		want          []string
	}{
		{"Feature", "ascending", []string{"##SEQUENCE##", "##SEQUENCE## › stop", "age", "city", "fare", "gone", "picture", "state"}},
		{"Feature", "descending", []string{"state", "picture", "gone", "fare", "city", "age", "##SEQUENCE## › stop", "##SEQUENCE##"}},
		{"Mean", "descending", []string{"fare", "##SEQUENCE## › stop", "age", "gone", "state", "city", "picture", "##SEQUENCE##"}},
		{"Mean", "ascending", []string{"age", "##SEQUENCE## › stop", "fare", "gone", "state", "city", "picture", "##SEQUENCE##"}},
		{"Mean", "", data},
		{"Anomalies", "descending", data},
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

func testSearch(t *testing.T, b context.Context) {
	p := open(t, b, reports.Sample(), 1300)
	do(t, p, `document.querySelector('#query').focus()`)
	keys(t, p, "ST")
	same(t, "typed", eval[[]string](t, p, rowNames), []string{"state", "##SEQUENCE## › stop"})
	same(t, "sections", eval[[]string](t, p, articleNames), []string{"state", "##SEQUENCE## › stop"})
	if s := eval[string](t, p, `document.querySelector('#status').textContent`); s != "2 of 8 features shown." {
		t.Errorf("the status says %q", s)
	}
	set := func(id, property, value string) {
		do(t, p, fmt.Sprintf(`{const e = document.getElementById(%q); e.%s = %s; e.dispatchEvent(new Event('input', {bubbles: true}))}`, id, property, value))
	}
	set("query", "value", `""`)
	set("kind", "value", `"string"`)
	same(t, "strings", eval[[]string](t, p, rowNames), []string{"state", "city"})
	set("faulty", "checked", "true")
	same(t, "strings with anomalies", eval[[]string](t, p, rowNames), []string{"state"})
	set("kind", "value", `""`)
	same(t, "with anomalies", eval[[]string](t, p, rowNames), []string{"fare", "gone", "state"})
	set("log", "checked", "true")
	if got := eval[string](t, p, `getComputedStyle(document.querySelector('.bars .lin')).display + getComputedStyle(document.querySelector('.bars .log')).display`); got != "noneinline" {
		t.Errorf("logarithmic heights: %s", got)
	}
}

// testKeyboard goes through the page without a mouse.
func testKeyboard(t *testing.T, b context.Context) {
	p := open(t, b, reports.Sample(), 1300)
	focus := `(() => {const e = document.activeElement; return e.id || e.className || e.textContent.trim()})()`
	outline := `getComputedStyle(document.activeElement).outlineStyle`
	var got []string
	for range 15 {
		keys(t, p, kb.Tab)
		got = append(got, eval[string](t, p, focus))
		if o := eval[string](t, p, outline); o == "none" {
			t.Errorf("the focus cannot be seen on %s", got[len(got)-1])
		}
	}
	same(t, "order of the focus", got, []string{"skip", "query", "kind", "order", "theme", "bins", "faulty", "log", "scroll wrong", "fare", "gone", "state", "scroll", "Feature", "Type"})
	keys(t, p, kb.Enter)
	if s := eval[string](t, p, `document.querySelector('[aria-sort]').textContent`); s != "Type" {
		t.Errorf("Enter sorts by %q, wanted Type", s)
	}
	do(t, p, `document.querySelector('.skip').focus()`)
	keys(t, p, kb.Enter)
	if s := eval[string](t, p, `document.activeElement.id`); s != "main" {
		t.Errorf("the skip link leads to %q", s)
	}
}

func testTheme(t *testing.T, b context.Context) {
	p := open(t, b, reports.Sample(), 1300)
	back := `getComputedStyle(document.body).backgroundColor`
	choose := func(theme string) {
		do(t, p, fmt.Sprintf(`{const e = document.querySelector('#theme'); e.value = %q; e.dispatchEvent(new Event('input'))}`, theme))
	}
	media(t, p, "", "light")
	light := eval[string](t, p, back)
	picture(t, p, "light")
	media(t, p, "", "dark")
	dark := eval[string](t, p, back)
	picture(t, p, "dark")
	if light == dark {
		t.Errorf("light and dark are both %s", light)
	}
	choose("light")
	if got := eval[string](t, p, back); got != light {
		t.Errorf("light chosen on a dark system: %s, wanted %s", got, light)
	}
	media(t, p, "", "light")
	choose("dark")
	if got := eval[string](t, p, back); got != dark {
		t.Errorf("dark chosen on a light system: %s, wanted %s", got, dark)
	}
	media(t, p, "print", "")
	picture(t, p, "print")
	if got := eval[string](t, p, back+" + getComputedStyle(document.querySelector('h1')).color"); got != "rgb(255, 255, 255)rgb(27, 36, 48)" {
		t.Errorf("on paper: %s, though the theme is dark", got)
	}
	if got := eval[string](t, p, `getComputedStyle(document.querySelector('.tools')).display`); got != "none" {
		t.Errorf("the tools are printed: %s", got)
	}
}

// testAccessible looks at the tree that assistive technology reads.
func testAccessible(t *testing.T, b context.Context) {
	for _, in := range []*report.Input{reports.Sample(), reports.TwoSides()} {
		p := open(t, b, in, 1300)
		n := map[string]int{}
		for _, node := range send(t, p, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes {
			if node.Ignored {
				continue
			}
			role, name := text(node.Role), text(node.Name)
			n[role]++
			switch role {
			case "button", "link", "image", "img", "region", "searchbox", "combobox", "checkbox", "heading", "columnheader", "rowheader", "DisclosureTriangle", "article", "navigation":
				if name == "" {
					t.Errorf("a %s has no name: %+v", role, node)
				}
			}
			if (role == "image" || role == "img") && text(node.Description) == "" {
				t.Errorf("the chart %q has no description", name)
			}
			if role == "heading" && slices.ContainsFunc(node.Properties, func(p *accessibility.Property) bool {
				return p.Name == "level" && string(p.Value.Value) == "1"
			}) {
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

// text returns a string of the accessibility tree, "" for none.
func text(v *accessibility.Value) (s string) {
	if v != nil {
		_ = json.Unmarshal(v.Value, &s) // not a string: ""
	}
	return s
}

func testSlices(t *testing.T, b context.Context) {
	in := reports.Sample()
	in.Sides[0].Statistics.Datasets[0].Name = "All Examples"
	part := reports.List(reports.Numbers(1, "only here"))
	part.Datasets[0].Name = "city_Oslo"
	in.Sides[0].Statistics.Datasets = append(in.Sides[0].Statistics.Datasets, part.Datasets...)
	p := open(t, b, in, 1300)
	shown := `[...document.querySelectorAll('.slice:not([hidden]) h2')].map(h => h.textContent)`
	same(t, "at first", eval[[]string](t, p, shown), []string{"All Examples"})
	do(t, p, `{const e = document.querySelector('#slice'); e.value = 's1'; e.dispatchEvent(new Event('input', {bubbles: true}))}`)
	same(t, "chosen", eval[[]string](t, p, shown), []string{"city_Oslo"})
	if s := eval[string](t, p, `document.querySelector('#status').textContent`); s != "1 feature." {
		t.Errorf("the status says %q", s)
	}
	// A link into a slice that is hidden shows it.
	do(t, p, `new Promise(done => { addEventListener('hashchange', () => setTimeout(done, 0)); location.hash = '#s0f1' })`)
	same(t, "followed a link", eval[[]string](t, p, shown), []string{"All Examples"})
}

func testHostile(t *testing.T, b context.Context) {
	p := open(t, b, reports.Hostile(), 1300)
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
func testHole(t *testing.T, b context.Context) {
	p := load(t, b, save(t, reports.Sample()), 1300)
	ran := eval[bool](t, p, `(() => {
		const s = document.createElement('div');
		try { s.innerHTML = '<img src=x onerror="window.ran = true">'; } catch { }
		document.body.append(s);
		return 'ran' in window || s.childNodes.length > 0;
	})()`)
	if ran {
		t.Error("markup can be made of text")
	}
	do(t, p, `{const s = document.createElement('script'); try { s.textContent = 'window.ran = true' } catch { } document.body.append(s)}`)
	do(t, p, `{const s = document.createElement('style'); s.textContent = 'body { color: #010203 }'; document.head.append(s)}`)
	if got := eval[string](t, p, `String('ran' in window) + getComputedStyle(document.body).color`); strings.Contains(got, "true") || strings.Contains(got, "rgb(1, 2, 3)") {
		t.Errorf("scripts or styles of others have an effect: %s", got)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.reports) == 0 {
		t.Error("the policy of the page reports nothing")
	}
}

// testLarge holds that a page of a thousand features can be used.
func testLarge(t *testing.T, b context.Context) {
	in := &report.Input{Sides: []report.Side{{Statistics: reports.Large(1000)}}}
	began := time.Now()
	p := open(t, b, in, 1300)
	t.Logf("open after %v", time.Since(began).Round(time.Millisecond))
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

// testPointer holds that the page shows what lies under the pointer.
func testPointer(t *testing.T, b context.Context) {
	p := open(t, b, reports.TwoSides(), 1300)
	const bars = `[...document.querySelectorAll('.feature')].find(f => f.querySelector('h3').textContent === 'fare').querySelector('.bars')`
	do(t, p, bars+`.scrollIntoView({behavior: 'instant', block: 'center'})`)
	at := eval[[]float64](t, p, `(() => { const r = `+bars+`.getBoundingClientRect(); return [r.left + r.width * 0.65, r.top + 10] })()`)
	told := bars + `.closest('figure').querySelector('.at').textContent`
	point(t, p, at[0], at[1])
	if got := eval[string](t, p, told); got != "A 22.2 to 23.4: 9.1%  B 22.2 to 23.4: 16.0%" {
		t.Errorf("at 22.8: %q", got)
	}
	point(t, p, 1, 1)
	if got := eval[string](t, p, told); got != "" {
		t.Errorf("elsewhere: %q", got)
	}
}

func testNarrow(t *testing.T, b context.Context) {
	for name, in := range map[string]*report.Input{"narrow": reports.Sample(), "narrow_two": reports.TwoSides()} {
		p := open(t, b, in, 400)
		picture(t, p, name)
		if wide := eval[int](t, p, `document.documentElement.scrollWidth`); wide > 400 {
			t.Errorf("%s: the page is %d pixels wide, more than the window", name, wide)
		}
		do(t, p, `document.querySelector('.feature').scrollIntoView({behavior: 'instant'})`)
		picture(t, p, name+"_feature")
	}
}

func testTwo(t *testing.T, b context.Context) {
	p := open(t, b, reports.TwoSides(), 1300)
	picture(t, p, "two")
	do(t, p, `document.querySelectorAll('.feature')[0].scrollIntoView({behavior: 'instant'})`)
	picture(t, p, "two_features")
	do(t, p, `[...document.querySelectorAll('.all th button')].find(b => b.textContent.includes('Jensen')).click()`)
	if got := eval[[]string](t, p, rowNames); got[0] != "city" || got[1] != "fare" {
		t.Errorf("most drift first: %v", got)
	}
	if got := eval[[]string](t, p, `[...document.querySelectorAll('.all th button')].filter(b => b.textContent.startsWith('Mean')).map(b => b.textContent)`); !slices.Equal(got, []string{"Mean, A", "Mean, B"}) {
		t.Errorf("columns of both: %q", got)
	}
}

// testBins holds that the reader chooses how histograms are drawn, and that it is remembered.
func testBins(t *testing.T, b context.Context) {
	in := &report.Input{Sides: []report.Side{{Statistics: reports.OfValues(reports.Skewed(1000), 100)}}}
	p := open(t, b, in, 1300)
	t.Cleanup(func() { do(t, p, `localStorage.clear()`) }) // the other tests have the same browser
	const visible = `[...document.querySelectorAll('.view')].filter(f => f.checkVisibility()).map(f => f.querySelector('figcaption').firstChild.data.trim())`
	choose := func(choice string) {
		do(t, p, fmt.Sprintf(`{const e = document.querySelector('#bins'); e.value = %q; e.dispatchEvent(new Event('input', {bubbles: true}))}`, choice))
	}
	same(t, "automatic", eval[[]string](t, p, visible), []string{"Values, 1st to 99th percentile"})
	picture(t, p, "bins")
	for _, step := range [][2]string{{"quantiles", "Values, in quantile bins"}, {"inner", "Values, 1st to 99th percentile"}, {"", "Values, 1st to 99th percentile"}, {"full", "Values"}} {
		choose(step[0])
		same(t, "chosen "+step[0], eval[[]string](t, p, visible), step[1:])
	}
	again := open(t, b, in, 1300)
	same(t, "remembered", eval[[]string](t, again, visible), []string{"Values"})
	if got := eval[string](t, again, `document.querySelector('#bins').value`); got != "full" {
		t.Errorf("the control says %q, wanted full", got)
	}
	do(t, again, `localStorage.setItem('tfparse.bins', 'of tomorrow')`)
	same(t, "an unknown choice", eval[[]string](t, open(t, b, in, 1300), visible), []string{"Values, 1st to 99th percentile"})
	// The pointer reads bins of equal width by their order, and the tail by its label.
	choose("inner")
	at := eval[[]float64](t, p, `(() => { const e = document.querySelector('.inner svg'); e.scrollIntoView({behavior: 'instant', block: 'center'}); const r = e.getBoundingClientRect(); return [r.right - 2, r.top + 10] })()`)
	point(t, p, at[0], at[1])
	if got := eval[string](t, p, `document.querySelector('.inner .at').textContent`); !strings.HasPrefix(got, "above ") || !strings.HasSuffix(got, "%") {
		t.Errorf("over the tail: %q", got)
	}
}

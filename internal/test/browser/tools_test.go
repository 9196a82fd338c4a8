package browser

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/tfparse/tfparse/internal/test/reports"
	"github.com/tfparse/tfparse/validate/report"
)

// testOrder holds what the page is sorted by, and that the types say how many features they have.
func testOrder(t *testing.T, b context.Context) {
	in := &report.Input{Sides: []report.Side{{Statistics: reports.List(reports.Numbers(1, "even"), reports.Labels(40, reports.City, "cities"), reports.Numbers(3, "absent"))}}}
	f := in.Sides[0].Statistics.Datasets[0].Features
	f[2].GetNumStats().CommonStats.NumMissing = 900
	for _, bucket := range f[0].GetNumStats().Histograms[0].Buckets {
		bucket.SampleCount = 9
	}
	p := open(t, b, in, 1300)
	for _, step := range []struct {
		by   string
		want []string
	}{
		{"", []string{"even", "cities", "absent"}},
		{"name", []string{"absent", "cities", "even"}},
		{"u", []string{"cities", "absent", "even"}},
		{"g", []string{"absent", "even", "cities"}},
		{"", []string{"even", "cities", "absent"}},
	} {
		do(t, p, fmt.Sprintf(`{const e = document.querySelector('#order'); e.value = %q; e.dispatchEvent(new Event('input', {bubbles: true}))}`, step.by))
		same(t, "sorted by "+step.by, eval[[]string](t, p, rowNames), step.want)
		same(t, "sections", eval[[]string](t, p, articleNames), step.want)
		if s := eval[string](t, p, `document.querySelector('#status').textContent`); !strings.HasPrefix(s, "Sorted by ") {
			t.Errorf("nothing announces the order: %q", s)
		}
	}
	same(t, "types", eval[[]string](t, p, `[...document.querySelectorAll('#kind option')].map(o => o.textContent)`), []string{"all", "float (2)", "string (1)"})
}

// testEnlarge holds that a chart can be looked at in large with keys alone, with its numbers, and that
// the page is as before afterwards.
func testEnlarge(t *testing.T, b context.Context) {
	p := open(t, b, reports.TwoSides(), 1300)
	do(t, p, `document.querySelector('#s0f5 .large').focus()`)
	if got := eval[string](t, p, `document.activeElement.textContent`); got != "Enlarge Values of fare" {
		t.Errorf("the button is called %q", got)
	}
	keys(t, p, kb.Enter)
	do(t, p, frames)
	if got := eval[string](t, p, `(() => { const d = document.querySelector('dialog'), s = d.querySelector('svg.bars').getBoundingClientRect(); return [d.matches(':modal'), d.getAttribute('aria-label'), s.width > 1000 && s.height > 400, d.querySelectorAll('table.data tbody tr').length].join(' ') })()`); got != "true Values of fare true 20" {
		t.Errorf("in large: %s", got)
	}
	picture(t, p, "large_chart")
	keys(t, p, kb.Escape)
	do(t, p, frames)
	if got := eval[string](t, p, `document.querySelectorAll('dialog').length + ' ' + document.activeElement.className`); got != "0 large" {
		t.Errorf("after Escape: %s", got)
	}
}

// testHint holds that the page says so where columns of the table are cut off.
func testHint(t *testing.T, b context.Context) {
	const hint = `(() => { const e = document.querySelector('.hint'); return e.checkVisibility() ? e.textContent : '' })()`
	p := open(t, b, reports.TwoSides(), 700)
	do(t, p, frames)
	if got := eval[string](t, p, hint); !strings.HasSuffix(got, " more columns to the right: scroll the table.") {
		t.Errorf("in a narrow window: %q", got)
	}
	do(t, p, `new Promise(done => { const e = document.querySelector('.all').parentElement; e.addEventListener('scroll', () => requestAnimationFrame(() => requestAnimationFrame(done)), {once: true}); e.scrollLeft = 1e6 })`)
	if got := eval[string](t, p, hint); strings.Contains(got, "more") || got == "" {
		t.Errorf("at the right end: %q", got)
	}
	p = open(t, b, &report.Input{Sides: []report.Side{{Statistics: reports.List(reports.Numbers(1, "a"))}}}, 1300)
	do(t, p, frames)
	if got := eval[string](t, p, hint); got != "" {
		t.Errorf("in a wide window: %q", got)
	}
}

// testWrong holds that the table of what is wrong leads to the features.
func testWrong(t *testing.T, b context.Context) {
	in := reports.Sample()
	in.Counts = []report.Count{{Feature: "age", Severity: "warning", Rule: "OLD", Findings: 12345, Records: 12000}, {Feature: "fare", Severity: "error", Rule: "BIG", Findings: 7}}
	p := open(t, b, in, 1300)
	picture(t, p, "wrong")
	do(t, p, `document.querySelector('.wrong a[href="#s0f0"]').click()`)
	if got := eval[string](t, p, `document.querySelector(':target h3').textContent`); got != "fare" {
		t.Errorf("the first row leads to %q", got)
	}
}

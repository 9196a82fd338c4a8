package browser

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/chromedp"

	"github.com/tfparse/tfparse/internal/test/reports"
	"github.com/tfparse/tfparse/validate/report"
)

// The limits of a page of 3,000 features. The first is time of the processor: on two cores a page of one data set takes 0.6 to 1.4 s, one
// of two 0.7 to 1.1 s, and 250 to 280 MiB, on Chromium 156. With all elements of all features it was 10.6 s and 671 MiB, and 12.3 s and 1,056 MiB for two:
// 600,000 elements, and 1,120,000.
const (
	mostLoading  = 2 * time.Second
	mostMemory   = 400 << 20
	mostElements = 150_000
)

// frames waits until a page was drawn twice: what is drawn first may not be laid out in full.
const frames = `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))`

// TestLoad measures what a browser needs for a page of 3,000 features until it is drawn.
func TestLoad(t *testing.T) {
	one := reports.Large(3000)
	for name, sides := range map[string][]report.Side{"one data set": {{Statistics: one}}, "two data sets": {{Statistics: one}, {Statistics: reports.Large(3000)}}} {
		t.Run(name, func(t *testing.T) {
			b := start(t)
			address := save(t, &report.Input{Sides: sides})
			p := load(t, b, "about:blank", 1300) // the tab must not count
			send(t, p, performance.Enable, performance.EnableParams{})
			began := time.Now()
			must(t, chromedp.Do(p.ctx, chromedp.Navigate(address)))
			do(t, p, frames)
			took := time.Since(began)
			loading := busy(t, p)
			memory, why := resident(t, b)
			elements := eval[int](t, p, `document.getElementsByTagName('*').length`)
			t.Logf("drawn after %v, %v of the processor, %d MiB%s, %d elements", took.Round(time.Millisecond), loading.Round(time.Millisecond), memory>>20, why, elements)
			if loading > mostLoading {
				t.Errorf("%v of the processor, wanted at most %v", loading, mostLoading)
			}
			if memory > mostMemory {
				t.Errorf("%d MiB, wanted at most %d", memory>>20, mostMemory>>20)
			}
			if elements > mostElements {
				t.Errorf("%d elements, wanted at most %d", elements, mostElements)
			}
		})
	}
}

// busy returns how long the thread of a page had the processor.
func busy(t *testing.T, p *page) time.Duration {
	t.Helper()
	for _, m := range send(t, p, performance.GetMetrics, cdp.Empty{}).Metrics {
		if m.Name == "ThreadTime" && m.Value > 0 {
			return time.Duration(m.Value * float64(time.Second))
		}
	}
	t.Fatal("the browser does not say how long it was busy")
	return 0
}

// resident returns the most memory that one process which shows pages ever had, or 0 and the reason
// why the system does not say it.
func resident(t *testing.T, browser context.Context) (bytes int64, why string) {
	t.Helper()
	r, err := chromedp.CallBrowser(browser, systeminfo.GetProcessInfo, cdp.Empty{})
	must(t, err)
	for _, process := range r.ProcessInfo {
		if process.Type != "renderer" {
			continue
		}
		status, err := os.ReadFile("/proc/" + strconv.FormatInt(process.ID, 10) + "/status")
		if err != nil {
			return 0, " (not measured: " + err.Error() + ")"
		}
		for line := range strings.Lines(string(status)) {
			if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
				kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
				must(t, err)
				bytes = max(bytes, kib<<10)
			}
		}
	}
	return bytes, ""
}

// testWaiting holds that what a page of many features builds later is there when the reader
// comes near it, follows a link to it, opens it or prints it.
func testWaiting(t *testing.T, b context.Context) {
	in := &report.Input{Sides: []report.Side{{Statistics: reports.Large(400)}}}
	const built = `document.querySelectorAll('.feature .stats').length`
	p := open(t, b, in, 1300)
	do(t, p, frames)
	if n := eval[int](t, p, built); n > 40 {
		t.Errorf("%d of 400 features are built at first", n)
	}
	if n := eval[int](t, p, `document.querySelectorAll('.all tbody tr:not([hidden])').length`); n != 100 {
		t.Errorf("%d rows at first, wanted 100", n)
	}
	near := `new Promise(done => { const wait = () => document.querySelector('#s0f399 .stats') ? done(true) : setTimeout(wait, 10); location.hash = '#s0f399'; wait() })`
	if !eval[bool](t, p, near) {
		t.Error("a link leads to nothing")
	}
	picture(t, p, "many_last")
	// Back to a row that was not shown yet.
	do(t, p, `new Promise(done => { addEventListener('hashchange', () => setTimeout(done, 0), { once: true }); location.hash = '#s0f250r' })`)
	if eval[bool](t, p, `document.querySelector('#s0f250r').hidden`) {
		t.Error("a link to a row leads to nothing")
	}
	// Scrolling shows the whole table.
	do(t, p, `(async () => { const e = document.querySelector('.tall'); for (let i = 0; i < 20; i++) { e.scrollTop = e.scrollHeight; await `+frames+` } })()`)
	if n := eval[int](t, p, `document.querySelectorAll('.all tbody tr:not([hidden])').length`); n != 400 {
		t.Errorf("%d rows after scrolling, wanted 400", n)
	}
	// Numbers are a table once they are opened.
	if !eval[bool](t, p, strings.ReplaceAll(near, "s0f399", "s0f398")) {
		t.Error("another link leads to nothing")
	}
	do(t, p, `new Promise(done => { const e = document.querySelector('#s0f398 figure details'); e.addEventListener('toggle', () => setTimeout(done, 0)); e.open = true })`)
	if got := eval[string](t, p, `(() => { const e = document.querySelector('#s0f398 figure details table'); return e.tHead.rows[0].cells[2].scope + ' ' + e.rows[0].cells[2].textContent + ' ' + e.tBodies[0].rows.length + ' ' + document.querySelector('#s0f398 figure details .text').checkVisibility() })()`); got != "col Count 10 false" {
		t.Errorf("the numbers: %q", got)
	}
	do(t, p, `dispatchEvent(new Event('beforeprint'))`)
	if n := eval[int](t, p, built); n != 400 {
		t.Errorf("%d features on paper, wanted 400", n)
	}
	// Sorted by name, the last are first, and only a hundred rows are laid out.
	do(t, p, `{const e = document.querySelector('.all th button'); e.click(); e.click()}`)
	if got := eval[[]string](t, p, rowNames); len(got) != 100 || got[0] != "feature_399" {
		t.Errorf("%d rows, the first is %q", len(got), got[:1])
	}
	// Without the script all is there from the start.
	p = load(t, b, "about:blank", 1300)
	send(t, p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	must(t, chromedp.Do(p.ctx, chromedp.Navigate(save(t, in))))
	if n := eval[int](t, p, built); n != 400 {
		t.Errorf("%d features without scripts, wanted 400", n)
	}
	if n := eval[int](t, p, `[...document.querySelectorAll('.all tbody tr')].filter(r => r.checkVisibility()).length`); n != 400 {
		t.Errorf("%d rows without scripts, wanted 400", n)
	}
}

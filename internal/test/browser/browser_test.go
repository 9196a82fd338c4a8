package browser

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/tfparse/tfparse/validate/report"
)

// patience is the time that a browser has for all the tests, on a machine with much else to do.
const patience = 6 * time.Minute

// start starts a browser, or skips the test. What it returns opens pages in it.
func start(t *testing.T) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped: -short starts no browser")
	}
	options := slices.Concat(chromedp.DefaultExecAllocatorOptions[:], []chromedp.ExecAllocatorOption{
		chromedp.NoSandbox, chromedp.Flag("hide-scrollbars", true), chromedp.Flag("force-color-profile", "srgb")})
	if program := os.Getenv("TFPARSE_CHROME"); program != "" {
		options = append(options, chromedp.ExecPath(program))
	}
	limited, stop := context.WithTimeout(t.Context(), patience)
	t.Cleanup(stop)
	allocator, release := chromedp.NewExecAllocator(limited, options...)
	t.Cleanup(release)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil {
		t.Skipf("skipped: no browser starts: %v", err)
	}
	return ctx
}

// A page is a tab, and what it has requested and reported.
type page struct {
	ctx   context.Context
	close context.CancelFunc

	mu       sync.Mutex
	requests []string
	reports  []string // exceptions, messages in the console, dialogs
}

// save writes a page to a file and returns its URL.
func save(t *testing.T, in *report.Input) string {
	t.Helper()
	var b bytes.Buffer
	must(t, report.Write(&b, in))
	name := filepath.Join(t.TempDir(), "page.html")
	must(t, os.WriteFile(name, b.Bytes(), 0o666))
	return (&url.URL{Scheme: "file", Path: name}).String()
}

// load opens a URL in a tab of its own, of a width in pixels.
func load(t *testing.T, browser context.Context, address string, width int64) *page {
	t.Helper()
	p := &page{}
	p.ctx, p.close = chromedp.NewContext(browser)
	t.Cleanup(p.close)
	must(t, chromedp.Listen(p.ctx, p.event))
	send(t, p, network.Enable, network.EnableParams{})
	send(t, p, runtime.Enable, cdp.Empty{})
	send(t, p, log.Enable, cdp.Empty{})
	must(t, chromedp.Do(p.ctx, chromedp.EmulateViewport(width, 1000), chromedp.Navigate(address)))
	return p
}

// open writes a page to a file, as people have it, and opens it. The page must be
// silent: no request except for itself, and nothing in the console.
func open(t *testing.T, browser context.Context, in *report.Input, width int64) *page {
	t.Helper()
	address := save(t, in)
	p := load(t, browser, address, width)
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, r := range p.requests {
			if r != address && r != "data:," {
				t.Errorf("the page requests %.200s", r)
			}
		}
		if len(p.requests) == 0 {
			t.Error("no request was seen, not even that for the page")
		}
		for _, r := range p.reports {
			t.Errorf("in the console: %.500s", r)
		}
	})
	return p
}

// event notes what a test may look at. The DevTools client calls it for one event at a time.
func (p *page) event(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *log.EventEntryAdded:
		p.reports = append(p.reports, e.Entry.Text+" "+e.Entry.URL)
	case *runtime.EventExceptionThrown, *runtime.EventConsoleAPICalled, *cdpage.EventJavascriptDialogOpening:
		p.reports = append(p.reports, fmt.Sprintf("%T: %+v", e, e))
	}
}

// send calls a method of the DevTools protocol in the page.
func send[P, R any](t *testing.T, p *page, method cdp.Command[P, R], params P) R {
	t.Helper()
	result, err := chromedp.Run(p.ctx, func(ctx context.Context, tab *chromedp.Target) (R, error) {
		return cdp.Call(ctx, tab, method, params)
	})
	must(t, err)
	return result
}

// eval evaluates JavaScript that gives a T.
func eval[T any](t *testing.T, p *page, code string) T {
	t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](code, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	return v
}

// do evaluates JavaScript for its effect.
func do(t *testing.T, p *page, code string) {
	t.Helper()
	eval[any](t, p, code)
}

// keys sends keys to what has the focus.
func keys(t *testing.T, p *page, keys string) {
	t.Helper()
	must(t, chromedp.Do(p.ctx, chromedp.KeyEvent(keys)))
}

// point moves the pointer.
func point(t *testing.T, p *page, x, y float64) {
	t.Helper()
	must(t, chromedp.Do(p.ctx, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y)))
}

// media emulates a medium and, if scheme is not "", a preferred colour scheme.
func media(t *testing.T, p *page, medium, scheme string) {
	t.Helper()
	params := emulation.SetEmulatedMediaParams{Media: medium}
	if scheme != "" {
		params.Features = []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
	}
	send(t, p, emulation.SetEmulatedMedia, params)
}

// picture saves what the page looks like, if TFPARSE_SCREENSHOTS asks for it.
func picture(t *testing.T, p *page, name string) {
	t.Helper()
	dir := os.Getenv("TFPARSE_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, name+".png"), png, 0o666))
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

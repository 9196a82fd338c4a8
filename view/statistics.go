package view

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/tfparse/tfparse/example"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/record"
	"github.com/tfparse/tfparse/validate/report"
	"github.com/tfparse/tfparse/validate/stats"
)

// An analysis reads all records of a data set in the background, for statistics and findings. It goes through these states:
//
//	idle      no page has asked for it
//	running   each worker adds records to statistics of its own; a page joins them, and shows the records so far
//	ended     everything was read, or err says why not; last has the result
type analysis struct {
	h   *Handler
	set int // index of the data set

	search *search         // reads the records; only run uses it
	first  chan struct{}   // closed when the first records were added
	ended  chan struct{}   // closed at the end
	opts   *stats.Options  // of total and of the workers
	check  *record.Checker // checks the records; nil: there is nothing to check them against

	mu      sync.Mutex         // guards the fields below; a worker is locked after it
	workers []*statisticWorker // whose statistics total does not have yet
	total   *stats.Accumulator // statistics that were joined
	read    int64              // records in blocks that were read
	stored  int64              // bytes of the files that were read
	size    int64              // bytes of the files
	found   *record.Summary    // findings about records; its files are indices in Handler.files. nil without check
	damage  []damagedRange     // the first skipped ranges
	skipped int64              // number of skipped ranges
	err     error              // why reading ended before the end
}

// A statisticWorker has the statistics of the records that one goroutine has read.
type statisticWorker struct {
	mu  sync.Mutex // guards sum
	sum *stats.Accumulator
}

// A damagedRange is a skipped range, in place of a finding.
type damagedRange struct {
	file   int // index in Handler.files
	record int64
	err    error
}

// Limits of pages.
const (
	firstPage     = 150 * time.Millisecond // how long the first page waits for records
	maxFindings   = 1000                   // findings of records on the page
	findingsOfOne = 100                    // findings for one feature and rule
)

// An analyses has the analyses of the data sets, and the pages that were made of them.
type analyses struct {
	mu    sync.Mutex
	of    map[int]*analysis
	pages map[string][]byte // finished pages, by title
}

// analysis returns the analysis of a data set, which it begins.
func (h *Handler) analysis(set int) *analysis {
	h.analyses.mu.Lock()
	defer h.analyses.mu.Unlock()
	a := h.analyses.of[set]
	if a == nil {
		if h.analyses.of == nil {
			h.analyses.of = map[int]*analysis{}
		}
		a = &analysis{h: h, set: set, search: &search{h: h, set: set}, first: make(chan struct{}), ended: make(chan struct{}),
			opts: &stats.Options{Message: h.kind, Schema: h.opts.Schema}}
		h.analyses.of[set] = a
		h.busy.Go(a.run) // Close waits for it; the request that is being answered counts, too
	}
	return a
}

// run reads the records.
func (a *analysis) run() {
	err := a.readAll(a.h.ctx)
	a.mu.Lock()
	a.err = err
	a.joinWorkers()
	a.mu.Unlock()
	close(a.ended)
}

// readAll reads the records of all files.
func (a *analysis) readAll(ctx context.Context) error {
	total, err := stats.New(a.opts)
	if err != nil {
		return err
	}
	if o := &a.h.opts; a.set == 0 && (o.Schema != nil || o.Rules != nil) {
		if a.check, err = record.NewChecker(o.Schema, &record.Options{Message: a.h.kind, Rules: o.Rules, MaxFindings: findingsOfOne}); err != nil {
			return err
		}
	}
	a.mu.Lock()
	a.total = total
	if a.check != nil {
		a.found = record.NewSummary(findingsOfOne)
	}
	a.mu.Unlock()
	a.search.beginSet()
	a.search.work, a.search.use = a.newWorker, a.useBlock
	return a.search.run(ctx, nil, nil)
}

// A recordFindings is the findings about a record of a block.
type recordFindings struct {
	at    int // index in the block
	found []record.Finding
}

// newWorker returns what a goroutine does with blocks: it adds the records to its statistics, and checks them.
func (a *analysis) newWorker() func(*searchBlock) error {
	w := &statisticWorker{}
	w.sum, _ = stats.New(a.opts) // as total
	a.mu.Lock()
	a.workers = append(a.workers, w)
	a.mu.Unlock()
	return func(b *searchBlock) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		var all []recordFindings
		for i := range b.Items {
			err := w.sum.Add(b.Items[i].Record) // a record that does not decode is counted
			if errors.Is(err, stats.ErrFeatures) {
				return err
			}
			if a.check == nil {
				continue
			}
			if found := a.check.Check(b.Items[i].Record); len(found) > 0 {
				all = append(all, recordFindings{i, found})
			}
		}
		b.result = all
		return nil
	}
}

// useBlock takes blocks in the order of the records.
func (a *analysis) useBlock(b *searchBlock) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	begins := a.read == 0 && len(b.Items) > 0
	a.read += int64(len(b.Items))
	a.stored, a.size = a.search.storedBytes(), a.search.total
	for _, one := range b.result.([]recordFindings) {
		item := &b.Items[one.at]
		a.found.Add(record.Place{File: strconv.Itoa(a.search.file + item.File), Record: item.Position.Record, Offset: item.Offset}, len(item.Record), one.found)
	}
	for _, e := range b.Events {
		if s := e.Skipped; s != nil {
			if s.Record >= 0 { // else the file could not be opened
				a.skipped++
			}
			if len(a.damage) < findingsOfOne {
				a.damage = append(a.damage, damagedRange{a.search.file + s.File, s.Record, a.h.files[a.search.file+s.File].named(s.Err)})
			}
		}
		if e.End != nil && e.End.Err != nil {
			return e.End.Err
		}
	}
	if begins {
		close(a.first)
	}
	return nil
}

// joinWorkers adds the statistics of the workers to total. The caller holds mu.
func (a *analysis) joinWorkers() {
	for _, w := range a.workers {
		w.mu.Lock()
		if err := a.total.Merge(w.sum); err != nil {
			a.err = cmp.Or(a.err, err)
		}
		w.mu.Unlock()
	}
}

// await waits for the records of a first page; with all set, for the end or nearly as long as a request may take.
func (a *analysis) await(ctx context.Context, all bool) error {
	patience := firstPage
	select {
	case <-a.first:
		patience = 0
	default:
	}
	if all {
		patience = a.h.opts.Timeout / 3 * 2 // the page must be written, too
	}
	enough := time.NewTimer(patience)
	defer enough.Stop()
	select {
	case <-a.ended:
		return nil
	case <-enough.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-a.ended:
	case <-a.first:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// hasEnded reports whether everything was read.
func (a *analysis) hasEnded() bool {
	select {
	case <-a.ended:
		return true
	default:
		return false
	}
}

// statistics returns the statistics of the records so far. The caller holds mu as long as it uses the details.
func (a *analysis) statistics() (*pb.DatasetFeatureStatisticsList, *stats.Details, error) {
	if a.total == nil {
		return nil, nil, cmp.Or(a.err, errors.New("nothing was read"))
	}
	a.joinWorkers()
	return a.total.Detailed(runtime.GOMAXPROCS(0))
}

// progressOf describes how much of some data sets was read.
func progressOf(all []*analysis) *report.Progress {
	p := &report.Progress{Done: true}
	read, stored, size := int64(0), int64(0), int64(0)
	for _, a := range all {
		p.Done = p.Done && a.hasEnded()
		a.mu.Lock()
		read, stored, size = read+a.read, stored+a.stored, size+a.size
		a.mu.Unlock()
	}
	if size > 0 {
		p.Share = min(1, float64(stored)/float64(size))
	}
	p.Text = firstRecords(read, p.Share)
	if p.Done {
		p.Text, p.Share = fmt.Sprintf("All %s records were read.", thousands(read)), 1
	}
	return p
}

// firstRecords says that a page has the first n records, and how much of the data that is.
func firstRecords(n int64, share float64) string {
	return fmt.Sprintf("These are the first %s records. Reading the rest: %.0f%%", thousands(n), 100*share)
}

// thousands returns a count with commas, as pages write it.
func thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// serveAnalysis answers with a page about some data sets. fill (nil: nothing) completes its input, while the analyses are locked. With the parameter progress=1 the
// answer is how much was read, in JSON. With all=1 it waits until everything was read, and with static=1 the page is one for a file: it has its style
// and its script inside, and no links to searches.
func (h *Handler) serveAnalysis(w http.ResponseWriter, r *http.Request, title string, sets int, fill func(*report.Input, []*analysis)) error {
	if h.kind >= example.TypeRaw || sets > len(h.sets) {
		return withStatus(http.StatusNotFound, errors.New("no such page"))
	}
	var all []*analysis
	for set := range sets {
		all = append(all, h.analysis(set))
	}
	if r.FormValue("progress") != "" {
		return writeJSON(w, progressOf(all))
	}
	static, name := r.FormValue("static") != "", title
	if static {
		name += " static"
	}
	for _, a := range all {
		if err := a.await(r.Context(), static || r.FormValue("all") != ""); err != nil {
			return &statusError{http.StatusServiceUnavailable, errors.New("nothing was read yet")}
		}
	}
	h.analyses.mu.Lock()
	page := h.analyses.pages[name]
	h.analyses.mu.Unlock()
	if page == nil {
		progress := progressOf(all) // before the records are joined: the page may have more
		var b bytes.Buffer
		err := h.writePage(&b, title, all, progress, static, fill)
		if err != nil {
			return err
		}
		if page = b.Bytes(); progress.Done {
			h.analyses.mu.Lock()
			if h.analyses.pages == nil {
				h.analyses.pages = map[string][]byte{}
			}
			h.analyses.pages[name] = page
			h.analyses.mu.Unlock()
		}
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(page)
	return nil
}

// writePage writes a page about data sets, with their statistics and what fill adds.
func (h *Handler) writePage(b *bytes.Buffer, title string, all []*analysis, progress *report.Progress, static bool, fill func(*report.Input, []*analysis)) error {
	in := &report.Input{Title: title, Schema: h.opts.Schema, Served: true, Progress: progress, Link: h.linkTo, Note: "tfparse view"}
	examples := int64(0)
	for _, a := range all {
		a.mu.Lock() // until the page is written: details read the statistics
		defer a.mu.Unlock()
		list, details, err := a.statistics()
		if err != nil {
			return err
		}
		in.Sides = append(in.Sides, report.Side{Name: h.sets[a.set], Statistics: list, Details: details})
		if len(list.GetDatasets()) > 0 {
			examples += int64(list.GetDatasets()[0].GetNumExamples()) // of all records
		}
		if a.err != nil {
			in.Findings = append(in.Findings, report.Finding{Severity: "error", Rule: "NOT_READ", Text: "Reading ended before the end of the data: " + visibleText(a.err.Error())})
		}
	}
	if !progress.Done { // more records may have been read since: the page must not show two numbers
		progress.Text = firstRecords(examples, progress.Share)
	}
	if static {
		in.Served, in.Progress, in.Link = false, nil, nil
		if !progress.Done {
			in.Note += ": " + progress.Text
		}
	}
	if fill != nil {
		fill(in, all)
	}
	return report.Write(b, in)
}

// addDamage says how much damage the statistics leave out. The caller holds mu of each analysis.
func addDamage(in *report.Input, all []*analysis) {
	for _, a := range all {
		switch {
		case a.skipped == 1:
			in.Findings = append(in.Findings, report.Finding{Severity: "warning", Rule: "DAMAGED", Text: visibleText(a.h.sets[a.set]) + ": 1 damaged record is left out"})
		case a.skipped > 1:
			in.Findings = append(in.Findings, report.Finding{Severity: "warning", Rule: "DAMAGED", Text: fmt.Sprintf("%s: %d damaged records are left out", visibleText(a.h.sets[a.set]), a.skipped)})
		}
	}
}

// serveFeatures answers with the statistics of the features.
func (h *Handler) serveFeatures(w http.ResponseWriter, r *http.Request) error {
	return h.serveAnalysis(w, r, "Features", 1, addDamage)
}

// serveCompare answers with the distances between the data sets, and the statistics of both.
func (h *Handler) serveCompare(w http.ResponseWriter, r *http.Request) error {
	return h.serveAnalysis(w, r, "Comparison", 2, addDamage)
}

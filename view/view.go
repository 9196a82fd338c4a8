package view

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/filelist"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/report"
)

// Options are the settings of New. A nil *Options and zero fields select the defaults.
type Options struct {
	Title   string              // name of the data set on the page; "": the first name of the files
	Type    example.MessageType // message type of the records; zero: that of Spec, or detected from the first records
	Spec    feature.Spec        // spec of the columns in the detail pane; empty: none
	Classes map[string][]string // names of classes by feature: Classes["label"][3] is the name of class 3
	Schema  *pb.Schema          // records are checked against it for the page of findings; nil: none
	Rules   *expr.Rules         // rules for the page of findings; nil: none
	Against []string            // files of a second data set, which the page of differences compares with the first
	// FS is the file system of the files, which must implement [io.ReaderAt]. The default is that of the operating
	// system, and the object stores that the program has registered.
	FS fs.FS
	// MaxBytes is the limit for one record, and for one value that is sent, in bytes; 0: 64 MiB. A longer record is
	// shown as an error in its place.
	MaxBytes int64
	// MaxPixels is the limit for a picture that is made of an array; 0: 16 million.
	MaxPixels int64
	// Timeout is the limit for one request except for searches and downloads; 0: 30 seconds.
	Timeout time.Duration
}

// A Handler serves the pages about one data set, and about a second one beside it. It is safe for concurrent use.
//
// It has no authentication: a service mounts it under its own authentication, with [http.StripPrefix] if it has a
// prefix, and a program for one user puts a [Guard] around it. It answers GET and HEAD only, refuses requests from
// other sites, and reads no files but those of New. Several goroutines index the files until Close.
type Handler struct {
	opts   Options
	files  []*recordFile
	sets   []string            // names of the data sets: one, or two with Options.Against
	kind   example.MessageType // message type of all records; TypeRaw if it is not known
	parser *feature.Parser     // of Options.Spec; nil without one
	sample []featureSummary    // the features of the first records
	routes map[string]route    // by path

	analyses analyses // statistics and findings, read in the background

	ctx    context.Context    // ends at Close
	cancel context.CancelFunc // ends ctx
	scans  scanQueue          // indexes files in the background
	open   openFiles          // the files that are open
	slots  chan struct{}      // one for each request that is being answered
	long   chan struct{}      // one for each search or download
	busy   sync.WaitGroup     // requests that are being answered, for Close
	ending sync.RWMutex       // guards adding to busy while Close begins
}

// Limits of requests.
const (
	maxQuery     = 256 << 10 // bytes of a query: the longest expression, with each byte escaped
	maxRequests  = 16        // requests answered at once; others wait
	maxSearches  = 4         // searches and downloads at once
	defaultBytes = 64 << 20
	defaultTime  = 30 * time.Second
)

//go:embed page
var pageFiles embed.FS

// New returns a handler for files. A name may be a directory, a glob, or a set of shards such as train@16. A file that
// cannot be opened is listed on the page with its error. New reads the first records. The caller closes the handler.
func New(files []string, opts *Options) (*Handler, error) {
	h := &Handler{slots: make(chan struct{}, maxRequests), long: make(chan struct{}, maxSearches)}
	if opts != nil {
		h.opts = *opts
	}
	if h.opts.MaxBytes <= 0 {
		h.opts.MaxBytes = defaultBytes
	}
	if h.opts.MaxPixels <= 0 {
		h.opts.MaxPixels = 16_000_000
	}
	if h.opts.Timeout <= 0 {
		h.opts.Timeout = defaultTime
	}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	if err := h.prepare(files); err != nil {
		h.cancel()
		return nil, err
	}
	h.routes = map[string]route{
		"api/set":     h.serveSet,
		"api/rows":    h.serveRows,
		"api/record":  h.serveRecord,
		"api/bytes":   h.serveBytes,
		"api/picture": h.servePicture,
		"api/copy":    h.serveCopy,
		"api/spec":    h.serveSpec,
		"api/check":   h.serveCheck,
		"api/find":    h.serveFind,
		"api/export":  h.serveExport,
		"features":    h.serveFeatures,
		"findings":    h.serveFindings,
		"compare":     h.serveCompare,
	}
	h.startScans()
	return h, nil
}

// prepare looks up the files and reads the first records.
func (h *Handler) prepare(files []string) error {
	if len(files) == 0 {
		return errors.New("view: no files")
	}
	hasSpec := h.opts.Spec.Examples != nil
	for range h.opts.Spec.Groups() {
		hasSpec = true
	}
	if hasSpec {
		var err error
		if h.parser, err = feature.NewParser(h.opts.Spec, nil); err != nil {
			return err
		}
		if t := h.parser.Message(); h.opts.Type != example.TypeAuto && h.opts.Type != t {
			return fmt.Errorf("view: the spec is for records of type %v, want %v", t, h.opts.Type)
		}
		h.opts.Type = h.parser.Message()
	}
	lister := filelist.System(h.ctx)
	if h.opts.FS != nil {
		lister = filelist.FS(h.opts.FS)
	}
	for set, names := range [][]string{files, h.opts.Against} {
		if len(names) == 0 {
			continue
		}
		list, err := lister.List(names, nil)
		if err != nil {
			return err
		}
		h.sets = append(h.sets, names[0])
		for _, f := range list.Files {
			h.files = append(h.files, h.newFile(f.Name, set, f.Err))
		}
	}
	if h.opts.Title != "" {
		h.sets[0] = h.opts.Title
	}
	return h.readSample()
}

// Close ends all requests and the work in the background, and closes the files.
func (h *Handler) Close() error {
	h.ending.Lock()
	h.cancel()
	h.ending.Unlock()
	h.busy.Wait()
	h.scans.running.Wait()
	for _, f := range h.files {
		f.close()
	}
	return h.open.closeAll()
}

// contentPolicy is the Content-Security-Policy of all answers but the pages in frames.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; " +
	"frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// framePolicy is that of the pages that the start page shows in frames.
var framePolicy = strings.Replace(contentPolicy, "frame-ancestors 'none'", "frame-ancestors 'self'", 1)

// setHeaders sets the headers that every answer has.
func setHeaders(header http.Header, policy string) {
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
}

// assetTypes are the types of the files of the page.
var assetTypes = map[string]string{".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	policy := contentPolicy
	if name == "features" || name == "findings" || name == "compare" {
		policy = framePolicy
	}
	setHeaders(w.Header(), policy)
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		fail(w, http.StatusMethodNotAllowed, "want GET or HEAD, got %.20q", r.Method)
		return
	case fromOtherSite(r) && (name != "" || r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document"):
		fail(w, http.StatusForbidden, "requests from other sites are refused")
		return
	case len(r.URL.RawQuery) > maxQuery:
		fail(w, http.StatusRequestEntityTooLarge, "a query of more than %d bytes", maxQuery)
		return
	case r.URL.Path == "": // the prefix without a slash: relative links would miss the prefix
		w.Header().Set("Location", path.Base(strings.SplitN(r.RequestURI, "?", 2)[0])+"/")
		w.WriteHeader(http.StatusTemporaryRedirect)
		return
	}
	serve := h.routes[name]
	if serve == nil {
		serveAsset(w, name)
		return
	}
	slots, timeout := h.slots, h.opts.Timeout
	if name == "api/find" || name == "api/export" {
		slots, timeout = h.long, 0
	}
	h.serveWithin(w, r, slots, timeout, serve)
}

// fromOtherSite reports whether a page of another site made the request, as browsers say.
func fromOtherSite(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site != "" && site != "same-origin" && site != "none"
}

// serveAsset sends a file of the page.
func serveAsset(w http.ResponseWriter, name string) {
	if name == "" {
		name = "index.html"
	}
	typ := assetTypes[path.Ext(name)]
	if name == "favicon.ico" { // browsers ask for it; an error would be in the console
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if text, ok := report.Asset(name); ok {
		w.Header().Set("Content-Type", typ)
		io.WriteString(w, text)
		return
	}
	b, err := pageFiles.ReadFile("page/" + name)
	if err != nil || typ == "" || strings.Contains(name, "/") {
		fail(w, http.StatusNotFound, "no such page")
		return
	}
	w.Header().Set("Content-Type", typ)
	w.Write(b)
}

// serveWithin answers a request when there is a slot, and ends it after a timeout (0: none) and at Close.
func (h *Handler) serveWithin(w http.ResponseWriter, r *http.Request, slots chan struct{}, timeout time.Duration, serve route) {
	h.ending.RLock()
	if h.ctx.Err() != nil {
		h.ending.RUnlock()
		fail(w, http.StatusServiceUnavailable, "the page is closed")
		return
	}
	h.busy.Add(1)
	h.ending.RUnlock()
	defer h.busy.Done()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(h.ctx, cancel)()
	deadline := time.Time{}
	if timeout > 0 {
		deadline = time.Now().Add(timeout)
		var end context.CancelFunc
		ctx, end = context.WithDeadline(ctx, deadline)
		defer end()
	}
	// A client that does not read its answer must not keep the slot. A server without deadlines returns an error here.
	http.NewResponseController(w).SetWriteDeadline(deadline)
	wait, stop := context.WithTimeout(ctx, h.opts.Timeout)
	defer stop()
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
	case <-wait.Done():
		w.Header().Set("Retry-After", "5")
		fail(w, http.StatusServiceUnavailable, "too many requests at once")
		return
	}
	if err := serve(w, r.WithContext(ctx)); err != nil {
		failWith(w, err)
	}
}

// A row is a record of a file, or the damage in its place.
type row struct {
	number  int64                  // ordinal in the file, as package tfrecord counts
	offset  int64                  // of the frame, in the uncompressed stream
	data    []byte                 // payload; nil if it is damaged
	err     error                  // nil for a record
	skipped *tfrecord.SkippedRange // the skipped range; nil if only the payload is damaged
}

// errNoRecord is the error of a record that does not exist.
var errNoRecord = errors.New("no such record")

// readRecord returns a record by its number in a file. The error wraps errNoRecord if there is none.
func (h *Handler) readRecord(ctx context.Context, file int, number int64) (row, error) {
	if file < 0 || file >= len(h.files) {
		return row{}, fmt.Errorf("%w: file %d of %d", errNoRecord, file, len(h.files))
	}
	rows, _, err := h.files[file].readRows(ctx, number, 1)
	if err != nil {
		return row{}, err
	}
	if len(rows) == 0 {
		return row{}, fmt.Errorf("%w: %d in file %d", errNoRecord, number, file)
	}
	return rows[0], nil
}

// writeJSON sends an answer.
func writeJSON(w http.ResponseWriter, v any) error {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v) // the client is gone if it fails
	return nil
}

// A route answers a request, or returns an error that failWith sends.
type route func(w http.ResponseWriter, r *http.Request) error

// A statusError is an error with the HTTP status of its answer.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

// withStatus gives an error a status; nil stays nil.
func withStatus(status int, err error) error {
	if err == nil {
		return nil
	}
	return &statusError{status, err}
}

// failWith sends an error with its status, 500 if it has none.
func failWith(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	if e, ok := errors.AsType[*statusError](err); ok {
		status = e.status
	} else if errors.Is(err, errNoRecord) {
		status = http.StatusNotFound
	} else if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		status = http.StatusServiceUnavailable
	}
	fail(w, status, "%s", visibleText(err.Error()))
}

// fail sends an error as JSON.
func fail(w http.ResponseWriter, status int, format string, args ...any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	writeJSON(w, map[string]string{"error": fmt.Sprintf(format, args...)})
}

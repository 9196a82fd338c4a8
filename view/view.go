package view

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/feature"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
)

// Options are the settings of New. A nil *Options and zero fields select the defaults.
type Options struct {
	Title   string              // name of the data set on the page; "": the name of the first file
	Build   string              // which build of the command serves the page; "" for another program
	Type    example.MessageType // message type of the records; zero: detected from the first records
	Spec    feature.Spec        // spec of the columns in the detail pane; empty: none
	Classes map[string][]string // names of classes by feature: Classes["label"][3] is the name of class 3
	Schema  *pb.Schema          // records are checked against it for the page of findings; nil: none
	Rules   *expr.Rules         // rules for the page of findings; nil: none
	Against []string            // files of a second data set, which the page of differences compares with the first
	// MaxBytes is the limit for one value that is sent, in bytes; 0: 64 MiB.
	MaxBytes int64
	// MaxPixels is the limit for a picture that is made of an array; 0: 16 million.
	MaxPixels int64
	// Timeout is the limit for one request except for searches and downloads; 0: 30 seconds.
	Timeout time.Duration
}

// A Handler serves the pages about one data set, and about a second one beside it. It is safe for concurrent use.
type Handler struct {
	opts   Options
	files  []*recordFile
	kind   example.MessageType // message type of all records
	parser *feature.Parser     // of the spec; nil without a spec
	mux    *http.ServeMux
}

//go:embed page
var pageFiles embed.FS

// New returns a handler for files. The caller closes it.
func New(files []string, opts *Options) (*Handler, error) {
	h := &Handler{mux: http.NewServeMux()}
	if opts != nil {
		h.opts = *opts
	}
	h.kind = h.opts.Type
	if h.kind == example.TypeAuto {
		h.kind = example.TypeExample
	}
	for _, name := range files {
		h.files = append(h.files, &recordFile{name: name})
	}
	if h.opts.Spec.Validate() == nil {
		var err error
		if h.parser, err = feature.NewParser(h.opts.Spec, nil); err != nil {
			return nil, err
		}
	}
	for path, serve := range map[string]http.HandlerFunc{
		"/api/set":     h.serveSet,
		"/api/rows":    h.serveRows,
		"/api/record":  h.serveRecord,
		"/api/bytes":   h.serveBytes,
		"/api/picture": h.servePicture,
		"/api/copy":    h.serveCopy,
		"/api/spec":    h.serveSpec,
		"/api/check":   h.serveCheck,
		"/api/find":    h.serveFind,
		"/api/export":  h.serveExport,
		"/features":    h.serveFeatures,
		"/findings":    h.serveFindings,
		"/compare":     h.serveCompare,
	} {
		h.mux.HandleFunc(path, serve)
	}
	return h, nil
}

// Close ends the work in the background and closes the files.
func (h *Handler) Close() error { return nil }

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// A row is a record of a file, or the damage in its place.
type row struct {
	number  int64                  // ordinal in the file, as package tfrecord counts
	offset  int64                  // of the frame, in the uncompressed stream
	data    []byte                 // payload; nil if it is damaged
	err     error                  // nil for a record
	skipped *tfrecord.SkippedRange // the skipped range; nil if only the payload is damaged
}

// readRecord returns a record by its number in a file.
func (h *Handler) readRecord(ctx context.Context, file int, number int64) (row, error) {
	if file < 0 || file >= len(h.files) {
		return row{}, fmt.Errorf("no file %d: there are %d", file, len(h.files))
	}
	rows, _, err := h.files[file].readRows(ctx, number, 1)
	if err != nil {
		return row{}, err
	}
	if len(rows) == 0 {
		return row{}, fmt.Errorf("no record %d in file %d", number, file)
	}
	return rows[0], nil
}

// writeJSON sends an answer.
func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v)
}

// fail sends an error as JSON.
func fail(w http.ResponseWriter, status int, format string, args ...any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"error": fmt.Sprintf(format, args...)})
}

// Package serving is an HTTP service that feeds ragged data to a model in TensorFlow Serving.
//
//	POST /v1/predict   takes records, returns one row of JSON for each record
//	GET  /healthz      the process runs
//	GET  /readyz       the service takes requests, and its connection to the model server is up
//	GET  /metrics      metrics for Prometheus
//
// Your program mounts [Service.Handler] on its server, or calls [Service.Serve], which sets timeouts and stops gracefully. [Run]
// is the whole program with its flags; cmd/tfparseserving calls it.
//
// README.md has the bodies, the errors and the limits. To read the code, follow a request: service.go has its
// steps in order, body.go parses, backend.go calls the model server, answer.go prints, and fault.go turns errors
// into answers.
package serving

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/record"
)

// A Config says what a Service serves.
type Config struct {
	Model     string              // directory of the SavedModel; only saved_model.pb is read
	To        model.ModelSpec     // the model at the model server
	Backend   string              // address of the model server
	BackendCA string              // file of certificates; "" for a connection without TLS
	Spec      feature.Spec        // spec of the records
	Schema    *metadatapb.Schema  // schema that records must fit; nil: none
	Columns   map[string]string   // name of the feature by name of the input, if they differ: see model.BindOptions
	Convert   model.Conversion    // conversion of values to the dtypes of inputs: see model.BindOptions
	Outputs   map[string][]string // for each member of a row, the output with the values, then the outputs with the row_splits; empty: all outputs
	Limits    Limits              // no defaults: see Limits
}

// Limits are the limits on requests. All limits except Waiting must be above 0.
type Limits struct {
	Body       int64         // maximum size of a body, in bytes
	Records    int           // maximum number of records in a request
	Batch      int           // maximum size of the values of a request in memory, in bytes
	Answer     int           // maximum size of an answer of the model server, in bytes
	Running    int           // maximum number of requests that are parsed and at the model server
	Waiting    int           // maximum number of other requests, which send their body, wait or read their answer
	Timeout    time.Duration // time for a request without the header Request-Timeout
	MaxTimeout time.Duration // maximum of the header Request-Timeout
}

// A Service answers requests for one signature of one model. It is safe for concurrent use.
type Service struct {
	limits    Limits                  // Config.Limits, checked by NewService
	modelSpec model.ModelSpec         // Config.To: the model in requests to the model server
	parser    *feature.Parser         // of the spec; strings of its batches alias the body
	checker   *record.Checker         // nil without a schema
	binding   *model.Binding          // of the columns to the inputs
	outputs   []output                // members of a row of the response, sorted by name
	fetch     []string                // names of the outputs that the model server returns
	backend   *backend                // connection to the model server; owned by the Service
	gate      *gate                   // limits the requests in progress
	metrics   *metrics                // own registry, for /metrics
	log       *slog.Logger            // has a line for a request at level debug, for a failure at level warn
	sampler   sampler                 // limits log lines of failures and panics
	calls     sync.Pool               // free *call
	rows      sync.Pool               // free *[]byte, which held the rows of answers
	aborted   context.Context         // ends when requests in progress must end
	abort     context.CancelCauseFunc // ends aborted; clients get the cause as message
	stopping  atomic.Bool             // /readyz answers 503
}

// NewService reads the signature of the model, checks that the records of the spec fit it, and connects to the
// model server in the background. Close ends the connection.
func NewService(cfg Config, log *slog.Logger) (*Service, error) {
	s := &Service{limits: cfg.Limits, modelSpec: cfg.To, log: log}
	if l := cfg.Limits; min(l.Body, int64(l.Records), int64(l.Batch), int64(l.Answer), int64(l.Running), int64(l.Timeout), int64(l.MaxTimeout)) <= 0 || l.Waiting < 0 {
		return nil, fmt.Errorf("limits must be positive: %+v", l)
	}
	m, err := model.Open(cfg.Model)
	if err != nil {
		return nil, err
	}
	sig, err := m.Signature(cfg.To.Signature)
	if err != nil {
		return nil, err
	}
	if s.outputs, err = bindOutputs(sig, cfg.Outputs); err != nil {
		return nil, err
	}
	for _, o := range s.outputs {
		s.fetch = append(s.fetch, o.values)
		s.fetch = append(s.fetch, o.splits...)
	}
	slices.Sort(s.fetch)
	s.fetch = slices.Compact(s.fetch)
	if err := sig.CheckServing(s.fetch...); err != nil {
		return nil, err
	}
	if s.binding, err = model.Bind(sig, cfg.Spec, &model.BindOptions{Columns: cfg.Columns, Convert: cfg.Convert}); err != nil {
		return nil, err
	}
	// Limit the memory that a few bytes of a record may need: see feature.ParserOptions. Strings alias the body, which does
	// not change until the request to the model server is written.
	options := &feature.ParserOptions{MaxRows: cfg.Limits.Batch / 64, MaxPadded: cfg.Limits.Batch / 16, AliasRecords: true}
	if s.parser, err = feature.NewParser(cfg.Spec, options); err != nil {
		return nil, err
	}
	if cfg.Schema != nil {
		if s.checker, err = record.NewChecker(cfg.Schema, &record.Options{Message: cfg.Spec.Message(), Spec: cfg.Spec}); err != nil {
			return nil, err
		}
	}
	if s.backend, err = dial(cfg.Backend, cfg.BackendCA, cfg.Limits.Answer); err != nil {
		return nil, err
	}
	s.gate = newGate(cfg.Limits.Running, cfg.Limits.Waiting)
	s.metrics = newMetrics(s.gate)
	s.calls.New = func() any { return newCall(s.parser) }
	s.rows.New = func() any { return new([]byte) }
	s.aborted, s.abort = context.WithCancelCause(context.Background())
	return s, nil
}

// Close ends the connection to the model server.
func (s *Service) Close() error {
	s.abort(errors.New("the service is closed"))
	return s.backend.conn.Close()
}

// Handler returns the routes.
func (s *Service) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/predict", s.predict)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", s.ready)
	mux.Handle("GET /metrics", s.metrics.handler())
	return mux
}

// ready reports whether a load balancer should send requests here.
func (s *Service) ready(w http.ResponseWriter, r *http.Request) {
	if s.stopping.Load() {
		http.Error(w, "stopping", http.StatusServiceUnavailable)
		return
	}
	if state := s.backend.state(r.Context()); state != "READY" {
		http.Error(w, "the connection to the model server is "+state, http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

// predict answers a request, and counts and logs it. A request has a place until its answer is written, so that the number of
// clients that do not read their answers is limited too.
func (s *Service) predict(w http.ResponseWriter, r *http.Request) {
	o := observation{start: time.Now(), requestID: r.Header.Get("X-Request-Id")}
	timeout, f := s.timeout(r.Header)
	http.NewResponseController(w).SetWriteDeadline(o.start.Add(timeout + writeGrace))
	var out []byte
	if s.gate.enter() {
		defer s.gate.leave()
		if f == nil {
			out, f = s.answer(w, r, timeout, &o)
			defer s.keepRows(out)
		}
	} else {
		f = overloaded("too many requests")
	}
	status := http.StatusOK
	if f != nil {
		out, status = f.body(), f.status
		w.Header().Set("Content-Type", "application/json")
		if status == http.StatusServiceUnavailable {
			w.Header().Set("Retry-After", "1")
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	w.WriteHeader(status)
	if _, err := w.Write(out); err != nil {
		s.log.Debug("answer not sent", "error", err)
	}
	o.status, o.answer, o.took = status, len(out), time.Since(o.start)
	s.metrics.observe(&o, f)
	s.logRequest(r.Context(), &o, f)
}

// writeGrace is the time after the deadline of a request in which its answer may still be written.
const writeGrace = time.Second

// An observation has the facts about a request for metrics and logs.
type observation struct {
	start     time.Time     // when predict was called
	status    int           // HTTP status of the answer
	body      int           // bytes of the body
	records   int           // number of records
	answer    int           // bytes of the answer
	took      time.Duration // time until the last byte of the answer
	backend   time.Duration // time of the model server
	requestID string        // header X-Request-Id of the client
}

// logRequest logs a request. Failures of the service with the same code get at most one line per second, with the number of
// requests since the last line: under overload most requests fail, and the metrics count all requests.
func (s *Service) logRequest(ctx context.Context, o *observation, f *fault) {
	level := slog.LevelDebug
	if o.status >= 500 {
		level = slog.LevelWarn
	}
	if !s.log.Enabled(ctx, level) {
		return
	}
	args := []any{"status", o.status, "took", o.took.String(), "bytes", o.body, "records", o.records, "request_id", o.requestID}
	if f != nil {
		args = append(args, "code", f.Code, "error", f.Message)
	}
	if level == slog.LevelWarn {
		n := s.sampler.count(f.Code, time.Now())
		if n == 0 {
			return
		}
		args = append(args, "requests", n)
	}
	s.log.Log(ctx, level, "predict", args...)
}

// answer returns the encoded rows of the response. It releases all other buffers before the rows are written, so that
// other requests can use these buffers.
func (s *Service) answer(w http.ResponseWriter, r *http.Request, timeout time.Duration, o *observation) ([]byte, *fault) {
	c := s.calls.Get().(*call)
	c.reset()
	f := s.run(w, r, c, timeout)
	o.body, o.records, o.backend = len(c.body), c.n, c.backend
	w.Header().Set("Content-Type", c.form.answer())
	out := c.out
	c.out = nil
	if f == nil || f.status != http.StatusInternalServerError { // do not reuse buffers after a panic
		s.release(c)
	}
	return out, f
}

// run runs the steps of a request. It leaves the rows in c.out, or returns a fault.
func (s *Service) run(w http.ResponseWriter, r *http.Request, c *call, timeout time.Duration) (f *fault) {
	defer func() {
		if v := recover(); v != nil { // a bug; the metrics must show it
			if n := s.sampler.count("panic", time.Now()); n > 0 {
				s.log.Error("panic", "value", fmt.Sprint(v), "stack", string(debug.Stack()), "requests", n)
			}
			f = &fault{status: http.StatusInternalServerError, Code: "internal", Message: "internal error"}
		}
	}()
	form, f := formOf(r.Header)
	if f != nil {
		return f
	}
	c.form = form
	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	defer cancel()
	defer context.AfterFunc(s.aborted, cancel)()
	if f := s.read(ctx, w, r, c); f != nil {
		return f
	}
	if !s.gate.wait(ctx) {
		return s.ended(r, overloaded("no slot became free in time"))
	}
	defer s.gate.done()
	if f := s.parse(c); f != nil {
		return f
	}
	if f := s.check(c); f != nil {
		return f
	}
	var err error
	if c.feeds, err = s.binding.Feeds(c.feeds[:0], c.batch); err != nil {
		return badData("does_not_fit_model", err)
	}
	if c.request, err = model.AppendPredictRequest(c.request[:0], s.modelSpec, c.feeds, s.fetch...); err != nil {
		return &fault{status: http.StatusRequestEntityTooLarge, Code: "request_too_large", Message: err.Error()}
	}
	sent := time.Now()
	c.answer, err = s.backend.predict(ctx, c.request, c.answer)
	c.backend = time.Since(sent)
	if err != nil {
		return s.ended(r, backendFault(err))
	}
	if c.out, err = s.print(*s.rows.Get().(*[]byte), c.answer, c.n); err != nil {
		return &fault{status: http.StatusBadGateway, Code: "bad_answer", Message: err.Error()}
	}
	return nil
}

// ended returns f, unless the service stopped or the client left: then it returns the fault for that.
func (s *Service) ended(r *http.Request, f *fault) *fault {
	switch {
	case s.aborted.Err() != nil:
		return overloaded(context.Cause(s.aborted).Error())
	case r.Context().Err() != nil:
		return &fault{status: statusClientLeft, Code: "client_left", Message: "the client closed the connection"}
	}
	return f
}

// timeout returns the time that a request has: its header Request-Timeout, such as 250ms, or else Limits.Timeout.
func (s *Service) timeout(h http.Header) (time.Duration, *fault) {
	v := h.Get("Request-Timeout")
	if v == "" {
		return s.limits.Timeout, nil
	}
	d, err := time.ParseDuration(v)
	if err != nil || d <= 0 {
		return s.limits.Timeout, &fault{status: http.StatusBadRequest, Code: "bad_timeout", Message: "header Request-Timeout: want a time such as 250ms or 1.5s, got " + strconv.Quote(v)}
	}
	return min(d, s.limits.MaxTimeout), nil
}

// sortedNames returns the keys of a map in order.
func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

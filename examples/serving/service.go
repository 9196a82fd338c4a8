package main

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
	Spec      feature.Spec        // of the records
	Schema    *metadatapb.Schema  // that records must fit; nil for none
	Columns   map[string]string   // names of features for inputs: model.BindOptions
	Convert   model.Conversion    // of values to the types of inputs: model.BindOptions
	Outputs   map[string][]string // for each member of a row the output with its values, then those with its row_splits; empty for all outputs
	Limits    Limits
}

// Limits bound what requests may take. All must be set.
type Limits struct {
	Body       int64         // bytes of a body
	Records    int           // in a request
	Batch      int           // bytes of the values of a request in memory
	Answer     int           // bytes of an answer of the model server
	Running    int           // requests that are parsed and at the model server
	Waiting    int           // further requests, which send their body or wait
	Timeout    time.Duration // of a request that names none
	MaxTimeout time.Duration // that a request may name
}

// A Service answers requests for one signature of one model. It is safe for concurrent use.
type Service struct {
	limits   Limits
	to       model.ModelSpec
	parser   *feature.Parser
	checker  *record.Checker // nil without a schema
	binding  *model.Binding
	outputs  []output
	fetch    []string // names of the outputs that the model server shall return
	backend  *backend
	gate     *gate
	metrics  *metrics
	log      *slog.Logger
	calls    sync.Pool       // of *call
	aborted  context.Context // ends when requests under way shall end
	abort    context.CancelCauseFunc
	stopping atomic.Bool
}

// NewService reads the signature of the model, checks that the records of the spec fit it, and connects to the
// model server in the background. Close ends the connection.
func NewService(cfg Config, log *slog.Logger) (*Service, error) {
	s := &Service{limits: cfg.Limits, to: cfg.To, log: log}
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
	// Bounds of what a few bytes of a record may become: see feature.ParserOptions. Strings lie in the body, which
	// stays as it is until the request to the model server is written.
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

// predict answers a request, and counts and logs it.
func (s *Service) predict(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	c := s.calls.Get().(*call)
	c.reset()
	f := s.run(w, r, c)
	out, status := c.out, http.StatusOK
	w.Header().Set("Content-Type", c.form.answer())
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
	took := time.Since(began)
	s.metrics.observe(c, f, status, took, len(out))
	if level := levelOf(status); s.log.Enabled(r.Context(), level) {
		args := []any{"status", status, "took", took.String(), "bytes", len(c.body), "records", c.n, "request_id", r.Header.Get("X-Request-Id")}
		if f != nil {
			args = append(args, "code", f.Code, "error", f.Message)
		}
		s.log.Log(r.Context(), level, "predict", args...)
	}
	if status != http.StatusInternalServerError { // what a panic left behind is not used again
		s.release(c)
	}
}

// run does the steps of a request. The rows are in c.out, unless there is a fault.
func (s *Service) run(w http.ResponseWriter, r *http.Request, c *call) (f *fault) {
	defer func() {
		if v := recover(); v != nil { // a bug; the metrics must show it
			s.log.Error("panic", "value", fmt.Sprint(v), "stack", string(debug.Stack()))
			f = &fault{status: http.StatusInternalServerError, Code: "internal", Message: "internal error"}
		}
	}()
	form, f := formOf(r.Header)
	if f != nil {
		return f
	}
	c.form = form
	timeout, f := s.timeout(r.Header)
	if f != nil {
		return f
	}
	ctx, cancel := context.WithTimeout(r.Context(), timeout)
	defer cancel()
	defer context.AfterFunc(s.aborted, cancel)()
	if !s.gate.enter() {
		return overloaded("too many requests are waiting")
	}
	defer s.gate.leave()
	if f := s.read(ctx, w, r, c); f != nil {
		return f
	}
	if !s.gate.wait(ctx) {
		return s.ended(r, overloaded("the deadline passed while the request waited"))
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
	if c.request, err = model.AppendPredictRequest(c.request[:0], s.to, c.feeds, s.fetch...); err != nil {
		return &fault{status: http.StatusRequestEntityTooLarge, Code: "request_too_large", Message: err.Error()}
	}
	sent := time.Now()
	c.answer, err = s.backend.predict(ctx, c.request, c.answer)
	c.backend = time.Since(sent)
	if err != nil {
		return s.ended(r, backendFault(err))
	}
	if c.out, err = s.print(c.out[:0], c.answer, c.n); err != nil {
		return &fault{status: http.StatusBadGateway, Code: "bad_answer", Message: err.Error()}
	}
	return nil
}

// ended returns f, unless the client left or the service stopped: then that is why the request ended.
func (s *Service) ended(r *http.Request, f *fault) *fault {
	switch {
	case s.aborted.Err() != nil:
		return overloaded(context.Cause(s.aborted).Error())
	case r.Context().Err() != nil:
		return &fault{status: statusClientLeft, Code: "client_left", Message: "the client closed the connection"}
	}
	return f
}

// timeout is the time that a request has: that of its header Request-Timeout, such as 250ms.
func (s *Service) timeout(h http.Header) (time.Duration, *fault) {
	v := h.Get("Request-Timeout")
	if v == "" {
		return s.limits.Timeout, nil
	}
	d, err := time.ParseDuration(v)
	if err != nil || d <= 0 {
		return 0, &fault{status: http.StatusBadRequest, Code: "bad_timeout", Message: "header Request-Timeout: want a time such as 250ms or 1.5s, got " + strconv.Quote(v)}
	}
	return min(d, s.limits.MaxTimeout), nil
}

// levelOf is the level of the log line of a request.
func levelOf(status int) slog.Level {
	if status >= 500 {
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

// sortedNames returns the keys of a map in order.
func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

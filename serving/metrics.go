package serving

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are the metrics for Prometheus, in a separate registry.
type metrics struct {
	registry *prometheus.Registry   // has all metrics below, and those of Go and the process
	requests *prometheus.CounterVec // requests by status and code of the error
	seconds  prometheus.Histogram   // times of whole requests
	backend  prometheus.Histogram   // times of calls of the model server
	records  prometheus.Counter     // records parsed, with those of failed requests
	findings *prometheus.CounterVec // findings by rule
	bytesIn  prometheus.Counter     // bytes of bodies of requests
	bytesOut prometheus.Counter     // bytes of bodies of answers, with those of errors
}

func newMetrics(g *gate) *metrics {
	const space = "serving"
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Namespace: space, Name: name, Help: help})
	}
	seconds := func(name, help string) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: space, Name: name, Help: help, Buckets: prometheus.ExponentialBuckets(0.00025, 2, 16)}) // up to 8 s
	}
	gauge := func(name, help string, f func() int) prometheus.GaugeFunc {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: space, Name: name, Help: help}, func() float64 { return float64(f()) })
	}
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: space, Name: "requests_total", Help: "Requests by HTTP status and code of the error."}, []string{"status", "code"}),
		seconds:  seconds("request_seconds", "Time of requests, from the headers to the last byte of the answer."),
		backend:  seconds("backend_seconds", "Time of calls of the model server."),
		records:  counter("records_total", "Records in requests that were parsed."),
		findings: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: space, Name: "findings_total", Help: "Findings in records by rule."}, []string{"rule"}),
		bytesIn:  counter("received_bytes_total", "Bytes of bodies of requests."),
		bytesOut: counter("sent_bytes_total", "Bytes of bodies of answers."),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.backend, m.records, m.findings, m.bytesIn, m.bytesOut,
		gauge("requests_inside", "Requests that send their body, wait, run or read their answer.", func() int { return len(g.places) }),
		gauge("requests_running", "Requests that are parsed or at the model server.", func() int { return len(g.slots) }),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}

// observe counts a request.
func (m *metrics) observe(o *observation, f *fault) {
	code := "ok"
	if f != nil {
		code = f.Code
	}
	m.requests.WithLabelValues(strconv.Itoa(o.status), code).Inc()
	m.seconds.Observe(o.took.Seconds())
	if o.backend > 0 {
		m.backend.Observe(o.backend.Seconds())
	}
	m.records.Add(float64(o.records))
	m.bytesIn.Add(float64(o.body))
	m.bytesOut.Add(float64(o.answer))
}

// A sampler limits log lines to one per second for each code. It is safe for concurrent use.
type sampler struct {
	mu    sync.Mutex
	codes map[string]*codeSample
}

// codeSample is the state of one code of a sampler.
type codeSample struct {
	next   time.Time // time from which the next line is logged
	passed int       // number of requests since the last line
}

// count counts a request. If a line is to be logged, it returns the number of requests since the last line, else 0.
func (s *sampler) count(code string, now time.Time) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.codes == nil {
		s.codes = map[string]*codeSample{}
	}
	c := s.codes[code]
	if c == nil {
		c = &codeSample{}
		s.codes[code] = c
	}
	c.passed++
	if now.Before(c.next) {
		return 0
	}
	n := c.passed
	*c = codeSample{next: now.Add(time.Second)}
	return n
}

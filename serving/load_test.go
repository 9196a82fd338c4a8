package serving

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/model"
)

// TestAllocations runs the steps of a request between HTTP and gRPC, for 12 recipes and for 96: the number of allocations does not
// depend on the numbers of records and values.
func TestAllocations(t *testing.T) {
	if testkit.Race {
		t.Skip("allocations cannot be counted under the race detector")
	}
	s, _ := startService(t, config(t, "localhost:1"))
	f := recipes(t)
	for media, body := range map[form][]byte{records: data(t, "recipes.tfrecord"), jsonRows: lineBody(t)} {
		var allocs []float64
		for _, times := range []int{1, 8} {
			c := newCall(s.parser)
			b := bytes.Repeat(body, times)
			var answer []byte
			run := func() {
				c.reset()
				c.form, c.body = media, append(c.body[:0], b...)
				if f := s.parse(c); f != nil {
					t.Fatal(f.Message)
				}
				if f := s.check(c); f != nil {
					t.Fatal(f.Message)
				}
				var err error
				if c.feeds, err = s.binding.Feeds(c.feeds[:0], c.batch); err != nil {
					t.Fatal(err)
				}
				if c.request, err = model.AppendPredictRequest(c.request[:0], s.modelSpec, c.feeds, s.fetch...); err != nil {
					t.Fatal(err)
				}
				if answer == nil {
					if answer, err = f(t.Context(), c.request); err != nil {
						t.Fatal(err)
					}
				}
				if c.out, err = s.print(c.out[:0], answer, c.n); err != nil {
					t.Fatal(err)
				}
			}
			run()
			allocs = append(allocs, testing.AllocsPerRun(20, run))
		}
		t.Logf("form %d: %v allocations for 12 records, %v for 96", media, allocs[0], allocs[1])
		if allocs[1] > allocs[0]+4 || allocs[0] > 250 {
			t.Errorf("form %d: %v allocations for 12 records, %v for 96", media, allocs[0], allocs[1])
		}
	}
}

// lineBody returns recipes.tfrecord as lines of JSON: the lines of the transcript, three times.
func lineBody(t testing.TB) []byte {
	var body []byte
	n := 0
	for line := range bytes.Lines(data(t, "make/serve.txt")) {
		if row, ok := bytes.CutPrefix(line, []byte(`< {"minutes"`)); ok && n < 4 {
			body = append(append(body, `{"minutes"`...), row...)
			n++
		}
	}
	return bytes.Repeat(body, 3)
}

// TestLoad measures the service on loopback, and for comparison a proxy that sends the unchanged body to the model server and returns
// the answer. Both use HTTP, gRPC and the same clients and model server. The test needs TFPARSE_SERVING_LOAD, the time of a
// measurement, such as 2s. Everything runs in one process, so allocations include clients and model server; the difference is the
// cost of the service.
func TestLoad(t *testing.T) {
	text := os.Getenv("TFPARSE_SERVING_LOAD")
	if text == "" {
		t.Skip("TFPARSE_SERVING_LOAD is not set")
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	file := data(t, "recipes.tfrecord")
	cfg := config(t, "localhost:1")
	probe, _ := startService(t, cfg)
	for _, times := range []int{1, 16} {
		body, lines := bytes.Repeat(file, times), bytes.Repeat(lineBody(t), times)
		answer := answerFor(t, probe, body)
		backend := fakeServer(func(context.Context, []byte) ([]byte, error) { return answer, nil }).listen(t)
		cfg.Backend = backend
		cfg.Limits.Records, cfg.Limits.Running, cfg.Limits.Waiting = 1000, 2*runtime.GOMAXPROCS(0), 64
		s, err := NewService(cfg, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		service, proxy := httptest.NewServer(s.Handler()), httptest.NewServer(proxy(s))
		type side struct {
			name, url, media string
			body             []byte
		}
		sides := []side{{"proxy", proxy.URL, "application/x-tfrecord", body}, {"TFRecord", service.URL, "application/x-tfrecord", body}, {"JSON", service.URL, "application/x-ndjson", lines}}
		const rounds = 5
		results := make([][]result, len(sides))
		for range rounds { // in turn, so that the other load of the machine affects both
			for i, side := range sides {
				results[i] = append(results[i], measure(t, s.metrics, side.url, side.media, side.body, length/rounds))
			}
		}
		median := func(i int, of func(result) float64) float64 {
			all := make([]float64, rounds)
			for j, r := range results[i] {
				all[j] = of(r)
			}
			slices.Sort(all)
			return all[rounds/2]
		}
		for i, side := range sides {
			get := func(of func(result) float64) float64 { return median(i, of) }
			used := func(r result) float64 { return r.processors }
			fmt.Printf("%3d records, %6d bytes  %-8s  %6.0f requests/s  p50 %6.2f ms  p99 %6.2f ms  %5.0f allocations  %5.0f us of processors, %.2f times the proxy's\n",
				12*times, len(side.body), side.name, get(func(r result) float64 { return r.rate }), get(func(r result) float64 { return r.p50 }),
				get(func(r result) float64 { return r.p99 }), get(func(r result) float64 { return r.allocations }), get(used), get(used)/median(0, used))
		}
		service.Close()
		proxy.Close()
		s.Close()
	}
}

// answerFor returns the answer of the model server for a TFRecord body.
func answerFor(t testing.TB, s *Service, body []byte) []byte {
	s.limits.Records = 1000
	c := newCall(s.parser)
	c.form, c.body = records, body
	if f := s.parse(c); f != nil {
		t.Fatal(f.Message)
	}
	feeds, err := s.binding.Feeds(nil, c.batch)
	if err != nil {
		t.Fatal(err)
	}
	request, err := model.AppendPredictRequest(nil, s.modelSpec, feeds, s.fetch...)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := recipes(t)(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// proxy sends unchanged bodies to the model server.
func proxy(s *Service) http.Handler {
	calls := sync.Pool{New: func() any { return new(call) }}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := calls.Get().(*call)
		defer calls.Put(c)
		if f := s.read(r.Context(), w, r, c); f != nil {
			w.WriteHeader(f.status)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), time.Second)
		defer cancel()
		var err error
		if c.answer, err = s.backend.predict(ctx, c.body, c.answer); err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		w.Write(c.answer)
	})
}

// A result is the result of a measurement: requests per second, times in milliseconds, and allocations and processor time in
// microseconds per request.
type result struct{ rate, p50, p99, allocations, processors float64 }

// measure sends requests from 16 clients.
func measure(t *testing.T, m *metrics, url, media string, body []byte, length time.Duration) result {
	const clients = 16
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	request := func() {
		answer, err := client.Post(url+"/v1/predict", media, bytes.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != 200 {
			t.Errorf("%d, %v", answer.StatusCode, err)
		}
		answer.Body.Close()
	}
	for range clients {
		request()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	processors := processorSeconds(t, m)
	began := time.Now()
	times := make([][]float64, clients)
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			for time.Since(began) < length {
				sent := time.Now()
				request()
				times[i] = append(times[i], float64(time.Since(sent).Microseconds())/1000)
			}
		})
	}
	wg.Wait()
	took := time.Since(began).Seconds()
	runtime.ReadMemStats(&after)
	all := slices.Sorted(slices.Values(slices.Concat(times...)))
	n := len(all)
	return result{float64(n) / took, all[n/2], all[n*99/100], float64(after.Mallocs-before.Mallocs) / float64(n), 1e6 * (processorSeconds(t, m) - processors) / float64(n)}
}

// processorSeconds returns the processor time of the process.
func processorSeconds(t *testing.T, m *metrics) float64 {
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "process_cpu_seconds_total" {
			return f.GetMetric()[0].GetCounter().GetValue()
		}
	}
	return math.NaN() // not available on this system
}

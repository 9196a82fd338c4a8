package serving

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/pbtext"
	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/tfrecord"
)

// TestMain fails if goroutines are left when all tests are done.
func TestMain(m *testing.M) {
	before := runtime.NumGoroutine()
	code := m.Run()
	http.DefaultClient.CloseIdleConnections()
	for wait := time.Millisecond; runtime.NumGoroutine() > before; wait *= 2 {
		if wait > 2*time.Second {
			stacks := make([]byte, 1<<20)
			println("goroutines are left:\n" + string(stacks[:runtime.Stack(stacks, true)]))
			code = max(code, 1)
			break
		}
		time.Sleep(wait)
	}
	os.Exit(code)
}

// config returns the configuration of a service for the recipes model.
func config(t testing.TB, backend string) Config {
	cfg := Config{
		Model: "../testdata/models/recipes", To: model.ModelSpec{Name: "recipes"}, Backend: backend, Schema: &metadatapb.Schema{},
		Outputs: map[string][]string{"effort": {"effort"}, "words": {"words", "words_splits"}},
		Limits:  Limits{Body: 1 << 20, Records: 100, Batch: 16 << 20, Answer: 16 << 20, Running: 4, Waiting: 4, Timeout: 10 * time.Second, MaxTimeout: time.Minute},
	}
	if err := json.Unmarshal(data(t, "recipes.spec.json"), &cfg.Spec); err != nil {
		t.Fatal(err)
	}
	if err := pbtext.Unmarshal(data(t, "recipes.schema.pbtxt"), cfg.Schema); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// startService starts a service, and a server for it. Both end with the test.
func startService(t testing.TB, cfg Config) (*Service, string) {
	t.Helper()
	s, err := NewService(cfg, slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelDebug})))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		server.Close()
		s.Close()
	})
	return s, server.URL
}

// post sends a body and returns status, media type and answer.
func post(t testing.TB, url, media string, body []byte, headers ...string) (int, string, string) {
	t.Helper()
	r, err := http.NewRequest("POST", url+"/v1/predict", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", media)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer := do(t, r)
	return answer.status, answer.media, answer.text
}

func get(t testing.TB, url string) (int, string) {
	t.Helper()
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer := do(t, r)
	return answer.status, answer.text
}

// do sends a request and reads its answer.
func do(t testing.TB, r *http.Request) (a struct {
	status      int
	media, text string
}) {
	t.Helper()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	a.status, a.media, a.text = answer.StatusCode, answer.Header.Get("Content-Type"), string(text)
	return a
}

// payloads returns the records of recipes.tfrecord.
func payloads(t testing.TB) (all [][]byte) {
	for b := data(t, "recipes.tfrecord"); len(b) > 0; {
		payload, n, err := tfrecord.ConsumeRecord(b)
		if err != nil {
			t.Fatal(err)
		}
		all, b = append(all, payload), b[n:]
	}
	return all
}

// TestTranscript repeats the requests that ../testdata/make/serve.py sent to this service in front of TensorFlow, and compares the
// answers with those of that run.
func TestTranscript(t *testing.T) {
	_, url := startService(t, config(t, recipes(t).listen(t)))
	all := payloads(t)
	requests := 0
	for _, section := range strings.Split(string(data(t, "make/serve.txt")), "== ")[1:] {
		lines := strings.Split(strings.TrimSuffix(section, "\n"), "\n")
		media := lines[0]
		if !strings.HasPrefix(media, "application/") {
			continue // another model
		}
		var body, want strings.Builder
		head := ""
		for _, line := range lines[1:] {
			switch text := line[min(2, len(line)):]; {
			case line == "< recipes.tfrecord":
				body.Write(data(t, "recipes.tfrecord"))
			case strings.HasPrefix(line, "< recipes.tfrecord#"):
				var i int
				if _, err := fmt.Sscanf(line, "< recipes.tfrecord#%d", &i); err != nil {
					t.Fatal(err)
				}
				body.Write(all[i])
			case strings.HasPrefix(line, "< "):
				body.WriteString(text + "\n")
			case strings.HasPrefix(line, "> "):
				want.WriteString(text + "\n")
			case head == "":
				head = line
			}
		}
		requests++
		status, kind, got := post(t, url, media, []byte(body.String()))
		if gotHead := fmt.Sprintf("%d %s", status, kind); gotHead != head || got != want.String() {
			t.Errorf("%s: got %s\n%s\nwant %s\n%s", media, gotHead, got, head, want.String())
		}
	}
	if requests < 7 {
		t.Errorf("only %d requests in the transcript", requests)
	}
}

// TestPooled sends requests of every form and many sizes at once: each answer has the rows of its own records, although calls
// reuse buffers.
func TestPooled(t *testing.T) {
	cfg := config(t, recipes(t).listen(t))
	cfg.Limits.Waiting = 100
	_, url := startService(t, cfg)
	all := payloads(t)
	_, _, text := post(t, url, "application/x-tfrecord", data(t, "recipes.tfrecord"))
	rows := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	if len(rows) != len(all) {
		t.Fatalf("%d rows for %d records", len(rows), len(all))
	}
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(worker)))
			for range 12 {
				var body, want []byte
				for range 1 + r.IntN(20) {
					i := r.IntN(len(all))
					body = append(body, framed(t, all[i])...)
					want = append(append(want, strings.TrimSuffix(rows[i], "\n")...), '\n')
				}
				if status, _, got := post(t, url, "application/x-tfrecord", body); status != 200 || got != string(want) {
					t.Errorf("status %d, got\n%s\nwant\n%s", status, got, want)
				}
			}
		})
	}
	wg.Wait()
}

// framed returns records as a TFRecord body.
func framed(t testing.TB, payloads ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tfrecord.NewWriter(&b, nil)
	for _, p := range payloads {
		if err := w.WriteRecord(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestHealthAndMetrics(t *testing.T) {
	ln, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	s, url := startService(t, config(t, ln.Addr().String()))
	server := recipes(t).serve(t, ln)
	if status, text := get(t, url+"/healthz"); status != 200 || text != "ok\n" {
		t.Errorf("healthz: %d %s", status, text)
	}
	if status, text := get(t, url+"/readyz"); status != 200 {
		t.Errorf("readyz: %d %s", status, text)
	}
	post(t, url, "application/x-tfrecord", data(t, "recipes.tfrecord"))
	post(t, url, "application/json", []byte(`{"title": "Toast", "minutes": 3, "servings": 99, "rating": 1}`))
	post(t, url, "text/plain", nil)
	_, text := get(t, url+"/metrics")
	for _, want := range []string{
		`serving_requests_total{code="ok",status="200"} 1`, `serving_requests_total{code="findings",status="422"} 1`, `serving_requests_total{code="unsupported_type",status="415"} 1`,
		"serving_records_total 13", `serving_findings_total{rule="INT_TYPE_BIG_INT"} 1`, "serving_received_bytes_total 6354", "serving_request_seconds_count 3",
		"serving_backend_seconds_count 1", "serving_requests_inside 0", "go_goroutines", "serving_sent_bytes_total",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	server.Stop()
	eventually(t, func() bool { status, _ := get(t, url+"/readyz"); return status == 503 })
	if status, _ := get(t, url+"/healthz"); status != 200 {
		t.Errorf("healthz: %d without a model server", status)
	}
	s.stopping.Store(true)
	if status, text := get(t, url+"/readyz"); status != 503 || text != "stopping\n" {
		t.Errorf("readyz: %d %s", status, text)
	}
}

// eventually waits until f returns true.
func eventually(t testing.TB, f func() bool) {
	t.Helper()
	for wait := time.Millisecond; !f(); wait *= 2 {
		if wait > 5*time.Second {
			t.Fatal("not so after 10 s")
		}
		time.Sleep(wait)
	}
}

// TestChosen serves models with an output that no server can return, and with inputs of dtypes that no column has.
func TestChosen(t *testing.T) {
	for name, set := range map[string]func(*Config){
		"ragged3": func(c *Config) { c.Outputs = map[string][]string{"total": {"total"}} },
		"numbers": func(c *Config) { c.Convert = model.ExactValues },
	} {
		cfg := config(t, "localhost:1")
		cfg.Model, cfg.Outputs = "../testdata/models/"+name, nil
		ints, floats := feature.Ragged{DType: feature.Int64}, feature.Ragged{DType: feature.Float32}
		cfg.Schema, cfg.Spec = nil, feature.Spec{Features: feature.Features{
			"tokens": feature.Ragged{DType: feature.Int64, Partitions: []feature.Partition{feature.RowLengths("n")}},
			"ids":    ints, "score": floats, "on": feature.FixedLen{DType: feature.Int64}, "price": feature.FixedLen{DType: feature.Float32},
			"pixel": feature.FixedLen{DType: feature.Int64, Shape: []int{2}},
		}}
		if s, err := NewService(cfg, slog.New(slog.DiscardHandler)); err == nil {
			s.Close()
			t.Errorf("%s: no error without the setting", name)
		}
		set(&cfg)
		s, err := NewService(cfg, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		s.Close()
	}
}

func TestConfig(t *testing.T) {
	for name, change := range map[string]struct {
		f    func(*Config)
		want string
	}{
		"model":     {func(c *Config) { c.Model = "nowhere" }, "nowhere"},
		"signature": {func(c *Config) { c.To.Signature = "train" }, `the model has "serving_default"`},
		"column":    {func(c *Config) { c.Columns = map[string]string{"recipe/minutes": "title"} }, `input "recipe/minutes" (feature "title")`},
		"output":    {func(c *Config) { c.Outputs = map[string][]string{"x": {"y"}} }, `output "x": the signature has no "y"; it has ["effort" "words" "words_splits"]`},
		"splits":    {func(c *Config) { c.Outputs = map[string][]string{"x": {"effort", "words"}} }, `row_splits "words": want int32 or int64, got string`},
		"ragged":    {func(c *Config) { c.Model, c.Outputs = "../testdata/models/ragged3", nil }, "TensorFlow Serving cannot return"},
		"limits":    {func(c *Config) { c.Limits.Records = 0 }, "limits must be positive"},
		"ca":        {func(c *Config) { c.BackendCA = "nowhere" }, "nowhere"},
		"backend":   {func(c *Config) { c.Backend = "\x00://" }, "invalid"},
		"spec":      {func(c *Config) { c.Spec.Features = nil }, "no features"},
	} {
		cfg := config(t, "localhost:1")
		change.f(&cfg)
		s, err := NewService(cfg, slog.New(slog.DiscardHandler))
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), change.want) {
			t.Errorf("%s: got %v, want %s", name, err, change.want)
		}
	}
}

// TestReadme runs the commands of the README: the service and the requests. The README has the rows of the short answers.
func TestReadme(t *testing.T) {
	b, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(b), "## Run it\n\n")
	section, _, _ = strings.Cut(section, "\n\n")
	const indent = "    "
	logged := &lines{found: make(chan string, 100)}
	done := make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	url, last, requests := "", "", 0
	section = strings.ReplaceAll(strings.ReplaceAll(section, "\\\n", " "), ",\n", ", ") // commands of two lines
	for line := range strings.SplitSeq(section, "\n") {
		line = strings.TrimPrefix(line, indent)
		switch words := shellWords(line); {
		case strings.HasPrefix(line, "go run ./cmd/tfparseserving "):
			for i, word := range words { // replace addresses by free addresses of this machine
				if word == "localhost:8500" {
					words[i] = recipes(t).listen(t)
				}
			}
			go func() {
				done <- Run(ctx, append(words[3:], "-listen", "localhost:0"), slog.New(slog.NewTextHandler(logged, nil)))
			}()
			_, rest, _ := strings.Cut(<-logged.found, "address=")
			address, _, _ := strings.Cut(rest, " ")
			url = "http://" + address
		case strings.HasPrefix(line, "curl "):
			if len(words) != 6 || words[1] != "-H" || words[5] != "localhost:8080/v1/predict" {
				t.Fatalf("not a request as this test sends it: %q", words)
			}
			body := []byte(words[4])
			if name, ok := strings.CutPrefix(words[4], "@"); ok {
				body = data(t, strings.TrimPrefix(name, "../testdata/"))
			}
			media, ok := strings.CutPrefix(words[2], "Content-Type: ")
			if !ok {
				t.Fatalf("no Content-Type: %q", words)
			}
			status, _, text := post(t, url, media, body)
			if status != 200 {
				t.Errorf("%s: %d %s", line, status, text)
			}
			last = text
			requests++
		case line+"\n" != last:
			t.Errorf("the README has %s, the service answers %s", line, last)
		}
	}
	if requests != 2 {
		t.Errorf("%d requests", requests)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// shellWords returns the words of a command. Words may be in single quotes.
func shellWords(line string) (words []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}

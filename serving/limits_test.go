package serving

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/model"
	"github.com/tfparse/tfparse/tensor"
)

// held returns a model server whose calls last until release is closed, or until their context ends.
func held(t testing.TB) (f fakeServer, begun chan struct{}, release chan struct{}) {
	begun, release = make(chan struct{}, 100), make(chan struct{})
	answer := recipes(t)
	return func(ctx context.Context, request []byte) ([]byte, error) {
		begun <- struct{}{}
		select {
		case <-release:
			return answer(ctx, request)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}, begun, release
}

// TestOverload fills the slots and the places: further requests get 503 at once, and waiting requests are answered later.
func TestOverload(t *testing.T) {
	f, begun, release := held(t)
	cfg := config(t, f.listen(t))
	cfg.Limits.Running, cfg.Limits.Waiting = 2, 3
	s, url := startService(t, cfg)
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			if status, _, text := post(t, url, "application/x-tfrecord", data(t, "recipes.tfrecord")); status != 200 {
				t.Errorf("a request that waited: %d %s", status, text)
			}
		})
	}
	<-begun
	<-begun
	eventually(t, func() bool { return len(s.gate.places) == 5 })
	if n := len(s.gate.slots); n != 2 {
		t.Errorf("%d requests run, want 2", n)
	}
	for range 3 {
		r, err := http.Post(url+"/v1/predict", "application/x-tfrecord", bytes.NewReader(data(t, "recipes.tfrecord")))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(r.Body)
		r.Body.Close()
		if f := code(t, string(text)); r.StatusCode != 503 || f.Code != "overloaded" || r.Header.Get("Retry-After") != "1" {
			t.Errorf("%d %v %s", r.StatusCode, r.Header, text)
		}
	}
	close(release)
	wg.Wait()
	if len(s.gate.places)+len(s.gate.slots) != 0 {
		t.Errorf("%d places and %d slots are taken", len(s.gate.places), len(s.gate.slots))
	}
}

// TestDeadlineWaiting has a request whose deadline passes before it gets a slot.
func TestDeadlineWaiting(t *testing.T) {
	f, begun, release := held(t)
	cfg := config(t, f.listen(t))
	cfg.Limits.Running = 1
	_, url := startService(t, cfg)
	done := make(chan struct{})
	go func() {
		defer close(done)
		post(t, url, "application/x-tfrecord", data(t, "recipes.tfrecord"))
	}()
	<-begun
	status, _, text := post(t, url, "application/x-tfrecord", data(t, "recipes.tfrecord"), "Request-Timeout", "20ms")
	if f := code(t, text); status != 503 || f.Code != "overloaded" || f.Message != "no slot became free in time" {
		t.Errorf("%d %s", status, text)
	}
	close(release)
	<-done
}

// TestGoodput sends many times more requests than the model server can answer: most slots still go to requests that have enough time
// for a call, and no request is answered with 504.
func TestGoodput(t *testing.T) {
	const running, took, deadline, length = 4, 200 * time.Millisecond, time.Second, 3 * time.Second
	answer := recipes(t)
	cfg := config(t, fakeServer(func(ctx context.Context, request []byte) ([]byte, error) {
		select {
		case <-time.After(took):
			return answer(ctx, request)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}).listen(t))
	cfg.Limits.Running, cfg.Limits.Waiting, cfg.Limits.Timeout = running, 30, deadline
	_, url := startService(t, cfg)
	body := data(t, "recipes.tfrecord")
	var mu sync.Mutex
	statuses := map[int]int{}
	var wg sync.WaitGroup
	began := time.Now()
	for range 40 {
		wg.Go(func() {
			for time.Since(began) < length {
				status, _, _ := post(t, url, "application/x-tfrecord", body)
				mu.Lock()
				statuses[status]++
				mu.Unlock()
				if status != 200 {
					time.Sleep(10 * time.Millisecond)
				}
			}
		})
	}
	wg.Wait()
	t.Logf("answers by status: %v", statuses)
	if most := int(running * length / took); statuses[200] < most/2 || statuses[504] > most/8 {
		t.Errorf("%d requests were answered and %d too late; the model server can answer %d", statuses[200], statuses[504], most)
	}
}

// TestSlowReaders has clients that do not read their answers. They keep their places until the time limit for writing, and the service
// keeps only the answer of each client in memory.
func TestSlowReaders(t *testing.T) {
	const clients, word = 3, 6 << 20 // larger than the buffers of a connection
	big := answerOf(t, model.Output{Name: "effort", Tensor: tensorOf(t, []float32{1})}, model.Output{Name: "words", Tensor: tensorOf(t, []string{strings.Repeat("w", word)})},
		model.Output{Name: "words_splits", Tensor: tensorOf(t, []int64{0, 1})})
	var calls atomic.Int32
	cfg := config(t, fakeServer(func(context.Context, []byte) ([]byte, error) { calls.Add(1); return big, nil }).listen(t))
	cfg.Limits.Running, cfg.Limits.Waiting, cfg.Limits.Timeout = 2, clients-2, 5*time.Second
	if testkit.Race {
		cfg.Limits.Timeout *= 4 // printing rows takes longer
	}
	s, url := startService(t, cfg)
	body := framed(t, payloads(t)[7])
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // a sync.Pool is empty after two collections
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	for range clients {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.(*net.TCPConn).SetReadBuffer(4 << 10)
		fmt.Fprintf(conn, "POST /v1/predict HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-tfrecord\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	}
	until := func(what string, limit time.Duration, f func() bool) {
		t.Helper()
		for deadline := time.Now().Add(limit); !f(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: %d places and %d slots are taken", what, len(s.gate.places), len(s.gate.slots))
			}
		}
	}
	until("written", cfg.Limits.Timeout, func() bool { return calls.Load() == clients && len(s.gate.slots) == 0 && len(s.gate.places) == clients })
	if _, text := get(t, url+"/metrics"); !strings.Contains(text, fmt.Sprintf("serving_requests_inside %d\n", clients)) {
		t.Error(text)
	}
	if status, _, text := post(t, url, "application/x-tfrecord", body); status != 503 || code(t, text).Message != "too many requests" {
		t.Errorf("%d %s", status, text)
	}
	if held := heap() - before; !testkit.Race && held > clients*word*3/2 {
		t.Errorf("%d bytes are held for %d answers of %d", held, clients, word)
	}
	until("over", cfg.Limits.Timeout+10*time.Second, func() bool { return len(s.gate.places) == 0 })
	if status, _, _ := post(t, url, "application/x-tfrecord", body); status != 200 {
		t.Errorf("%d when the clients are gone", status)
	}
}

// TestSampledLog refuses many requests: they are logged in a few lines, whose numbers of requests add up to all requests.
func TestSampledLog(t *testing.T) {
	f, begun, release := held(t)
	cfg := config(t, f.listen(t))
	cfg.Limits.Running, cfg.Limits.Waiting = 1, 0
	var log bytes.Buffer // handlers of slog write one line at a time, under a lock
	s, err := NewService(cfg, slog.New(slog.NewJSONHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	server := httptest.NewServer(s.Handler())
	defer server.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		post(t, server.URL, "application/x-tfrecord", data(t, "recipes.tfrecord"))
	}()
	<-begun
	refuse := func() {
		if status, _, _ := post(t, server.URL, "application/x-tfrecord", nil); status != 503 {
			t.Errorf("status %d", status)
		}
	}
	began := time.Now()
	const refused = 100
	for range refused {
		refuse()
	}
	time.Sleep(time.Second)
	refuse()
	took := time.Since(began)
	close(release)
	<-done
	server.Close() // no request logs after this
	sum, lines := 0, 0
	for line := range bytes.Lines(log.Bytes()) {
		var l struct {
			Code     string
			Requests int
		}
		if err := json.Unmarshal(line, &l); err != nil || l.Code != "overloaded" || l.Requests == 0 {
			t.Errorf("%v: %s", err, line)
		}
		sum += l.Requests
		lines++
	}
	if sum != refused+1 || lines > 2+int(took/time.Second) {
		t.Errorf("%d lines for %d requests in %v:\n%s", lines, sum, took, &log)
	}
}

// TestSampler passes its own times.
func TestSampler(t *testing.T) {
	var s sampler
	began := time.Now()
	for _, c := range []struct {
		code  string
		after time.Duration
		want  int
	}{{"a", 0, 1}, {"a", 1, 0}, {"b", 1, 1}, {"a", time.Second - 1, 0}, {"a", time.Second, 3}, {"b", time.Second, 0}, {"a", time.Minute, 1}} {
		if got := s.count(c.code, began.Add(c.after)); got != c.want {
			t.Errorf("%+v: got %d", c, got)
		}
	}
}

// TestDeadline checks the time that a request has at the model server: that of its header, of the limits, or of the client.
func TestDeadline(t *testing.T) {
	left := make(chan time.Duration, 1)
	cfg := config(t, fakeServer(func(ctx context.Context, request []byte) ([]byte, error) {
		deadline, ok := ctx.Deadline()
		if !ok {
			t.Error("no deadline")
		}
		left <- time.Until(deadline)
		return nil, status.Error(codes.DeadlineExceeded, "late")
	}).listen(t))
	cfg.Limits.Timeout, cfg.Limits.MaxTimeout = 30*time.Second, time.Minute
	_, url := startService(t, cfg)
	for header, want := range map[string]time.Duration{"": 30 * time.Second, "12s": 12 * time.Second, "5m": time.Minute} {
		code504, _, text := post(t, url, "application/x-tfrecord", data(t, "recipes.tfrecord"), "Request-Timeout", header)
		if f := code(t, text); code504 != 504 || f.Code != "backend_timeout" {
			t.Errorf("%q: %d %s", header, code504, text)
		}
		if got := <-left; got > want || got < want-5*time.Second {
			t.Errorf("%q: %v at the model server, want about %v", header, got, want)
		}
	}
	for _, header := range []string{"1", "-1s", "soon", "0s"} {
		if status, _, text := post(t, url, "application/json", nil, "Request-Timeout", header); status != 400 || code(t, text).Code != "bad_timeout" {
			t.Errorf("%q: %d %s", header, status, text)
		}
	}
}

// TestSlowBackend has a model server that does not answer in time, and a client that does not wait: both end the call of the model server.
func TestSlowBackend(t *testing.T) {
	ended := make(chan error, 1)
	begun := make(chan struct{}, 1)
	s, url := startService(t, config(t, fakeServer(func(ctx context.Context, request []byte) ([]byte, error) {
		begun <- struct{}{}
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	}).listen(t)))
	status, _, text := post(t, url, "application/x-tfrecord", data(t, "recipes.tfrecord"), "Request-Timeout", "50ms")
	if f := code(t, text); status != 504 || f.Code != "backend_timeout" {
		t.Errorf("%d %s", status, text)
	}
	<-begun
	<-ended
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, "POST", url+"/v1/predict", bytes.NewReader(data(t, "recipes.tfrecord")))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-tfrecord")
	go func() {
		<-begun
		cancel()
	}()
	if _, err := http.DefaultClient.Do(r); err == nil {
		t.Error("an answer for a client that left")
	}
	if err := <-ended; err != context.Canceled {
		t.Errorf("the call ended with %v", err)
	}
	eventually(t, func() bool {
		_, text := get(t, url+"/metrics")
		return strings.Contains(text, `serving_requests_total{code="client_left",status="499"} 1`)
	})
	eventually(t, func() bool { return len(s.gate.places) == 0 })
}

// TestSlowBody has a client that sends only a part of its body. It holds a place, and no slot.
func TestSlowBody(t *testing.T) {
	s, url := startService(t, config(t, "localhost:1"))
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /v1/predict HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-tfrecord\r\nRequest-Timeout: 100ms\r\nContent-Length: 1000\r\n\r\nabc")
	eventually(t, func() bool { return len(s.gate.places) == 1 })
	if n := len(s.gate.slots); n != 0 {
		t.Errorf("%d slots", n)
	}
	text, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(text), "HTTP/1.1 408 ") || !strings.Contains(string(text), `"code":"slow_body"`) {
		t.Errorf("%s, %v", text, err)
	}
	eventually(t, func() bool { return len(s.gate.places) == 0 })
}

func TestBackendDown(t *testing.T) {
	ln, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	_, url := startService(t, config(t, ln.Addr().String()))
	status, _, text := post(t, url, "application/x-tfrecord", data(t, "recipes.tfrecord"))
	if f := code(t, text); status != 502 || f.Code != "backend" || !strings.Contains(f.Message, "Unavailable") {
		t.Errorf("%d %s", status, text)
	}
	if status, text := get(t, url+"/readyz"); status != 503 {
		t.Errorf("readyz: %d %s", status, text)
	}
	// The model server starts.
	if ln, err = net.Listen("tcp", ln.Addr().String()); err != nil {
		t.Skip("another process took the port: ", err)
	}
	recipes(t).serve(t, ln)
	eventually(t, func() bool { status, _ := get(t, url+"/readyz"); return status == 200 })
	if status, _, text := post(t, url, "application/x-tfrecord", data(t, "recipes.tfrecord")); status != 200 {
		t.Errorf("%d %s", status, text)
	}
}

// TestBadAnswers has a model server whose answers do not match its signature.
func TestBadAnswers(t *testing.T) {
	floats, words := tensorOf(t, []float32{1}), tensorOf(t, []string{"a", "b"})
	scalar, err := tensor.New([]float32{1}, []int64{}...)
	if err != nil {
		t.Fatal(err)
	}
	splits := func(v ...int64) model.Output { return model.Output{Name: "words_splits", Tensor: tensorOf(t, v)} }
	effort, flat := model.Output{Name: "effort", Tensor: floats}, model.Output{Name: "words", Tensor: words}
	for name, c := range map[string]struct {
		answer []byte
		err    error
		want   string
	}{
		"good":           {answerOf(t, effort, flat, splits(0, 2)), nil, ""},
		"no message":     {[]byte("\xff"), nil, "PredictResponse"},
		"nothing":        {nil, nil, `no such output: "effort"`},
		"dtype":          {answerOf(t, model.Output{Name: "effort", Tensor: words}, flat, splits(0, 2)), nil, "float32"},
		"scalar":         {answerOf(t, model.Output{Name: "effort", Tensor: scalar}, flat, splits(0, 2)), nil, `output "effort" is a scalar`},
		"rows":           {answerOf(t, effort, flat, splits(0, 1, 2)), nil, `output "words": want 1 rows, one for each record, got 2`},
		"splits":         {answerOf(t, effort, flat, splits(0, 3)), nil, `output "words"`},
		"too large":      {make([]byte, 2<<20), nil, "ResourceExhausted"},
		"refused":        {nil, status.Error(codes.InvalidArgument, "input size does not match signature"), "input size does not match signature"},
		"unknown method": {nil, status.Error(codes.Unimplemented, "no"), "Unimplemented"},
	} {
		cfg := config(t, fakeServer(func(context.Context, []byte) ([]byte, error) { return c.answer, c.err }).listen(t))
		cfg.Limits.Answer = 1 << 20
		_, url := startService(t, cfg)
		status, _, text := post(t, url, "application/x-tfrecord", framed(t, payloads(t)[7]))
		if c.want == "" {
			if want := `{"effort":1.0,"words":["a","b"]}` + "\n"; status != 200 || text != want {
				t.Errorf("%s: %d %s", name, status, text)
			}
			continue
		}
		if f := code(t, text); status != 502 || !strings.Contains(f.Message, c.want) {
			t.Errorf("%s: %d %s, want %s", name, status, text, c.want)
		}
	}
}

// TestStop ends the service while a request is at the model server: with enough time the request is answered, else it is cut off.
func TestStop(t *testing.T) {
	for _, drain := range []time.Duration{time.Minute, 10 * time.Millisecond} {
		f, begun, release := held(t)
		s, err := NewService(config(t, f.listen(t)), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		ln, err := net.Listen("tcp", "localhost:0")
		if err != nil {
			t.Fatal(err)
		}
		url := "http://" + ln.Addr().String()
		ctx, stop := context.WithCancel(context.Background())
		stopped, answered := make(chan error, 1), make(chan int, 1)
		go func() { stopped <- s.Serve(ctx, ln, 0, drain) }()
		go func() {
			status, _, text := post(t, url, "application/x-tfrecord", data(t, "recipes.tfrecord"))
			if status == 503 && code(t, text).Message != "the service stopped" {
				t.Errorf("%s", text)
			}
			answered <- status
		}()
		<-begun
		stop()
		eventually(t, func() bool { // the service accepts no more connections
			conn, err := net.Dial("tcp", ln.Addr().String())
			if err == nil {
				conn.Close()
			}
			return err != nil
		})
		if drain == time.Minute {
			close(release)
			if status, err := <-answered, <-stopped; status != 200 || err != nil {
				t.Errorf("drained: %d, %v", status, err)
			}
		} else if status, err := <-answered, <-stopped; status != 503 || err == nil || !strings.Contains(err.Error(), "cut off after 10ms") {
			t.Errorf("cut off: %d, %v", status, err)
		}
		s.Close()
	}
}

// TestLinger has a listener that fails during linger.
func TestLinger(t *testing.T) {
	s, err := NewService(config(t, recipes(t).listen(t)), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ln, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	stopped := make(chan error, 1)
	go func() { stopped <- s.Serve(ctx, ln, time.Hour, time.Hour) }()
	eventually(t, s.stopping.Load)
	ln.Close()
	if err := <-stopped; !errors.Is(err, net.ErrClosed) {
		t.Errorf("a closed listener: %v", err)
	}
}

// TestStart runs the program with arguments, and ends it with a signal.
func TestStart(t *testing.T) {
	logged := &lines{found: make(chan string, 100)}
	done := make(chan error, 1)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	args := []string{"-listen", "localhost:0", "-backend", recipes(t).listen(t), "-model", "../testdata/models/recipes", "-name", "recipes", "-spec", "../testdata/recipes.spec.json",
		"-schema", "../testdata/recipes.schema.pbtxt", "-output", "effort", "-output", "words=words,words_splits", "-column", "recipe/minutes=minutes", "-convert", "exact"}
	go func() { done <- Run(ctx, args, slog.New(slog.NewTextHandler(logged, nil))) }()
	_, rest, _ := strings.Cut(<-logged.found, "address=")
	address, _, _ := strings.Cut(rest, " ")
	if status, _, text := post(t, "http://"+address, "application/x-tfrecord", data(t, "recipes.tfrecord")); status != 200 {
		t.Errorf("%d %s", status, text)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	for want, args := range map[string][]string{
		"-spec: open": {}, "unexpected argument": {"x"}, "want NAME=VALUE": {"-output", "="},
		"spec.json": {"-spec", "../testdata/recipes.spec.json", "-schema", "nowhere"}, "-spec go.mod: ": {"-spec", "go.mod"},
		"-schema ../testdata/recipes.spec.json": {"-spec", "../testdata/recipes.spec.json", "-schema", "../testdata/recipes.spec.json"},
	} {
		stderr := os.Stderr
		os.Stderr, _ = os.Open(os.DevNull) // package flag prints usage on standard error
		err := Run(context.Background(), args, slog.New(slog.DiscardHandler))
		os.Stderr.Close()
		os.Stderr = stderr
		if want == "spec.json" {
			want = "-schema: open"
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// lines sends the lines that are written to it.
type lines struct{ found chan string }

func (l *lines) Write(b []byte) (int, error) {
	l.found <- string(b)
	return len(b), nil
}

// TestPanic has a bug in a step: the request gets 500, the metrics show it, and the place and the slot of the request are free.
func TestPanic(t *testing.T) {
	s, url := startService(t, config(t, recipes(t).listen(t)))
	read := s.outputs[0].read
	s.outputs[0].read = func(*model.Response, *output) (rows, error) { panic("a bug") }
	for range 10 { // more than the number of places
		if status, _, text := post(t, url, "application/x-tfrecord", data(t, "recipes.tfrecord")); status != 500 || code(t, text).Code != "internal" {
			t.Errorf("%d %s", status, text)
		}
	}
	if _, text := get(t, url+"/metrics"); !strings.Contains(text, `serving_requests_total{code="internal",status="500"} 10`) {
		t.Error(text)
	}
	s.outputs[0].read = read
	if status, _, text := post(t, url, "application/x-tfrecord", data(t, "recipes.tfrecord")); status != 200 {
		t.Errorf("%d %s", status, text)
	}
}

// TestNoTensorFlowNames checks that the global registry has no message of TensorFlow: a program may also link TensorFlow's generated code.
func TestNoTensorFlowNames(t *testing.T) {
	protoregistry.GlobalFiles.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		if strings.HasPrefix(f.Path(), "tensorflow") || strings.HasPrefix(string(f.Package()), "tensorflow") {
			t.Errorf("%s registers package %s", f.Path(), f.Package())
		}
		return true
	})
	if protoregistry.GlobalFiles.NumFiles() < 5 {
		t.Errorf("only %d files are registered", protoregistry.GlobalFiles.NumFiles())
	}
}

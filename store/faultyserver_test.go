package store

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
)

// A faultyServer serves one object by plain HTTP and by the APIs of Google and Amazon. Each request for the bytes gets the next fault of
// its script.
type faultyServer struct {
	scheme   string
	mu       sync.Mutex
	data     []byte
	tag      string
	faults   []fault
	requests []string // method and range of each request
	server   *httptest.Server
}

// A fault answers a request instead of the server; serve is the normal answer.
type fault func(f *faultyServer, w http.ResponseWriter, r *http.Request, serve func())

func newFaulty(t testing.TB, scheme string, size int, faults ...fault) *faultyServer {
	f := &faultyServer{scheme: scheme, data: random(size), tag: `"v1"`, faults: faults}
	f.server = httptest.NewServer(f)
	t.Cleanup(f.server.Close)
	return f
}

func random(size int) []byte {
	r := rand.NewChaCha8([32]byte{1})
	b := make([]byte, size)
	r.Read(b)
	return b
}

// eachScheme runs a test for every service.
func eachScheme(t *testing.T, test func(t *testing.T, scheme string)) {
	for _, scheme := range []string{"http", "gs", "s3"} {
		t.Run(scheme, func(t *testing.T) { test(t, scheme) })
	}
}

func (f *faultyServer) name() string {
	if f.scheme == "http" {
		return f.server.URL + "/bucket/object.tfrecord"
	}
	return f.scheme + "://bucket/object.tfrecord"
}

// system returns a store that uses this server.
func (f *faultyServer) system(c *client) *cachedStore {
	switch f.scheme {
	case "gs":
		g := newGCS(c)
		g.base, g.err = f.server.URL, nil
		g.once.Do(func() { g.anonymous = "it is a test" })
		return newCachedStore(c, g)
	case "s3":
		s := newS3(c)
		s.once.Do(func() {
			s.config = aws.Config{Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", exampleKey, "")}
			s.endpoint, s.signer = f.server.URL, newSigner()
		})
		return newCachedStore(s.client, s)
	}
	return newCachedStore(c, newWeb(c))
}

// describe sets the header with the version.
func (f *faultyServer) describe(w http.ResponseWriter) {
	w.Header().Set("ETag", f.tag)
	w.Header().Set("X-Goog-Generation", f.generation())
}

func (f *faultyServer) generation() string { return strings.Trim(f.tag, `"v`) }

func (f *faultyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	google := strings.HasPrefix(r.URL.Path, "/storage/")
	method := r.Method
	if google {
		method = http.MethodHead // the attributes have another address
	}
	f.requests = append(f.requests, strings.TrimSpace(method+" "+r.Header.Get("Range")))
	var now fault
	if len(f.faults) > 0 && method == http.MethodGet {
		now, f.faults = f.faults[0], f.faults[1:]
	}
	data := f.data
	f.describe(w)
	if google {
		json.NewEncoder(w).Encode(map[string]string{"size": strconv.Itoa(len(data)), "generation": f.generation()})
	}
	f.mu.Unlock()
	if google {
		return
	}
	if generation := r.URL.Query().Get("ifGenerationMatch"); generation != "" {
		r.Header.Set("If-Match", `"v`+generation+`"`)
	}
	serve := func() {
		http.ServeContent(w, r, "", time.Unix(1_700_000_000, 0), bytes.NewReader(data))
	}
	if now != nil {
		now(f, w, r, serve)
		return
	}
	serve()
}

// A cutWriter breaks the connection after a number of bytes of the body.
type cutWriter struct {
	http.ResponseWriter
	left int
}

func (w *cutWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p[:min(len(p), w.left)])
	if w.left -= n; w.left == 0 || err != nil {
		w.ResponseWriter.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	return n, err
}

// reset breaks the connection after some bytes of the body.
func reset(after int) fault {
	return func(f *faultyServer, w http.ResponseWriter, r *http.Request, _ func()) {
		http.ServeContent(&cutWriter{w, after}, r, "", time.Unix(1_700_000_000, 0), bytes.NewReader(f.data))
	}
}

// status answers with a status.
func status(code int, header ...string) fault {
	return func(_ *faultyServer, w http.ResponseWriter, _ *http.Request, _ func()) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

// whole ignores the range and sends the whole object, with status 200.
func whole(_ *faultyServer, _ http.ResponseWriter, r *http.Request, serve func()) {
	r.Header.Del("Range")
	serve()
}

// shifted sends another range than the requested range.
func shifted(f *faultyServer, w http.ResponseWriter, r *http.Request, serve func()) {
	r.Header.Set("Range", "bytes=7-"+strconv.Itoa(len(f.data)-1))
	serve()
}

// loris sends a byte from time to time, without end.
func loris(f *faultyServer, w http.ResponseWriter, r *http.Request, _ func()) {
	w.Header().Set("Content-Length", strconv.Itoa(len(f.data)))
	for i := range len(f.data) {
		if r.Context().Err() != nil {
			return
		}
		w.Write(f.data[i : i+1])
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// silent sends a header and some bytes, and then nothing.
func silent(f *faultyServer, w http.ResponseWriter, r *http.Request, _ func()) {
	w.Header().Set("Content-Length", strconv.Itoa(len(f.data)))
	w.Write(f.data[:1000])
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

// mute accepts a request and does not answer.
func mute(_ *faultyServer, _ http.ResponseWriter, r *http.Request, _ func()) { <-r.Context().Done() }

// changed replaces the object, and answers.
func changed(f *faultyServer, w http.ResponseWriter, r *http.Request, _ func()) {
	f.mu.Lock()
	f.tag, f.data = `"v2"`, bytes.Clone(f.data)
	f.data[len(f.data)/2]++
	f.describe(w)
	f.mu.Unlock()
	http.ServeContent(w, r, "", time.Unix(1_700_000_001, 0), bytes.NewReader(f.data))
}

// quick returns a client with short time limits.
func quick() *client {
	return newClient(&Options{Backoff: 2 * time.Millisecond, Stall: 300 * time.Millisecond, Attempts: 5})
}

// always sets the fault for all later requests.
func (f *faultyServer) always(now fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = nil
	for range 1000 {
		f.faults = append(f.faults, now)
	}
}

// requested returns the requests since the last call.
func (f *faultyServer) requested() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := f.requests
	f.requests = nil
	return all
}

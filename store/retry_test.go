package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tfparse/tfparse/internal/storage"
)

// TestPermanentErrors checks that permanent errors are not retried, and that a server that has never answered is tried a few times only.
func TestPermanentErrors(t *testing.T) {
	var connections atomic.Int64
	counted := func(server *httptest.Server) *httptest.Server {
		server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
			if s == http.StateNew {
				connections.Add(1)
			}
		}
		t.Cleanup(server.Close)
		return server
	}
	plain := counted(httptest.NewUnstartedServer(http.NotFoundHandler()))
	plain.Start()
	secure := counted(httptest.NewUnstartedServer(http.NotFoundHandler()))
	secure.StartTLS()
	downgrade := counted(httptest.NewUnstartedServer(http.RedirectHandler(plain.URL, http.StatusFound)))
	downgrade.StartTLS()
	elsewhere := counted(httptest.NewUnstartedServer(http.RedirectHandler("ftp://host/x", http.StatusFound)))
	elsewhere.Start()
	round := counted(httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/again", http.StatusFound) })))
	round.Start()
	_, port, _ := net.SplitHostPort(plain.Listener.Addr().String())
	for _, c := range []struct {
		name, address, want string
		transport           http.RoundTripper
		connections         int64
	}{
		{"HTTP where HTTPS is meant", "https://127.0.0.1:" + port + "/x", "server gave HTTP response to HTTPS client", nil, 1},
		{"an unknown authority", secure.URL + "/x", "certificate signed by unknown authority", nil, 1},
		{"a redirect to http", downgrade.URL + "/x", "redirects from https to http", downgrade.Client().Transport, 1},
		{"a redirect to ftp", elsewhere.URL + "/x", "redirects to ftp", nil, 1},
		{"redirects for ever", round.URL + "/x", "redirects 10 times", nil, 1},
		{"no such host", "http://host.invalid/x", "no such host", unknownHost{}, 0},
		{"no server", "http://127.0.0.1:1/x", "after 3 attempts", nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			connections.Store(0)
			client := newClient(&Options{Transport: c.transport})
			began := time.Now()
			_, err := newCachedStore(client, newWeb(client)).Open(context.Background(), c.address)
			if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if got := connections.Load(); got != c.connections {
				t.Errorf("%d connections, want %d", got, c.connections)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// unknownHost fails like a host name that is not in the DNS.
type unknownHost struct{}

func (unknownHost) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: r.URL.Hostname(), IsNotFound: true}}
}

// TestRestartingServer checks that requests wait for a server that has answered before and now refuses connections: it may be restarting.
func TestRestartingServer(t *testing.T) {
	f := newFaulty(t, "http", 1000)
	s := f.system(newClient(&Options{Backoff: 200 * time.Millisecond, Attempts: 12}))
	if _, err := s.Stat(context.Background(), f.name()); err != nil {
		t.Fatal(err)
	}
	address := f.server.Listener.Addr().String()
	f.server.Close()
	restarted := make(chan *http.Server, 1)
	time.AfterFunc(900*time.Millisecond, func() {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Error(err)
		}
		server := &http.Server{Handler: f}
		restarted <- server
		server.Serve(listener)
	})
	got, err := readAll(s, f.name())
	if err != nil || string(got) != string(f.data) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	(<-restarted).Close()
}

// TestNotice checks that notices say what the program waits for, at a limited rate and without credentials.
func TestNotice(t *testing.T) {
	var mu sync.Mutex
	var notices []string
	defer storage.Notify(func(text string) {
		mu.Lock()
		defer mu.Unlock()
		notices = append(notices, text)
	})()
	f := newFaulty(t, "http", 1000, status(503, "Retry-After", "1"), status(503), status(503, "Retry-After", "6"))
	cancelled, cancel := context.WithCancel(context.Background())
	time.AfterFunc(1500*time.Millisecond, cancel)
	s := f.system(quick())
	name := strings.Replace(f.name(), "http://", "http://user:"+exampleKey+"@", 1) + "?sig=" + exampleKey
	if _, err := s.Stat(cancelled, name); err != nil { // so that Open sends no request
		t.Fatal(err)
	}
	file, err := s.Open(cancelled, name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for range 3 {
		if _, err := file.Read(make([]byte, 1000)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(notices) != 1 || !strings.HasPrefix(notices[0], "waiting for 127.0.0.1:") || !strings.Contains(notices[0], ": 503 Service Unavailable; attempt 4 of 5 follows in 6.0 s") || strings.Contains(notices[0], exampleKey) {
		t.Errorf("got %q", notices)
	}
}

// TestNoticeOfStall checks that a notice names a stalled server long before its request fails: a server that does not answer, or that
// stops or is too slow within a body.
func TestNoticeOfStall(t *testing.T) {
	for what, now := range map[string]fault{"no answer": mute, "sends nothing or too slowly": silent, "nothing or too slowly": loris} {
		t.Run(what, func(t *testing.T) {
			notices := make(chan string, 100)
			defer storage.Notify(func(text string) { notices <- text })()
			c := newClient(nil)
			if c.quiet != 5*time.Second || c.stall < 2*c.quiet {
				t.Fatalf("a notice after %v of %v", c.quiet, c.stall)
			}
			c.quiet = 100 * time.Millisecond
			f := newFaulty(t, "http", 100_000, now)
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan error)
			go func() {
				file, err := f.system(c).Open(ctx, f.name())
				if err == nil {
					_, err = io.ReadAll(file)
					file.Close()
				}
				done <- err
			}()
			select {
			case text := <-notices:
				if !strings.HasPrefix(text, "waiting for 127.0.0.1:") || !strings.Contains(text, what) {
					t.Errorf("got %q", text)
				}
			case <-time.After(10 * time.Second):
				t.Error("no notice")
			}
			cancel()
			<-done
		})
	}
}

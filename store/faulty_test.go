package store

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

func readAll(s *cachedStore, name string) ([]byte, error) {
	f, err := s.Open(context.Background(), name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// TestReadsThroughFaults checks that the bytes of the object are read after transient errors of every kind.
func TestReadsThroughFaults(t *testing.T) {
	const size = 1_000_000
	for _, c := range []struct {
		name   string
		faults []fault
	}{
		{"no faults", nil},
		{"resets", []fault{reset(100_000), reset(1), reset(300_000), reset(99)}},
		{"a reset before any byte", []fault{status(503), reset(0)}},
		{"a burst of 503", []fault{status(503), status(503), status(503), status(503)}},
		{"429 and a time to wait", []fault{status(429, "Retry-After", "1")}},
		{"other transient statuses", []fault{status(500), status(502), reset(500_000), status(504), status(408)}},
		{"200 for 206", []fault{reset(400_000), whole}},
		{"200 for 206, which ends early", []fault{reset(400_000), func(f *faultyServer, w http.ResponseWriter, r *http.Request, _ func()) {
			r.Header.Del("Range")
			reset(1000)(f, w, r, nil)
		}}},
		{"another range", []fault{reset(400_000), shifted}},
		{"slow loris", []fault{loris, reset(200_000), loris}},
		{"nothing more comes", []fault{silent}},
		{"no answer", []fault{mute}},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachScheme(t, func(t *testing.T, scheme string) {
				t.Parallel()
				f := newFaulty(t, scheme, size, c.faults...)
				got, err := readAll(f.system(quick()), f.name())
				if err != nil || !bytes.Equal(got, f.data) {
					t.Errorf("%d bytes, %v\n%q", len(got), err, f.requests)
				}
				if len(f.faults) > 0 {
					t.Errorf("%d faults were not met", len(f.faults))
				}
			})
		})
	}
}

// TestRandomFaults checks that the bytes of the object are read with random faults and random calls of ReadAt.
func TestRandomFaults(t *testing.T) {
	for seed := range uint64(testkit.Rounds(20)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 0))
			var faults []fault
			for range 30 {
				if r.IntN(2) == 0 {
					faults = append(faults, func(_ *faultyServer, _ http.ResponseWriter, _ *http.Request, serve func()) { serve() })
					continue
				}
				faults = append(faults, []fault{reset(1 + r.IntN(200_000)), status(503), whole, shifted}[r.IntN(4)])
			}
			f := newFaulty(t, []string{"http", "gs", "s3"}[seed%3], 200_000+r.IntN(3_000_000), faults...)
			s := f.system(newClient(&Options{Backoff: time.Millisecond, Attempts: 40}))
			if got, err := readAll(s, f.name()); err != nil || !bytes.Equal(got, f.data) {
				t.Fatalf("%d bytes, %v, want %d", len(got), err, len(f.data))
			}
			at, err := s.Open(context.Background(), f.name())
			if err != nil {
				t.Fatal(err)
			}
			defer at.Close()
			off := 0
			for range 50 {
				p := make([]byte, r.IntN(50_000))
				if r.IntN(4) == 0 {
					off = r.IntN(len(f.data))
				}
				n, err := at.ReadAt(p, int64(off))
				want := f.data[off:min(off+len(p), len(f.data))]
				if !bytes.Equal(p[:n], want) || err != nil && (err != io.EOF || n == len(p) && n > 0) || err == nil && n < len(p) {
					t.Fatalf("at %d: %d bytes, %v, want %d", off, n, err, len(want))
				}
				if off += n + r.IntN(2)*r.IntN(1000); off >= len(f.data) {
					off = 0
				}
			}
		})
	}
}

// TestChanged checks that an object that changes while it is read gives ErrChanged, at any position, and that no byte of the other version is read.
func TestChanged(t *testing.T) {
	eachScheme(t, func(t *testing.T, scheme string) {
		const size = 1_000_000
		f := newFaulty(t, scheme, size, reset(300_000), changed)
		first := bytes.Clone(f.data)
		got, err := readAll(f.system(quick()), f.name())
		if !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), "changed while reading") || !bytes.Equal(got, first[:len(got)]) {
			t.Errorf("%d bytes, %v", len(got), err)
		}

		f = newFaulty(t, scheme, size, reset(300_000), status(404))
		if _, err = readAll(f.system(quick()), f.name()); !errors.Is(err, ErrChanged) {
			t.Errorf("deleted while reading: %v", err)
		}

		f = newFaulty(t, scheme, size)
		s := f.system(quick())
		at, err := s.Open(context.Background(), f.name())
		if err != nil {
			t.Fatal(err)
		}
		defer at.Close()
		p := make([]byte, 100)
		if _, err := at.ReadAt(p, 1000); err != nil {
			t.Fatal(err)
		}
		f.mu.Lock()
		f.tag = `"v2"`
		f.mu.Unlock()
		if n, err := at.ReadAt(p, 2000); !errors.Is(err, ErrChanged) || n > 0 {
			t.Errorf("ReadAt: %d, %v", n, err)
		}

		// If an object changes between the lookup and the first read, the new version is read.
		f = newFaulty(t, scheme, size)
		s = f.system(quick())
		if _, err := s.Stat(context.Background(), f.name()); err != nil {
			t.Fatal(err)
		}
		f.tag, f.data = `"v2"`, random(size + 5)[5:]
		if got, err := readAll(s, f.name()); err != nil || !bytes.Equal(got, f.data) {
			t.Errorf("changed before it was read: %d bytes, %v", len(got), err)
		}
	})
}

// TestGivesUp checks that a server that does not recover gives an error with the reason, within a time limit.
func TestGivesUp(t *testing.T) {
	for _, c := range []struct {
		what  string
		fault fault
		want  string
	}{
		{"503", status(503), "503 Service Unavailable, after 5 attempts"},
		{"silence", silent, "sends nothing or too slowly"},
		{"a loris", loris, "sends nothing or too slowly"},
		{"resets", reset(10), "unexpected EOF"},
		{"other ranges", shifted, "another range"},
		{"403", status(403), "403 Forbidden"},
	} {
		t.Run(c.what, func(t *testing.T) {
			eachScheme(t, func(t *testing.T, scheme string) {
				t.Parallel()
				f := newFaulty(t, scheme, 500_000)
				at, err := f.system(quick()).Open(context.Background(), f.name())
				if err != nil {
					t.Fatal(err)
				}
				defer at.Close()
				if _, err := at.ReadAt(make([]byte, 10), 5); err != nil {
					t.Fatal(err)
				}
				f.always(c.fault)
				began := time.Now()
				_, err = at.ReadAt(make([]byte, 100_000), 200_000)
				if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), f.name()) {
					t.Errorf("got %v, want %s", err, c.want)
				}
				if took := time.Since(began); took > 20*time.Second {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// TestStatuses checks that error statuses match the corresponding errors of package io/fs.
func TestStatuses(t *testing.T) {
	f := newFaulty(t, "http", 10)
	for code, want := range map[int]error{404: fs.ErrNotExist, 410: fs.ErrNotExist, 401: fs.ErrPermission, 403: fs.ErrPermission} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }))
		_, err := f.system(quick()).Open(context.Background(), server.URL+"/x")
		if !errors.Is(err, want) || !strings.Contains(err.Error(), strconv.Itoa(code)) {
			t.Errorf("%d: %v", code, err)
		}
		server.Close()
	}
	f.server.Close()
	if _, err := f.system(quick()).Open(context.Background(), f.name()); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no server: %v", err)
	}
}

// TestRequests checks the number of requests: one for a sequential read, one for a call of ReadAt, and one for several sequential calls of
// ReadAt. The first response has the attributes.
func TestRequests(t *testing.T) {
	eachScheme(t, func(t *testing.T, scheme string) {
		f := newFaulty(t, scheme, 20<<20)
		s := f.system(quick())
		if _, err := readAll(s, f.name()); err != nil {
			t.Fatal(err)
		}
		if got, want := f.requested(), []string{"GET"}; !slices.Equal(got, want) {
			t.Errorf("reading: %q, want %q", got, want)
		}
		at, err := s.Open(context.Background(), f.name())
		if err != nil {
			t.Fatal(err)
		}
		defer at.Close()
		if _, err := at.Stat(); err != nil {
			t.Fatal(err)
		}
		f.requested()
		for i, off := range []int64{5_000_000, 100, 19_000_000, 9_999_999} {
			if _, err := at.ReadAt(make([]byte, 1000), off); err != nil {
				t.Fatal(err)
			}
			if got, want := f.requested(), []string{fmt.Sprintf("GET bytes=%d-%d", off, off+999)}; !slices.Equal(got, want) {
				t.Errorf("place %d: %q, want %q", i, got, want)
			}
		}
		for off := int64(0); off < 20<<20; off += 64 << 10 {
			if _, err := at.ReadAt(make([]byte, 64<<10), off); err != nil {
				t.Fatal(err)
			}
		}
		if got := f.requested(); len(got) > 4 {
			t.Errorf("320 places that follow each other: %d requests", len(got))
		}

		empty := newFaulty(t, scheme, 0)
		if got, err := readAll(empty.system(quick()), empty.name()); err != nil || len(got) != 0 {
			t.Errorf("an empty object: %q, %v", got, err)
		}
		if got, want := empty.requested(), []string{"GET"}; !slices.Equal(got, want) {
			t.Errorf("an empty object: %q, want %q", got, want)
		}
	})
}

// TestRetryAfter checks that a request is not retried before the time in Retry-After.
func TestRetryAfter(t *testing.T) {
	f := newFaulty(t, "http", 1000, status(503, "Retry-After", "1"))
	began := time.Now()
	if _, err := readAll(f.system(quick()), f.name()); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < time.Second {
		t.Errorf("it was retried after %v", took)
	}
	for text, want := range map[string]time.Duration{"": 0, "x": 0, "-5": 0, "3": 3 * time.Second, "99999": maxRetryAfter,
		time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat): 0, time.Now().Add(time.Hour).UTC().Format(http.TimeFormat): maxRetryAfter} {
		if got := retryAfter(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestEncoding checks that an object with Content-Encoding: gzip is read as it is stored, by Read and by ReadAt. Like Google, the server
// decompresses the object for a request that does not accept gzip, and then ignores the range.
func TestEncoding(t *testing.T) {
	const text = "records, records and records"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, text)
	z.Close()
	eachScheme(t, func(t *testing.T, scheme string) {
		f := newFaulty(t, scheme, 0)
		f.data = packed.Bytes()
		f.always(func(_ *faultyServer, w http.ResponseWriter, r *http.Request, serve func()) {
			if scheme == "gs" && r.Header.Get("Accept-Encoding") != "gzip" {
				io.WriteString(w, text)
				return
			}
			w.Header().Set("Content-Encoding", "gzip")
			serve()
		})
		s := f.system(quick())
		if got, err := readAll(s, f.name()); err != nil || !bytes.Equal(got, f.data) {
			t.Errorf("got %q, %v", got, err)
		}
		at, err := s.Open(context.Background(), f.name())
		if err != nil {
			t.Fatal(err)
		}
		defer at.Close()
		p := make([]byte, 10)
		if _, err := at.ReadAt(p, 5); err != nil || !bytes.Equal(p, f.data[5:15]) {
			t.Errorf("at 5: %q, %v", p, err)
		}
	})
}

// TestCancel checks that a cancelled context ends a waiting read, and that no goroutine is left after all files are closed.
func TestCancel(t *testing.T) {
	before := runtime.NumGoroutine()
	f := newFaulty(t, "http", 10<<20, silent)
	c := newClient(nil)
	s := f.system(c)
	ctx, cancel := context.WithCancel(context.Background())
	file, err := s.Open(ctx, f.name())
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, cancel)
	began := time.Now()
	if _, err := io.ReadAll(file); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	file.Close()
	if _, err := file.Read(make([]byte, 1)); err == nil {
		t.Error("a closed file is read")
	}
	for range 5 { // files that are closed before they are fully read
		file, err := s.Open(context.Background(), f.name())
		if err != nil {
			t.Fatal(err)
		}
		io.ReadFull(file, make([]byte, 100))
		file.Close()
	}
	if got, want := c.ahead.Load(), int64(16<<20/blockSize); got != want {
		t.Errorf("%d blocks are free, want %d", got, want)
	}
	f.server.Close()
	c.http.CloseIdleConnections()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%d goroutines, before %d", runtime.NumGoroutine(), before)
}

// TestNoCredentials checks that neither errors nor public names contain the credentials of an address.
func TestNoCredentials(t *testing.T) {
	const secret = "SECRETSIGNATURE"
	for _, now := range []fault{status(403), status(404), status(503), reset(3), silent} {
		f := newFaulty(t, "http", 5000, now)
		f.always(now)
		s := f.system(quick())
		signed := strings.Replace(f.name(), "http://", "http://user:"+secret+"@", 1) + "?X-Amz-Signature=" + secret + "&other=" + secret
		name := s.Public(signed)
		if strings.Contains(name, secret) || s.Public(signed) != name || s.Public(name) != name {
			t.Fatalf("the public name is %s", name)
		}
		if other := s.Public(signed + "2"); other == name || strings.Contains(other, secret) {
			t.Errorf("another address has the name %s", other)
		}
		_, err := readAll(s, name)
		for e := err; e != nil; e = errors.Unwrap(e) {
			if strings.Contains(fmt.Sprintf("%v %+v %#v", e, e, e), secret) {
				t.Errorf("an error has the signature: %v", e)
			}
		}
		if err == nil {
			t.Error("no error")
		}
		f.server.Close()
		s.forget(name)
		if _, err = s.Open(context.Background(), name); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("no server: %v", err)
		}
	}
	s := newCachedStore(quick(), newWeb(quick()))
	for _, bad := range []string{"http://user:" + secret + "@%zz/x", "http://h/x?sig=" + secret + "\x7f"} {
		if public := s.Public(bad); strings.Contains(public, secret) {
			t.Errorf("the public name is %s", public)
		}
	}
}

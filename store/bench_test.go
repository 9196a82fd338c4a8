package store

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// benchServer serves size bytes from memory.
func benchServer(tb testing.TB, size int) *httptest.Server {
	data := random(size)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"v1"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
	}))
	tb.Cleanup(server.Close)
	return server
}

// bareGet reads the whole body with package net/http only.
func bareGet(tb testing.TB, address string, p []byte) (n int64) {
	resp, err := http.Get(address)
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	return drain(tb, resp.Body, p)
}

// drain reads to the end, as a reader of records does.
func drain(tb testing.TB, r io.Reader, p []byte) (n int64) {
	for {
		k, err := r.Read(p)
		n += int64(k)
		if err == io.EOF {
			return n
		} else if err != nil {
			tb.Fatal(err)
		}
	}
}

func storeGet(tb testing.TB, s storage.Store, address string, p []byte) int64 {
	f, err := s.Open(context.Background(), address)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	return drain(tb, f, p)
}

const benchSize = 256 << 20

// BenchmarkRead compares a file of a store with a bare GET of the same bytes over loopback.
func BenchmarkRead(b *testing.B) {
	server := benchServer(b, benchSize)
	s := newCachedStore(newClient(nil), newWeb(newClient(nil)))
	p := make([]byte, 256<<10)
	b.Run("bare", func(b *testing.B) {
		b.SetBytes(benchSize)
		for b.Loop() {
			bareGet(b, server.URL+"/x", p)
		}
	})
	b.Run("store", func(b *testing.B) {
		b.SetBytes(benchSize)
		for b.Loop() {
			storeGet(b, s, server.URL+"/x", p)
		}
	})
}

// TestThroughput checks that reading has at least 0.8 of the throughput of a bare GET: the median of pairs of consecutive measurements.
func TestThroughput(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: a short run compares no throughput")
	}
	judge := testkit.Timing(t, "a limit on the throughput")
	const size, pairs = 32 << 20, 9
	server := benchServer(t, size)
	s := newCachedStore(newClient(nil), newWeb(newClient(nil)))
	p := make([]byte, 256<<10)
	timed := func(read func() int64) float64 {
		began := time.Now()
		if n := read(); n != size {
			t.Fatalf("read %d bytes, want %d", n, size)
		}
		return time.Since(began).Seconds()
	}
	var ratios []float64
	for range pairs {
		bare := timed(func() int64 { return bareGet(t, server.URL+"/x", p) })
		ours := timed(func() int64 { return storeGet(t, s, server.URL+"/x", p) })
		ratios = append(ratios, bare/ours)
	}
	slices.Sort(ratios)
	t.Logf("throughput in units of a bare GET: median %.2f of %.2f", ratios[pairs/2], ratios)
	if judge && ratios[pairs/2] < 0.8 {
		t.Errorf("reading has %.2f of the throughput of a bare GET, want 0.8", ratios[pairs/2])
	}
}

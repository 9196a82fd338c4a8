package view

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// writeLarge writes a file of records with text and numbers, of about 3 kB each, that has a number of bytes before
// compression.
func writeLarge(t testing.TB, name string, size int64, compress bool) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	buf := bufio.NewWriterSize(f, 1<<20)
	var out io.Writer = buf
	var z *gzip.Writer
	if compress {
		z, _ = gzip.NewWriterLevel(buf, gzip.BestSpeed)
		out = z
	}
	w := tfrecord.NewWriter(out, nil)
	random := rand.New(rand.NewPCG(1, 2))
	texts := make([]string, 100)
	for i := range texts {
		text := make([]byte, 1500)
		for j := range text {
			text[j] = "etaoin shrdlu cmfwyp"[random.IntN(20)]
		}
		texts[i] = string(text)
	}
	b := &example.Builder{}
	var rec []byte
	for i := 0; w.Offset() < size; i++ {
		b.Reset()
		b.Add("i", example.Int64s(int64(i)))
		b.Add("numbers", example.Floats(make([]float32, 100)...))
		b.AddStrings("text", texts[random.IntN(100)], texts[random.IntN(100)][i%1000:])
		if rec, err = b.AppendBinary(rec[:0]); err == nil {
			err = w.WriteRecord(rec)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if z != nil {
		z.Close()
	}
	if err := buf.Flush(); err != nil {
		t.Fatal(err)
	}
}

// largeFiles returns an uncompressed file and one with gzip: of 2 GB with TFPARSE_LONG=1, else of 16 MB, and of 2 MB with -short,
// since the race detector makes compression ten times as slow.
func largeFiles(t testing.TB) map[string]string {
	t.Helper()
	size := int64(16 << 20)
	if testkit.Long(t, "files of 2 GB") {
		size = 2 << 30
	}
	if testing.Short() {
		size = 2 << 20
	}
	dir := t.TempDir()
	files := map[string]string{"plain": filepath.Join(dir, "plain.tfrecord"), "gzip": filepath.Join(dir, "gzip.tfrecord.gz")}
	writeLarge(t, files["plain"], size, false)
	writeLarge(t, files["gzip"], size, true)
	return files
}

// BenchmarkFirstPage opens a data set and reads the first 50 rows: at most 200 ms, and 1 s with gzip, for any size.
func BenchmarkFirstPage(b *testing.B) {
	for kind, name := range largeFiles(b) {
		b.Run(kind, func(b *testing.B) {
			for b.Loop() {
				h, err := New([]string{name}, nil)
				if err != nil {
					b.Fatal(err)
				}
				rows, _, err := h.files[0].readRows(b.Context(), 0, 50)
				if err != nil || len(rows) != 50 {
					b.Fatal(len(rows), err)
				}
				b.StopTimer()
				h.Close()
				b.StartTimer()
			}
		})
	}
}

// TestLargeFile measures the first page and the memory while 10,000 records are scrolled through, from the beginning
// and from the end.
func TestLargeFile(t *testing.T) {
	for kind, name := range largeFiles(t) {
		t.Run(kind, func(t *testing.T) {
			runtime.GC()
			debug.FreeOSMemory()
			var before runtime.MemStats
			runtime.ReadMemStats(&before)
			begin := time.Now()
			h, err := New([]string{name}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer h.Close()
			f := h.files[0]
			rows, _, err := f.readRows(t.Context(), 0, 50)
			if err != nil || len(rows) != 50 {
				t.Fatal(len(rows), err)
			}
			first := time.Since(begin)
			peak := uint64(0)
			scroll := func(from int64) (pages int, slowest time.Duration) {
				for at := from; at < from+10_000; {
					begin := time.Now()
					rows, end, err := f.readRows(t.Context(), at, 100)
					if err != nil {
						t.Fatal(err)
					}
					for _, r := range rows {
						if got := valueOf(t, r.data); r.number != at || got != at {
							t.Fatalf("row %d has number %d, i %d", at, r.number, got)
						}
						at++
					}
					slowest = max(slowest, time.Since(begin))
					pages++
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					peak = max(peak, m.HeapInuse+m.StackInuse-min(before.HeapInuse, m.HeapInuse))
					if end {
						break
					}
				}
				return pages, slowest
			}
			n, slowest := scroll(0)
			report := fmt.Sprintf("first page %v; %d pages, slowest %v", first, n, slowest)
			for {
				s, change := f.status()
				if s.state == complete {
					break
				}
				<-change
			}
			report += fmt.Sprintf("; indexed after %v", time.Since(begin))
			s, _ := f.status()
			n, slowest = scroll(max(0, s.count-10_000))
			t.Logf("%s; %d pages at the end, slowest %v; peak of the heap %.1f MB, %d rows, index about %.1f MB",
				report, n, slowest, float64(peak)/1e6, s.count, float64(f.cost)/1e6)
			if peak > 150e6 {
				t.Errorf("the heap had %d bytes", peak)
			}
			if limit := map[string]time.Duration{"plain": 200 * time.Millisecond, "gzip": time.Second}[kind]; first > limit && testkit.Timing(t, "the limits of the first page") {
				t.Errorf("first page after %v", first)
			}
		})
	}
}

package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// TestKeptAndReleased checks that later batches do not overwrite a batch that is kept. They
// overwrite a released batch, but not the strings that were taken from it.
func TestKeptAndReleased(t *testing.T) {
	fsys := shardFS(t, 100, 100, 100)
	p := parser(t)
	for _, workers := range []int{1, 3} {
		s := dataset.NewFiles([]string{"f@3"}, &dataset.FilesOptions{FS: fsys, Workers: workers, Repeat: 2, Budget: 4000}).Batches(t.Context(), p, 8)
		type copied struct {
			batch *dataset.Batch
			ids   []int64
			pads  []string
		}
		var kept []copied
		var released []copied
		n := 0
		for b, err := range s.All() {
			if err != nil {
				t.Fatal(err)
			}
			ids, err1 := feature.ColumnOf[int64](b.Columns(), "record")
			pads, err2 := feature.ColumnOf[string](b.Columns(), "pad")
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			if n++; n%3 == 0 {
				kept = append(kept, copied{b, slices.Clone(ids.Values()), slices.Clone(pads.Values())})
				continue
			}
			released = append(released, copied{nil, ids.Values(), slices.Clone(pads.Values())})
			before := slices.Clone(ids.Values())
			b.Release()
			if workers == 1 { // several workers would parse into the memory at once
				if spoiled := !slices.Equal(before, ids.Values()); spoiled != testkit.Race {
					t.Errorf("batch %d: values were overwritten by Release: %v", n, spoiled)
				}
			}
			b.Release() // does nothing
			if !panics(func() { b.Len() }) {
				t.Error("a released batch has rows")
			}
		}
		for i, k := range kept {
			ids, err1 := feature.ColumnOf[int64](k.batch.Columns(), "record")
			pads, err2 := feature.ColumnOf[string](k.batch.Columns(), "pad")
			if err1 != nil || err2 != nil || !slices.Equal(ids.Values(), k.ids) || !slices.Equal(pads.Values(), k.pads) {
				t.Errorf("%d workers: kept batch %d was written to", workers, i)
			}
			for row := range k.batch.Len() {
				if k.batch.Position(row).Record != k.ids[row] {
					t.Errorf("row %d of kept batch %d stands at %v", row, i, k.batch.Position(row))
				}
			}
		}
		for _, r := range released {
			for _, s := range r.pads {
				if strings.Trim(s, "x") != "" {
					t.Fatalf("a string of a released batch is %q", s)
				}
			}
		}
		// Release on other goroutines, and after the end.
		var others sync.WaitGroup
		for _, k := range kept {
			others.Go(k.batch.Release)
		}
		others.Wait()
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

// TestLent checks that a record is lent until the next call, and that race builds overwrite it then.
func TestLent(t *testing.T) {
	fsys := shardFS(t, 40)
	for _, opts := range []dataset.FilesOptions{{Workers: 1}, {Workers: 2}, {Workers: 1, Shuffle: 3}, {Workers: 2, Shuffle: 3}} {
		opts.FS = fsys
		r := dataset.NewFiles([]string{"f@1"}, &opts).Records(t.Context())
		first, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		before := string(first)
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		// Without the race detector the memory may or may not serve another record.
		if testkit.Race && string(first) == before {
			t.Errorf("%+v: a record was left as it was", opts)
		}
		if cap(first) != len(first) {
			t.Errorf("%+v: an append would write behind the record", opts)
		}
		r.Close()
	}
}

// TestAliasing checks that strings which are parts of records are valid as long as their batch:
// always, or until Release, also if other batches have parts of the same buffer.
func TestAliasing(t *testing.T) {
	fsys := shardFS(t, 150, 150)
	p, err := feature.NewParser(numberedSpec, &feature.ParserOptions{AliasRecords: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, opts := range []dataset.FilesOptions{{Workers: 1}, {Workers: 1, Budget: 2000}, {Workers: 1, Interleave: 2}, {Workers: 3, Budget: 2000},
		{Workers: 1, Shuffle: 20}, {Workers: 2, Shuffle: 20}, {Workers: 2, SkipErrors: true}, {Workers: 1, SkipErrors: true},
		{Workers: 2, Shard: dataset.Shard{Index: 1, Count: 3, ByRecord: true}}, {Workers: 2, Interleave: 2}} {
		opts.FS, opts.Repeat = fsys, 3
		var all []aliased
		s := dataset.NewFiles([]string{"f@2"}, &opts).Batches(t.Context(), p, 7)
		for b, err := range s.All() {
			if err != nil {
				t.Fatal(err)
			}
			pad, err1 := feature.ColumnOf[string](b.Columns(), "pad")
			file, err2 := feature.ColumnOf[int64](b.Columns(), "file")
			record, err3 := feature.ColumnOf[int64](b.Columns(), "record")
			if err := errors.Join(err1, err2, err3); err != nil {
				t.Fatal(err)
			}
			var want []string
			for i, f := range file.Values() {
				want = append(want, strings.Repeat("x", int(f*31+record.Values()[i]*17)%97))
			}
			all = append(all, aliased{b, slices.Clone(pad.Values()), want})
			if n := len(all); n >= 4 && n%4 != 0 { // release three of four batches, some time later
				all[n-4].check(t, opts)
				all[n-4].batch.Release()
				all[n-4].batch = nil
			}
		}
		for i, a := range all {
			if a.batch != nil {
				a.check(t, opts)
			} else if testkit.Race && opts.Workers == 1 && opts.Budget > 0 && i < 10 && slices.Equal(a.pad, a.want) {
				t.Errorf("%+v: batch %d: strings of a released batch were left as they were: %q", opts, i, a.pad)
			}
		}
	}
}

// aliased has a batch whose strings are parts of records.
type aliased struct {
	batch     *dataset.Batch
	pad, want []string
}

func (a aliased) check(t *testing.T, opts dataset.FilesOptions) {
	t.Helper()
	if !slices.Equal(a.pad, a.want) {
		t.Fatalf("%+v: got %q, want %q", opts, a.pad, a.want)
	}
}

// TestReuse checks that the memory of released batches is reused.
func TestReuse(t *testing.T) {
	if testkit.Race {
		t.Skip("skipped: race builds allocate for themselves")
	}
	fsys := shardFS(t, 400)
	p := parser(t)
	s := dataset.NewFiles([]string{"f@1"}, &dataset.FilesOptions{FS: fsys, Workers: 1, Repeat: -1}).Batches(t.Context(), p, 50)
	defer s.Close()
	next := func() {
		b, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		b.Release()
	}
	for range 20 {
		next()
	}
	// A batch, the memory of its strings, and sometimes a file.
	if n := testing.AllocsPerRun(100, next); n > 20 {
		t.Errorf("%v allocations for a batch of 50 records", n)
	}
}

// synthetic is a file of n bytes of records that is not stored.
type synthetic struct {
	chunk []byte // whole records
	at    int
	left  int64
}

func newSynthetic(tb testing.TB, n int64) *synthetic {
	tb.Helper()
	s := &synthetic{}
	rng := rand.New(rand.NewPCG(1, 2))
	c := ads()
	for range 500 {
		var b example.Builder
		c.build(&b, rng)
		rec, err := b.AppendBinary(nil)
		if err != nil {
			tb.Fatal(err)
		}
		s.chunk = tfrecord.AppendRecord(s.chunk, rec)
	}
	s.left = n / int64(len(s.chunk)) * int64(len(s.chunk))
	return s
}

func (s *synthetic) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(int64(len(p)), s.left)], s.chunk[s.at:])
	s.at = (s.at + n) % len(s.chunk)
	s.left -= int64(n)
	return n, nil
}

// peakHeap reads files of n bytes. It measures the live bytes between some batches, and returns the
// maximum.
func peakHeap(tb testing.TB, n int64, every int, opts dataset.FilesOptions) (peak uint64, bytes int64) {
	tb.Helper()
	p, err := feature.NewParser(feature.Spec{Features: ads().spec}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	template := newSynthetic(tb, n)
	opts.Open = func(ctx context.Context, name string) (io.ReadCloser, error) {
		s := *template
		bytes += s.left
		return io.NopCloser(&s), nil
	}
	batches := 0
	for b, err := range dataset.NewFiles([]string{"file"}, &opts).Batches(context.Background(), p, 256).All() {
		if err != nil {
			tb.Fatal(err)
		}
		b.Release()
		if batches++; batches%every == 0 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
	}
	return peak, bytes
}

// TestMemoryDoesNotGrow checks that the live memory does not depend on the size of the files.
func TestMemoryDoesNotGrow(t *testing.T) {
	if testkit.Race || testing.Short() {
		t.Skip("skipped: it reads 200 MB, which takes long in race builds, and -short leaves it out")
	}
	opts := dataset.FilesOptions{Workers: 2, Budget: 8 << 20}
	short, _ := peakHeap(t, 20<<20, 10, opts)
	long, bytes := peakHeap(t, 200<<20, 100, opts)
	if bytes < 190<<20 {
		t.Fatalf("%d bytes only", bytes)
	}
	// The limit is twice the budget, columns included.
	if long > short+16<<20 {
		t.Errorf("%d MB are live in 200 MB, %d MB in 20 MB", long>>20, short>>20)
	}
}

// BenchmarkMemory reports the live memory while files of 200 MB and of 4 GB are read:
// go test -run '^$' -bench Memory -benchtime 1x ./dataset
func BenchmarkMemory(b *testing.B) {
	for _, size := range []int64{200 << 20, 4 << 30} {
		b.Run(fmt.Sprintf("size=%dMB", size>>20), func(b *testing.B) {
			var peak uint64
			for b.Loop() {
				p, bytes := peakHeap(b, size, 50, dataset.FilesOptions{Workers: 2})
				peak = max(peak, p)
				b.SetBytes(bytes)
			}
			b.ReportMetric(float64(peak)/(1<<20), "live-MB")
		})
	}
}

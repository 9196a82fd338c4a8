package dataset_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/fstest"
	"time"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/tfrecord"
)

// TestSystemFiles checks that files of the operating system give the same rows for any number of
// workers, and that Close leaves no file open.
func TestSystemFiles(t *testing.T) {
	dir := t.TempDir()
	sizes := []int{3000, 0, 7000, 1, 2000}
	if testing.Short() {
		sizes = []int{600, 0, 1400, 1, 400}
	}
	for f, n := range sizes {
		var recs [][]byte
		for i := range n {
			recs = append(recs, numbered(t, f, i))
		}
		codec := tfrecord.None
		if f == 4 {
			codec = tfrecord.GZIP
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f-%05d-of-00005", f)), stream(t, codec, recs...), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p := parser(t)
	opened, counts := openFiles(t), workerCounts(t, 5)[1:]
	for _, opts := range []dataset.FilesOptions{{}, {Interleave: 3}, {Shuffle: 100, Repeat: 2}, {Budget: 20_000, Interleave: 2}} {
		opts.FS = os.DirFS(dir)
		opts.Workers = 1
		want, err := rowsOf(dataset.NewFiles([]string{"f@5"}, &opts).Batches(t.Context(), p, 100))
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range counts {
			opts.Workers = workers
			f := dataset.NewFiles([]string{"f@5"}, &opts)
			if got, err := rowsOf(f.Batches(t.Context(), p, 100)); err != nil || got != want {
				t.Fatalf("%+v: the rows differ from those of one worker: %v", opts, err)
			}
			for stop := range 12 {
				s := f.Batches(t.Context(), p, 100)
				for range stop {
					if _, err := s.Next(); err != nil {
						t.Fatal(err)
					}
				}
				s.Close()
			}
		}
	}
	noLeak(t)
	if n := openFiles(t); n > opened {
		t.Errorf("%d files are open, before it were %d", n, opened)
	}
}

// openFiles counts the open files, where the operating system lists them.
func openFiles(t *testing.T) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("skipped: files that are open cannot be counted: %v", err)
	}
	return len(entries)
}

// TestBatchBudget checks that batches stay within the budget, except for a batch that was begun before
// the budget was spent, and for a buffer of each open file.
func TestBatchBudget(t *testing.T) {
	var recs [][]byte
	for i := range 4000 {
		recs = append(recs, numbered(t, 0, i%90))
	}
	data := stream(t, tfrecord.None, recs...)
	fsys := fstest.MapFS{"a": {Data: data}, "b": {Data: data}, "c": {Data: data}}
	p := parser(t)
	const size, slab = 50, 1280
	budgets := []int64{1, 20_000, 200_000}
	if testing.Short() {
		budgets = budgets[1:2]
	}
	for _, budget := range budgets {
		for _, workers := range []int{2, 4} {
			for _, interleave := range []int{1, 3} {
				s := dataset.NewFiles([]string{"a", "b", "c"}, &dataset.FilesOptions{FS: fsys, Workers: workers, Prefetch: 20, Interleave: interleave,
					Budget: budget, Reader: tfrecord.ReaderOptions{BufferSize: slab / 5 * 4}}).Batches(t.Context(), p, size)
				n := 0
				for b, err := range s.All() {
					if err != nil {
						t.Fatal(err)
					}
					if n%16 == 0 {
						time.Sleep(50 * time.Microsecond) // so that the workers are ahead
					}
					n += b.Len()
					b.Release()
				}
				if n != 3*len(recs) {
					t.Fatalf("%d rows", n)
				}
				batch := int64(len(data) / len(recs) * size * 5 / 4)
				files := int64(max(workers, interleave) + 1)
				if most, peak := budget+batch+files*2*max(slab, budget/int64(4*max(workers, interleave))), s.Stats().PeakBytes; peak > most {
					t.Errorf("budget %d, %d workers, %d files in turn: peak %d, want at most %d", budget, workers, interleave, peak, most)
				}
			}
		}
	}
	noLeak(t)
}

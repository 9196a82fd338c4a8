package view

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// TestConcurrentReads reads rows of several files on several goroutines while the files are indexed, and while indexes
// are dropped.
func TestConcurrentReads(t *testing.T) {
	records := testRecords(t, 3000, 20)
	damaged := encodeRecords(t, tfrecord.None, records)
	damaged[len(damaged)/2] ^= 1
	files := map[string][]byte{
		"plain": encodeRecords(t, tfrecord.None, records), "gzip": encodeRecords(t, tfrecord.GZIP, records),
		"damaged": damaged, "damaged gzip": compressBytes(t, tfrecord.GZIP, damaged), "snappy": encodeRecords(t, tfrecord.SNAPPY, records),
	}
	var names []string
	want := map[string][]wantRow{}
	for name, data := range files {
		names = append(names, name)
		want[name] = recoverRows(data, name)
	}
	h := newMemory(t, files, nil, names...)
	h.scans.mu.Lock()
	h.scans.limit = 1 // every index is dropped for the next one
	h.scans.mu.Unlock()
	var group sync.WaitGroup
	for seed := range uint64(8) {
		group.Go(func() {
			random := rand.New(rand.NewPCG(seed, 1))
			for range testkit.Rounds(240) {
				f := random.IntN(len(h.files))
				rows := want[names[f]]
				from := random.IntN(len(rows))
				got, _, err := h.files[f].readRows(t.Context(), int64(from), 5)
				if err != nil || len(got) == 0 {
					t.Errorf("%s: row %d: %d rows, %v", names[f], from, len(got), err)
					return
				}
				for i, r := range got {
					if w := rows[from+i]; r.number != int64(from+i) || r.offset != w.offset || !bytes.Equal(r.data, w.data) || (r.err != nil) != (w.class != 0) {
						t.Errorf("%s: row %d: %+v", names[f], from+i, r)
						return
					}
				}
			}
		})
	}
	group.Wait()
}

// TestManyFiles reads more files than stay open.
func TestManyFiles(t *testing.T) {
	dir := t.TempDir()
	const n = maxOpen + 20
	for i := range n {
		data := encodeRecords(t, tfrecord.None, testRecords(t, 3, i))
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f-%05d-of-%05d", i, n)), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	h, err := New([]string{filepath.Join(dir, fmt.Sprintf("f@%d", n))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for range 2 {
		for i := range n {
			r, err := h.readRecord(t.Context(), i, 2)
			if err != nil || valueOf(t, r.data) != 2 {
				t.Fatalf("file %d: %+v, %v", i, r, err)
			}
		}
	}
	h.open.mu.Lock()
	defer h.open.mu.Unlock()
	if open := len(h.open.files); open > maxOpen {
		t.Errorf("%d files are open", open)
	}
}

// TestGrowingFile appends to a file, and replaces it.
func TestGrowingFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	data := encodeRecords(t, tfrecord.None, testRecords(t, 300, 30))
	if err := os.WriteFile(name, data[:len(data)-10], 0o666); err != nil {
		t.Fatal(err)
	}
	h, err := New([]string{name}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	file, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write(append(bytes.Clone(data[len(data)-10:]), data...)); err != nil {
		t.Fatal(err)
	}
	file.Close()
	rows := allRows(t, h.files[0], 50)
	if len(rows) != 300 || rows[299].err == nil || rows[298].err != nil {
		t.Errorf("%d rows; the last: %+v", len(rows), rows[len(rows)-1])
	}
	if _, last := find(t, h, "where="); last.Done == nil || last.Done.Read != 299 {
		t.Errorf("a search: %+v", last)
	}
	// A file that is opened again must be the same.
	h.files[0].data.closeIdle()
	if err := os.WriteFile(name, data[:50], 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := h.readRecord(t.Context(), 0, 5)
	if err == nil && r.err == nil {
		t.Error("a record of a file that was replaced")
	}
}

// TestUnreadable lists files that cannot be read.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), encodeRecords(t, tfrecord.None, testRecords(t, 3, 3)), 0o666); err != nil {
		t.Fatal(err)
	}
	fsys := os.DirFS(dir)
	h, err := New([]string{"f", "none"}, &Options{FS: fsys})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if rows := allRows(t, h.files[0], 9); len(rows) != 3 {
		t.Errorf("%d rows", len(rows))
	}
	if _, _, err := h.files[1].readRows(t.Context(), 0, 1); err == nil {
		t.Error("no error for a file that does not exist")
	}
	if _, err := New(nil, nil); err == nil {
		t.Error("no error without files")
	}
	if _, err := New([]string{"a["}, nil); err == nil {
		t.Error("no error for a malformed pattern")
	}
	// An error of the file system while a file is read.
	broken := &brokenFS{fstest.MapFS{"f": {Data: encodeRecords(t, tfrecord.None, testRecords(t, 50_000, 30))}}}
	h, err = New([]string{"f"}, &Options{FS: broken})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if r, err := h.readRecord(t.Context(), 0, 3); err != nil || valueOf(t, r.data) != 3 {
		t.Errorf("before the fault: %v", err)
	}
	if _, err := h.readRecord(t.Context(), 0, 49_000); !errors.Is(err, errBroken) {
		t.Errorf("after the fault: %v", err)
	}
}

// A brokenFS has files that cannot be read after the first MiB, except for their last bytes.
type brokenFS struct{ fstest.MapFS }

var errBroken = errors.New("broken disk")

// Open implements [fs.FS].
func (b *brokenFS) Open(name string) (fs.File, error) {
	f, err := b.MapFS.Open(name)
	if err != nil {
		return nil, err
	}
	return &brokenFile{f}, nil
}

// A brokenFile is a file of a brokenFS.
type brokenFile struct{ fs.File }

// ReadAt implements [io.ReaderAt].
func (b *brokenFile) ReadAt(p []byte, off int64) (int, error) {
	info, err := b.Stat()
	if err != nil {
		return 0, err
	}
	if off > 1<<20 && off < info.Size()-(4<<10) {
		return 0, errBroken
	}
	return b.File.(io.ReaderAt).ReadAt(p, off)
}

// TestSlots fills all slots, and closes a handler while requests wait.
func TestSlots(t *testing.T) {
	h := newMemory(t, map[string][]byte{"f": encodeRecords(t, tfrecord.None, testRecords(t, 3, 3))}, &Options{Timeout: 50 * time.Millisecond}, "f")
	for range maxRequests {
		h.slots <- struct{}{}
	}
	if w := request(t, h, "/api/set"); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("status %d", w.Code)
	}
	<-h.slots
	if w := request(t, h, "/api/set"); w.Code != 200 {
		t.Errorf("status %d", w.Code)
	}
	h.Close()
	if w := request(t, h, "/api/set"); w.Code != http.StatusServiceUnavailable {
		t.Errorf("status %d after Close", w.Code)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := h.readRecord(ctx, 0, 5); err == nil {
		t.Error("a record after Close")
	}
}

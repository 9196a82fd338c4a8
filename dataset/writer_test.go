package dataset_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// recordsNamed reads the records of a file.
func recordsNamed(t *testing.T, name string) (all []string) {
	t.Helper()
	r, err := tfrecord.Open(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for rec, err := range r.All() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(rec))
	}
	return all
}

func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestCreate writes sets in every codec and with any number of workers. Each shard must have the
// records that were written to it, in order, and the bytes that tfrecord.Create writes.
func TestCreate(t *testing.T) {
	for _, codec := range tfrecord.Compressions() {
		for _, workers := range workerCounts(t, 7) {
			dir := t.TempDir()
			opts := &dataset.CreateOptions{Writer: tfrecord.WriterOptions{Compression: codec}, Workers: workers}
			w, err := dataset.Create(t.Context(), filepath.Join(dir, "a@5"), opts)
			if err != nil {
				t.Fatal(err)
			}
			want := make([][]string, 5)
			put := func(i int, rec string, err error) {
				if err != nil {
					t.Fatal(err)
				}
				want[i] = append(want[i], rec)
			}
			for i := range 2000 {
				rec := fmt.Sprintf("record %d %s", i, bytes.Repeat([]byte{byte(i)}, i%700))
				put(i%5, rec, w.WriteRecord([]byte(rec)))
			}
			for i := range 100 {
				key, rec := fmt.Append(nil, i), fmt.Sprintf("key %d", i)
				put(int(dataset.KeyHash(key)%5), rec, w.WriteShard(int(dataset.KeyHash(key)%5), []byte(rec)))
				put(i%2, rec, w.WriteShard(i%2, []byte(rec)))
			}
			if names := namesIn(t, dir); slices.ContainsFunc(names, func(n string) bool { return n[0] != '.' }) {
				t.Fatalf("before Close there are %q", names)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if names := namesIn(t, dir); len(names) != 5 {
				t.Fatalf("there are %q", names)
			}
			for i := range want {
				name := filepath.Join(dir, fmt.Sprintf("a-%05d-of-00005", i))
				if got := recordsNamed(t, name); !slices.Equal(got, want[i]) {
					t.Fatalf("%v, %d workers: shard %d has %d records, want %d, or others", codec, workers, i, len(got), len(want[i]))
				}
				alone, err := tfrecord.Create(filepath.Join(dir, "alone"), &tfrecord.WriterOptions{Compression: codec})
				if err != nil {
					t.Fatal(err)
				}
				for _, rec := range want[i] {
					if err := alone.WriteRecord([]byte(rec)); err != nil {
						t.Fatal(err)
					}
				}
				if err := alone.Close(); err != nil {
					t.Fatal(err)
				}
				got, err1 := os.ReadFile(name)
				same, err2 := os.ReadFile(filepath.Join(dir, "alone"))
				if err := errors.Join(err1, err2); err != nil {
					t.Fatal(err)
				}
				if codec != tfrecord.GZIP && codec != tfrecord.ZLIB && codec != tfrecord.ZSTD && !bytes.Equal(got, same) { // the output of these compressors depends on the sizes of writes
					t.Fatalf("%v, %d workers: shard %d has other bytes than a file by itself", codec, workers, i)
				}
			}
		}
	}
}

// TestCreateSameBytes checks that the bytes of the files do not depend on the number of workers.
func TestCreateSameBytes(t *testing.T) {
	for _, codec := range tfrecord.Compressions() {
		var want []string
		for _, workers := range []int{1, 2, 3} {
			dir := t.TempDir()
			w, err := dataset.Create(t.Context(), filepath.Join(dir, "a@3"), &dataset.CreateOptions{Writer: tfrecord.WriterOptions{Compression: codec}, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			for i := range 1000 + testkit.Rounds(2000) {
				if err := w.WriteRecord(bytes.Repeat([]byte{byte(i), byte(i >> 4)}, i%400)); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			var got []string
			for i := range 3 {
				b, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("a-%05d-of-00003", i)))
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, string(b))
			}
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%v: %d workers write other bytes than one", codec, workers)
			}
		}
	}
}

// TestCreateNothing checks that a set that is dropped leaves older files as they were.
func TestCreateNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for name, end := range map[string]func(*testing.T, *dataset.Writer){
		"abort": func(_ *testing.T, w *dataset.Writer) { w.Abort() },
		"cancel": func(t *testing.T, w *dataset.Writer) {
			cancel()
			if err := w.WriteRecord([]byte("x")); !errors.Is(err, context.Canceled) {
				t.Errorf("WriteRecord: %v", err)
			}
			if err := w.Close(); !errors.Is(err, context.Canceled) {
				t.Errorf("Close: %v", err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			old := filepath.Join(dir, "a-00001-of-00002")
			if err := os.WriteFile(old, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			use := ctx
			if name == "abort" {
				use = t.Context()
			}
			w, err := dataset.Create(use, filepath.Join(dir, "a@2"), nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.WriteRecord([]byte("x")); err != nil {
				t.Fatal(err)
			}
			end(t, w)
			if names := namesIn(t, dir); !slices.Equal(names, []string{"a-00001-of-00002"}) {
				t.Errorf("there are %q", names)
			}
			if b, err := os.ReadFile(old); string(b) != "old" || err != nil {
				t.Errorf("the old file is %q, %v", b, err)
			}
		})
	}
}

// TestCreateErrors checks which arguments are refused.
func TestCreateErrors(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a@0", "a@99999999", filepath.Join("none", "a@2")} {
		if _, err := dataset.Create(t.Context(), filepath.Join(dir, name), nil); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := dataset.Create(t.Context(), filepath.Join(dir, "a@2"), &dataset.CreateOptions{Writer: tfrecord.WriterOptions{Level: 40}}); err == nil {
		t.Error("level 40 is accepted")
	}
	if _, err := dataset.CreateNamed(t.Context(), []string{filepath.Join(dir, "a"), filepath.Join(dir, "a")}, nil); err == nil {
		t.Error("one name for two shards is accepted")
	}
	if names := namesIn(t, dir); len(names) > 0 {
		t.Errorf("errors leave %q", names)
	}
	w, err := dataset.Create(t.Context(), filepath.Join(dir, "a@2"), &dataset.CreateOptions{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteRecord(nil); err == nil {
		t.Error("a record is accepted after Close")
	}
	if err := w.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
}

// TestCreateFull checks that an error names the shard, and that no shard appears.
func TestCreateFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no device that is always full: ", err)
	}
	for _, workers := range []int{1, 2} {
		dir := t.TempDir()
		w, err := dataset.CreateNamed(t.Context(), []string{filepath.Join(dir, "good"), "/dev/full"}, &dataset.CreateOptions{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		for range 4000 {
			if err = w.WriteRecord(make([]byte, 1000)); err != nil {
				break
			}
		}
		if closed := w.Close(); err == nil || closed == nil {
			err = closed
		}
		if pe, ok := errors.AsType[*fs.PathError](err); !ok || pe.Path != "/dev/full" {
			t.Errorf("%d workers: %v", workers, err)
		}
		if names := namesIn(t, dir); len(names) > 0 {
			t.Errorf("%d workers: there are %q", workers, names)
		}
	}
}

func ExampleCreate() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	w, err := dataset.Create(ctx, filepath.Join(dir, "train@2"), &dataset.CreateOptions{Writer: tfrecord.WriterOptions{Compression: tfrecord.GZIP}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Abort() // without a Close before it, there are no files
	for i := range 5 {
		if err := w.WriteRecord(fmt.Appendf(nil, "record %d", i)); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
		return
	}
	for rec, err := range dataset.NewFiles([]string{filepath.Join(dir, "train@2")}, nil).Records(ctx).All() {
		fmt.Println(string(rec), err)
	}
	// Output:
	// record 0 <nil>
	// record 2 <nil>
	// record 4 <nil>
	// record 1 <nil>
	// record 3 <nil>
}

package tfrecord_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
	"github.com/tfparse/tfparse/tfrecord"
)

// names lists a directory.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestFiles(t *testing.T) {
	want := somePayloads(14, 300)
	for _, c := range codecs {
		name := filepath.Join(t.TempDir(), "x.tfrecord")
		w, err := tfrecord.Create(name, &tfrecord.WriterOptions{Compression: c})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range want {
			if err := w.WriteRecord(p); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v: there before Close: %v", c, err)
		}
		if err := errors.Join(w.Close(), w.Close(), w.Abort()); err != nil {
			t.Fatal(err)
		}
		if got := names(t, filepath.Dir(name)); !slices.Equal(got, []string{"x.tfrecord"}) {
			t.Errorf("%v: the directory holds %q", c, got)
		}
		r, err := tfrecord.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for p, err := range r.All() {
			if err != nil || !bytes.Equal(p, want[n]) {
				t.Fatalf("%v: record %d: %v", c, n, err)
			}
			n++
		}
		if n != len(want) || r.Pos().Name != name {
			t.Errorf("%v: %d records of %v", c, n, r.Pos())
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestCreateGivenUp(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x.tfrecord")
	fresh := func() *tfrecord.Writer {
		w, err := tfrecord.Create(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.WriteRecord([]byte("half of the data")); err != nil {
			t.Fatal(err)
		}
		return w
	}
	w := fresh()
	if err := errors.Join(w.Abort(), w.Abort(), w.Close()); err != nil || len(names(t, dir)) > 0 {
		t.Errorf("after Abort: %v, %q", err, names(t, dir))
	}
	if w.WriteRecord(nil) == nil {
		t.Error("writes after Abort")
	}
	if err := os.WriteFile(name, []byte("the old data"), 0o600); err != nil {
		t.Fatal(err)
	}
	fresh().Abort()
	if b, _ := os.ReadFile(name); string(b) != "the old data" || len(names(t, dir)) != 1 {
		t.Errorf("Abort leaves %q, %q", b, names(t, dir))
	}
	if _, err := tfrecord.Create(name, &tfrecord.WriterOptions{Compression: tfrecord.GZIP, Level: 10}); err == nil || len(names(t, dir)) != 1 {
		t.Errorf("level 10: %v, %q", err, names(t, dir))
	}
	// After a failed write the file is not replaced.
	w = fresh()
	w.BreakFile()
	if err := w.Close(); err == nil {
		t.Error("Close after a failed write returns nil")
	}
	if b, _ := os.ReadFile(name); string(b) != "the old data" || len(names(t, dir)) != 1 {
		t.Errorf("a failed write leaves %q, %q", b, names(t, dir))
	}
	// After a successful write it is.
	if err := fresh().Close(); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(name); !bytes.Equal(b, slowRecord([]byte("half of the data"))) {
		t.Errorf("%q", b)
	}
}

func TestCreateErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := tfrecord.Create(dir, nil); err == nil {
		t.Error("a directory is no file")
	}
	if _, err := tfrecord.Create(filepath.Join(dir, "none", "x"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such directory: %v", err)
	}
	if _, err := tfrecord.Open(filepath.Join(dir, "none"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such file: %v", err)
	}
	r, err := tfrecord.Open(dir, nil)
	if err == nil { // on Windows this fails
		if _, err = r.Next(); err == nil || err == io.EOF {
			t.Errorf("reading a directory: %v", err)
		}
		r.Close()
	}
}

func TestCreateKeepsLinkAndMode(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "data", "target")
	if err := os.Mkdir(filepath.Dir(target), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(target, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(target, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	w, err := tfrecord.Create(link, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.WriteRecord([]byte("x"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Lstat(link); err != nil || fi.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v", err)
	}
	fi, err := os.Stat(target)
	if err != nil || fi.Size() != 17 {
		t.Errorf("%v, %v", fi, err)
	}
	if runtime.GOOS != "windows" && fi.Mode().Perm() != 0o640 {
		t.Errorf("mode %v", fi.Mode())
	}
}

func TestCreateDevice(t *testing.T) {
	before, err := os.Stat(os.DevNull)
	if err != nil || before.Mode().IsRegular() {
		t.Skipf("%s is no device here", os.DevNull)
	}
	w, err := tfrecord.Create(os.DevNull, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.WriteRecord([]byte("x"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(os.DevNull); err != nil || after.Mode() != before.Mode() {
		t.Errorf("the device was replaced: %v, %v", after, err)
	}
}

// TestSkipSeeks: skipping does not read long payloads of a file, but detects a truncated one.
func TestSkipSeeks(t *testing.T) {
	testkit.OneGoroutine(t)
	name := filepath.Join(t.TempDir(), "x")
	long := bytes.Repeat([]byte("0123456789"), 500_000)
	want := [][]byte{[]byte("a"), long, []byte("b"), long, long, []byte("c")}
	raw := slowStream([]byte("a"))
	for _, p := range want[1:] {
		raw = tfrecord.AppendRecord(raw, p)
	}
	for cut := range 30 {
		size := len(raw)
		if cut > 0 {
			size -= 17 + cut*300_007
		}
		if size <= 0 {
			break
		}
		if err := os.WriteFile(name, raw[:size], 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := tfrecord.Open(name, &tfrecord.ReaderOptions{Name: "f"})
		if err != nil {
			t.Fatal(err)
		}
		mem := tfrecord.NewReader(bytes.NewReader(raw[:size]), &tfrecord.ReaderOptions{Name: "f"})
		for i := 0; ; i++ {
			var a, b error
			if i == 2 {
				_, a = r.Next()
				_, b = mem.Next()
			} else {
				a, b = r.Skip(), mem.Skip()
			}
			if r.Pos() != mem.Pos() || r.Offset() != mem.Offset() && a == nil {
				t.Errorf("%d bytes: at %v, next %d; in memory %v, %d", size, r.Pos(), r.Offset(), mem.Pos(), mem.Offset())
			}
			if a != nil || b != nil {
				if a == nil || b == nil || a.Error() != b.Error() || (a == io.EOF) != (cut == 0) {
					t.Errorf("%d bytes: %v; in memory %v", size, a, b)
				}
				break
			}
		}
		r.Close()
	}
	n := uint64(0)
	os.WriteFile(name, raw, 0o666)
	n = allocated(func() {
		r, err := tfrecord.Open(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for err = r.Skip(); err == nil; err = r.Skip() {
		}
		if err != io.EOF || r.Pos().Record != 5 {
			t.Errorf("%v, %v", r.Pos(), err)
		}
	})
	if n > 1<<20 {
		t.Errorf("%d bytes of memory to skip payloads of %d", n, len(long))
	}
}

// TestCreateNames: a name of maximal length, and a link to a file that does not exist yet.
func TestCreateNames(t *testing.T) {
	t.Chdir(t.TempDir())
	if runtime.GOOS == "windows" {
		t.Skip("Windows bounds the length of the whole path")
	}
	long := strings.Repeat("n", 255)
	if err := os.Mkdir("data", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("data/file", "link"); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	for _, name := range []string{long, "link"} {
		w, err := tfrecord.Create(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
	if here, there := names(t, "."), names(t, "data"); !slices.Equal(here, []string{"data", "link", long}) || !slices.Equal(there, []string{"file"}) {
		t.Errorf("got %q and %q", here, there)
	}
}

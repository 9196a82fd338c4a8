package atomicfile

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(b)
	}
	return all
}

// TestSet replaces some files and adds others. Only these remain.
func TestSet(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for _, n := range []string{"a", "b", "c"} {
		names = append(names, filepath.Join(dir, n))
	}
	if err := os.WriteFile(names[1], []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	s, err := CreateSet(names)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range s.Files {
		io.WriteString(f, names[i][len(dir)+1:])
	}
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, dir); len(got) != 3 || got["a"] != "a" || got["b"] != "b" || got["c"] != "c" {
		t.Errorf("there is %q", got)
	}
	if info, err := os.Stat(names[1]); err != nil || canRenameOpen && info.Mode().Perm() != 0o640 {
		t.Errorf("the permissions of the file that was replaced: %v, %v", info.Mode(), err)
	}
	if err := s.Commit(); err == nil {
		t.Error("a second Commit is accepted")
	}
}

// TestSetFails proves that an error while files are renamed restores all of them.
func TestSetFails(t *testing.T) {
	dir := t.TempDir()
	names := []string{filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "c")}
	for _, n := range []int{0, 2} {
		if err := os.WriteFile(names[n], []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := CreateSet(names)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Files {
		io.WriteString(f, "new")
	}
	os.Remove(s.Files[1].file.Name()) // so that it cannot be renamed
	if err := s.Commit(); err == nil {
		t.Fatal("no error")
	}
	if got := contents(t, dir); len(got) != 2 || got["a"] != "old" || got["c"] != "old" {
		t.Errorf("there is %q", got)
	}
}

// TestSetStale proves that the next process removes the files of one that died between two renames.
func TestSetStale(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	if err := os.WriteFile(hiddenName(name, 7), []byte("left"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := CreateSet([]string{name, filepath.Join(dir, "b")})
	if err != nil {
		t.Fatal(err)
	}
	s.Abort()
	if got := contents(t, dir); len(got) > 0 && canRenameOpen {
		t.Errorf("there is %q", got)
	}
}

// TestScratch proves that a temporary file keeps what is written, and is removed.
func TestScratch(t *testing.T) {
	dir := t.TempDir()
	f, err := NewScratch(filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	if got := contents(t, dir); len(got) > 0 && canRenameOpen {
		t.Errorf("while it is used there is %q", got)
	}
	io.WriteString(f, "text")
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(f); string(b) != "text" || err != nil {
		t.Errorf("read %q, %v", b, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, dir); len(got) > 0 {
		t.Errorf("it leaves %q", slices.Collect(func(yield func(string) bool) {
			for name := range got {
				yield(name)
			}
		}))
	}
	if _, err := NewScratch(filepath.Join(dir, "none", "a")); err == nil {
		t.Error("a directory that is not there is accepted")
	}
}

package outfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t *testing.T, name, text string) *File {
	t.Helper()
	f, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return f
}

func alone(t *testing.T, name string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(name))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != filepath.Base(name) {
			t.Errorf("left behind: %s", e.Name())
		}
	}
}

func TestCommit(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	for _, text := range []string{"first", "second"} { // new, then in place of the old one
		f := write(t, name, text)
		if text == "second" && content(t, name) != "first" {
			t.Error("touched before Commit")
		}
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		if got := content(t, name); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
		f.Abort() // after Commit: nothing
		if err := f.Commit(); err == nil {
			t.Error("committed twice")
		}
		alone(t, name)
	}
}

func TestAbort(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	write(t, name, "old").Commit()
	f := write(t, name, "new")
	f.Abort()
	f.Abort()
	if got := content(t, name); got != "old" {
		t.Errorf("got %q", got)
	}
	if _, err := f.Write([]byte("more")); err == nil {
		t.Error("written after Abort")
	}
	if err := f.Commit(); err == nil {
		t.Error("committed after Abort")
	}
	alone(t, name)
}

// Drop takes the file away also while a write hangs.
func TestDrop(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	write(t, name, "old").Commit()
	f := write(t, name, "new")
	f.Drop()
	alone(t, name)
	if runtime.GOOS == "windows" {
		return // an open file cannot be removed there
	}
	f = write(t, name, "new")
	f.mu.Lock() // as a write would
	f.Drop()
	f.mu.Unlock()
	alone(t, name)
	f.Abort()
	if got := content(t, name); got != "old" {
		t.Errorf("got %q", got)
	}
}

func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows keeps permissions in another way")
	}
	name := filepath.Join(t.TempDir(), "file")
	for _, perm := range []fs.FileMode{0o600, 0o666, 0o755} {
		if err := os.WriteFile(name, nil, perm); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, perm); err != nil { // whatever the umask
			t.Fatal(err)
		}
		if err := write(t, name, "x").Commit(); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != perm {
			t.Errorf("permissions %v, %v; want %v", info.Mode().Perm(), err, perm)
		}
	}
}

func TestLink(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "sub", "file"), filepath.Join(dir, "link")
	if err := os.Mkdir(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, name, "old").Commit()
	if err := os.Symlink(name, link); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	if err := write(t, link, "new").Commit(); err != nil {
		t.Fatal(err)
	}
	if got := content(t, name); got != "new" {
		t.Errorf("the file holds %q", got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link is none any more")
	}
	alone(t, name)
}

func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := Create(dir); err == nil {
		t.Error("a directory was taken for a file")
	}
	name := filepath.Join(dir, "no", "such", "file")
	_, err := Create(name)
	if pe, ok := errors.AsType[*fs.PathError](err); !ok || pe.Path != name || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// A device is written to as it stands.
func TestDevice(t *testing.T) {
	f := write(t, os.DevNull, "gone")
	if err := f.Commit(); err != nil {
		t.Error(err)
	}
	write(t, os.DevNull, "gone").Abort()
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Error("the device is a file now")
	}
}

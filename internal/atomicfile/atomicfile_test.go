package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
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
	for _, text := range []string{"first", "second"} { // first a new file, then a replacement
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
		f.Abort() // after Commit it does nothing
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

// Drop also removes the file while a write hangs.
func TestDrop(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	write(t, name, "old").Commit()
	f := write(t, name, "new")
	f.Drop()
	alone(t, name)
	if runtime.GOOS == "windows" {
		return // this system cannot remove open files
	}
	f = write(t, name, "new")
	f.mu.Lock() // like a write
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
		if err := os.Chmod(name, perm); err != nil { // for any umask
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

// A device is written to directly.
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

// A new run for the same target removes the files that killed runs have left, and no others.
func TestStale(t *testing.T) {
	t.Chdir(t.TempDir())
	long := strings.Repeat("é", 127)
	for _, target := range []string{"file", long} {
		running := write(t, target, "half") // locked
		stale := hiddenName(target, 0x12345678)
		others := []string{hiddenName("other"+target[:4], 1), "." + target[:4] + ".tmp", hiddenName(target, 1) + "~"}
		for _, name := range append(others, stale) {
			if err := os.WriteFile(name, nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		next := write(t, target, "whole")
		if _, err := os.Stat(stale); (err == nil) != (runtime.GOOS == "plan9") {
			t.Errorf("%s: %v", stale, err)
		}
		for _, name := range append(others, running.file.Name(), next.file.Name()) {
			if _, err := os.Stat(name); err != nil {
				t.Error(err)
			}
		}
		if !strings.HasPrefix(next.file.Name(), "."+target[:4]) {
			t.Errorf("%s does not name its target", next.file.Name())
		}
		for _, f := range []*File{next, running} { // the last one to end wins
			if err := f.Commit(); err != nil {
				t.Error(err)
			}
		}
		if got := content(t, target); got != "half" {
			t.Errorf("%s holds %q", target, got)
		}
	}
}

// For names of open files such as /dev/fd/3, the open file is written and not replaced.
func TestDescriptor(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		t.Skip("descriptors have no names here")
	}
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte("before "), 0o666); err != nil {
		t.Fatal(err)
	}
	open, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	fd := fmt.Sprint(open.Fd())
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("/dev/fd/"+fd, link); err != nil {
		t.Fatal(err)
	}
	for _, alias := range []string{"/dev/fd/" + fd, "/dev//fd/../fd/" + fd, link} {
		f := write(t, alias, "one ")
		alone(t, name)
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := open.WriteString("after"); err != nil { // still open
		t.Error(err)
	}
	if got := content(t, name); got != "before one one one after" {
		t.Errorf("got %q", got)
	}

	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	f := write(t, fmt.Sprintf("/dev/fd/%d", w.Fd()), "through a pipe")
	if err := errors.Join(f.Commit(), w.Close()); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(r); string(b) != "through a pipe" || err != nil {
		t.Errorf("got %q, %v", b, err)
	}
	if _, err := Create("/dev/fd/999"); err == nil {
		t.Error("a descriptor that is not open")
	}
	for name, want := range map[string]bool{"/dev/stdout": true, "/dev/fd/1": true, "/dev/fd/2": false, "/dev/stderr": false, "-": false, "stdout": false} {
		if IsStdout(name) != want {
			t.Errorf("IsStdout(%s) = %v", name, !want)
		}
	}
}

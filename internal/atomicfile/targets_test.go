package atomicfile

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// For different names: which file is written, and its content before and after Commit and after Abort. A refused
// name creates no file.
func TestTargets(t *testing.T) {
	link := func(t *testing.T, to, name string) {
		if err := os.Symlink(filepath.FromSlash(to), name); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	put := func(t *testing.T, name string, perm fs.FileMode) {
		if err := os.WriteFile(name, []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
		os.Chmod(name, perm)
	}
	dir := func(t *testing.T, name string) {
		if err := os.MkdirAll(name, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	long := strings.Repeat("n", 255)
	for _, c := range []struct {
		name, create string
		prepare      func(t *testing.T)
		want         string // where the new file must be; "" if the name is refused
	}{
		{"new", "x", nil, "x"},
		{"a name as long as it may be", long, nil, long},
		{"a name that is too long", long + "n", nil, ""},
		{"in place of another", "x", func(t *testing.T) { put(t, "x", 0o600) }, "x"},
		{"in place of one of all permissions", "x", func(t *testing.T) { put(t, "x", 0o777) }, "x"},
		{"a link", "l", func(t *testing.T) { dir(t, "d"); put(t, "d/x", 0o640); link(t, "d/x", "l") }, "d/x"},
		{"a link to nothing yet", "l", func(t *testing.T) { dir(t, "d"); link(t, "d/x", "l") }, "d/x"},
		{"links to nothing yet", "l", func(t *testing.T) { dir(t, "d/e"); link(t, "d/m", "l"); link(t, "e/x", "d/m") }, "d/e/x"},
		{"a link out of a linked directory", "s/l", func(t *testing.T) { dir(t, "d/e"); link(t, "d/e", "s"); link(t, "../x", "d/e/l") }, "d/x"},
		{"a link into no directory", "l", func(t *testing.T) { link(t, "d/x", "l") }, ""},
		{"a link to itself", "l", func(t *testing.T) { link(t, "l", "l") }, ""},
		{"a directory", "d", func(t *testing.T) { dir(t, "d") }, ""},
		{"a link to a directory", "l", func(t *testing.T) { dir(t, "d"); link(t, "d", "l") }, ""},
		{"no directory", "d/x", nil, ""},
		{"a file for a directory", "x/y", func(t *testing.T) { put(t, "x", 0o666) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && len(c.create) > 250 {
				t.Skip("Windows bounds the length of the whole path")
			}
			for _, abort := range []bool{true, false} {
				t.Chdir(t.TempDir())
				if c.prepare != nil {
					c.prepare(t)
				}
				before := tree(t)
				f, err := Create(filepath.FromSlash(c.create))
				if err != nil {
					if after := tree(t); after != before || c.want != "" {
						t.Errorf("%v, want %q, and leaves\n%s", err, c.want, after)
					}
					continue
				}
				if c.want == "" {
					t.Error("it is not refused")
				}
				if during := tree(t); len(strings.Split(during, "\n")) != len(strings.Split(before, "\n"))+1 {
					t.Errorf("under way:\n%s\nbefore:\n%s", during, before)
				}
				if abort {
					f.Abort()
					if after := tree(t); after != before {
						t.Errorf("aborted, and leaves\n%s", after)
					}
					continue
				}
				if err := f.Commit(); err != nil {
					t.Error(err)
				}
				if after := tree(t); !strings.Contains(after, "\n"+c.want+" 0 ") || strings.Contains(after, ".tmp") {
					t.Errorf("want %q, got %s", c.want, after)
				}
			}
		})
	}
}

// tree lists the files in the working directory: name, size and permissions.
func tree(t *testing.T) string {
	t.Helper()
	s := "\n"
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		size := info.Size()
		if info.Mode()&fs.ModeSymlink != 0 {
			size = -1
		}
		s += fmt.Sprintf("%s %d %v\n", filepath.ToSlash(path), size, info.Mode())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

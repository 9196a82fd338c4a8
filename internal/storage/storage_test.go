package storage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// A memory is a store of files in memory.
type memory struct{ files map[string]string }

func (m *memory) fs() fstest.MapFS {
	all := fstest.MapFS{}
	for name, text := range m.files {
		all[strings.TrimPrefix(name, "mem://")] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

type memoryFile struct {
	*bytes.Reader
	fs.File
}

func (f memoryFile) Read(p []byte) (int, error) { return f.Reader.Read(p) }

func (m *memory) Open(_ context.Context, name string) (File, error) {
	f, err := m.fs().Open(strings.TrimPrefix(name, "mem://"))
	if err != nil {
		return nil, err
	}
	return memoryFile{bytes.NewReader([]byte(m.files[name])), f}, nil
}

func (m *memory) Stat(_ context.Context, name string) (fs.FileInfo, error) {
	return m.fs().Stat(strings.TrimSuffix(strings.TrimPrefix(name, "mem://"), "/"))
}

func (m *memory) List(_ context.Context, prefix string) (found []fs.DirEntry, err error) {
	dir := prefix[:strings.LastIndexByte(prefix, '/')]
	entries, _ := m.fs().ReadDir(strings.TrimPrefix(dir, "mem://"))
	for _, e := range entries {
		if strings.HasPrefix(dir+"/"+e.Name(), prefix) {
			found = append(found, e)
		}
	}
	return found, err
}

func (m *memory) Lists() bool                   { return true }
func (m *memory) Create(string) (Output, error) { return nil, fs.ErrPermission }
func (m *memory) Remove(_ context.Context, name string) error {
	if _, ok := m.files[name]; !ok {
		return fs.ErrNotExist
	}
	delete(m.files, name)
	return nil
}
func (m *memory) Public(name string) string { return strings.Replace(name, "secret", "...", 1) }

func register(t *testing.T, names ...string) {
	m := &memory{map[string]string{}}
	for _, name := range names {
		m.files[name] = "content of " + name
	}
	Register("mem", m)
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		maps.DeleteFunc(stores, func(string, Store) bool { return true })
	})
}

// TestGlob compares globs in a store with those of package filepath on the same tree.
func TestGlob(t *testing.T) {
	names := []string{"b/a/x-1", "b/a/x-2", "b/a/y", "b/c/x-1", "b/c/d/x-1", "b/x-1", "b/[z]", "b/.h"}
	var remote []string
	for _, name := range names {
		remote = append(remote, "mem://"+name)
	}
	register(t, remote...)
	dir := t.TempDir()
	for _, name := range names {
		local := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(local), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(local, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, pattern := range []string{"b/*", "b/a/x-*", "b/*/x-1", "b/?/x-?", "b/[ac]/*", "b/c/*/x-1", "b/*/d/x-1", "b/*/d", "b/none*", "b/no/x*", "b/a/x-1", "b/*/none", `b/\[z]`, "b/x*1"} {
		local, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, name := range local {
			rel, _ := filepath.Rel(dir, name)
			want = append(want, "mem://"+filepath.ToSlash(rel))
		}
		if filepath.Separator == '\\' && strings.Contains(pattern, `\`) {
			want = []string{"mem://b/[z]"}
		}
		got, err := Glob(t.Context(), "mem://"+pattern)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v, want %q", pattern, got, err, want)
		}
	}
	if _, err := Glob(t.Context(), "mem://b/["); err == nil {
		t.Error("a malformed pattern is accepted")
	}
}

func TestNames(t *testing.T) {
	register(t, "mem://b/d/x")
	for _, c := range []struct{ got, want string }{
		{Join("mem://b/d", "x", "y"), "mem://b/d/x/y"},
		{Join("mem://b/", "x"), "mem://b/x"},
		{Dir("mem://b/d/x"), "mem://b/d"},
		{Dir("mem://b/d/"), "mem://b"},
		{Dir("mem://b"), "mem://b"},
		{Clean("mem://b/d//"), "mem://b/d"},
		{Public("mem://b/secret"), "mem://b/..."},
		{Public("other://b/secret"), "other://b/secret"},
		{Join("a", "b"), filepath.Join("a", "b")},
		{Dir("a/b"), filepath.Dir("a/b")},
		{Clean("a//b"), filepath.Clean("a//b")},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	if !Remote("mem://b/x") || Remote("other://b/x") || Remote("mem:/b") || Remote("b/x") {
		t.Error("Remote is for names with the scheme of a store")
	}
	if !IsPattern("mem://b/*") || IsPattern("mem://b/x") {
		t.Error("IsPattern")
	}
	if !Exists("mem://b/d/x") || !Exists("mem://b/d") || Exists("mem://b/y") {
		t.Error("Exists")
	}
	b, err := ReadFile("mem://b/d/x")
	if err != nil || string(b) != "content of mem://b/d/x" {
		t.Errorf("ReadFile: %q, %v", b, err)
	}
	f, err := Open("mem://b/d/x")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Name() != "x" {
		t.Errorf("Stat: %v, %v", info, err)
	}
	if b, err := io.ReadAll(f); err != nil || len(b) == 0 {
		t.Errorf("%q, %v", b, err)
	}
	if err := Remove(t.Context(), "mem://b/d/y"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Remove: %v", err)
	}
	entries, err := ReadDir(t.Context(), "mem://b/")
	if err != nil || len(entries) != 1 || !entries[0].IsDir() {
		t.Errorf("ReadDir: %v, %v", entries, err)
	}
	local := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(local, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mem://b/d/x", local} {
		if err := Remove(t.Context(), name); err != nil || Exists(name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

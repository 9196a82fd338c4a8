package lint

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

const module = "github.com/tfparse/tfparse"

// A tree is the files of the repository, or of a sample.
type tree struct {
	fsys   fs.FS
	names  []string        // with slashes, sorted
	parsed func() []goFile // the Go files; see goFiles
}

// repository is the files that git knows. Where there is no git, as in a
// module that was downloaded, it is every file.
func repository(t *testing.T) tree {
	t.Helper()
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	r := tree{fsys: os.DirFS(root)}
	if _, err := os.Stat(filepath.Join(root, ".git")); err == nil {
		_, _ = os.Stat(filepath.Join(root, ".git", "index")) // so that a cached result is dropped when a file is added
		git := exec.Command("git", "ls-files", "-z")
		git.Dir = root
		if out, err := git.Output(); err == nil {
			for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
				if info, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err == nil && info.Mode().IsRegular() {
					r.names = append(r.names, name)
				}
			}
		} else {
			t.Logf("git ls-files: %v; looking at every file", err)
		}
	}
	if r.names == nil {
		r.names = walk(t, r.fsys)
	}
	slices.Sort(r.names)
	return r.parsing()
}

func walk(t *testing.T, fsys fs.FS) (names []string) {
	t.Helper()
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == ".git" {
			return fs.SkipDir
		}
		if err == nil && d.Type().IsRegular() {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// sample is a tree of the given files.
func sample(files map[string]string) tree {
	m := fstest.MapFS{}
	var names []string
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
		names = append(names, name)
	}
	slices.Sort(names)
	return tree{fsys: m, names: names}.parsing()
}

// parsing lets all rules share what goFiles parses.
func (r tree) parsing() tree {
	r.parsed = sync.OnceValue(r.parse)
	return r
}

func (r tree) read(name string) []byte {
	b, err := fs.ReadFile(r.fsys, name)
	if err != nil {
		return nil // gone since it was listed
	}
	return b
}

func (r tree) has(name string) bool { return slices.Contains(r.names, name) }

// A goFile is a parsed file of Go. Build constraints are not looked at: a rule
// holds for every system and every tag.
type goFile struct {
	name      string
	dir       string // "." is the root
	test      bool
	generated bool
	lines     int
	fset      *token.FileSet
	ast       *ast.File
}

// goFiles returns every Go file outside of testdata. A file that cannot be
// parsed is a fault of its own, which the compiler reports better.
func (r tree) goFiles() []goFile { return r.parsed() }

func (r tree) parse() []goFile {
	var files []goFile
	for _, name := range r.names {
		if path.Ext(name) != ".go" || slices.Contains(strings.Split(name, "/"), "testdata") {
			continue
		}
		src := r.read(name)
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		files = append(files, goFile{
			name: name, dir: path.Dir(name), test: strings.HasSuffix(name, "_test.go"), generated: ast.IsGenerated(f),
			lines: bytes.Count(src, []byte("\n")), fset: fset, ast: f,
		})
	}
	return files
}

// inRoot reports whether a folder belongs to the root module.
func (r tree) inRoot(dir string) bool {
	for ; dir != "."; dir = path.Dir(dir) {
		if r.has(path.Join(dir, "go.mod")) {
			return false
		}
	}
	return true
}

// below reports whether dir is one of the parents or lies below it.
func below(dir, parent string) bool {
	return dir == parent || parent == "." || strings.HasPrefix(dir, parent+"/")
}

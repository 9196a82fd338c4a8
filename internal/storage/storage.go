// Package storage opens, lists and creates files by name: the files of the operating system, and those of stores that a program
// registers for a scheme, such as gs://.
//
// Everything that takes the name of a file uses it: the patterns of internal/filelist, the outputs of internal/atomicfile,
// tfrecord.Open, package dataset, and the command. So a program that registers a store can use its names in all of these. Without a
// registered store every name is one of the operating system.
package storage

import (
	"context"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A File is an open file. An *os.File is one.
type File interface {
	io.ReadCloser
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// A Store has files outside of the operating system. Methods get whole names, with scheme and "://"; a "/"
// separates directories; a directory exists while there is a file in it. A Store is safe for concurrent use. Errors
// wrap those of package io/fs of the same meaning. Errors and returned names never contain credentials.
type Store interface {
	// Open opens a file. All bytes are of one version of the file: if it changes meanwhile, reading fails. Requests
	// end when ctx is done.
	Open(ctx context.Context, name string) (File, error)
	// Stat returns the attributes of a file or directory.
	Stat(ctx context.Context, name string) (fs.FileInfo, error)
	// List returns the files and directories whose names begin with prefix and have no "/" after it, sorted by name;
	// no error if there are none. The entries have the names in the directory.
	List(ctx context.Context, prefix string) ([]fs.DirEntry, error)
	Lists() bool // Lists reports whether List can find files. If not, no name is a pattern.
	// Create begins a file.
	Create(name string) (Output, error)
	// Remove removes a file. For a missing file a store may return nil instead of fs.ErrNotExist.
	Remove(ctx context.Context, name string) error
	// Public returns a name for output, without credentials, that opens the same file.
	Public(name string) string
}

// An Output is a file of a store that is being written:
//
//	writing     Write; Stage: staged; Abort: gone
//	staged      everything is uploaded; Commit: committed; Abort: gone
//	committed   the file has its name, and replaced one of that name; Undo: gone; Abort does nothing
//
// If several Outputs are written under one name, as by attempts at the same work, the last complete file stays.
type Output interface {
	io.Writer
	Stage() error // Stage does everything that can be done before Commit. Nothing is written after it.
	// Commit gives the file its name.
	Commit() error
	Undo() error // Undo removes the file that Commit has made.
	// Abort drops what was written. Any goroutine may call it at any time; it ends a Write, Stage or Commit in
	// progress. After Commit it does nothing.
	Abort()
}

var (
	mu     sync.RWMutex
	stores = map[string]Store{}
	notify func(text string)
)

// Register makes s the store for names with a scheme, such as "gs". It replaces an earlier store of the scheme.
func Register(scheme string, s Store) {
	mu.Lock()
	defer mu.Unlock()
	stores[scheme] = s
}

// Schemes returns the schemes of the registered stores, sorted.
func Schemes() []string {
	mu.RLock()
	defer mu.RUnlock()
	return slices.Sorted(maps.Keys(stores))
}

// storeOf returns the store of a name, nil for files of the operating system.
func storeOf(name string) Store {
	scheme, _, ok := strings.Cut(name, "://")
	if !ok {
		return nil
	}
	mu.RLock()
	defer mu.RUnlock()
	return stores[scheme]
}

// Remote reports whether a name belongs to a registered store.
func Remote(name string) bool { return storeOf(name) != nil }

// Public returns a name for output in place of one that may contain credentials. Both open the same file.
func Public(name string) string {
	if s := storeOf(name); s != nil {
		return s.Public(name)
	}
	return name
}

// Open is os.Open, for stores too.
func Open(name string) (File, error) { return OpenContext(context.Background(), name) }

// OpenContext is Open; reading from a store ends when ctx is done.
func OpenContext(ctx context.Context, name string) (File, error) {
	if s := storeOf(name); s != nil {
		return s.Open(ctx, name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err // not f, which is a nil pointer in an interface
	}
	return f, nil
}

// Stat is os.Stat, for stores too.
func Stat(name string) (fs.FileInfo, error) { return StatContext(context.Background(), name) }

// StatContext is Stat; requests to a store end when ctx is done.
func StatContext(ctx context.Context, name string) (fs.FileInfo, error) {
	if s := storeOf(name); s != nil {
		return s.Stat(ctx, name)
	}
	return os.Stat(name)
}

// Exists reports whether there is a file, a directory or a link of that name.
func Exists(name string) bool {
	var err error
	if s := storeOf(name); s != nil {
		_, err = s.Stat(context.Background(), name)
	} else {
		_, err = os.Lstat(name)
	}
	return err == nil
}

// ReadFile is os.ReadFile, for stores too.
func ReadFile(name string) ([]byte, error) {
	if storeOf(name) == nil {
		return os.ReadFile(name)
	}
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Create begins a file of a store. The name must be Remote. Package atomicfile calls it, and begins the files of
// the operating system itself.
func Create(name string) (Output, error) { return storeOf(name).Create(name) }

// Remove is os.Remove, for stores too.
func Remove(ctx context.Context, name string) error {
	if s := storeOf(name); s != nil {
		return s.Remove(ctx, name)
	}
	return os.Remove(name)
}

// Notify makes f the function that [Notice] calls, until restore is called.
func Notify(f func(text string)) (restore func()) {
	mu.Lock()
	defer mu.Unlock()
	before := notify
	notify = f
	return func() {
		mu.Lock()
		defer mu.Unlock()
		notify = before
	}
}

// Notice shows the user, if there is a terminal, why a store waits.
func Notice(text string) {
	mu.RLock()
	f := notify
	mu.RUnlock()
	if f != nil {
		f(text)
	}
}

// Join is filepath.Join, for names of stores too.
func Join(dir string, elem ...string) string {
	if storeOf(dir) == nil {
		return filepath.Join(append([]string{dir}, elem...)...)
	}
	return strings.TrimRight(dir, "/") + "/" + path.Join(elem...)
}

// Clean is filepath.Clean. It removes trailing slashes from a name in a store.
func Clean(name string) string {
	if storeOf(name) == nil {
		return filepath.Clean(name)
	}
	return strings.TrimRight(name, "/")
}

// Dir is filepath.Dir, for names of stores too.
func Dir(name string) string {
	if storeOf(name) == nil {
		return filepath.Dir(name)
	}
	name = strings.TrimRight(name, "/")
	if i := strings.LastIndexByte(name, '/'); i > strings.Index(name, "://")+len("://") {
		return name[:i]
	}
	return name
}

// ReadDir is os.ReadDir, for stores too. Requests to a store end when ctx is done.
func ReadDir(ctx context.Context, name string) ([]fs.DirEntry, error) {
	if s := storeOf(name); s != nil {
		return s.List(ctx, strings.TrimRight(name, "/")+"/")
	}
	return os.ReadDir(name)
}

// IsPattern reports whether a name has a character that makes it a glob, as package filepath defines them. A name
// in a store that cannot list its files is never a glob.
func IsPattern(name string) bool {
	if s := storeOf(name); s != nil {
		return s.Lists() && strings.ContainsAny(name, `*?[\`)
	}
	meta := `*?[\`
	if filepath.Separator == '\\' {
		meta = `*?[`
	}
	return strings.ContainsAny(name, meta)
}

// IsURL reports whether a name belongs to a store that cannot list its files, where it may have a query.
func IsURL(name string) bool {
	s := storeOf(name)
	return s != nil && !s.Lists()
}

// Glob is filepath.Glob, for stores too. It returns the errors of listing the files of a store. Requests to a store
// end when ctx is done.
func Glob(ctx context.Context, pattern string) ([]string, error) {
	s := storeOf(pattern)
	if s == nil {
		return filepath.Glob(pattern)
	}
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, err
	}
	if !IsPattern(pattern) {
		if _, err := s.Stat(ctx, pattern); err != nil {
			return nil, nil
		}
		return []string{pattern}, nil
	}
	return glob(ctx, s, "", pattern)
}

// glob returns the names that begin with dir, which is not a pattern, and continue with a match of rest.
func glob(ctx context.Context, s Store, dir, rest string) (all []string, err error) {
	at := strings.IndexAny(rest, `*?[\`)
	if at < 0 {
		if _, err := s.Stat(ctx, dir+rest); err != nil {
			return nil, nil
		}
		return []string{dir + rest}, nil
	}
	begin := strings.LastIndexByte(rest[:at], '/') + 1
	end := len(rest)
	if i := strings.IndexByte(rest[at:], '/'); i >= 0 {
		end = at + i
	}
	dir += rest[:begin]
	// Only names that begin as the pattern does are listed.
	entries, err := s.List(ctx, dir+rest[begin:at])
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		ok, err := path.Match(rest[begin:end], e.Name())
		switch {
		case err != nil:
			return nil, err
		case !ok:
		case end == len(rest):
			all = append(all, dir+e.Name())
		case e.IsDir():
			below, err := glob(ctx, s, dir+e.Name()+"/", rest[end+1:])
			if err != nil {
				return nil, err
			}
			all = append(all, below...)
		}
	}
	return all, nil
}

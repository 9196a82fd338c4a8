// Package storage opens, lists and creates files by name: the files of the system, and those of stores that a program
// registers for a scheme, such as gs://.
//
// Everything that takes the name of a file goes through it: the patterns of internal/filelist, the outputs of
// internal/atomicfile, tfrecord.Open, package dataset, and the command. So a program that registers a store can
// use its names in all of these. Where no store is registered, every name is one of the system.
package storage

import (
	"context"
	"io"
	"io/fs"
	"maps"
	"os"
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

// A Store has files that are not of the system. Its names are given to it whole, with scheme and "://"; a "/" divides
// directories; a directory exists while a file is in it. It is safe for concurrent use. Errors
// wrap those of package io/fs where they mean the same. No error, and no name that it returns, has credentials in it.
type Store interface {
	// Open opens a file. What is read is one version of it: if it is changed meanwhile, reading fails.
	// Requests end when ctx is done.
	Open(ctx context.Context, name string) (File, error)
	// Stat returns the attributes of a file or directory.
	Stat(ctx context.Context, name string) (fs.FileInfo, error)
	// List returns the files and directories whose names begin with prefix and have no "/" behind it, in the
	// order of their names, none without an error if there are none. The names of the entries are those in the directory.
	List(ctx context.Context, prefix string) ([]fs.DirEntry, error)
	// Lists reports whether List can find anything. If not, no name is a pattern.
	Lists() bool
	// Create begins a file.
	Create(name string) (Output, error)
	// Remove removes a file. A store may be unable to say that there was none.
	Remove(ctx context.Context, name string) error
	// Public returns the name under which a file is shown and opened, which differs if the name has credentials in it.
	Public(name string) string
}

// An Output is a file of a store under way. It has no name before Commit, which replaces a file of that name: of several that are
// written at once, as by attempts at the same work, the last one stays, whole.
type Output interface {
	io.Writer
	// Stage does as much as can be done before Commit. Nothing is written after it.
	Stage() error
	// Commit gives the file its name.
	Commit() error
	// Undo removes the file that Commit has made.
	Undo() error
	// Abort drops what was written. It may be called at any time by any goroutine, and ends a Write, Stage or
	// Commit that is under way. After Commit it does nothing.
	Abort()
}

var (
	mu     sync.RWMutex
	stores = map[string]Store{}
	notify func(text string)
)

// Register makes a store the one of the names with a scheme, as "gs". Another one with this scheme is replaced.
func Register(scheme string, s Store) {
	mu.Lock()
	defer mu.Unlock()
	stores[scheme] = s
}

// Schemes returns the schemes that stores are registered for, as "gs", sorted.
func Schemes() []string {
	mu.RLock()
	defer mu.RUnlock()
	return slices.Sorted(maps.Keys(stores))
}

// of returns the store that a name belongs to, nil for the files of the system.
func of(name string) Store {
	scheme, _, ok := strings.Cut(name, "://")
	if !ok {
		return nil
	}
	mu.RLock()
	defer mu.RUnlock()
	return stores[scheme]
}

// Remote reports whether a name is one of a registered store.
func Remote(name string) bool { return of(name) != nil }

// Public returns the name to show in place of one that may have credentials in it. Both can be opened.
func Public(name string) string {
	if s := of(name); s != nil {
		return s.Public(name)
	}
	return name
}

// Open is that of package os.
func Open(name string) (File, error) { return OpenContext(context.Background(), name) }

// OpenContext is Open; of a store, reading ends when ctx is done.
func OpenContext(ctx context.Context, name string) (File, error) {
	if s := of(name); s != nil {
		return s.Open(ctx, name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err // not f, which is a nil pointer in an interface
	}
	return f, nil
}

// Stat is that of package os.
func Stat(name string) (fs.FileInfo, error) { return StatContext(context.Background(), name) }

// StatContext is Stat; requests to a store end when ctx is done.
func StatContext(ctx context.Context, name string) (fs.FileInfo, error) {
	if s := of(name); s != nil {
		return s.Stat(ctx, name)
	}
	return os.Stat(name)
}

// Exists reports whether there is a file, a directory or a link of that name.
func Exists(name string) bool {
	var err error
	if s := of(name); s != nil {
		_, err = s.Stat(context.Background(), name)
	} else {
		_, err = os.Lstat(name)
	}
	return err == nil
}

// ReadFile is that of package os.
func ReadFile(name string) ([]byte, error) {
	if of(name) == nil {
		return os.ReadFile(name)
	}
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Create begins a file of a store. The name must be Remote. A file of the system is begun by package atomicfile, which
// calls this for the others.
func Create(name string) (Output, error) { return of(name).Create(name) }

// Remove removes a file, as that of package os, for files that a program itself has made.
func Remove(ctx context.Context, name string) error {
	if s := of(name); s != nil {
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

// Notice tells the person at the terminal, if there is one, why a store waits.
func Notice(text string) {
	mu.RLock()
	f := notify
	mu.RUnlock()
	if f != nil {
		f(text)
	}
}

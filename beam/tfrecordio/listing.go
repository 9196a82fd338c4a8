package tfrecordio

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// A listing shows a file system of Beam to internal/filelist, as an fs.FS that nothing can be opened in. Its names
// lack the scheme. Such file systems have no directories: a name is one if there are files below it.
type listing struct {
	ctx    context.Context
	fsys   filesystem.Interface
	scheme string
	known  map[string]bool // files that were listed: the matches of a glob are not looked up one by one
}

// list returns the names that match a pattern, without the scheme.
func (l *listing) list(pattern string) ([]string, error) {
	names, err := l.fsys.List(l.ctx, l.scheme+pattern)
	if err != nil {
		return nil, err
	}
	for i, n := range names {
		names[i] = strings.TrimPrefix(n, l.scheme)
		l.known[names[i]] = true
	}
	return names, nil
}

// Open implements [fs.FS].
func (l *listing) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: l.scheme + name, Err: errors.ErrUnsupported}
}

// Stat implements [fs.StatFS].
func (l *listing) Stat(name string) (fs.FileInfo, error) {
	if l.known[name] {
		return entry{name: name}, nil
	}
	missing := &fs.PathError{Op: "stat", Path: l.scheme + name, Err: fs.ErrNotExist}
	if strings.ContainsAny(name, `*?[\`) {
		return nil, missing
	}
	for _, pattern := range []string{name, strings.TrimSuffix(name, "/") + "/*"} {
		found, err := l.list(pattern)
		switch {
		case err != nil:
			return nil, &fs.PathError{Op: "stat", Path: l.scheme + name, Err: err}
		case l.known[name]:
			return entry{name: name}, nil
		case len(found) > 0 && pattern != name:
			return entry{name: name, dir: true}, nil
		}
	}
	return nil, missing
}

// ReadDir implements [fs.ReadDirFS].
func (l *listing) ReadDir(name string) ([]fs.DirEntry, error) {
	found, err := l.list(strings.TrimSuffix(name, "/") + "/*")
	if err != nil {
		return nil, &fs.PathError{Op: "readdir", Path: l.scheme + name, Err: err}
	}
	var all []fs.DirEntry
	for _, n := range found {
		all = append(all, fs.FileInfoToDirEntry(entry{name: n}))
	}
	return all, nil
}

// Glob implements [fs.GlobFS].
func (l *listing) Glob(pattern string) ([]string, error) { return l.list(pattern) }

// An entry is a file or a directory of a listing.
type entry struct {
	name string
	dir  bool
}

func (e entry) Name() string       { return path.Base(e.name) }
func (e entry) Size() int64        { return 0 }
func (e entry) ModTime() time.Time { return time.Time{} }
func (e entry) IsDir() bool        { return e.dir }
func (e entry) Sys() any           { return nil }
func (e entry) Mode() fs.FileMode {
	if e.dir {
		return fs.ModeDir
	}
	return 0
}

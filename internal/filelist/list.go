// Package filelist expands the names and patterns that a user gives into files.
//
// A pattern is the first of these that applies:
//
//   - "-", standard input;
//   - the name of an existing file, which is that file, or of a directory, which is its regular files in the order
//     of their names. Left out are names that begin with "." or "_" (marks of job runners, such as _SUCCESS), files
//     whose name or content is not that of TFRecords (features.json, the index train.index, a text named
//     vocabulary), and files in deeper directories;
//   - a sharded name: "train@3" and "train@3.gz" are train-00000-of-00003 to train-00002-of-00003, with the extension at the end
//     of each;
//   - a glob of *, ? and [...], which must match something, and whose wildcards do not match a leading "." (as in a shell); "**",
//     which means any number of directories in other programs, is an error;
//   - a name that does not exist, which is left for the reader to report.
//
// So a file whose name looks like a pattern wins over the pattern. List.LeftOut has the files that are left out;
// IsCompanion reports whether such a file accompanies TFRecords and has no records.
//
// Shards are ordered by their index, other names by their bytes. Shards are recognized with any padding, such as
// train-1-of-3; sharded names have five digits, as TensorFlow writes them.
//
// The names of a set of shards contain its size, so missing and surplus shards are detected: List.Broken has every incomplete set
// from a glob, a directory or a sharded name, and every set with an index beyond its size. The caller decides what to do about them.
//
// A pattern without matches becomes a File with an error, in the order of the patterns. A reader that skips damage
// can skip it and read the other files.
package filelist

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/internal/storage"
)

// Stdin is the pattern for standard input.
const Stdin = "-"

// ErrNoMatch is the error of a File for a glob without matches or for a directory without files.
var ErrNoMatch = errors.New("no such files")

// A File is one file to read, or a pattern without matches.
type File struct {
	Name string
	Err  error     // why there is nothing to open; nil for a file, which may still fail to open
	Set  *SetError // for a missing shard: its set
}

// A List is the files that patterns expand to.
type List struct {
	Files   []File
	Broken  []*SetError // sets with missing shards, which are also in Files, or with surplus shards
	LeftOut []string    // files of directories left out for their names or content; see IsCompanion
}

// Options are the settings of [Lister.List]. A nil *Options selects the defaults.
type Options struct {
	// AnyName keeps the files of a directory whose names or content are not those of TFRecords. Names that begin with
	// "." or "_" are still left out.
	AnyName bool
	// CSV keeps the files of a directory whose names are those of CSV, and does not inspect content.
	CSV bool
	// Named also checks sets of which two or more shards are named one by one, as a shell does when it expands a glob.
	// A single shard may be read alone.
	Named bool
}

// A Lister looks up names in a file system. The zero Lister has no file system: every name counts as a file, and
// only names of sets of shards are expanded.
type Lister struct {
	stat       func(name string) (fs.FileInfo, error)   // nil for the zero Lister
	readDir    func(name string) ([]fs.DirEntry, error) // nil for the zero Lister, as glob, open and join
	glob       func(pattern string) ([]string, error)   // matches; a directory that cannot be read has none
	open       func(name string) (io.ReadCloser, error) // to inspect the content of a file
	join       func(dir string, elem ...string) string  // elements of a path
	isGlob     func(name string) bool                   // reports whether a name is a glob
	separators string                                   // characters that separate the elements of a path
}

// System returns a Lister for the files of the operating system and of the stores that are registered in package
// storage. Requests to a store end when ctx is done; the results of the Lister are invalid then.
func System(ctx context.Context) *Lister {
	l := &Lister{
		stat:    func(name string) (fs.FileInfo, error) { return storage.StatContext(ctx, name) },
		readDir: func(name string) ([]fs.DirEntry, error) { return storage.ReadDir(ctx, name) },
		glob:    func(pattern string) ([]string, error) { return storage.Glob(ctx, pattern) },
		open:    func(name string) (io.ReadCloser, error) { return storage.OpenContext(ctx, name) },
		join:    storage.Join, isGlob: storage.IsPattern, separators: "/",
	}
	if runtime.GOOS == "windows" {
		l.separators = `/\`
	}
	return l
}

// FS returns a Lister for the files of fsys.
func FS(fsys fs.FS) *Lister {
	return &Lister{
		stat:    func(name string) (fs.FileInfo, error) { return fs.Stat(fsys, path.Clean(name)) },
		readDir: func(name string) ([]fs.DirEntry, error) { return fs.ReadDir(fsys, path.Clean(name)) },
		glob:    func(pattern string) ([]string, error) { return fs.Glob(fsys, pattern) },
		open:    func(name string) (io.ReadCloser, error) { return fsys.Open(path.Clean(name)) },
		join:    func(dir string, elem ...string) string { return path.Join(append([]string{dir}, elem...)...) },
		isGlob:  func(name string) bool { return strings.ContainsAny(name, `*?[\`) }, separators: "/",
	}
}

// List expands patterns, in order. Its error is a mistake in the patterns themselves: such as a malformed pattern,
// a set of 0 shards, or standard input twice.
func (l *Lister) List(patterns []string, opts *Options) (*List, error) {
	if opts == nil {
		opts = &Options{}
	}
	e := expansion{Lister: l, opts: opts, sizedSets: map[setKey]bool{}}
	stdin := false
	for _, p := range patterns {
		if data, ok := strings.CutSuffix(p, indexExtension); ok && slices.Contains(patterns, data) {
			continue // a shell expanded a glob that matches both data and index; the index is not data
		}
		if p == Stdin {
			if stdin {
				return nil, errors.New("standard input (-) is named twice")
			}
			stdin = true
			e.Files = append(e.Files, File{Name: Stdin})
			e.byName = append(e.byName, true)
			continue
		}
		before := len(e.Files)
		literal, err := e.expandPattern(p)
		if err != nil {
			return nil, err
		}
		for range e.Files[before:] {
			e.byName = append(e.byName, literal)
		}
	}
	e.checkCompleteness()
	return &e.List, nil
}

// expansion is a List that is being made.
type expansion struct {
	*Lister
	List
	opts      *Options
	byName    []bool          // for each of Files: the pattern was the name of the file
	sizedSets map[setKey]bool // sets that were named with their size, such as train@3
}

// expandPattern appends the files of one pattern. literal: the pattern is the name of a file. The error is a
// mistake in the pattern.
func (e *expansion) expandPattern(pattern string) (literal bool, err error) {
	if pattern == "" {
		return false, errors.New("an empty file name")
	}
	if storage.IsURL(pattern) && !IsSharded(pattern) { // its store cannot list files: opening it finds out whether it exists
		e.Files = append(e.Files, File{Name: pattern})
		return true, nil
	}
	if e.exists(pattern) {
		return !e.addExisting(pattern), nil
	}
	if ok, err := e.addSharded(pattern); ok || err != nil {
		return false, err
	}
	if e.isGlob == nil || !e.isGlob(pattern) {
		e.Files = append(e.Files, File{Name: pattern})
		return true, nil
	}
	if slices.Contains(strings.FieldsFunc(pattern, func(r rune) bool { return strings.ContainsRune(e.separators, r) }), "**") {
		// In other programs ** matches any number of directories, in Go's globs one.
		return false, fmt.Errorf("%s: ** is not supported; try $(find DIR -name '*.tfrecord')", pattern)
	}
	matches, err := e.glob(pattern)
	if errors.Is(err, path.ErrBadPattern) || errors.Is(err, filepath.ErrBadPattern) {
		return false, fmt.Errorf("%s: malformed pattern", pattern)
	} else if err != nil { // err is that of a store
		e.Files = append(e.Files, File{Name: pattern, Err: withoutPath(err)})
		return false, nil
	}
	// A glob treats a directory that cannot be read as empty.
	unreadable := e.unreadableDirs(pattern)
	matches = slices.DeleteFunc(matches, func(m string) bool { return e.matchesHidden(pattern, m) || isIndexMatch(pattern, m) })
	if len(matches) == 0 && len(unreadable) == 0 {
		unreadable = []File{{Name: pattern, Err: ErrNoMatch}}
	}
	slices.SortFunc(matches, e.compareNames)
	for _, m := range matches {
		e.addExisting(m)
	}
	e.Files = append(e.Files, unreadable...)
	return false, nil
}

// addExisting appends the files of an existing name, and reports whether it is a directory.
func (e *expansion) addExisting(name string) (dir bool) {
	if info, err := e.stat(name); err != nil || !info.IsDir() {
		e.Files = append(e.Files, File{Name: name})
		return false
	}
	found, err := e.readDir(name)
	if err != nil {
		e.Files = append(e.Files, File{Name: name, Err: withoutPath(err)})
		return true
	}
	var names, leftOut, dirs []string
	others := false // files other than marks are left out
	for _, d := range found {
		if strings.HasPrefix(d.Name(), ".") {
			continue
		}
		full := e.join(name, d.Name())
		// Stat, because an entry may be a link to a file.
		if info, err := e.stat(full); err == nil && !info.Mode().IsRegular() {
			if info.IsDir() {
				dirs = append(dirs, d.Name())
			}
			continue
		}
		mark := strings.HasPrefix(d.Name(), "_")
		other := !mark && !e.opts.AnyName && OtherFormat(d.Name()) && !(e.opts.CSV && IsCSV(d.Name()))
		if mark || other {
			leftOut = append(leftOut, full)
			others = others || other
			continue
		}
		names = append(names, full)
	}
	if !e.opts.AnyName && !e.opts.CSV { // CSV is text
		text := e.findTexts(names)
		names = slices.DeleteFunc(names, func(n string) bool { return slices.Contains(text, n) })
		leftOut = append(leftOut, text...)
		others = others || text != nil
	}
	slices.SortFunc(leftOut, e.compareNames)
	for _, n := range leftOut {
		if data, ok := strings.CutSuffix(n, indexExtension); !ok || !slices.Contains(names, data) { // the index of a listed file has no other use
			e.LeftOut = append(e.LeftOut, n)
		}
	}
	if len(names) == 0 {
		err := fmt.Errorf("%w in the directory", ErrNoMatch)
		switch {
		case others:
			err = fmt.Errorf("%w in the directory that could be TFRecords", ErrNoMatch)
		case len(dirs) > 0:
			err = fmt.Errorf("%w in the directory itself; name one of its directories: %s", ErrNoMatch, listFirst(dirs))
		}
		e.Files = append(e.Files, File{Name: name, Err: err})
		return true
	}
	slices.SortFunc(names, e.compareNames)
	for _, n := range names {
		e.Files = append(e.Files, File{Name: n})
	}
	return true
}

// listFirst lists the first names, and the number of the others.
func listFirst(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// exists reports whether there is a file or directory of that name.
func (l *Lister) exists(name string) bool {
	if l.stat == nil {
		return false
	}
	_, err := l.stat(name)
	return err == nil
}

// unreadableDirs returns the directories that a glob has to read and that cannot be read.
func (l *Lister) unreadableDirs(pattern string) (all []File) {
	if storage.Remote(pattern) {
		return nil // the glob of a store returns the error
	}
	dirs := []string{""}
	if dir, _ := l.splitName(pattern); dir != "" {
		dirs = []string{dir}
		if l.isGlob(dir) {
			trimmed := strings.TrimRight(dir, l.separators)
			dirs, _ = l.glob(trimmed)
			all = l.unreadableDirs(trimmed)
		}
	}
	for _, dir := range dirs {
		name := strings.TrimRight(dir, l.separators)
		switch {
		case dir == "":
			name = "."
		case name == "":
			name = dir // the root
		}
		if info, err := l.stat(name); err == nil && !info.IsDir() {
			continue
		}
		if _, err := l.readDir(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = append(all, File{Name: name, Err: withoutPath(err)})
		}
	}
	return all
}

// matchesHidden reports whether a wildcard at the beginning of a path element has matched a leading ".".
func (l *Lister) matchesHidden(pattern, match string) bool {
	for pattern != "" && match != "" {
		var p, m string
		pattern, p = l.splitName(pattern)
		match, m = l.splitName(match)
		if strings.HasPrefix(m, ".") && p != "" && strings.ContainsRune("*?[", rune(p[0])) {
			return true
		}
		pattern, match = strings.TrimRight(pattern, l.separators), strings.TrimRight(match, l.separators)
	}
	return false
}

// splitName splits a name after its last separator.
func (l *Lister) splitName(name string) (dir, file string) {
	if l.separators == `/\` {
		return filepath.Split(name) // handles volume names
	}
	return path.Split(name)
}

// withoutPath drops the operation and the path from an error of a file system, for a File, which has the name.
func withoutPath(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

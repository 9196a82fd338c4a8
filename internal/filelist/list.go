package filelist

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// Stdin is the name of standard input among patterns.
const Stdin = "-"

// ErrNoMatch is the reason of a File that stands for a glob without matches or
// for a directory without files.
var ErrNoMatch = errors.New("no such files")

// A File is one file to read, or a pattern that names none.
type File struct {
	Name string
	Err  error     // why there is nothing to open; nil for a file, which may still fail to open
	Set  *SetError // for a missing shard of a set: that set
}

// A List is what patterns stand for.
type List struct {
	Files      []File
	Broken     []*SetError // sets that lack shards, which are among Files, or have too many
	PassedOver []string    // files of directories that are left out for their names or content; see IsCompanion
}

// Options are the settings of [Lister.List]. A nil *Options means the defaults.
type Options struct {
	// AnyName keeps the files of a directory whose names or content say that they are no
	// TFRecords. Names with "." or "_" at the beginning are left out as before.
	AnyName bool
	// CSV keeps the files of a directory whose names say that they are CSV, and looks at no content.
	CSV bool
	// Named checks sets also where two or more of their shards are named one by
	// one, which is what a shell makes of a glob. One shard alone is what
	// the caller wants to look at.
	Named bool
}

// A Lister looks names up. Lister{} cannot: then every name is a file, and only
// sharded names stand for something else.
type Lister struct {
	stat    func(name string) (fs.FileInfo, error)
	readDir func(name string) ([]fs.DirEntry, error)
	glob    func(pattern string) ([]string, error)
	open    func(name string) (io.ReadCloser, error)
	join    func(dir string, elem ...string) string
	pattern func(name string) bool // whether a name is a glob
	seps    string                 // what may stand between the elements of a path
}

// System returns a Lister of the files of the system, and of the stores that are registered in package storage. Requests to a
// store end when ctx is done; what the Lister then returns is of no use.
func System(ctx context.Context) *Lister {
	l := &Lister{
		stat:    func(name string) (fs.FileInfo, error) { return storage.StatContext(ctx, name) },
		readDir: func(name string) ([]fs.DirEntry, error) { return storage.ReadDir(ctx, name) },
		glob:    func(pattern string) ([]string, error) { return storage.Glob(ctx, pattern) },
		open:    func(name string) (io.ReadCloser, error) { return storage.OpenContext(ctx, name) },
		join:    storage.Join, pattern: storage.IsPattern, seps: "/",
	}
	if runtime.GOOS == "windows" {
		l.seps = `/\`
	}
	return l
}

// FS returns a Lister of the files of fsys.
func FS(fsys fs.FS) *Lister {
	return &Lister{
		stat:    func(name string) (fs.FileInfo, error) { return fs.Stat(fsys, path.Clean(name)) },
		readDir: func(name string) ([]fs.DirEntry, error) { return fs.ReadDir(fsys, path.Clean(name)) },
		glob:    func(pattern string) ([]string, error) { return fs.Glob(fsys, pattern) },
		open:    func(name string) (io.ReadCloser, error) { return fsys.Open(path.Clean(name)) },
		join:    func(dir string, elem ...string) string { return path.Join(append([]string{dir}, elem...)...) },
		pattern: func(name string) bool { return strings.ContainsAny(name, `*?[\`) }, seps: "/",
	}
}

// List returns what the patterns stand for, in order. Its error is a mistake in
// the patterns themselves: a malformed one, a set of no shards, or standard
// input twice.
func (l *Lister) List(patterns []string, opts *Options) (*List, error) {
	if opts == nil {
		opts = &Options{}
	}
	e := expansion{Lister: l, opts: opts, bySize: map[setKey]bool{}}
	stdin := false
	for _, p := range patterns {
		if data, ok := strings.CutSuffix(p, indexExtension); ok && slices.Contains(patterns, data) {
			continue // a shell has made all of them from a glob
		}
		if p == Stdin {
			if stdin {
				return nil, errors.New("standard input (-) is named twice")
			}
			stdin = true
			e.Files = append(e.Files, File{Name: Stdin})
			e.literal = append(e.literal, true)
			continue
		}
		before := len(e.Files)
		literal, err := e.expand(p)
		if err != nil {
			return nil, err
		}
		for range e.Files[before:] {
			e.literal = append(e.literal, literal)
		}
	}
	e.checkSets()
	return &e.List, nil
}

// An expansion is a List under way.
type expansion struct {
	*Lister
	List
	opts    *Options
	literal []bool          // for each of Files: its own name was given
	bySize  map[setKey]bool // sets that a name stands for with their size, as train@3
}

// expand appends what one pattern stands for. literal reports that this is the
// file of that name. The error is a mistake in the pattern.
func (e *expansion) expand(pattern string) (literal bool, err error) {
	if pattern == "" {
		return false, errors.New("an empty file name")
	}
	if storage.IsURL(pattern) && !IsSharded(pattern) { // not a directory: opening it finds out whether it exists
		e.Files = append(e.Files, File{Name: pattern})
		return true, nil
	}
	if e.exists(pattern) {
		return !e.existing(pattern), nil
	}
	if ok, err := e.sharded(pattern); ok || err != nil {
		return false, err
	}
	if e.pattern == nil || !e.pattern(pattern) {
		e.Files = append(e.Files, File{Name: pattern})
		return true, nil
	}
	if slices.Contains(strings.FieldsFunc(pattern, func(r rune) bool { return strings.ContainsRune(e.seps, r) }), "**") {
		// Other programs take it for any number of directories, Go's globs for one.
		return false, fmt.Errorf("%s: ** is not supported, it would be one directory: name the files another way, as with $(find DIR -name '*.tfrecord')", pattern)
	}
	matches, err := e.glob(pattern)
	if errors.Is(err, path.ErrBadPattern) || errors.Is(err, filepath.ErrBadPattern) {
		return false, fmt.Errorf("%s: malformed pattern", pattern)
	} else if err != nil { // of a store
		e.Files = append(e.Files, File{Name: pattern, Err: reason(err)})
		return false, nil
	}
	// A glob takes a directory that cannot be read for an empty one.
	unreadable := e.unreadable(pattern)
	matches = slices.DeleteFunc(matches, func(m string) bool { return e.hidden(pattern, m) || isIndex(pattern, m) })
	if len(matches) == 0 && len(unreadable) == 0 {
		unreadable = []File{{Name: pattern, Err: ErrNoMatch}}
	}
	slices.SortFunc(matches, e.compare)
	for _, m := range matches {
		e.existing(m)
	}
	e.Files = append(e.Files, unreadable...)
	return false, nil
}

// existing appends the files that an existing name stands for, and reports
// whether it is a directory.
func (e *expansion) existing(name string) (dir bool) {
	if info, err := e.stat(name); err != nil || !info.IsDir() {
		e.Files = append(e.Files, File{Name: name})
		return false
	}
	found, err := e.readDir(name)
	if err != nil {
		e.Files = append(e.Files, File{Name: name, Err: reason(err)})
		return true
	}
	var names, passedOver, dirs []string
	others := false // some are passed over that are no marks
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
			passedOver = append(passedOver, full)
			others = others || other
			continue
		}
		names = append(names, full)
	}
	if !e.opts.AnyName && !e.opts.CSV { // CSV is text
		text := e.textFiles(names)
		names = slices.DeleteFunc(names, func(n string) bool { return slices.Contains(text, n) })
		passedOver = append(passedOver, text...)
		others = others || text != nil
	}
	slices.SortFunc(passedOver, e.compare)
	for _, n := range passedOver {
		if data, ok := strings.CutSuffix(n, indexExtension); !ok || !slices.Contains(names, data) { // else it has no other use
			e.PassedOver = append(e.PassedOver, n)
		}
	}
	if len(names) == 0 {
		err := fmt.Errorf("%w in the directory", ErrNoMatch)
		switch {
		case others:
			err = fmt.Errorf("%w in the directory that could be TFRecords", ErrNoMatch)
		case len(dirs) > 0:
			err = fmt.Errorf("%w in the directory itself; name one of its directories: %s", ErrNoMatch, firstOf(dirs))
		}
		e.Files = append(e.Files, File{Name: name, Err: err})
		return true
	}
	slices.SortFunc(names, e.compare)
	for _, n := range names {
		e.Files = append(e.Files, File{Name: n})
	}
	return true
}

// firstOf lists some names, and how many more there are.
func firstOf(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// mostLooks is how many files of one directory are opened for a look at their content.
const mostLooks = 16

var digits = regexp.MustCompile("[0-9]+")

// textFiles returns those files of a directory that hold text, as README and vocabularies do. One that was meant to
// be a TFRecord, and is an error message of a download instead, is to be a fault: files that are named as
// TFRecords, as compressed, or as others of the directory but for digits, are not looked at.
func (e *expansion) textFiles(names []string) (text []string) {
	alike := map[string]int{}
	for _, n := range names {
		alike[digits.ReplaceAllString(n, "0")]++
	}
	looks := 0
	for _, n := range names {
		_, base := e.split(n)
		if _, shard := e.ParseShard(n); shard || strings.Contains(strings.ToLower(base), "tfr") || withoutCodec(base) != base || alike[digits.ReplaceAllString(n, "0")] > 1 {
			continue
		}
		if looks++; looks > mostLooks {
			return nil // such files are few
		}
		if e.isText(n) {
			text = append(text, n)
		}
	}
	return text
}

// isText reports whether a file begins as text. What cannot be read is for the reader to report.
func (l *Lister) isText(name string) bool {
	f, err := l.open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	var b [512]byte
	n, err := io.ReadFull(f, b[:])
	return (err == nil || err == io.ErrUnexpectedEOF) && tfrecord.Identify(b[:n]) == "text"
}

// exists reports whether there is a file or directory of that name.
func (l *Lister) exists(name string) bool {
	if l.stat == nil {
		return false
	}
	_, err := l.stat(name)
	return err == nil
}

// unreadable returns the directories that a glob has to read and that cannot be
// read.
func (l *Lister) unreadable(pattern string) (all []File) {
	if storage.Remote(pattern) {
		return nil // a glob of a store has the error
	}
	dirs := []string{""}
	if dir, _ := l.split(pattern); dir != "" {
		dirs = []string{dir}
		if l.pattern(dir) {
			trimmed := strings.TrimRight(dir, l.seps)
			dirs, _ = l.glob(trimmed)
			all = l.unreadable(trimmed)
		}
	}
	for _, dir := range dirs {
		name := strings.TrimRight(dir, l.seps)
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
			all = append(all, File{Name: name, Err: reason(err)})
		}
	}
	return all
}

// hidden reports whether a wildcard at the beginning of a path element stood for
// a leading ".".
func (l *Lister) hidden(pattern, match string) bool {
	for pattern != "" && match != "" {
		var p, m string
		pattern, p = l.split(pattern)
		match, m = l.split(match)
		if strings.HasPrefix(m, ".") && p != "" && strings.ContainsRune("*?[", rune(p[0])) {
			return true
		}
		pattern, match = strings.TrimRight(pattern, l.seps), strings.TrimRight(match, l.seps)
	}
	return false
}

// split cuts a name behind its last separator.
func (l *Lister) split(name string) (dir, file string) {
	if l.seps == `/\` {
		return filepath.Split(name) // knows volumes
	}
	return path.Split(name)
}

// reason drops the operation and the path from an error of a file system: a File
// says its name already.
func reason(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// stdinName is standard input among the patterns and in positions.
const stdinName = "-"

// ErrNoMatch is wrapped by the FileError of a pattern without matches, or of a
// directory without files.
var ErrNoMatch = errors.New("no such files")

// An entry is a file to read, or a pattern that stands for none.
type entry struct {
	name string
	err  error
}

// entries returns the files that the patterns stand for. What is wrong with one of
// them is in its entry if the reading steps over it, and else the error.
func (f *Files) entries() ([]entry, error) {
	l := f.opts.lister()
	var all []entry
	stdin := false
	for _, p := range f.patterns {
		if p == stdinName {
			if stdin {
				return nil, argumentf("standard input (-) is named twice")
			}
			stdin = true
			all = append(all, entry{name: p})
			continue
		}
		found, err := l.expand(p)
		if err != nil {
			return nil, argumentf("%v", err)
		}
		all = append(all, found...)
	}
	if f.opts.StepOver {
		return all, nil
	}
	for _, e := range all {
		if e.err != nil {
			return nil, &FileError{e.name, e.err}
		}
	}
	return all, nil
}

// A lister is how names are looked up. Without stat nothing can be.
type lister struct {
	stat    func(name string) (fs.FileInfo, error)
	readDir func(name string) ([]fs.DirEntry, error)
	glob    func(pattern string) ([]string, error)
	join    func(elem ...string) string
	split   func(name string) (dir, file string)
	meta    string // the letters that make a name a glob
}

func (o *FilesOptions) lister() lister {
	switch {
	case o.FS != nil:
		return lister{
			stat:    func(name string) (fs.FileInfo, error) { return fs.Stat(o.FS, path.Clean(name)) },
			readDir: func(name string) ([]fs.DirEntry, error) { return fs.ReadDir(o.FS, path.Clean(name)) },
			glob:    func(pattern string) ([]string, error) { return fs.Glob(o.FS, pattern) },
			join:    path.Join, split: path.Split, meta: `*?[\`,
		}
	case o.Open != nil:
		return lister{join: path.Join, split: path.Split}
	}
	l := lister{stat: os.Stat, readDir: os.ReadDir, glob: filepath.Glob, join: filepath.Join, split: filepath.Split, meta: `*?[\`}
	if runtime.GOOS == "windows" {
		l.meta = `*?[`
	}
	return l
}

// exists reports whether there is a file or directory of that name.
func (l *lister) exists(name string) bool {
	if l.stat == nil {
		return false
	}
	_, err := l.stat(name)
	return err == nil
}

// expand returns what one pattern stands for. The error is a mistake in the pattern.
func (l *lister) expand(pattern string) ([]entry, error) {
	if pattern == "" {
		return nil, errors.New("an empty file name")
	}
	if l.exists(pattern) {
		return l.existing(pattern), nil
	}
	if found, err := l.shards(pattern); found != nil || err != nil {
		return found, err
	}
	if !strings.ContainsAny(pattern, l.meta) {
		return []entry{{name: pattern}}, nil
	}
	if slices.Contains(strings.FieldsFunc(pattern, func(r rune) bool { return strings.ContainsRune(separators, r) }), "**") {
		return nil, fmt.Errorf("%s: ** is not supported, it would be one directory: name the files, as found by fs.WalkDir", pattern)
	}
	matches, err := l.glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: malformed pattern", pattern)
	}
	matches = slices.DeleteFunc(matches, func(m string) bool { return l.hidden(pattern, m) })
	if len(matches) == 0 {
		return []entry{{pattern, ErrNoMatch}}, nil
	}
	slices.SortFunc(matches, l.compare)
	var all []entry
	for _, m := range matches {
		all = append(all, l.existing(m)...)
	}
	return all, nil
}

// existing returns the files that an existing name stands for.
func (l *lister) existing(name string) []entry {
	if info, err := l.stat(name); err != nil || !info.IsDir() {
		return []entry{{name: name}}
	}
	found, err := l.readDir(name)
	if err != nil {
		return []entry{{name, reason(err)}}
	}
	var names []string
	for _, e := range found {
		if strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "_") {
			continue // the marks that job runners leave, as _SUCCESS
		}
		full := l.join(name, e.Name())
		// Looked at by name, because it may be a link to a file.
		if info, err := l.stat(full); err == nil && !info.Mode().IsRegular() {
			continue
		}
		names = append(names, full)
	}
	if len(names) == 0 {
		return []entry{{name, fmt.Errorf("%w in the directory", ErrNoMatch)}}
	}
	slices.SortFunc(names, l.compare)
	all := make([]entry, len(names))
	for i, n := range names {
		all[i].name = n
	}
	return all
}

// hidden reports whether a wildcard at the beginning of a path element stood for a
// leading ".".
func (l *lister) hidden(pattern, match string) bool {
	for pattern != "" && match != "" {
		var p, m string
		pattern, p = l.split(pattern)
		match, m = l.split(match)
		if strings.HasPrefix(m, ".") && p != "" && strings.ContainsRune("*?[", rune(p[0])) {
			return true
		}
		pattern, match = strings.TrimRight(pattern, separators), strings.TrimRight(match, separators)
	}
	return false
}

// separators are what may stand between path elements here.
var separators = func() string {
	if runtime.GOOS == "windows" {
		return `/\`
	}
	return "/"
}()

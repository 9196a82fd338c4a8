package inputs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Stdin is the name of standard input among the arguments and in positions.
const Stdin = "-"

// An Input is one file to read, or an argument that names none.
type Input struct {
	Name string // what to open, and what errors and positions say
	Err  error  // why there is nothing to open; nil for a file, which may still fail to open

	Records *Range // which of its records are wanted; nil: all. Expand sets none

	// Stream, if not nil, is read instead: somebody has opened the file, or standard
	// input, and looked at its beginning.
	Stream io.ReadCloser
}

// ErrNoMatch is the reason of an Input that stands for a glob without matches
// or for a directory without files.
var ErrNoMatch = errors.New("no such files")

// Expand returns the files that the arguments name, in order. Its error is a
// mistake in the arguments themselves: a malformed pattern, a set of no
// shards, or standard input twice.
func Expand(args []string) ([]Input, error) {
	var all []Input
	stdin := false
	for _, arg := range args {
		if arg == Stdin {
			if stdin {
				return nil, errors.New("standard input (-) is named twice")
			}
			stdin = true
			all = append(all, Input{Name: Stdin})
			continue
		}
		found, err := expand(arg)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func expand(arg string) ([]Input, error) {
	if arg == "" {
		return nil, errors.New("an empty file name")
	}
	if _, err := os.Lstat(arg); err == nil {
		return existing(arg), nil
	}
	if advice := elsewhere(arg); advice != "" {
		return nil, fmt.Errorf("%s: %s", arg, advice)
	}
	if names, ok, err := shardPattern(arg); ok || err != nil {
		return names, err
	}
	if !hasMeta(arg) {
		return []Input{{Name: arg}}, nil
	}
	if hasDeep(arg) {
		return nil, fmt.Errorf("%s: ** is not supported, it would be one directory: name the files another way, as with $(find DIR -name '*.tfrecord')", arg)
	}
	matches, err := filepath.Glob(arg)
	if err != nil {
		return nil, fmt.Errorf("%s: malformed pattern", arg)
	}
	matches = slices.DeleteFunc(matches, func(m string) bool { return hiddenMatch(arg, m) })
	if len(matches) == 0 {
		return []Input{{Name: arg, Err: ErrNoMatch}}, nil
	}
	slices.SortFunc(matches, compareNames)
	var all []Input
	for _, m := range matches {
		all = append(all, existing(m)...)
	}
	return all, nil
}

// existing returns the files that an existing name stands for.
func existing(name string) []Input {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return []Input{{Name: name}}
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return []Input{{Name: name, Err: reason(err)}}
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "_") {
			continue
		}
		path := filepath.Join(name, e.Name())
		// Stat, because an entry may be a link to a file.
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			continue
		}
		names = append(names, path)
	}
	if len(names) == 0 {
		return []Input{{Name: name, Err: fmt.Errorf("%w in the directory", ErrNoMatch)}}
	}
	slices.SortFunc(names, compareNames)
	all := make([]Input, len(names))
	for i, n := range names {
		all[i].Name = n
	}
	return all
}

// reason drops the operation and the path from an error of package os: an
// Input says its name already.
func reason(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

func hasMeta(name string) bool {
	if runtime.GOOS == "windows" {
		return strings.ContainsAny(name, `*?[`)
	}
	return strings.ContainsAny(name, `*?[\`)
}

// hiddenMatch reports whether a wildcard at the beginning of a path element
// stood for a leading ".".
func hiddenMatch(pattern, match string) bool {
	p, m := elements(pattern), elements(match)
	for len(p) > 0 && len(m) > 0 {
		pe, me := p[len(p)-1], m[len(m)-1]
		if strings.HasPrefix(me, ".") && strings.ContainsAny(pe[:1], "*?[") {
			return true
		}
		p, m = p[:len(p)-1], m[:len(m)-1]
	}
	return false
}

func elements(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
}

// TotalSize returns the bytes in the inputs, or 0 if that is not known of all
// of them.
func TotalSize(in []Input) int64 {
	var total int64
	for _, i := range in {
		info, err := os.Stat(i.Name)
		if i.Name == Stdin || err != nil || !info.Mode().IsRegular() {
			return 0
		}
		total += info.Size()
	}
	return total
}

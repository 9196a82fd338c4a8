package storage

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Join is that of package filepath.
func Join(dir string, elem ...string) string {
	if of(dir) == nil {
		return filepath.Join(append([]string{dir}, elem...)...)
	}
	return strings.TrimRight(dir, "/") + "/" + path.Join(elem...)
}

// Clean is that of package filepath. Of a name in a store it removes slashes at the end.
func Clean(name string) string {
	if of(name) == nil {
		return filepath.Clean(name)
	}
	return strings.TrimRight(name, "/")
}

// Dir is that of package filepath.
func Dir(name string) string {
	if of(name) == nil {
		return filepath.Dir(name)
	}
	name = strings.TrimRight(name, "/")
	if i := strings.LastIndexByte(name, '/'); i > strings.Index(name, "://")+len("://") {
		return name[:i]
	}
	return name
}

// ReadDir is that of package os. Requests to a store end when ctx is done.
func ReadDir(ctx context.Context, name string) ([]fs.DirEntry, error) {
	if s := of(name); s != nil {
		return s.List(ctx, strings.TrimRight(name, "/")+"/")
	}
	return os.ReadDir(name)
}

// IsPattern reports whether a name has one of the characters that make it a glob, as package filepath defines them. A
// name in a store that cannot list its files is never one.
func IsPattern(name string) bool {
	if s := of(name); s != nil {
		return s.Lists() && strings.ContainsAny(name, `*?[\`)
	}
	meta := `*?[\`
	if filepath.Separator == '\\' {
		meta = `*?[`
	}
	return strings.ContainsAny(name, meta)
}

// IsURL reports whether a name is one of a store that cannot list its files, where a name may have a query.
func IsURL(name string) bool {
	s := of(name)
	return s != nil && !s.Lists()
}

// Glob is that of package filepath. For files of a store it returns errors of listing them too. Requests to a store end when
// ctx is done.
func Glob(ctx context.Context, pattern string) ([]string, error) {
	s := of(pattern)
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

// glob returns the names that begin with dir, which is no pattern, and match rest behind it.
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

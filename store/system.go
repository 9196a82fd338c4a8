package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tfparse/tfparse/internal/storage"
)

// cachedStore is the storage.Store of a backend. It caches attributes and listings.
type cachedStore struct {
	*client
	backend
	mu     sync.Mutex // guards the fields below
	cache  map[cacheKey]*cacheEntry
	cached int // number of names in the cache; an upper bound, since a name fetched twice counts twice
}

// cacheKey is a name that was looked up or, if list is true, the prefix of a listing.
type cacheKey struct {
	name string
	list bool
}

// cacheEntry is a cached response of the service. One of info and entries is set.
type cacheEntry struct {
	fetched time.Time
	info    *info         // for a name
	entries []fs.DirEntry // for a listing, sorted: all names that begin with the prefix and have no "/" after it
}

func (e *cacheEntry) fresh() bool { return e != nil && time.Since(e.fetched) < maxAge }

const (
	maxAge    = 30 * time.Second // maximum age of an entry of the cache
	maxCached = 200_000          // maximum number of names in the cache; above it, the cache is emptied
	pageSize  = 1000             // maximum number of names in a page of a listing
)

func newCachedStore(c *client, b backend) *cachedStore {
	return &cachedStore{client: c, backend: b, cache: map[cacheKey]*cacheEntry{}}
}

// Lists implements [storage.Store].
func (s *cachedStore) Lists() bool { return s.lists() }

// Public implements [storage.Store].
func (s *cachedStore) Public(name string) string { return s.public(name) }

// Open implements [storage.Store]. If the cache has the attributes, even if they are old, Open sends no request: the first request for
// data finds the version to read. Otherwise Open sends the first request for data.
func (s *cachedStore) Open(ctx context.Context, name string) (storage.File, error) {
	at, err := s.split(name)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	if s.isDir(at) {
		if _, err := s.Stat(ctx, name); err != nil {
			return nil, err
		}
	}
	i, fresh := s.lookUp(name)
	switch {
	case fresh && i.absent:
		return nil, pathError("open", name, fs.ErrNotExist)
	case fresh && i.dir:
		return nil, pathError("open", name, errors.New("is a directory"))
	case i != nil && !i.dir && !i.absent:
		return newFile(ctx, s, at, i), nil
	}
	f := newFile(ctx, s, at, nil)
	if err := f.open(); err != nil {
		return nil, pathError("open", name, err)
	}
	return f, nil
}

// isDir reports whether a name can only be the name of a directory.
func (s *cachedStore) isDir(at address) bool {
	return s.lists() && (at.key == "" || strings.HasSuffix(at.key, "/"))
}

// Stat implements [storage.Store].
func (s *cachedStore) Stat(ctx context.Context, name string) (fs.FileInfo, error) {
	at, err := s.split(name)
	if err != nil {
		return nil, pathError("stat", name, err)
	}
	i, fresh := s.lookUp(name)
	if !fresh {
		if i, err = s.find(ctx, at); err != nil {
			return nil, pathError("stat", name, err)
		}
		s.keep(cacheKey{name: name}, &cacheEntry{fetched: i.fetched, info: i})
	}
	if i.absent {
		return nil, pathError("stat", name, fs.ErrNotExist)
	}
	return i, nil
}

// find requests the attributes of an object. If it does not exist, find checks whether there is a directory.
func (s *cachedStore) find(ctx context.Context, at address) (*info, error) {
	if !s.isDir(at) {
		a, err := s.stat(ctx, at)
		if err == nil {
			return newInfo(at.key, a), nil
		}
		if !s.lists() || !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	dir := at
	if dir.key = strings.TrimRight(at.key, "/"); dir.key != "" {
		dir.key += "/"
	}
	page, err := s.listPage(ctx, dir, 1, "")
	if err != nil {
		return nil, err
	}
	i := newDir(at.name)
	i.absent = at.key != "" && len(page.objects)+len(page.dirs) == 0 && page.next == ""
	return i, nil
}

// listPage is list, except that the error for a missing bucket is not fs.ErrNotExist, which would mean that a name in the bucket is missing.
func (s *cachedStore) listPage(ctx context.Context, at address, most int, token string) (listPage, error) {
	page, err := s.list(ctx, at, most, token)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("bucket %s: %s", at.bucket, err)
	}
	return page, err
}

// keep adds an entry to the cache.
func (s *cachedStore) keep(key cacheKey, e *cacheEntry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 1 + len(e.entries)
	if s.cached += n; s.cached > maxCached {
		clear(s.cache)
		s.cached = n
	}
	s.cache[key] = e
}

// lookUp returns the cached info of a name, or nil, and whether it is recent enough to use.
func (s *cachedStore) lookUp(name string) (i *info, fresh bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.cache[cacheKey{name: name}]; e != nil {
		if i = e.info; e.fresh() {
			return i, true
		}
	}
	dir := strings.LastIndexByte(name, '/') + 1
	for end := len(name); end >= dir; end-- {
		e := s.cache[cacheKey{name[:end], true}]
		if e == nil {
			continue
		}
		at, ok := slices.BinarySearchFunc(e.entries, name[dir:], func(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) })
		if ok {
			i = e.entries[at].(*info)
		} else if e.fresh() {
			i = &info{absent: true}
		}
		if e.fresh() {
			return i, true
		}
	}
	return i, false
}

// forget removes a name from the cache, and all listings that may contain the name or its directories.
func (s *cachedStore) forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.cache, cacheKey{name: name})
	for end := range len(name) + 1 {
		delete(s.cache, cacheKey{name[:end], true})
	}
}

// List implements [storage.Store].
func (s *cachedStore) List(ctx context.Context, prefix string) ([]fs.DirEntry, error) {
	key := cacheKey{prefix, true}
	s.mu.Lock()
	l := s.cache[key]
	s.mu.Unlock()
	if l.fresh() {
		return l.entries, nil
	}
	at, err := s.split(prefix)
	if err == nil && !strings.HasPrefix(prefix[strings.Index(prefix, "://")+len("://"):], at.bucket+"/") {
		err = errBucket(prefix) // a pattern with a wildcard in the bucket
	}
	if err != nil {
		return nil, pathError("list", prefix, err)
	}
	l = &cacheEntry{fetched: time.Now()}
	seen := map[string]bool{}
	add := func(key string, a attributes, dir bool) {
		name := strings.TrimSuffix(key, "/")
		name = name[strings.LastIndexByte(name, '/')+1:]
		// An object whose name ends in "/" marks a directory.
		if name == "" || !dir && strings.HasSuffix(key, "/") || seen[name] {
			return
		}
		seen[name] = true
		a.fetched = l.fetched
		l.entries = append(l.entries, &info{name: name, dir: dir, attributes: a})
	}
	for token := ""; ; {
		page, err := s.listPage(ctx, at, pageSize, token)
		if err != nil {
			return nil, pathError("list", prefix, err)
		}
		for _, o := range page.objects {
			add(o.key, o.attributes, false)
		}
		for _, dir := range page.dirs {
			add(dir, attributes{}, true)
		}
		if token = page.next; token == "" {
			break
		}
	}
	slices.SortFunc(l.entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	s.keep(key, l)
	return l.entries, nil
}

// Create implements [storage.Store].
func (s *cachedStore) Create(name string) (storage.Output, error) {
	at, err := s.split(name)
	if err == nil && (at.key == "" || strings.HasSuffix(at.key, "/")) {
		err = errors.New("is a directory")
	}
	var u upload
	if err == nil {
		u, err = s.upload(at)
	}
	if err != nil {
		return nil, pathError("create", name, err)
	}
	return newOutput(s, at, u), nil
}

// Remove implements [storage.Store].
func (s *cachedStore) Remove(ctx context.Context, name string) error {
	at, err := s.split(name)
	if err == nil {
		err = s.remove(ctx, at)
		s.forget(name)
	}
	return pathError("remove", name, err)
}

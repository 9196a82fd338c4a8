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

// A system is the storage.Store of a backend. It caches attributes of objects and listings.
type system struct {
	*client
	backend
	mu       sync.Mutex
	infos    map[string]*info    // of names that were looked up one by one
	listings map[string]*listing // by prefix
}

// A listing is all names that begin with a prefix and have no "/" behind it.
type listing struct {
	fetched time.Time
	entries []fs.DirEntry // in order of names
	byName  map[string]*info
}

const (
	maxAge     = 30 * time.Second // of cached attributes and listings
	mostInfos  = 100_000          // that are cached
	mostListed = 64               // listings that are cached
	pageSize   = 1000             // names in a page of a listing
)

func newSystem(c *client, b backend) *system {
	return &system{client: c, backend: b, infos: map[string]*info{}, listings: map[string]*listing{}}
}

// Lists implements [storage.Store].
func (s *system) Lists() bool { return s.lists() }

// Public implements [storage.Store].
func (s *system) Public(name string) string { return s.public(name) }

// Open implements [storage.Store]. It sends no request if the cache has the attributes, however old: the first request for bytes finds the
// version that is read. Otherwise it sends that request.
func (s *system) Open(ctx context.Context, name string) (storage.File, error) {
	at, err := s.split(name)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	if s.isDir(at) {
		if _, err := s.Stat(ctx, name); err != nil {
			return nil, err
		}
	}
	i, fresh := s.cached(name)
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

// isDir reports whether a name can only be that of a directory.
func (s *system) isDir(at address) bool {
	return s.lists() && (at.key == "" || strings.HasSuffix(at.key, "/"))
}

// Stat implements [storage.Store].
func (s *system) Stat(ctx context.Context, name string) (fs.FileInfo, error) {
	at, err := s.split(name)
	if err != nil {
		return nil, pathError("stat", name, err)
	}
	i, fresh := s.cached(name)
	if !fresh {
		if i, err = s.find(ctx, at); err != nil {
			return nil, pathError("stat", name, err)
		}
		s.cache(name, i)
	}
	if i.absent {
		return nil, pathError("stat", name, fs.ErrNotExist)
	}
	return i, nil
}

// find requests the attributes of an object, and if there is none, whether there is a directory.
func (s *system) find(ctx context.Context, at address) (*info, error) {
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

// listPage is list. A bucket that is not there is no fs.ErrNotExist, which is about a name in it.
func (s *system) listPage(ctx context.Context, at address, most int, token string) (listPage, error) {
	page, err := s.list(ctx, at, most, token)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("bucket %s: %s", at.bucket, err)
	}
	return page, err
}

// cache keeps the attributes of a name.
func (s *system) cache(name string, i *info) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.infos) >= mostInfos {
		clear(s.infos)
	}
	s.infos[name] = i
}

// cached returns what the cache has of a name, nil if nothing, and whether it is young enough to be believed.
func (s *system) cached(name string) (i *info, fresh bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i = s.infos[name]; i != nil && time.Since(i.fetched) < maxAge {
		return i, true
	}
	for prefix, l := range s.listings {
		rest, found := strings.CutPrefix(name, prefix)
		if !found || strings.Contains(rest, "/") {
			continue
		}
		fresh := time.Since(l.fetched) < maxAge
		if entry := l.byName[name[strings.LastIndexByte(name, '/')+1:]]; entry != nil {
			i = entry
		} else if fresh {
			i = &info{absent: true}
		}
		if fresh {
			return i, true
		}
	}
	return i, false
}

// forget drops a name from the cache, and the listings that it may be in.
func (s *system) forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.infos, name)
	for prefix := range s.listings {
		if strings.HasPrefix(name, prefix) {
			delete(s.listings, prefix)
		}
	}
}

// List implements [storage.Store].
func (s *system) List(ctx context.Context, prefix string) ([]fs.DirEntry, error) {
	s.mu.Lock()
	l := s.listings[prefix]
	s.mu.Unlock()
	if l != nil && time.Since(l.fetched) < maxAge {
		return l.entries, nil
	}
	at, err := s.split(prefix)
	if err == nil && !strings.HasPrefix(prefix[strings.Index(prefix, "://")+len("://"):], at.bucket+"/") {
		err = errBucket(prefix) // of a pattern with a wildcard in the bucket
	}
	if err != nil {
		return nil, pathError("list", prefix, err)
	}
	l = &listing{fetched: time.Now(), byName: map[string]*info{}}
	add := func(key string, a attributes, dir bool) {
		name := strings.TrimSuffix(key, "/")
		name = name[strings.LastIndexByte(name, '/')+1:]
		// An object whose name ends in "/" marks a directory.
		if name == "" || !dir && strings.HasSuffix(key, "/") || l.byName[name] != nil {
			return
		}
		a.fetched = l.fetched
		i := &info{name: name, dir: dir, attributes: a}
		l.byName[name] = i
		l.entries = append(l.entries, i)
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
	s.cacheListing(prefix, l)
	return l.entries, nil
}

// cacheListing caches a listing, in place of the oldest one if there are too many.
func (s *system) cacheListing(prefix string, l *listing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.listings) >= mostListed {
		oldest := prefix
		for other, at := range s.listings {
			if first := s.listings[oldest]; first == nil || at.fetched.Before(first.fetched) {
				oldest = other
			}
		}
		delete(s.listings, oldest)
	}
	s.listings[prefix] = l
}

// Create implements [storage.Store].
func (s *system) Create(name string) (storage.Output, error) {
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
func (s *system) Remove(ctx context.Context, name string) error {
	at, err := s.split(name)
	if err == nil {
		err = s.remove(ctx, at)
		s.forget(name)
	}
	return pathError("remove", name, err)
}

package store

import (
	"context"
	"errors"
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
	infos    recentInfos         // by name
	listings map[string]*listing // by prefix
}

// A listing is all names that begin with a prefix and have no "/" behind it.
type listing struct {
	fetched time.Time
	entries []fs.DirEntry // in order of names
	byName  map[string]*info
}

const (
	maxAge       = 30 * time.Second // of cached attributes and listings
	maxAgeToOpen = time.Hour        // of attributes to open a file with: the request for its bytes has their version
	mostInfos    = 100_000          // that are cached
	mostListed   = 64               // listings that are cached
	pageSize     = 1000             // names in a page of a listing
)

func newSystem(c *client, b backend) *system {
	return &system{client: c, backend: b, listings: map[string]*listing{}}
}

// Lists implements [storage.Store].
func (s *system) Lists() bool { return s.lists() }

// Public implements [storage.Store].
func (s *system) Public(name string) string { return s.public(name) }

// Open implements [storage.Store].
func (s *system) Open(ctx context.Context, name string) (storage.File, error) {
	at, err := s.split(name)
	var i *info
	if err == nil {
		// The first request for its bytes finds out whether it has changed, so that a list of many shards is good for all of them.
		i, err = s.lookup(ctx, at, maxAgeToOpen)
	}
	if err == nil && i.dir {
		err = errors.New("is a directory")
	}
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return newFile(ctx, s, at, i), nil
}

// Stat implements [storage.Store].
func (s *system) Stat(ctx context.Context, name string) (fs.FileInfo, error) {
	at, err := s.split(name)
	var i *info
	if err == nil {
		i, err = s.lookup(ctx, at, maxAge)
	}
	if err != nil {
		return nil, pathError("stat", name, err)
	}
	return i, nil
}

// lookup returns the file or directory of a name, from the cache if that is not older than age.
func (s *system) lookup(ctx context.Context, at address, age time.Duration) (*info, error) {
	if i, ok := s.cached(at.name, age); ok {
		if i == nil {
			return nil, fs.ErrNotExist
		}
		return i, nil
	}
	return s.find(ctx, at)
}

// find requests the attributes of an object, and if there is none, whether there is a directory.
func (s *system) find(ctx context.Context, at address) (*info, error) {
	if at.key != "" && !strings.HasSuffix(at.key, "/") || !s.lists() {
		a, err := s.stat(ctx, at)
		if err == nil {
			a.fetched = time.Now()
			i := newInfo(at.key, a)
			s.cache(at.name, i)
			return i, nil
		}
		if !s.lists() || !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	dir := at
	if dir.key = strings.TrimRight(at.key, "/"); dir.key != "" {
		dir.key += "/"
	}
	page, err := s.list(ctx, dir, 1, "")
	switch {
	case err != nil:
		return nil, err
	case at.key != "" && len(page.objects)+len(page.dirs) == 0 && page.next == "":
		return nil, fs.ErrNotExist
	}
	i := newDir(at.name)
	s.cache(at.name, i)
	return i, nil
}

func (s *system) cache(name string, i *info) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.infos.put(name, i)
}

// recentInfos are the infos that were put or returned last, at most mostInfos. When the young half is full, it replaces the
// old half.
type recentInfos struct{ young, old map[string]*info }

func (r *recentInfos) put(name string, i *info) {
	if len(r.young) >= mostInfos/2 || r.young == nil {
		r.young, r.old = map[string]*info{}, r.young
	}
	r.young[name] = i
}

func (r *recentInfos) get(name string) *info {
	if i := r.young[name]; i != nil {
		return i
	}
	i := r.old[name]
	if i != nil {
		delete(r.old, name)
		r.put(name, i)
	}
	return i
}

func (r *recentInfos) drop(name string) {
	delete(r.young, name)
	delete(r.old, name)
}

// cached returns the file or directory of a name from the cache: nil if a listing has none, which is good for maxAge
// only. ok is false if the cache has nothing that is younger than age.
func (s *system) cached(name string, age time.Duration) (i *info, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.infos.get(name); i != nil && time.Since(i.fetched) < age {
		return i, true
	}
	for prefix, l := range s.listings {
		rest, found := strings.CutPrefix(name, prefix)
		if !found || strings.Contains(rest, "/") {
			continue
		}
		i := l.byName[name[strings.LastIndexByte(name, '/')+1:]]
		if since := time.Since(l.fetched); since < maxAge || i != nil && since < age {
			return i, true
		}
	}
	return nil, false
}

// forget drops a name from the cache, and the listings that it may be in.
func (s *system) forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.infos.drop(name)
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
		i := &info{name, dir, a}
		l.byName[name] = i
		l.entries = append(l.entries, i)
	}
	for token := ""; ; {
		page, err := s.list(ctx, at, pageSize, token)
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

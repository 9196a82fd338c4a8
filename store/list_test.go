package store

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"testing"
	"time"
)

// TestOddKeys checks that keys with any characters are listed, on all pages.
func TestOddKeys(t *testing.T) {
	s := newObjectServer(t)
	c := patient()
	sys := newCachedStore(c, newS3(c))
	want := []string{"a b", "a+b", "a%41", "bell\a", "dir", "esc\x1b[1m", "tab\t", "ü&<>\"'"}
	for _, key := range want {
		if key == "dir" {
			key = "dir/x\x01"
		}
		s.objects["bucket/d/"+key] = []byte(key)
	}
	s.objects["bucket/other"] = nil
	entries, err := sys.List(context.Background(), "s3://bucket/d/")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, err := readAll(sys, "s3://bucket/d/esc\x1b[1m"); err != nil || string(got) != "esc\x1b[1m" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestRemembers checks that the cache is bounded and keeps the newest entries, for names that were looked up and for listings.
func TestRemembers(t *testing.T) {
	s := newCachedStore(quick(), newWeb(quick()))
	name := func(i int) string { return fmt.Sprintf("http://host/d/%d", i) }
	const all = 3 * maxCached
	for i := range all {
		s.keep(cacheKey{name: name(i)}, &cacheEntry{fetched: time.Now(), info: &info{attributes: attributes{size: int64(i)}}})
	}
	if got, fresh := s.lookUp(name(all - 1)); !fresh || got.size != all-1 {
		t.Fatalf("the last object is not cached: %v", got)
	}
	if n := len(s.cache); n > maxCached {
		t.Errorf("%d objects are cached, want %d", n, maxCached)
	}
	s.forget(name(all - 1))
	if i, fresh := s.lookUp(name(all - 1)); i != nil || fresh {
		t.Error("a forgotten object is cached")
	}
	entries := make([]fs.DirEntry, maxCached)
	for i := range entries {
		entries[i] = &info{name: fmt.Sprintf("%09d", i), attributes: attributes{size: int64(i)}}
	}
	for _, prefix := range []string{"http://host/e/", "http://host/d/0"} { // the second of names in a directory that begin with 0
		s.keep(cacheKey{prefix, true}, &cacheEntry{fetched: time.Now(), entries: entries})
		if len(s.cache) != 1 {
			t.Errorf("%d answers are cached beside a listing of so many names", len(s.cache))
		}
	}
	for _, c := range []struct {
		name         string
		there, fresh bool
	}{{"http://host/d/000000007", true, true}, {"http://host/d/0x", false, true}, {"http://host/d/1", false, false}, {"http://host/d/0/000000007", false, false}} {
		i, fresh := s.lookUp(c.name)
		if there := i != nil && !i.absent; there != c.there || fresh != c.fresh || there && i.size != 7 {
			t.Errorf("%s: %+v, %t", c.name, i, fresh)
		}
	}
	s.forget("http://host/d/0/x/new")
	if len(s.cache) != 0 {
		t.Error("a listing is cached that may have a new directory in it")
	}
}

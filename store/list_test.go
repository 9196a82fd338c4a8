package store

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"
)

// Keys are listed whatever characters they have, on all pages.
func TestOddKeys(t *testing.T) {
	s := newObjectServer(t)
	c := patient()
	sys := newSystem(c, newS3(c))
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

// The caches are bounded, and have what is newest.
func TestRemembers(t *testing.T) {
	s := newSystem(quick(), newWeb(quick()))
	name := func(i int) string { return fmt.Sprintf("http://host/%d", i) }
	const all = 3 * mostInfos
	for i := range all {
		s.cache(name(i), &info{attributes: attributes{size: int64(i), fetched: time.Now()}})
	}
	if got, fresh := s.cached(name(all - 1)); !fresh || got.size != all-1 {
		t.Fatalf("the last object is not cached: %v", got)
	}
	if n := len(s.infos); n > mostInfos {
		t.Errorf("%d objects are cached, want %d", n, mostInfos)
	}
	s.forget(name(all - 1))
	if i, fresh := s.cached(name(all - 1)); i != nil || fresh {
		t.Error("a forgotten object is cached")
	}
	for i := range 3 * mostListed {
		s.cacheListing(fmt.Sprintf("http://host/d%d/", i), &listing{fetched: time.Now().Add(time.Duration(i) * time.Millisecond)})
	}
	if s.listings[fmt.Sprintf("http://host/d%d/", 3*mostListed-1)] == nil || s.listings[fmt.Sprintf("http://host/d%d/", 2*mostListed)] == nil || len(s.listings) > mostListed {
		t.Errorf("%d listings are kept, want the last %d", len(s.listings), mostListed)
	}
}

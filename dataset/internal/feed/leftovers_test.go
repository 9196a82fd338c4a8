package feed

import (
	"runtime"
	"testing"
	"time"
)

// Leftovers come back in any of the next two collections of garbage, and are gone some
// collections later.
func TestLeftovers(t *testing.T) {
	var l Leftovers[*[1000]byte]
	if _, ok := l.Get(); ok {
		t.Error("there is something before anything was left")
	}
	first, second := new([1000]byte), new([1000]byte)
	l.Put(first)
	l.Put(second)
	runtime.GC()
	runtime.GC()
	if v, ok := l.Get(); !ok || v != second {
		t.Errorf("got %p, %v, want %p", v, ok, second)
	}
	left := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.all)
	}
	if left() != 1 {
		t.Fatalf("%d are left, want 1", left())
	}
	for n := 0; left() > 0; n++ {
		if n == 1000 {
			t.Fatal("it is kept for ever")
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	// And again.
	l.Put(second)
	if v, ok := l.Get(); !ok || v != second {
		t.Errorf("got %p, %v, want %p", v, ok, second)
	}
}

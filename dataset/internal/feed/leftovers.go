package feed

import (
	"runtime"
	"sync"
	"weak"
)

// Leftovers are what streams leave to those that follow. Whatever lies there while garbage
// is collected a few times is left to the collector. A sync.Pool would keep it until the
// second time, so that passes over a few files with some other work between them would
// each begin with new memory, which takes longer to get than to fill. The zero value is
// empty.
type Leftovers[T any] struct {
	mu      sync.Mutex
	all     []T
	age     int // how often garbage was collected since any was put or taken
	watched bool
}

// leftoversAge is for how many collections leftovers stay.
const leftoversAge = 4

// Put leaves something.
func (l *Leftovers[T]) Put(v T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, v)
	l.age = 0
	if !l.watched {
		l.watched = true
		l.watch()
	}
}

// Get takes what was left last.
func (l *Leftovers[T]) Get() (v T, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.all) - 1
	if n < 0 {
		return v, false
	}
	l.age = 0
	v, l.all = l.all[n], l.all[:n]
	clear(l.all[n : n+1])
	return v, true
}

// watch sees to it that the next collection of garbage is noticed: it finds a watcher
// that nobody has.
func (l *Leftovers[T]) watch() {
	runtime.AddCleanup(new(watcher), func(p weak.Pointer[Leftovers[T]]) {
		if l := p.Value(); l != nil {
			l.collected()
		}
	}, weak.Make(l))
}

// A watcher is of a size that the runtime does not put together with others.
type watcher struct{ _ [64]byte }

// collected is called after each collection while something is left.
func (l *Leftovers[T]) collected() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.age++; l.age >= leftoversAge {
		l.all = nil
	}
	if l.watched = l.all != nil; l.watched {
		l.watch()
	}
}

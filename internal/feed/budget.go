package feed

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// A budget is a semaphore of bytes. What is larger than the limit fits when nothing else is
// counted.
type budget struct {
	limit int64
	used  atomic.Int64
	peak  atomic.Int64

	mu      sync.Mutex
	queue   []*waiter    // in the order in which they came
	waiting atomic.Int32 // how many
}

type waiter struct {
	n     int64
	ready chan struct{} // closed when n bytes were taken
}

// take takes n bytes, whether they are within the limit or not.
func (b *budget) take(n int64) { b.raise(b.used.Add(n)) }

func (b *budget) raise(used int64) {
	for peak := b.peak.Load(); used > peak && !b.peak.CompareAndSwap(peak, used); {
		peak = b.peak.Load()
	}
}

// spent reports whether there is no room for even one byte.
func (b *budget) spent() bool { return b.used.Load() >= b.limit }

// tryTake takes n bytes if they fit.
func (b *budget) tryTake(n int64) bool {
	for {
		used := b.used.Load()
		if used > 0 && n > b.limit-used {
			return false
		}
		if b.used.CompareAndSwap(used, used+n) {
			b.raise(used + n)
			return true
		}
	}
}

// wait takes n bytes as soon as they fit, or when something is received from urgent. The error
// is that of ctx, and nothing is taken then.
func (b *budget) wait(ctx context.Context, n int64, urgent <-chan struct{}) error {
	if b.tryTake(n) {
		return nil
	}
	w := &waiter{n, make(chan struct{})}
	b.mu.Lock()
	b.queue = append(b.queue, w)
	b.waiting.Add(1)
	b.mu.Unlock()
	b.wake() // for what was released in the meantime
	select {
	case <-w.ready:
		return nil
	case <-urgent:
	case <-ctx.Done():
	}
	b.mu.Lock()
	i := slices.Index(b.queue, w)
	if i >= 0 {
		b.queue = slices.Delete(b.queue, i, i+1)
		b.waiting.Add(-1)
	}
	b.mu.Unlock()
	switch {
	case i < 0: // ready at the same moment
		return nil
	case ctx.Err() != nil:
		b.wake() // those behind it may fit
		return ctx.Err()
	}
	b.take(n)
	return nil
}

// release gives n bytes back.
func (b *budget) release(n int64) {
	b.used.Add(-n)
	if b.waiting.Load() > 0 {
		b.wake()
	}
}

func (b *budget) wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.queue) > 0 && b.tryTake(b.queue[0].n) {
		close(b.queue[0].ready)
		b.queue = b.queue[1:]
		b.waiting.Add(-1)
	}
}

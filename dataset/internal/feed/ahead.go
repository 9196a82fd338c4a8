package feed

import (
	"context"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// An ahead supply has goroutines that read files before they are asked for. Those that
// are near they only open.
type ahead struct {
	s       *Stream
	ctx     context.Context
	cancel  context.CancelFunc
	files   []int
	readers int
	share   int64 // of the budget, for the queue of one file
	workers sync.WaitGroup
	closed  atomic.Bool
	stopCtx func() bool

	// With memory.mu.
	queues  map[int]*queue
	started int  // files that a reader has begun
	asked   int  // readers keep so close to this place in the order
	wanted  bool // any is waiting
	spare   []*shelf

	// For whose turn it is alone.
	open []*queue // of the file at each place of the order; changed with memory.mu
	cur  *queue   // that any takes from
}

// A queue is what was read of a file and not yet taken.
type queue struct {
	file   int
	run    *run // being taken from; for whose turn it is alone
	ready  []event
	bytes  int64 // in ready
	near   *near // open, and not at its end; nil if a reader reads the file
	busy   bool  // somebody reads near
	ended  bool
	err    error // if ended
	wanted bool  // somebody waits for records of it
}

// An event is some records, or a loss between records.
type event struct {
	run  *run
	loss *Loss
}

func newAhead(ctx context.Context, s *Stream, files []int) *ahead {
	a := &ahead{s: s, files: files, readers: s.cfg.Readers, queues: map[int]*queue{}, open: make([]*queue, max(s.cfg.Cycle, 1))}
	a.share = s.mem.limit / 2 / int64(a.readers)
	a.ctx, a.cancel = context.WithCancel(ctx)
	a.asked = 1
	// Of a.ctx, not of ctx: who is woken must see that it has ended.
	a.stopCtx = context.AfterFunc(a.ctx, func() {
		s.mem.mu.Lock()
		defer s.mem.mu.Unlock()
		s.mem.room.Broadcast()
		s.mem.ready.Broadcast()
	})
	for range min(a.readers, len(files)) {
		a.workers.Go(a.work)
	}
	s.mem.mu.Lock()
	s.help = a.help
	s.mem.mu.Unlock()
	return a
}

// close ends the readers and waits for them.
func (a *ahead) close() {
	a.cancel()
	m := a.s.mem
	m.mu.Lock()
	a.s.help = nil
	a.closed.Store(true)
	m.room.Broadcast()
	m.mu.Unlock()
	a.workers.Wait()
	a.stopCtx()
	for _, q := range a.queues {
		a.abandon(q)
		m.drop(q)
	}
	clear(a.queues)
}

// drop gives back what is in a queue.
func (m *memory) drop(q *queue) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if q.run != nil {
		q.ready = append(q.ready, event{run: q.run})
		q.run = nil
	}
	for _, e := range q.ready {
		if e.run != nil {
			// What was taken of it may still be on its way.
			if e.run.left.Add(-int64(len(e.run.items)-e.run.next)) == 0 {
				m.finish(e.run)
			}
		} else {
			m.used -= lossCharge
			m.relieve()
		}
	}
	q.ready = nil
}

// work reads files until there are no more.
func (a *ahead) work() {
	w := newFiller(a)
	for {
		q, ok := a.claim()
		if !ok {
			return
		}
		err := w.file(q)
		a.s.mem.mu.Lock()
		if err != errLeft {
			q.ended, q.err = true, err
		}
		a.s.mem.ready.Broadcast()
		a.s.mem.mu.Unlock()
	}
}

// claim finds the next file to read.
func (a *ahead) claim() (*queue, bool) {
	m := a.s.mem
	m.mu.Lock()
	defer m.mu.Unlock()
	for {
		switch {
		case a.closed.Load() || a.ctx.Err() != nil || a.started == len(a.files):
			return nil, false
		case a.started < a.asked+a.readers-1:
			q := a.queues[a.started]
			if q == nil {
				q = &queue{file: a.files[a.started]}
				a.queues[a.started] = q
			}
			a.started++
			return q, true
		}
		m.room.Wait()
	}
}

func (a *ahead) next(place, v int) (Item, error) {
	q := a.open[place]
	if q == nil || q.run == nil {
		var err error
		if q, err = a.fetch(place, v); err != nil {
			return Item{}, err
		}
	}
	return q.take(), nil
}

// take returns the next record of the run at hand.
func (q *queue) take() Item {
	it := q.run.take()
	if q.run.next == len(q.run.items) {
		q.run = nil
	}
	return it
}

// appendTo appends what is left of the run at hand to dst, at most n records.
func (a *ahead) appendTo(dst []Item, place, n int) []Item {
	q := a.open[place]
	if q == nil || q.run == nil {
		return dst
	}
	if n == 1 {
		return append(dst, q.take())
	}
	r := q.run
	n = min(n, len(r.items)-r.next)
	dst = append(dst, r.items[r.next:r.next+n]...)
	if r.next += n; r.next == len(r.items) {
		q.run = nil
	}
	return dst
}

// fetch moves the next run of file v to where records are taken from.
func (a *ahead) fetch(place, v int) (*queue, error) {
	m := a.s.mem
	m.mu.Lock()
	defer m.mu.Unlock()
	if a.asked <= v {
		a.asked = v + 1
		m.room.Broadcast()
	}
	q := a.queues[v]
	if q == nil {
		q = &queue{file: a.files[v]}
		a.queues[v] = q
	}
	a.open[place] = q
	for {
		if ok, err := a.advance(v, q); err != nil {
			a.open[place] = nil
			return nil, err
		} else if ok {
			return q, nil
		}
		if err := a.pause(&q.wanted); err != nil {
			return nil, err
		}
	}
}

// pause waits for something to be ready. m.mu is held.
func (a *ahead) pause(wanted *bool) error {
	m := a.s.mem
	if err := a.ctx.Err(); err != nil || a.help() {
		return err
	}
	*wanted = true
	m.room.Broadcast()
	m.ready.Wait()
	*wanted = false
	return nil
}

// advance takes what is ready of a file up to its next run, and reports whether
// there is one. What is near is ready if nobody reads it just now. The error is io.EOF at
// the end of the file. m.mu is held, but not while something is read.
func (a *ahead) advance(v int, q *queue) (bool, error) {
	m := a.s.mem
	if len(q.ready) == 0 && q.near != nil && !q.busy {
		a.read(q)
	}
	for len(q.ready) > 0 {
		e := q.ready[0]
		q.ready[0] = event{}
		q.ready = q.ready[1:]
		if q.near == nil {
			m.room.Broadcast()
		} else if len(a.open) > 1 {
			m.turn.Broadcast() // there is something to help with
		}
		if e.run != nil {
			q.run = e.run
			q.bytes -= e.run.bytes
			return true, nil
		}
		q.bytes -= lossCharge
		m.used -= lossCharge
		m.mu.Unlock()
		a.s.lost(*e.loss)
		m.mu.Lock()
	}
	if !q.ended {
		return false, nil
	}
	delete(a.queues, v)
	if q.err != nil {
		return false, q.err
	}
	return false, io.EOF
}

func (a *ahead) any() (Item, error) {
	if q := a.cur; q != nil && q.run != nil {
		return q.take(), nil
	}
	m := a.s.mem
	m.mu.Lock()
	defer m.mu.Unlock()
	for {
		for _, v := range slices.Sorted(maps.Keys(a.queues)) {
			q := a.queues[v]
			ok, err := a.advance(v, q)
			if ok {
				a.cur = q
				return q.take(), nil
			}
			if err == io.EOF {
				a.asked++
				m.room.Broadcast()
			} else if err != nil {
				return Item{}, err
			}
		}
		if a.started == len(a.files) && len(a.queues) == 0 {
			return Item{}, io.EOF
		}
		if err := a.pause(&a.wanted); err != nil {
			return Item{}, err
		}
	}
}

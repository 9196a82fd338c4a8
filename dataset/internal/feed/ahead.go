package feed

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tfparse/tfparse/tfrecord"
)

// lossCharge is what a Loss in a queue counts.
const lossCharge = 1 << 10

// An ahead supply has goroutines that read files before they are asked for.
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

	// The caller's alone.
	open []*queue // of the file at each place of the order
	cur  *queue   // that a record was last taken from
}

// A queue is what was read of a file and not yet taken.
type queue struct {
	file   int
	slab   *slab // being taken from; the caller's alone
	ready  []event
	bytes  int64 // in ready
	ended  bool
	err    error // if ended
	wanted bool  // the caller waits
}

// An event is some records, or a loss between records.
type event struct {
	slab *slab
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
	return a
}

// close ends the readers and waits for them.
func (a *ahead) close() {
	a.cancel()
	m := a.s.mem
	m.mu.Lock()
	a.closed.Store(true)
	m.room.Broadcast()
	m.mu.Unlock()
	a.workers.Wait()
	a.stopCtx()
	for _, q := range a.queues {
		a.s.mem.drop(q)
	}
	clear(a.queues)
}

// drop gives back what is in a queue.
func (m *memory) drop(q *queue) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if q.slab != nil {
		q.ready = append(q.ready, event{slab: q.slab})
		q.slab = nil
	}
	for _, e := range q.ready {
		if e.slab != nil {
			// What was taken of it may still be on its way.
			if e.slab.left -= len(e.slab.ends) - e.slab.next; e.slab.left == 0 {
				m.recycle(e.slab)
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
	r := tfrecord.NewReader(nil, &a.s.cfg.Reader)
	for {
		q, ok := a.claim()
		if !ok {
			return
		}
		err := a.read(q, r)
		a.s.mem.mu.Lock()
		q.ended, q.err = true, err
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

var errClosed = errors.New("feed: closed")

// read reads one file.
func (a *ahead) read(q *queue, r *tfrecord.Reader) error {
	w := filler{a: a, q: q, share: a.share}
	defer w.flush()
	c := &a.s.cfg
	src, err := c.open(a.ctx, q.file, w.flush)
	if err != nil {
		if c.Recover && a.ctx.Err() == nil {
			return w.lose(notOpened(q.file, err))
		}
		return a.s.fileError(q.file, err)
	}
	err = w.fill(c, src, r)
	if e := src.close(); e != nil && err == nil {
		err = a.s.fileError(q.file, e)
	}
	return err
}

// A filler puts records into slabs and those into a queue.
type filler struct {
	a     *ahead
	q     *queue
	s     *slab
	share int64 // of the budget, for the queue
}

// nearShare is the share of a file that costs next to nothing to read: more would only
// push what is wanted now out of the processor's caches.
const nearShare = 2 << 20

// near reports whether reading a file is no more than copying memory.
func near(src *source, r *tfrecord.Reader) bool {
	_, local := src.rc.(*os.File)
	return local && r.Compression() == tfrecord.None
}

func (w *filler) fill(c *Config, src *source, r *tfrecord.Reader) error {
	if !c.Recover {
		return w.strict(c, src, r)
	}
	opts := c.Reader
	opts.Name = c.Names[w.q.file]
	for found := range tfrecord.Recover(src, &opts) {
		var err error
		if found.Lost != nil {
			err = w.lose(lossOf(w.q.file, found))
		} else {
			err = w.add(found.Record, Place{w.q.file, found.Pos.Record, found.Pos.Offset})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// strict reads up to the first fault.
func (w *filler) strict(c *Config, src *source, r *tfrecord.Reader) error {
	r.Reset(src, c.Names[w.q.file])
	for first := true; ; first = false {
		rec, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if first && near(src, r) {
			w.share = min(w.share, nearShare)
		}
		pos := r.Pos()
		if err := w.add(rec, Place{w.q.file, pos.Record, pos.Offset}); err != nil {
			return err
		}
	}
}

func (w *filler) add(rec []byte, at Place) error {
	if w.s != nil && len(rec) > cap(w.s.buf)-len(w.s.buf) {
		w.flush()
	}
	if w.s == nil {
		if w.a.closed.Load() {
			return errClosed
		}
		m := w.a.s.mem
		m.mu.Lock()
		ok := w.await(max(int64(len(rec)), int64(m.size)))
		if ok {
			w.s = m.slab(len(rec))
		}
		m.mu.Unlock()
		if !ok {
			return errClosed
		}
	}
	w.s.add(rec, at)
	return nil
}

// flush hands over what is there. It is called before every read from the file:
// who waits for a record is not to wait for those behind it.
func (w *filler) flush() {
	if w.s == nil || len(w.s.ends) == 0 {
		return
	}
	w.s.left = len(w.s.ends)
	w.push(event{slab: w.s}, w.s.charge)
	w.s = nil
}

func (w *filler) lose(l Loss) error {
	w.flush()
	m := w.a.s.mem
	m.mu.Lock()
	ok := w.await(lossCharge)
	if ok {
		m.used += lossCharge
	}
	m.mu.Unlock()
	if !ok {
		return errClosed
	}
	w.push(event{loss: &l}, lossCharge)
	return nil
}

func (w *filler) push(e event, bytes int64) {
	m := w.a.s.mem
	m.mu.Lock()
	w.q.ready = append(w.q.ready, e)
	w.q.bytes += bytes
	m.ready.Signal()
	m.mu.Unlock()
}

// await waits until n more bytes may be held for this file. It is false when the
// supply is closed. m.mu is held.
func (w *filler) await(n int64) bool {
	m := w.a.s.mem
	for {
		switch {
		case w.a.closed.Load() || w.a.ctx.Err() != nil:
			return false
		case len(w.q.ready) == 0 && (w.q.wanted || w.a.wanted && w.a.empty()):
			return true
		case m.fits(n) && (len(w.q.ready) == 0 || n <= w.share-w.q.bytes):
			return true
		}
		if !m.fits(n) && (m.need == 0 || n < m.need) {
			m.need = n
		}
		m.room.Wait()
	}
}

// empty reports whether nothing is ready in any queue. m.mu is held.
func (a *ahead) empty() bool {
	for _, q := range a.queues {
		if len(q.ready) > 0 {
			return false
		}
	}
	return true
}

func (a *ahead) next(place, v int, wait bool) (Item, error) {
	q := a.open[place]
	if q == nil || q.slab == nil {
		var err error
		if q, err = a.fetch(place, v, wait); err != nil {
			a.cur = nil
			return Item{}, err
		}
	}
	a.cur = q
	return q.take(), nil
}

// take returns the next record of the slab at hand.
func (q *queue) take() Item {
	it := q.slab.take()
	if q.slab.next == len(q.slab.ends) {
		q.slab = nil
	}
	return it
}

// appendTo appends what is left of the slab at hand to dst, at most n records.
func (a *ahead) appendTo(dst []Item, n int) []Item {
	q := a.cur
	if q == nil || q.slab == nil {
		return dst
	}
	n = min(n, len(q.slab.ends)-q.slab.next)
	dst = q.slab.appendTo(dst, n)
	if q.slab.next == len(q.slab.ends) {
		q.slab = nil
	}
	return dst
}

// fetch moves the next slab of file v to where records are taken from.
func (a *ahead) fetch(place, v int, wait bool) (*queue, error) {
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
		if err := a.pause(&q.wanted, wait); err != nil {
			return nil, err
		}
	}
}

// pause waits for something to be ready. m.mu is held.
func (a *ahead) pause(wanted *bool, wait bool) error {
	m := a.s.mem
	if err := a.ctx.Err(); err != nil {
		return err
	}
	if !wait {
		return ErrWait
	}
	*wanted = true
	m.room.Broadcast()
	m.ready.Wait()
	*wanted = false
	return nil
}

// advance takes what is ready of a file up to its next slab, and reports whether
// there is one. The error is io.EOF at the end of the file. m.mu is held.
func (a *ahead) advance(v int, q *queue) (bool, error) {
	m := a.s.mem
	for len(q.ready) > 0 {
		e := q.ready[0]
		q.ready[0] = event{}
		q.ready = q.ready[1:]
		m.room.Broadcast()
		if e.slab != nil {
			q.slab = e.slab
			q.bytes -= e.slab.charge
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

func (a *ahead) any(wait bool) (Item, error) {
	if q := a.cur; q != nil && q.slab != nil {
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
		if err := a.pause(&a.wanted, wait); err != nil {
			return Item{}, err
		}
	}
}

package feed

import (
	"errors"
	"io"

	"github.com/tfparse/tfparse/tfrecord"
)

// lossCharge is what a Loss in a queue counts.
const lossCharge = 1 << 10

var errClosed = errors.New("feed: closed")

// A filler reads files into slabs, and puts the records of each read into the queue of
// the file.
type filler struct {
	a     *ahead
	q     *queue
	share int64 // of the budget, for the queue
	run   *run  // not handed over yet
	*shelf
	fill int // of the slab, with what was copied there
}

func newFiller(a *ahead) *filler {
	w := &filler{a: a}
	w.takeShelf()
	return w
}

// takeShelf gets a shelf, whose slabs wait for room.
func (w *filler) takeShelf() {
	w.shelf = w.a.shelf()
	w.claim = func(n int64) (*Slab, error) {
		w.hand()
		if !w.await(max(n, int64(w.mem.size))) {
			return nil, errClosed
		}
		return w.mem.slab(n), nil
	}
}

// file reads one file, or only opens it. The error is errLeft then: see near.
func (w *filler) file(q *queue) error {
	w.q, w.share = q, w.a.share
	defer func() {
		w.flush()
		w.clear()
	}()
	c := &w.a.s.cfg
	src, err := c.open(w.a.ctx, q.file, w.flush)
	if err != nil {
		if c.Recover && w.a.ctx.Err() == nil {
			return w.lose(notOpened(q.file, err))
		}
		return w.a.s.fileError(q.file, err)
	}
	if c.Recover {
		err = w.recover(c, src)
	} else {
		err = w.strict(c, src)
		if err == errLeft {
			w.takeShelf()
			return err
		}
	}
	if e := src.close(); e != nil && err == nil {
		err = w.a.s.fileError(q.file, e)
	}
	return err
}

// strict reads up to the first fault, or leaves a file to others that is near. Records
// stay where they were read to.
func (w *filler) strict(c *Config, src *source) error {
	w.r.Reset(src, c.Names[w.q.file])
	for first := true; ; first = false {
		rec, err := w.r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if w.run == nil {
			w.settle()
			if w.a.closed.Load() {
				return errClosed
			}
		}
		pos := w.r.Pos()
		w.add(rec, Place{w.q.file, pos.Record, pos.Offset})
		if first && c.near(src, w.r) {
			w.leave(src)
			return errLeft
		}
	}
}

// recover steps over faults. Records are copied to slabs.
func (w *filler) recover(c *Config, src *source) error {
	opts := c.Reader
	opts.Name = c.Names[w.q.file]
	for found := range tfrecord.Recover(src, &opts) {
		var err error
		if found.Lost != nil {
			err = w.lose(lossOf(w.q.file, found))
		} else if err = w.place(len(found.Record)); err == nil {
			rec := w.slab.buf[w.fill : w.fill+len(found.Record) : w.fill+len(found.Record)]
			w.fill += copy(rec, found.Record)
			w.add(rec, Place{w.q.file, found.Pos.Record, found.Pos.Offset})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// place makes room for n bytes in the slab.
func (w *filler) place(n int) error {
	if w.slab != nil && n <= len(w.slab.buf)-w.fill {
		return nil
	}
	w.flush()
	w.clear()
	_, err := w.memory(max(n, 1))
	w.fill = 0
	return err
}

// add puts a record that lies in the slab into the run.
func (w *filler) add(rec []byte, at Place) {
	if w.run == nil {
		w.run = w.newRun()
	}
	w.run.add(rec, at)
}

// flush hands over what is there. It is called before every read from the file:
// who waits for a record is not to wait for those behind it.
func (w *filler) flush() {
	if w.run == nil {
		return
	}
	w.mem.mu.Lock()
	w.hand()
	w.mem.mu.Unlock()
}

// hand is flush with m.mu held.
func (w *filler) hand() {
	if r := w.run; r != nil {
		r.left.Store(int64(len(r.items)))
		w.push(event{run: r}, r.bytes)
		w.run = nil
	}
}

func (w *filler) lose(l Loss) error {
	m := w.mem
	m.mu.Lock()
	defer m.mu.Unlock()
	w.hand()
	if !w.await(lossCharge) {
		return errClosed
	}
	m.used += lossCharge
	w.push(event{loss: &l}, lossCharge)
	return nil
}

// push puts an event into the queue. m.mu is held.
func (w *filler) push(e event, bytes int64) {
	w.q.ready = append(w.q.ready, e)
	w.q.bytes += bytes
	w.mem.ready.Signal()
}

// await waits until n more bytes may be held for this file. It is false when the
// supply is closed. m.mu is held.
func (w *filler) await(n int64) bool {
	m := w.mem
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

package feed

import (
	"errors"
	"io"

	"github.com/tfparse/tfparse/tfrecord"
)

// A near file costs no more to read than to copy memory: a goroutine that did it for others
// would take what it read away from the processor whose caches have it. So a
// reader only opens it, and whoever needs records of it reads them.
type near struct {
	*shelf
	src  *source
	file int
	over *Item // the first record of the slab at hand
}

// nearShare is how much is read of a near file by somebody who has nothing else to do.
const nearShare = 4 << 20

// near reports whether a file that is open is near.
func (c *Config) near(src *source, r *tfrecord.Reader) bool {
	return c.Near != nil && r.Compression() == tfrecord.None && c.Near(src.rc)
}

// errLeft says that a file is left to others.
var errLeft = errors.New("feed: near")

// leave makes the file at hand one that is near, of which there is a record in the run.
func (w *filler) leave(src *source) {
	src.waiting = nil
	w.settle()
	w.flush()
	m := w.mem
	m.mu.Lock()
	w.claim = w.atOnce
	w.q.near = &near{shelf: w.shelf, src: src, file: w.q.file}
	m.mu.Unlock()
}

// shelf returns one that is free.
func (a *ahead) shelf() *shelf {
	m := a.s.mem
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(a.spare); n > 0 {
		s := a.spare[n-1]
		a.spare = a.spare[:n-1]
		return s
	}
	return newShelf(&a.s.cfg, m)
}

// read reads some records of a near file into its queue. m.mu is held, but not meanwhile.
func (a *ahead) read(q *queue) {
	m := a.s.mem
	n := q.near
	q.busy = true
	m.mu.Unlock()
	r, err := n.read()
	if err != nil {
		err = n.end(a.s, err)
	}
	m.mu.Lock()
	q.busy = false
	if r != nil {
		r.left.Store(int64(len(r.items)))
		q.ready = append(q.ready, event{run: r})
		q.bytes += r.bytes
	}
	if err != nil {
		a.spare = append(a.spare, n.shelf)
		q.near, q.ended = nil, true
		if err != io.EOF {
			q.err = err
		}
	}
	m.ready.Broadcast()
}

// read returns the records of one slab, or nil, and the error of the record behind them.
func (n *near) read() (*run, error) {
	var r *run
	if n.over != nil {
		r = n.newRun()
		r.add(n.over.Record, n.over.Place)
		n.over = nil
	}
	for slab := n.slab; ; {
		rec, err := n.r.Next()
		if err != nil {
			return r, err
		}
		pos := n.r.Pos()
		at := Place{n.file, pos.Record, pos.Offset}
		if n.slab != slab {
			n.settle()
			if r != nil {
				n.over = &Item{Record: rec, Place: at}
				return r, nil
			}
			slab = n.slab
		}
		if r == nil {
			r = n.newRun()
		}
		r.add(rec, at)
	}
}

// end closes the file and returns err, or why it could not be closed.
func (n *near) end(s *Stream, err error) error {
	n.clear()
	if e := n.src.close(); e != nil && err == io.EOF {
		return s.fileError(n.file, e)
	}
	return err
}

// help reads ahead what will be wanted next, and reports whether there was something: if
// records are taken from several files in turn, those can be read at once. m.mu is held,
// but not meanwhile.
func (a *ahead) help() bool {
	m := a.s.mem
	if len(a.open) < 2 || a.closed.Load() || !m.fits(int64(m.size)) {
		return false
	}
	var least *queue
	for _, q := range a.open {
		if q != nil && q.near != nil && !q.busy && q.bytes < nearShare && (least == nil || q.bytes < least.bytes) {
			least = q
		}
	}
	if least == nil {
		return false
	}
	a.read(least)
	return true
}

// abandon closes a near file that is not at its end.
func (a *ahead) abandon(q *queue) {
	m := a.s.mem
	m.mu.Lock()
	for q.busy {
		m.ready.Wait()
	}
	n := q.near
	q.near = nil
	m.mu.Unlock()
	if n != nil {
		n.end(a.s, nil)
	}
}

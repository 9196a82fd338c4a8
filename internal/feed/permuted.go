package feed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/tfparse/tfparse/internal/ordered"
	"github.com/tfparse/tfparse/tfrecord"
)

// A permuted is the records of an epoch in the order of Config.GlobalShuffle: record place(i) of all files
// together is the i-th. It reads stretches of that order ahead, each of them in the order of the
// files, so that compressed files are decoded forwards.
type permuted struct {
	s     *Stream
	set   *indexedSet
	place func(i int64) int64 // nil until all files are open
	begun int                 // files whose beginning was reported

	at   int64 // in the order: of the next record
	step int64 // to the next one of this shard
	end  int64 // no record at or behind it is read
	sent int64 // of the next stretch
	size int   // records of the next stretch, at most

	pool    *ordered.Pool[*stretch]
	limit   int      // stretches under way
	planned *stretch // the next one, which waits for the budget
	current *stretch // at hand
	taken   int      // of current.found
	damaged []int64  // by file: records that were skipped
}

// A stretch is some records that follow each other in the order.
type stretch struct {
	wanted []ref
	bytes  int64   // what they take, which counts against the budget
	room   int64   // what of it is made before they are read
	end    int64   // of the stretch in the order
	buf    *Buffer // in use; nil until they are read
	found  []ref   // without those that Filter leaves out
}

// A ref is one record.
type ref struct {
	at     int64 // in the order
	file   int
	record int64
	offset int64
	size   int64
	grows  bool // memory for it
	item   Item
	err    error
	unfit  bool // err is that of Filter
}

// How many records a stretch has. The first is short, so that the first record comes early. In
// compressed files a longer stretch decodes less for each record: the records are sorted, and what
// is between two checkpoints is decoded once for all of them.
const (
	firstStretch  = 16
	plainStretch  = 1 << 10
	packedStretch = 1 << 14
	packedBytes   = 16 << 20
)

func (s *Stream) newPermuted() *permuted {
	if s.indexed == nil {
		s.indexed = newIndexedSet(s)
	}
	c := &s.cfg
	p := &permuted{s: s, set: s.indexed, at: c.Shard, step: c.Shards, end: math.MaxInt64, size: firstStretch, limit: 1, damaged: make([]int64, len(c.Names))}
	if s.countsPlaces() {
		p.at += min(c.Skip, math.MaxInt64/p.step-1) * p.step
		if c.Take >= 0 && c.Take < (math.MaxInt64-p.at)/p.step {
			p.end = p.at + c.Take*p.step
		}
	}
	if c.Readers > 0 {
		p.limit = c.Readers + 1
	}
	return p
}

// countsPlaces reports whether every place of the order has a record of the epoch, so that Skip and
// Take are about places, and what they leave out is not read.
func (s *Stream) countsPlaces() bool { return s.cfg.Filter == nil && !s.cfg.Recover }

// restore goes to the place of a State.
func (p *permuted) restore(st *State) error {
	if err := p.s.openIndexed(); err != nil {
		return err
	}
	if n := p.set.total(); st.Of > 0 && st.Of != n {
		return fmt.Errorf("%w: they had %d records, and have %d", ErrState, st.Of, n)
	}
	p.at = st.Next
	return nil
}

// start begins to read. All files are open.
func (p *permuted) start() {
	n := p.set.total()
	p.place = newPermutation(n, p.s.cfg.Seed, p.s.epoch).at
	p.end, p.sent = min(p.end, n), p.at
	p.pool = ordered.New(p.s.ctx, p.s.cfg.Readers, p.limit, func() func(*stretch) error { return p.read })
}

// next returns the next record.
func (p *permuted) next() (Item, error) {
	if p.begun < len(p.s.cfg.Names) {
		return Item{}, p.begin()
	}
	if p.place == nil {
		p.start()
	}
	for {
		if p.current == nil {
			if err := p.advance(); err != nil {
				return Item{}, err
			}
		}
		for p.taken < len(p.current.found) {
			r := &p.current.found[p.taken]
			if r.err != nil {
				if err := p.fault(r); err != nil {
					return Item{}, err
				}
			}
			p.taken++
			p.at = r.at + p.step
			if r.err == nil {
				return r.item, nil
			}
		}
		p.at = p.current.end
		p.current.buf.done()
		p.current = nil
	}
}

// begin opens a file, unless an earlier epoch did, and reports it.
func (p *permuted) begin() error {
	file := p.begun
	if len(p.set.files) == file {
		if err := p.set.open(); err != nil {
			return err
		}
	}
	p.begun++
	f := &p.set.files[file]
	p.s.event(Event{Begin: &FileBegin{file, f.records != nil, f.modTime}})
	if f.err != nil {
		p.s.event(Event{Skipped: &Skipped{Place{File: file, Record: -1}, -1, -1, f.err}})
	}
	return errEvent
}

// fault is called for a record that cannot be had. It returns nil if it is skipped.
func (p *permuted) fault(r *ref) error {
	e, ok := errors.AsType[*tfrecord.Error](r.err)
	if p.s.ctx.Err() != nil {
		return context.Cause(p.s.ctx)
	}
	if !p.s.cfg.Recover || !ok || e.Class == 0 && !r.unfit {
		p.s.event(Event{End: p.ended(r.file, r.err)})
		return r.err
	}
	p.damaged[r.file]++
	p.s.event(Event{Skipped: &Skipped{Place{r.file, r.record, e.Offset}, e.Offset + r.size, 1, r.err}})
	return nil
}

// ended is what is reported behind the records of a file.
func (p *permuted) ended(file int, err error) *FileEnd {
	end := &FileEnd{File: file, Err: err}
	if x := p.set.files[file].records; x != nil {
		end.Compression, end.Records = x.Index().Compression(), x.Len()-p.damaged[file]
	}
	return end
}

// advance waits for the next stretch, and has those behind it read.
func (p *permuted) advance() error {
	for p.pool.Len() < p.limit && (p.planned != nil || p.sent < p.end) {
		if p.planned == nil {
			p.planned = p.plan()
		}
		if !p.s.budget.tryTake(p.planned.bytes) {
			if p.pool.Len() > 0 {
				break
			}
			if p.s.busy.Load() > 0 { // what is about to be released may be enough
				select {
				case <-p.s.freed:
				case <-p.s.paused:
					return ErrPaused
				case <-p.s.ctx.Done():
					return context.Cause(p.s.ctx)
				}
				continue
			}
			p.s.budget.take(p.planned.bytes)
		}
		st := p.planned
		p.planned = nil
		if err := p.pool.Submit(st); err != nil {
			p.s.budget.release(st.bytes)
			return err
		}
	}
	if p.pool.Len() == 0 {
		for file := range p.set.files {
			p.s.event(Event{End: p.ended(file, nil)})
		}
		return io.EOF
	}
	st, err := p.pool.Next()
	if st == nil {
		return err
	}
	p.current, p.taken = st, 0
	return nil
}

// plan returns the next stretch, of one record or more.
func (p *permuted) plan() *stretch {
	most, bytes := plainStretch, int64(p.s.cfg.BufferSize)
	if p.set.packed {
		most, bytes = packedStretch, max(bytes, min(packedBytes, p.s.cfg.Budget/int64(2*p.limit)))
	}
	st := &stretch{wanted: make([]ref, 0, min(p.size, most))}
	for p.sent < p.end && len(st.wanted) < p.size {
		r := ref{at: p.sent}
		r.file, r.record = p.set.find(p.place(p.sent))
		r.offset, r.size = p.set.files[r.file].records.Index().Entry(r.record)
		if len(st.wanted) > 0 && r.size > bytes-st.bytes {
			break
		}
		// In compressed data only the index says how long a record is: memory for a long one grows as it
		// is read.
		if r.grows = r.size > int64(p.s.cfg.BufferSize) && p.set.files[r.file].records.Index().Compression() != tfrecord.None; !r.grows {
			st.room += r.size
		}
		st.wanted = append(st.wanted, r)
		st.bytes += r.size
		p.sent += p.step
	}
	st.end = p.sent
	p.size = min(2*p.size, most)
	return st
}

// read reads the records of a stretch, on any goroutine.
func (p *permuted) read(st *stretch) error {
	c := &p.s.cfg
	st.buf = p.s.buffer(st.room)
	st.buf.charge = st.bytes
	slices.SortFunc(st.wanted, func(a, b ref) int { return cmp.Or(a.file-b.file, cmp.Compare(a.record, b.record)) })
	used := int64(0)
	for i := range st.wanted {
		r := &st.wanted[i]
		if r.err = p.s.ctx.Err(); r.err != nil {
			continue
		}
		f := &p.set.files[r.file]
		var room []byte
		if !r.grows {
			room = st.buf.bytes[used:used:min(used+r.size, int64(len(st.buf.bytes)))]
			used += r.size
		}
		rec, err := f.records.AppendAt(room, r.record)
		if c.Progress != nil {
			c.Progress(1, int64(float64(r.offset+r.size)*f.ratio)-int64(float64(r.offset)*f.ratio))
		}
		at := Place{r.file, r.record, r.offset}
		r.item, r.err = Item{rec[:len(rec):len(rec)], at, st.buf}, err
		if err == nil && c.Filter != nil {
			ok, err := c.Filter(rec)
			if err != nil {
				r.err, r.unfit = &tfrecord.Error{Position: p.s.place(at), Compressed: -1, Err: err}, true
			} else if !ok {
				r.item.buf = nil
			}
		}
	}
	slices.SortFunc(st.wanted, func(a, b ref) int { return cmp.Compare(a.at, b.at) })
	st.found = slices.DeleteFunc(st.wanted, func(r ref) bool { return r.err == nil && r.item.buf == nil })
	return nil
}

// ready reports whether the next record is at hand.
func (p *permuted) ready() bool {
	return p.current != nil && p.taken < len(p.current.found) && p.current.found[p.taken].err == nil
}

// close ends the reading and waits for it.
func (p *permuted) close() {
	if p.pool != nil {
		for _, st := range p.pool.Close() {
			if st.buf != nil {
				st.buf.done()
			} else {
				p.s.budget.release(st.bytes)
			}
		}
	}
	if p.current != nil {
		p.current.buf.done()
		p.current = nil
	}
	p.set.handles.close()
}

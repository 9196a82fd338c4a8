package feed

import (
	"sync"
	"sync/atomic"
)

// A Place says where a record stands.
type Place struct {
	File   int   // index of its name
	Record int64 // ordinal in the file
	Offset int64 // of its header, in bytes of the uncompressed stream
}

// An Item is a record on its way. It is good until Stream.Done is called with it; one
// that is lent also ends with the next call of Next.
type Item struct {
	Record []byte
	Place
	run *run // nil when the record is lent by a tfrecord.Reader
}

// A Slab is memory that one file is read into: records lie in it as they do in the file,
// or one behind the other.
type Slab struct {
	buf    []byte
	charge int64 // what the budget was charged

	// With memory.mu.
	uses int // runs that are not done with, and one more while a reader has it
	held int // Helds that have it
}

// A run is records of one slab that change hands together, or a copy of a single record:
// a cell. One goroutine at a time takes from it; those who have a record are done with it
// when they like.
type run struct {
	slab  *Slab // nil for a cell
	items []Item
	next  int          // the first record that was not taken
	left  atomic.Int64 // records that are not done with, and one more while others may come
	bytes int64        // what the queue of the file counts

	cell   []byte
	charge int64 // of a cell
	kept   bool  // the record in a cell is in use for ever
}

// add appends a record, before the run changes hands.
func (r *run) add(rec []byte, at Place) {
	r.bytes += int64(len(rec))
	r.items = append(r.items, Item{rec, at, r})
}

// take returns the next record. There is one.
func (r *run) take() Item {
	r.next++
	return r.items[r.next-1]
}

// A memory is the slabs of a Stream and what they count against its budget.
type memory struct {
	limit int64
	size  int // of a slab, unless a record needs more

	mu    sync.Mutex
	room  sync.Cond // readers wait: for memory, for a file to read
	ready sync.Cond // whose turn it is waits: for records
	turn  sync.Cond // others wait: for their turn
	used  int64
	peak  int64
	need  int64   // what the least demanding of those who wait for memory wants; 0 if none does
	slabs []*Slab // free
	spare int64   // bytes in them
	runs  []*run  // free
	cells []*run  // free
	left  *Leftovers[*Slab]
	over  bool // slabs go to left

	// So that a cell takes no lock.
	mine  []*run       // free, for whose turn it is
	later atomic.Int64 // what cells count that is not in used yet
}

// laterMost is how far used may be off because of cells.
const laterMost = 64 << 10

func newMemory(limit int64, size int, left *Leftovers[*Slab]) *memory {
	m := &memory{limit: limit, size: size, left: left}
	m.room.L, m.ready.L, m.turn.L = &m.mu, &m.mu, &m.mu
	return m
}

// fits reports whether n more bytes are within the budget, or alone in it.
func (m *memory) fits(n int64) bool { return m.used == 0 || n <= m.limit-m.used }

// slab returns an empty slab of n bytes and more, charged and in use once. m.mu is held.
func (m *memory) slab(n int64) *Slab {
	var s *Slab
	if last := len(m.slabs) - 1; last >= 0 && n <= int64(m.size) {
		s, m.slabs = m.slabs[last], m.slabs[:last]
		m.spare -= int64(len(s.buf))
	} else if n <= int64(m.size) {
		s = m.leftover()
	}
	if s == nil {
		s = &Slab{buf: make([]byte, max(n, int64(m.size)))}
	}
	s.uses = 1
	m.charge(s, int64(len(s.buf)))
	return s
}

// leftover returns a slab of a stream before, or nil.
func (m *memory) leftover() *Slab {
	if m.left == nil {
		return nil
	}
	if s, ok := m.left.Get(); ok && len(s.buf) == m.size {
		return s
	}
	return nil
}

// end leaves what is free, and what will be, to streams that follow.
func (m *memory) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.over = m.left != nil
	for i := 0; m.over && i < len(m.slabs); i++ {
		m.left.Put(m.slabs[i])
	}
	m.slabs, m.spare = nil, 0
}

// charge sets what a slab counts. m.mu is held.
func (m *memory) charge(s *Slab, n int64) {
	m.used += n - s.charge
	m.peak = max(m.peak, m.used)
	s.charge = n
}

// run returns an empty run of a slab. m.mu is held.
func (m *memory) run(s *Slab) *run {
	r := &run{}
	if last := len(m.runs) - 1; last >= 0 {
		r, m.runs = m.runs[last], m.runs[:last]
	}
	*r = run{slab: s, items: r.items[:0]}
	s.uses++
	return r
}

// cell returns a run that is a copy of one record and counts nothing yet.
func (m *memory) cell(rec []byte, at Place) *run {
	r := &run{}
	if len(m.mine) == 0 {
		m.mu.Lock()
		m.mine, m.cells = m.cells, m.mine
		m.mu.Unlock()
	}
	if last := len(m.mine) - 1; last >= 0 {
		r, m.mine = m.mine[last], m.mine[:last]
	}
	if room := cap(r.cell); room < len(rec) || room > 4096 && room > 4*len(rec) {
		r.cell = make([]byte, 0, len(rec)+len(rec)/8)
	}
	r.cell = append(r.cell[:0], rec...)
	r.items = append(r.items[:0], Item{r.cell[:len(rec):len(rec)], at, r})
	r.next = 0
	r.left.Store(1)
	return r
}

// chargeCell sets what a cell counts.
func (m *memory) chargeCell(r *run, n int64) {
	later := m.later.Add(n - r.charge)
	r.charge = n
	if later > laterMost || later < -laterMost {
		m.mu.Lock()
		m.used += m.later.Swap(0)
		m.peak = max(m.peak, m.used)
		m.relieve()
		m.mu.Unlock()
	}
}

// done takes records back, and what they lie in with the last one. Unless it is nil, h
// holds their memory: they are only taken off the budget.
func (m *memory) done(items []Item, h *Held) {
	// The records of so many files are counted at once that are read in turn.
	var tally [4]struct {
		run *run
		n   int64
	}
	next := 0
counting:
	for _, it := range items {
		if it.run == nil {
			continue
		}
		if h == nil {
			poison(it.Record)
		}
		for i := range tally {
			if tally[i].run == it.run {
				tally[i].n++
				continue counting
			}
		}
		if h != nil {
			m.hold(it.run, h)
		}
		t := &tally[next]
		next = (next + 1) % len(tally)
		if t.run != nil {
			m.leave(t.run, t.n)
		}
		t.run, t.n = it.run, 1
	}
	for _, t := range tally {
		if t.run != nil {
			m.leave(t.run, t.n)
		}
	}
}

// leave counts n records of a run less.
func (m *memory) leave(r *run, n int64) {
	if r.left.Add(-n) > 0 {
		return
	}
	if r.slab == nil {
		m.chargeCell(r, 0)
		if !r.kept {
			m.mu.Lock()
			m.cells = append(m.cells, r)
			m.mu.Unlock()
		}
		return
	}
	m.mu.Lock()
	m.finish(r)
	m.mu.Unlock()
}

// finish takes a run of a slab back. m.mu is held.
func (m *memory) finish(r *run) {
	m.release(r.slab)
	clear(r.items)
	r.slab = nil
	m.runs = append(m.runs, r)
}

// relieve wakes who waits for memory, if there is enough. m.mu is held.
func (m *memory) relieve() {
	if m.need > 0 && m.fits(m.need) {
		m.need = 0
		m.room.Broadcast()
	}
}

// release ends one use of a slab. m.mu is held.
func (m *memory) release(s *Slab) {
	if s.uses--; s.uses > 0 {
		return
	}
	m.charge(s, 0)
	m.relieve()
	m.recycle(s)
}

// recycle makes a slab free that nobody uses or holds. m.mu is held.
func (m *memory) recycle(s *Slab) {
	if s.uses > 0 || s.held > 0 || len(s.buf) > m.size || m.spare+int64(len(s.buf)) > m.limit {
		return
	}
	if m.over {
		m.left.Put(s)
		return
	}
	m.slabs = append(m.slabs, s)
	m.spare += int64(len(s.buf))
}

// A Held is the memory of records that are in use for as long as somebody likes. It
// belongs to one goroutine at a time. One that is never released is left to the garbage
// collector, and so are its slabs.
type Held struct {
	mem   *memory
	slabs []*Slab
}

// hold leaves the memory of a run to h.
func (m *memory) hold(r *run, h *Held) {
	if s := r.slab; s == nil {
		r.kept = true
	} else if n := len(h.slabs); n == 0 || h.slabs[n-1] != s && (n == 1 || h.slabs[n-2] != s) {
		h.mem = m
		h.slabs = append(h.slabs, s)
		m.mu.Lock()
		s.held++
		m.mu.Unlock()
	}
}

// Release gives the memory back: it will have other records.
func (h *Held) Release() {
	if len(h.slabs) == 0 {
		return
	}
	h.mem.mu.Lock()
	defer h.mem.mu.Unlock()
	for _, s := range h.slabs {
		if s.held--; s.held == 0 && s.uses == 0 {
			poison(s.buf)
			h.mem.recycle(s)
		}
	}
	clear(h.slabs)
	h.slabs = h.slabs[:0]
}

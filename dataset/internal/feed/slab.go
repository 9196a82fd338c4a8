package feed

import "sync"

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

// A slab is memory that one file is read into: records lie in it as they do in the file,
// or one behind the other.
type slab struct {
	buf    []byte
	charge int64 // what the budget was charged

	// With memory.mu.
	uses int // runs that are not done with, and one more while a reader has it
	held int // Helds that have it
}

// A run is records of one slab that change hands together, or a copy of a single record:
// a cell. Only one goroutine has it at a time.
type run struct {
	slab  *slab // nil for a cell
	items []Item
	next  int   // the first record that was not taken
	left  int   // records that are not done with, and one more while others may come
	bytes int64 // what the queue of the file counts

	cell   []byte
	charge int64 // of a cell
	kept   bool  // the record in a cell is in use for ever
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
	ready sync.Cond // the caller waits: for records
	used  int64
	peak  int64
	need  int64   // what the least demanding of those who wait for memory wants; 0 if none does
	slabs []*slab // free
	spare int64   // bytes in them
	runs  []*run  // free
	left  *sync.Pool
	over  bool // slabs go to left

	// The caller's alone, so that a cell takes no lock.
	cells []*run // free
	later int64  // what cells count that is not in used yet
}

// laterMost is how far used may be off because of cells.
const laterMost = 64 << 10

func newMemory(limit int64, size int, left *sync.Pool) *memory {
	m := &memory{limit: limit, size: size, left: left}
	m.room.L, m.ready.L = &m.mu, &m.mu
	return m
}

// fits reports whether n more bytes are within the budget, or alone in it.
func (m *memory) fits(n int64) bool { return m.used == 0 || n <= m.limit-m.used }

// slab returns an empty slab of n bytes and more, charged and in use once. m.mu is held.
func (m *memory) slab(n int64) *slab {
	var s *slab
	if last := len(m.slabs) - 1; last >= 0 && n <= int64(m.size) {
		s, m.slabs = m.slabs[last], m.slabs[:last]
		m.spare -= int64(len(s.buf))
	} else if n <= int64(m.size) {
		s = m.leftover()
	}
	if s == nil {
		s = &slab{buf: make([]byte, max(n, int64(m.size)))}
	}
	s.uses = 1
	m.charge(s, int64(len(s.buf)))
	return s
}

// leftover returns a slab of a stream before, or nil.
func (m *memory) leftover() *slab {
	if m.left == nil {
		return nil
	}
	if s, ok := m.left.Get().(*slab); ok && len(s.buf) == m.size {
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
func (m *memory) charge(s *slab, n int64) {
	m.used += n - s.charge
	m.peak = max(m.peak, m.used)
	s.charge = n
}

// run returns an empty run of a slab. m.mu is held.
func (m *memory) run(s *slab) *run {
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
	if last := len(m.cells) - 1; last >= 0 {
		r, m.cells = m.cells[last], m.cells[:last]
	}
	if room := cap(r.cell); room < len(rec) || room > 4096 && room > 4*len(rec) {
		r.cell = make([]byte, 0, len(rec)+len(rec)/8)
	}
	r.cell = append(r.cell[:0], rec...)
	r.items = append(r.items[:0], Item{r.cell[:len(rec):len(rec)], at, r})
	r.next, r.left = 0, 1
	return r
}

// chargeCell sets what a cell counts.
func (m *memory) chargeCell(r *run, n int64) {
	m.later += n - r.charge
	r.charge = n
	if m.later > laterMost || m.later < -laterMost {
		m.mu.Lock()
		m.used += m.later
		m.peak = max(m.peak, m.used)
		m.later = 0
		m.relieve()
		m.mu.Unlock()
	}
}

// done takes a record back, and what it lies in with the last one.
func (m *memory) done(it Item) {
	if it.run == nil {
		return
	}
	poison(it.Record)
	m.leave(it.run)
}

// leave counts one record of a run less.
func (m *memory) leave(r *run) {
	if r.left--; r.left > 0 {
		return
	}
	if r.slab == nil {
		m.chargeCell(r, 0)
		if !r.kept {
			m.cells = append(m.cells, r)
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
func (m *memory) release(s *slab) {
	if s.uses--; s.uses > 0 {
		return
	}
	m.charge(s, 0)
	m.relieve()
	m.recycle(s)
}

// recycle makes a slab free that nobody uses or holds. m.mu is held.
func (m *memory) recycle(s *slab) {
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
	slabs []*slab
}

// keep takes a record off the budget and leaves its memory to h.
func (m *memory) keep(it Item, h *Held) {
	if s := it.run.slab; s == nil {
		it.run.kept = true
	} else if n := len(h.slabs); n == 0 || h.slabs[n-1] != s && (n == 1 || h.slabs[n-2] != s) {
		h.mem = m
		h.slabs = append(h.slabs, s)
		m.mu.Lock()
		s.held++
		m.mu.Unlock()
	}
	m.leave(it.run)
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

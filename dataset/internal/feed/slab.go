package feed

import "sync"

// A Place says where a record stands.
type Place struct {
	File   int   // index of its name
	Record int64 // ordinal in the file
	Offset int64 // of its header, in bytes of the uncompressed stream
}

// An Item is a record on its way. It is good until Stream.Done is called with it; one of
// a Stream without readers also ends with the next call of Next.
type Item struct {
	Record []byte
	Place
	slab *slab // nil when the record is lent by a tfrecord.Reader
}

// A slab is memory that holds records of one file, one after another, or a single
// record of any.
type slab struct {
	buf    []byte
	ends   []int // of each record in buf
	at     []Place
	next   int   // the first record that was not taken
	left   int   // records that are not done with
	charge int64 // what the budget was charged
	cell   bool  // it holds one record, for the shuffle buffer
	kept   bool  // a record in it is in use for ever
}

// add copies a record into the slab.
func (s *slab) add(rec []byte, at Place) {
	s.buf = append(s.buf, rec...)
	s.ends = append(s.ends, len(s.buf))
	s.at = append(s.at, at)
}

// take returns the next record. There is one.
func (s *slab) take() Item {
	begin := 0
	if s.next > 0 {
		begin = s.ends[s.next-1]
	}
	end := s.ends[s.next]
	it := Item{s.buf[begin:end:end], s.at[s.next], s}
	s.next++
	return it
}

// appendTo appends the next n records to dst. There are as many.
func (s *slab) appendTo(dst []Item, n int) []Item {
	begin := 0
	if s.next > 0 {
		begin = s.ends[s.next-1]
	}
	for i, end := range s.ends[s.next : s.next+n] {
		dst = append(dst, Item{s.buf[begin:end:end], s.at[s.next+i], s})
		begin = end
	}
	s.next += n
	return dst
}

// A memory is the slabs of a Stream and what they count against its budget.
type memory struct {
	limit int64
	size  int // of a slab that holds many records

	mu    sync.Mutex
	room  sync.Cond // readers wait: for memory, for a file to read
	ready sync.Cond // the caller waits: for records
	used  int64
	peak  int64
	need  int64   // what the least demanding of those who wait for memory wants; 0 if none does
	slabs []*slab // free

	// The caller's alone, so that a cell takes no lock.
	cells []*slab // free
	later int64   // what cells count that is not in used yet
}

// laterMost is how far used may be off because of cells.
const laterMost = 64 << 10

func newMemory(limit int64, size int) *memory {
	m := &memory{limit: limit, size: size}
	m.room.L, m.ready.L = &m.mu, &m.mu
	return m
}

// fits reports whether n more bytes are within the budget, or alone in it.
func (m *memory) fits(n int64) bool { return m.used == 0 || n <= m.limit-m.used }

// slab returns an empty slab for n bytes and more, charged. m.mu is held.
func (m *memory) slab(n int) *slab {
	var s *slab
	if last := len(m.slabs) - 1; last >= 0 && n <= m.size {
		s, m.slabs = m.slabs[last], m.slabs[:last]
	} else {
		s = &slab{buf: make([]byte, 0, max(n, m.size))}
	}
	m.charge(s, int64(cap(s.buf)))
	return s
}

// charge sets what a slab counts. m.mu is held.
func (m *memory) charge(s *slab, n int64) {
	m.used += n - s.charge
	m.peak = max(m.peak, m.used)
	s.charge = n
}

// cell returns a slab that holds a copy of one record and counts nothing yet.
func (m *memory) cell(rec []byte, at Place) *slab {
	var s *slab
	if last := len(m.cells) - 1; last >= 0 {
		s, m.cells = m.cells[last], m.cells[:last]
	} else {
		s = &slab{cell: true}
	}
	if room := cap(s.buf); room < len(rec) || room > 4096 && room > 4*len(rec) {
		s.buf = make([]byte, 0, len(rec)+len(rec)/8)
	}
	s.buf, s.ends, s.at = append(s.buf[:0], rec...), append(s.ends[:0], len(rec)), append(s.at[:0], at)
	s.next, s.left = 0, 1
	return s
}

// chargeCell sets what a cell counts.
func (m *memory) chargeCell(s *slab, n int64) {
	m.later += n - s.charge
	s.charge = n
	if m.later > laterMost || m.later < -laterMost {
		m.mu.Lock()
		m.used += m.later
		m.peak = max(m.peak, m.used)
		m.later = 0
		m.relieve()
		m.mu.Unlock()
	}
}

// done takes a record back, and the slab with the last one.
func (m *memory) done(it Item) {
	s := it.slab
	if s == nil {
		return
	}
	poison(it.Record)
	if s.left--; s.left > 0 {
		return
	}
	m.free(s)
}

// keep takes a record off the budget and leaves its memory to who uses it.
func (m *memory) keep(it Item) {
	it.slab.kept = true
	if it.slab.left--; it.slab.left > 0 {
		return
	}
	m.free(it.slab)
}

// free takes a slab or a cell back.
func (m *memory) free(s *slab) {
	if s.cell {
		m.chargeCell(s, 0)
		if !s.kept {
			m.cells = append(m.cells, s)
		}
		return
	}
	m.mu.Lock()
	m.recycle(s)
	m.mu.Unlock()
}

// relieve wakes who waits for memory, if there is enough. m.mu is held.
func (m *memory) relieve() {
	if m.need > 0 && m.fits(m.need) {
		m.need = 0
		m.room.Broadcast()
	}
}

// recycle takes a slab back that is no cell. m.mu is held.
func (m *memory) recycle(s *slab) {
	m.charge(s, 0)
	m.relieve()
	if s.kept {
		return
	}
	s.buf, s.ends, s.at, s.next = s.buf[:0], s.ends[:0], s.at[:0], 0
	if cap(s.buf) <= m.size {
		m.slabs = append(m.slabs, s)
	}
}

package feed

import (
	"sync"
	"sync/atomic"

	"github.com/tfparse/tfparse/tfrecord"
)

// A Place says where a record stands.
type Place struct {
	File   int   // index of its name
	Record int64 // ordinal in the file
	Offset int64 // of its header, in bytes of the uncompressed stream
}

// An Item is a record on its way, good as long as the Block that it is in.
type Item struct {
	Record []byte
	Place
	buf *Buffer // where the record lies
}

// Buffers keeps buffers that no stream uses for the streams that follow. The zero value is
// empty.
type Buffers struct{ large, small sync.Pool }

// A Buffer is memory that records lie in: those of a part of a file as they lie there, or a
// copy of a single one.
type Buffer struct {
	bytes  []byte
	stream *Stream
	pool   *sync.Pool // where it goes after its last use; nil: to the garbage collector
	charge int64      // against the budget

	uses  atomic.Int32 // readers, chunks and Blocks; the budget counts it until the last is gone
	owned atomic.Int32 // 1 for all uses, and one for each Held
	block uint64       // the last Block that uses it, see Block.add
}

// buffer returns a buffer of n bytes, which were taken from the budget. It is in use once.
func (s *Stream) buffer(n int64) *Buffer {
	b, ok := s.cfg.Buffers.large.Get().(*Buffer)
	if !ok || int64(cap(b.bytes)) < n || int64(cap(b.bytes)) > 2*n {
		b = &Buffer{bytes: make([]byte, n)}
	}
	b.bytes, b.pool = b.bytes[:n], &s.cfg.Buffers.large
	b.begin(s, n)
	return b
}

// copyOf returns an item that is a copy of another in a buffer of its own, in use once. It
// does not count against the budget yet: see Stream.charge.
func (s *Stream) copyOf(it Item) Item {
	b, ok := s.cfg.Buffers.small.Get().(*Buffer)
	if n := len(it.Record); !ok || n > cap(b.bytes) || cap(b.bytes) > 4096 && cap(b.bytes) > 4*n {
		b = &Buffer{bytes: make([]byte, 0, n+n/8)}
	}
	b.pool = &s.cfg.Buffers.small
	b.bytes = append(b.bytes[:0], it.Record...)
	b.begin(s, 0)
	return Item{b.bytes[:len(b.bytes):len(b.bytes)], it.Place, b}
}

func (b *Buffer) begin(s *Stream, charge int64) {
	b.stream, b.charge, b.block = s, charge, 0
	b.uses.Store(1)
	b.owned.Store(1)
}

// use adds a use; there is one already.
func (b *Buffer) use() { b.uses.Add(1) }

// done ends a use.
func (b *Buffer) done() {
	if b.uses.Add(-1) == 0 {
		b.stream.budget.release(b.charge)
		b.disown()
	}
}

func (b *Buffer) disown() {
	if b.owned.Add(-1) > 0 {
		return
	}
	poison(b.bytes)
	b.stream = nil
	if b.pool != nil {
		b.pool.Put(b)
	}
}

// A Held is the memory of records that remain in use, off the budget: strings are views of
// them. One that is never released is left to the garbage collector, with its buffers. It is
// for one goroutine at a time.
type Held struct{ buffers []*Buffer }

// Release gives the memory back: it will have other records.
func (h *Held) Release() {
	for _, b := range h.buffers {
		b.disown()
	}
	clear(h.buffers)
	h.buffers = h.buffers[:0]
}

// A Block is some records of a Stream one after another, and what happened between them. Its
// records are good until Done. The zero value is an empty Block.
type Block struct {
	Items  []Item
	Events []Event

	id      uint64 // of all Blocks that a Stream filled
	stream  *Stream
	busy    bool
	buffers []*Buffer // each is used once for all items in it
}

// An Event is something that happened before the Item of index At: one of the other fields
// says what.
type Event struct {
	At      int
	Begin   *FileBegin
	Skipped *Skipped
	End     *FileEnd
}

// FileBegin comes before everything else of a file.
type FileBegin struct {
	File    int
	Opened  bool
	ModTime error // that its index is of another modification time; nil: of this one, or there is none
}

// FileEnd comes behind everything else of a file that was begun.
type FileEnd struct {
	File        int
	Compression tfrecord.Compression // Auto: unknown
	Stored      int64                // bytes read from the file itself; not counted if Choose passes payloads over
	Records     int64                // intact ones, also those that Choose left out
	Err         error                // that ends the stream; nil at the end of the file
}

// add appends an item whose buffer has a use.
func (b *Block) add(it Item) {
	b.use(it.buf)
	b.Items = append(b.Items, it)
}

// use takes part in the use of a buffer. That of the last Block is remembered in the buffer,
// so that records of several files in turn cost no search.
func (b *Block) use(buf *Buffer) {
	if buf.block != b.id {
		buf.block = b.id
		buf.use()
		b.buffers = append(b.buffers, buf)
	}
}

// Busy says that Done will be called whatever becomes of the Stream: the Stream may wait for
// that when its budget is spent.
func (b *Block) Busy() {
	if b.stream != nil {
		b.busy = true
		b.stream.busy.Add(1)
	}
}

// idle ends the effect of Busy.
func (b *Block) idle() {
	if !b.busy {
		return
	}
	b.busy = false
	b.stream.busy.Add(-1)
	select {
	case b.stream.freed <- struct{}{}:
	default: // it will look anyway
	}
}

// Spoil overwrites a record in race builds: whoever still has it shows then.
func (b *Block) Spoil(i int) { poison(b.Items[i].Record) }

// Hold keeps the memory of the records, as far as h does not have it yet, for h.
func (b *Block) Hold(h *Held) {
	for _, buf := range b.buffers {
		buf.owned.Add(1)
	}
	h.buffers = append(h.buffers, b.buffers...)
}

// Done gives the records back and empties the Block.
func (b *Block) Done() {
	for _, buf := range b.buffers {
		buf.done()
	}
	b.idle()
	clear(b.buffers)
	clear(b.Items)
	clear(b.Events)
	b.buffers, b.Items, b.Events = b.buffers[:0], b.Items[:0], b.Events[:0]
	b.id = 0
}

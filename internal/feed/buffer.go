package feed

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tfparse/tfparse/tfrecord"
)

// A Position locates a record.
type Position struct {
	File   int   // index in Config.Names
	Record int64 // ordinal in the file
	Offset int64 // of its header in the uncompressed stream, in bytes
}

// An Item is a record, valid as long as the Block that it is in.
type Item struct {
	Record []byte // view of buf
	Position
	buf *Buffer // memory of the record
}

// Buffers holds free buffers for several streams. The zero value is empty.
type Buffers struct{ large, small sync.Pool }

// A Buffer is memory that holds records: those of one part of a file as they lie there, or a copy of a single
// record.
//
// It is used by readers, chunks and Blocks, and owned by these together and by PinnedBuffers. The budget of its
// stream is charged while it is used; it is free for another use when it has no owner.
type Buffer struct {
	bytes  []byte     // the memory
	stream *Stream    // whose budget is charged
	pool   *sync.Pool // where it goes when it is free; nil: to the garbage collector
	charge int64      // bytes that the budget is charged

	uses      atomic.Int32 // number of users
	owners    atomic.Int32 // 1 for all users, and 1 for each PinnedBuffers
	lastBlock uint64       // ID of the last Block that uses it: see Block.retainBuffer
}

// newBuffer returns a buffer of n bytes, which the budget was charged already. It has one user.
func (s *Stream) newBuffer(n int64) *Buffer {
	b, ok := s.cfg.Buffers.large.Get().(*Buffer)
	if !ok || int64(cap(b.bytes)) < n || int64(cap(b.bytes)) > 2*n {
		b = &Buffer{bytes: make([]byte, n)}
	}
	b.bytes, b.pool = b.bytes[:n], &s.cfg.Buffers.large
	b.initialize(s, n)
	return b
}

// copyItem returns a copy of an item in a buffer of its own, with one user. The budget is not charged.
func (s *Stream) copyItem(it Item) Item {
	b, ok := s.cfg.Buffers.small.Get().(*Buffer)
	if n := len(it.Record); !ok || n > cap(b.bytes) || cap(b.bytes) > 4096 && cap(b.bytes) > 4*n {
		b = &Buffer{bytes: make([]byte, 0, n+n/8)}
	}
	b.pool = &s.cfg.Buffers.small
	b.bytes = append(b.bytes[:0], it.Record...)
	b.initialize(s, 0)
	return Item{b.bytes[:len(b.bytes):len(b.bytes)], it.Position, b}
}

// initialize gives the buffer its first user.
func (b *Buffer) initialize(s *Stream, charge int64) {
	b.stream, b.charge, b.lastBlock = s, charge, 0
	b.uses.Store(1)
	b.owners.Store(1)
}

// retain adds a user. There is one already.
func (b *Buffer) retain() { b.uses.Add(1) }

// release removes a user.
func (b *Buffer) release() {
	if b.uses.Add(-1) == 0 {
		b.stream.budget.release(b.charge)
		b.dropOwner()
	}
}

// dropOwner removes an owner, and frees the buffer if that was the last.
func (b *Buffer) dropOwner() {
	if b.owners.Add(-1) > 0 {
		return
	}
	poison(b.bytes)
	b.stream = nil
	if b.pool != nil {
		b.pool.Put(b)
	}
}

// PinnedBuffers is memory of records that remains valid after their Block was released, because strings are views
// of it. It does not count against the budget. Without Release it is left to the garbage collector. It is for one
// goroutine at a time.
type PinnedBuffers struct{ buffers []*Buffer }

// Release gives the memory back; it will be overwritten.
func (h *PinnedBuffers) Release() {
	for _, b := range h.buffers {
		b.dropOwner()
	}
	clear(h.buffers)
	h.buffers = h.buffers[:0]
}

// A Block has consecutive records of a Stream and the events between them. The records are valid until Release. The
// zero value is an empty Block.
type Block struct {
	Items  []Item  // the records
	Events []Event // in order

	id      uint64    // ordinal among the Blocks that the stream has filled; 0: empty
	stream  *Stream   // that has filled it
	busy    bool      // MarkBusy was called
	buffers []*Buffer // memory of the items; the Block is one user of each
}

// An Event happened before the Item of index At. One of the other fields is set.
type Event struct {
	At      int
	Begin   *FileBegin
	Skipped *Skipped
	End     *FileEnd
}

// FileBegin is the first event of a file.
type FileBegin struct {
	File    int
	Opened  bool  // false: the file could not be opened, and is skipped
	ModTime error // why its index is one of another modification time; nil if it is not
}

// FileEnd is the last event of a file that has begun.
type FileEnd struct {
	File        int
	Compression tfrecord.Compression // Auto: unknown
	Stored      int64                // bytes read from the file itself; not counted if Choose seeks past payloads
	Records     int64                // number of intact records, including those left out by Choose
	Err         error                // ends the stream; nil at the end of the file
}

// addItem appends an item. Its buffer has a user.
func (b *Block) addItem(it Item) {
	b.retainBuffer(it.buf)
	b.Items = append(b.Items, it)
}

// retainBuffer makes the Block a user of a buffer. The buffer remembers the last Block, so that records of several
// files in turn need no search.
func (b *Block) retainBuffer(buf *Buffer) {
	if buf.lastBlock != b.id {
		buf.lastBlock = b.id
		buf.retain()
		b.buffers = append(b.buffers, buf)
	}
}

// MarkBusy promises that Release will be called whatever becomes of the Stream. The Stream may wait for that when
// its budget is spent.
func (b *Block) MarkBusy() {
	if b.stream != nil {
		b.busy = true
		b.stream.busyBlocks.Add(1)
	}
}

// clearBusy ends the effect of MarkBusy.
func (b *Block) clearBusy() {
	if !b.busy {
		return
	}
	b.busy = false
	b.stream.busyBlocks.Add(-1)
	select {
	case b.stream.freed <- struct{}{}:
	default: // it will look anyway
	}
}

// Spoil overwrites a record in race builds, to show who still uses it.
func (b *Block) Spoil(i int) { poison(b.Items[i].Record) }

// Pin adds the buffers of the records to p.
func (b *Block) Pin(h *PinnedBuffers) {
	for _, buf := range b.buffers {
		buf.owners.Add(1)
	}
	h.buffers = append(h.buffers, b.buffers...)
}

// Release gives the records back and empties the Block.
func (b *Block) Release() {
	for _, buf := range b.buffers {
		buf.release()
	}
	b.clearBusy()
	clear(b.buffers)
	clear(b.Items)
	clear(b.Events)
	b.buffers, b.Items, b.Events = b.buffers[:0], b.Items[:0], b.Events[:0]
	b.id = 0
}

// budget is a semaphore of bytes. A request above the limit is granted when nothing else is charged.
type budget struct {
	limit int64        // in bytes
	used  atomic.Int64 // bytes charged
	peak  atomic.Int64 // maximum of used

	mu          sync.Mutex   // guards queue
	queue       []*waiter    // in order of arrival
	waiterCount atomic.Int32 // length of queue, readable without mu
}

// waiter is a request that waits.
type waiter struct {
	bytes int64         // size of the request
	ready chan struct{} // closed when the budget was charged
}

// reserveNow charges n bytes, within the limit or not.
func (b *budget) reserveNow(n int64) { b.raisePeak(b.used.Add(n)) }

// raisePeak updates the peak.
func (b *budget) raisePeak(used int64) {
	for peak := b.peak.Load(); used > peak && !b.peak.CompareAndSwap(peak, used); {
		peak = b.peak.Load()
	}
}

// spent reports whether there is no room for a single byte.
func (b *budget) spent() bool { return b.used.Load() >= b.limit }

// tryReserve charges n bytes if they fit.
func (b *budget) tryReserve(n int64) bool {
	for {
		used := b.used.Load()
		if used > 0 && n > b.limit-used {
			return false
		}
		if b.used.CompareAndSwap(used, used+n) {
			b.raisePeak(used + n)
			return true
		}
	}
}

// reserveWaiting charges n bytes as soon as they fit, or when something is received from urgent. After an error,
// which is that of ctx, nothing is charged.
func (b *budget) reserveWaiting(ctx context.Context, n int64, urgent <-chan struct{}) error {
	if b.tryReserve(n) {
		return nil
	}
	w := &waiter{n, make(chan struct{})}
	b.mu.Lock()
	b.queue = append(b.queue, w)
	b.waiterCount.Add(1)
	b.mu.Unlock()
	b.wakeWaiters() // for what was released in the meantime
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
		b.waiterCount.Add(-1)
	}
	b.mu.Unlock()
	switch {
	case i < 0: // ready at the same moment
		return nil
	case ctx.Err() != nil:
		b.wakeWaiters() // later requests may fit
		return ctx.Err()
	}
	b.reserveNow(n)
	return nil
}

// release gives n bytes back.
func (b *budget) release(n int64) {
	b.used.Add(-n)
	if b.waiterCount.Load() > 0 {
		b.wakeWaiters()
	}
}

// wakeWaiters grants requests in order as long as they fit.
func (b *budget) wakeWaiters() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.queue) > 0 && b.tryReserve(b.queue[0].bytes) {
		close(b.queue[0].ready)
		b.queue = b.queue[1:]
		b.waiterCount.Add(-1)
	}
}

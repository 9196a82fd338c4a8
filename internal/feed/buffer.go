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
	Offset int64 // offset of the record's header in the uncompressed stream, in bytes
}

// An Item is a record, valid as long as the Block that it is in.
type Item struct {
	Record []byte // view of buf
	Position
	buf *Buffer // memory of the record
}

// Buffers holds free buffers for several streams: large ones for parts of files, small ones for single records. The
// zero value is empty.
type Buffers struct{ large, small sync.Pool }

// A Buffer is memory that holds records: a part of a file, or a copy of a single record.
//
// Its users are readers, chunks and Blocks. While it has users, they are one owner, and its size is charged to the
// budget of its stream. Each PinnedBuffers is another owner. A buffer without owners is free for reuse.
type Buffer struct {
	bytes  []byte     // the memory
	stream *Stream    // the stream whose budget is charged
	pool   *sync.Pool // takes the buffer when it is free; nil: the garbage collector does
	charge int64      // bytes charged to the budget

	uses      atomic.Int32 // number of users
	owners    atomic.Int32 // 1 for all users, and 1 for each PinnedBuffers
	lastBlock uint64       // ID of the last Block that uses it: see Block.retainBuffer
}

// newBuffer returns a buffer of n bytes with one user. The caller has charged the budget.
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

// retain adds a user to a buffer that has one.
func (b *Buffer) retain() { b.uses.Add(1) }

// release removes a user.
func (b *Buffer) release() {
	if b.uses.Add(-1) == 0 {
		b.stream.budget.release(b.charge)
		b.dropOwner()
	}
}

// dropOwner removes an owner, and frees the buffer if that was the last owner.
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

// PinnedBuffers keeps the memory of records valid after their Block was released, for strings that are views of it.
// It does not count against the budget. Without Release the garbage collector frees it. Not safe for concurrent
// use.
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
	stream  *Stream   // the stream that has filled it
	busy    bool      // MarkBusy was called
	buffers []*Buffer // memory of the items; the Block is one user of each
}

// An Event happened before Items[At] of its Block. One of the fields after At is set.
type Event struct {
	At      int
	Begin   *FileBegin
	Skipped *Skipped
	End     *FileEnd
}

// FileBegin is the first event of a file.
type FileBegin struct {
	File    int   // index in Config.Names
	Opened  bool  // false: the file could not be opened, and is skipped
	ModTime error // not nil: the index was built at another modification time of the file
}

// FileEnd is the last event of a file that has begun.
type FileEnd struct {
	File        int                  // index in Config.Names
	Compression tfrecord.Compression // Auto: unknown
	Stored      int64                // bytes read from the file, before decompression; 0 for a regular file if Config.Choose is set, since the reader then seeks
	Records     int64                // number of intact records, including those left out by Choose
	Err         error                // ends the stream; nil at the end of the file
}

// addItem appends an item, whose buffer must have a user.
func (b *Block) addItem(it Item) {
	b.retainBuffer(it.buf)
	b.Items = append(b.Items, it)
}

// retainBuffer makes the Block a user of a buffer. The buffer remembers its last Block, so that interleaved records
// of several files need no search.
func (b *Block) retainBuffer(buf *Buffer) {
	if buf.lastBlock != b.id {
		buf.lastBlock = b.id
		buf.retain()
		b.buffers = append(b.buffers, buf)
	}
}

// MarkBusy promises that Release will be called, whether or not the Stream returns more records. The Stream may
// wait for Release when its budget is spent.
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
	default: // it has a notification already
	}
}

// Spoil overwrites a record in race builds, so that tests find code that still uses it.
func (b *Block) Spoil(i int) { poison(b.Items[i].Record) }

// Pin adds the buffers of the records to h.
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

// spent reports whether the limit is reached.
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

// reserveWaiting waits until n bytes fit, or urgent receives, and charges them. If ctx ends, it charges nothing and
// returns the error of ctx.
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
	case i < 0: // granted at the same moment
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

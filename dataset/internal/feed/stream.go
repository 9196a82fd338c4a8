package feed

import (
	"context"
	"io"

	"github.com/tfparse/tfparse/tfrecord"
)

// A Config says what a Stream reads, and how.
type Config struct {
	Names  []string
	Open   func(ctx context.Context, name string) (io.ReadCloser, error)
	Reader tfrecord.ReaderOptions // the name in it is not used
	// Near says of an open file that to read it is no more than to copy memory: then it is
	// left to those who take records, unless it is compressed. May be nil.
	Near func(io.ReadCloser) bool

	Readers  int               // goroutines that read; none: the caller's
	Budget   int64             // bytes of records that are read and not done with
	SlabSize int               // zero: as much as a read from a file brings
	Left     *Leftovers[*Slab] // of memory: what Streams leave to those that follow; may be nil

	Recover bool       // step over damage
	Lost    func(Loss) // told of each loss, in order

	Cycle        int // files that are read in turn; zero: 1
	Unordered    bool
	ShuffleFiles bool
	Shards       int64 // zero: 1
	Shard        int64
	Skip         int64
	Take         int64 // negative: no limit
	Shuffle      int   // records in the buffer; zero: none
	ShuffleBytes int64
	Seed         uint64
	Epochs       int64                              // negative: no end
	FileError    func(name string, err error) error // what is made of an error of Open
}

// A Stream is the records that a Config asks for, one after another. It is for one
// goroutine.
type Stream struct {
	cfg    Config
	ctx    context.Context
	mem    *memory
	supply supply
	next   func() (Item, error) // of the pass at hand
	epoch  int64
	had    int64                          // records of the pass
	length int64                          // records of the longest pass that is over
	run    func(dst []Item, n int) []Item // more records of the pass, if they need no more than taking
	back   []Item
	err    error

	// If it is shared.
	cancel  context.CancelCauseFunc
	unwatch func() bool

	// With mem.mu.
	taken bool        // it is somebody's turn
	out   int         // how many had a turn and are not done with their records
	help  func() bool // reads something ahead
}

// New makes a Stream. It reads nothing yet, unless cfg says that there are readers.
func New(ctx context.Context, cfg Config) *Stream {
	cfg.Shards = max(cfg.Shards, 1)
	cfg.Cycle = max(min(cfg.Cycle, len(cfg.Names)), 1)
	if cfg.Readers > 0 {
		cfg.Readers = max(min(cfg.Readers, len(cfg.Names)), 1)
	}
	if cfg.SlabSize == 0 {
		// The records of one read, and the end of one that began in an earlier.
		cfg.SlabSize = defaultRead + defaultRead/4
	}
	cfg.SlabSize = int(max(min(int64(cfg.SlabSize), cfg.Budget/int64(4*max(cfg.Readers, 1))), 1<<10))
	return &Stream{cfg: cfg, ctx: ctx, mem: newMemory(cfg.Budget, cfg.SlabSize, cfg.Left)}
}

// Next returns the next record. The error is io.EOF after the last. Any error stays.
func (s *Stream) Next() (Item, error) {
	if n := len(s.back); n > 0 {
		it := s.back[n-1]
		s.back = s.back[:n-1]
		return it, nil
	}
	for s.err == nil {
		if s.ctx.Err() != nil {
			s.Close(context.Cause(s.ctx))
			break
		}
		if s.next == nil {
			s.begin()
		}
		it, err := s.next()
		if err == nil {
			s.had++
			return it, nil
		}
		s.end(err)
	}
	return Item{}, s.err
}

// Append is Next for up to n records: it appends one or more to dst.
func (s *Stream) Append(dst []Item, n int) ([]Item, error) {
	if s.run != nil && len(s.back) == 0 {
		if more := s.run(dst, n); len(more) > len(dst) {
			s.had += int64(len(more) - len(dst))
			return more, nil
		}
	}
	it, err := s.Next()
	if err != nil {
		return dst, err
	}
	return append(dst, it), nil
}

// begin starts a pass.
func (s *Stream) begin() {
	c := &s.cfg
	files := make([]int, len(c.Names))
	for i := range files {
		files[i] = i
	}
	if c.ShuffleFiles {
		newRand(c.Seed, forFiles, s.epoch).Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	}
	if c.Readers > 0 {
		s.supply = newAhead(s.ctx, s, files)
	} else {
		s.supply = newDirect(s.ctx, s, files)
	}
	o := newOrder(s.supply, len(files), c.Cycle, c.Unordered)
	if c.Shards == 1 && c.Skip == 0 && c.Take < 0 && c.Shuffle == 0 && !c.Unordered {
		s.run = o.appendTo
	}
	p := &pass{order: o, mem: s.mem, index: c.Shard, shards: c.Shards, skip: c.Skip, take: c.Take}
	s.next = p.next
	if c.Shuffle > 0 {
		sh := &shuffle{from: p, mem: s.mem, rng: newRand(c.Seed, forRecords, s.epoch), size: c.Shuffle, bytes: c.ShuffleBytes}
		s.next = sh.next
	}
	s.had = 0
}

// end ends a pass, and the stream unless another pass follows.
func (s *Stream) end(err error) {
	s.supply.close()
	s.supply, s.next, s.run = nil, nil, nil
	s.epoch++
	s.length = max(s.length, s.had)
	switch {
	case s.ctx.Err() != nil:
		s.err = context.Cause(s.ctx)
	case err != io.EOF:
		s.err = err
	case s.epoch == s.cfg.Epochs || s.had == 0:
		// A pass without records is the last: there would be no end to them.
		s.err = io.EOF
	}
}

// Length returns how many records the longest pass had that is over; 0 if none is.
func (s *Stream) Length() int64 { return s.length }

// Unread puts records back: Next returns them again, in that order.
func (s *Stream) Unread(items []Item) {
	for i := len(items) - 1; i >= 0; i-- {
		s.back = append(s.back, items[i])
	}
}

// Done gives records back. They are not to be used any more, unless there is an h:
// then they are taken off the budget, and their memory is that of h until it is released.
// A record that is lent is only good until the next call of Next all the same.
func (s *Stream) Done(items []Item, h *Held) { s.mem.done(items, h) }

// Lent reports whether a record is lent by a tfrecord.Reader.
func (it Item) Lent() bool { return it.run == nil }

// Context returns the context that the stream was made with.
func (s *Stream) Context() context.Context { return s.ctx }

// Peak returns the most bytes that were counted against the budget.
func (s *Stream) Peak() int64 {
	s.mem.mu.Lock()
	defer s.mem.mu.Unlock()
	return s.mem.peak
}

// Close ends the readers and waits for them. Next returns err afterwards.
func (s *Stream) Close(err error) {
	if s.supply != nil {
		s.supply.close()
		s.supply, s.next, s.run = nil, nil, nil
	}
	if s.cancel != nil {
		s.cancel(err)
		s.unwatch()
	}
	s.back = nil
	s.err = err
	s.mem.end()
}

func (s *Stream) lost(l Loss) {
	if s.cfg.Lost != nil {
		s.cfg.Lost(l)
	}
}

func (s *Stream) fileError(file int, err error) error {
	return s.cfg.FileError(s.cfg.Names[file], err)
}

package feed

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync/atomic"

	"github.com/tfparse/tfparse/tfrecord"
)

// A Config says what a Stream reads, and how.
type Config struct {
	Names  []string
	Open   func(ctx context.Context, name string) (io.ReadCloser, error)
	Reader tfrecord.ReaderOptions // the name in it is not used
	// Format, if not nil, returns what reads a file of another format, or nil. GlobalShuffle is not set then.
	Format func(name string, r io.Reader) RecordReader

	Readers    int   // files that are open at once, each with a goroutine; none: the caller reads
	Budget     int64 // bytes of records that were read and are not done with
	BufferSize int   // zero: as much as a read from a file brings
	Buffers    *Buffers

	Recover bool // continue after damage
	// Choose, if not nil, says what is done with a record, before it is read unless Recover is
	// set. It is called once for each record of a file, in order, and for the place where reading
	// fails; without Readers, when the caller is done with the Blocks of those before.
	Choose func(file int, record int64) Choice
	// Filter, if not nil, says whether a record is wanted, by every goroutine that reads. An error
	// is that of the stream, or skips the record if Recover is set.
	Filter func(record []byte) (bool, error)
	// Progress, if not nil, is called by every goroutine that reads, for what it has read since
	// its last call.
	Progress func(records, bytes int64)

	Cycle        int // files that are read in turn; zero: 1
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

	Resume *State // where the stream begins; nil: at the first record

	// GlobalShuffle reads the records of all files in one random order, which Seed and the epoch decide. ShuffleFiles, Cycle,
	// Choose, Format and Shuffle are not set then. Every Shards-th record of that order is read.
	GlobalShuffle bool
	Indexes       *Indexes // for GlobalShuffle; nil: no earlier stream made any
}

// A sequence has the records of an epoch in the order of the files, or in that of GlobalShuffle.
type sequence interface {
	next() (Item, error)
	ready() bool // next has a record without waiting
	close()
}

// A Choice is what is done with a record.
type Choice int

const (
	ReadRecord Choice = iota
	LeaveOut          // without a look at its payload, unless Config.Recover is set
	LeaveFile         // with all records behind it
	ReadRest          // with all records behind it, for which Choose is not called
)

// ErrPaused is what Append returns after Pause.
var ErrPaused = errors.New("feed: paused")

// A Stream is the records that a Config asks for, one after another. It is for one
// goroutine, but for Pause and the methods of Blocks.
type Stream struct {
	cfg     Config
	ctx     context.Context
	budget  budget
	readers chan *fileReader // free

	sequence sequence
	files    files                // of order
	order    *order               // source; nil with GlobalShuffle
	permuted *permuted            // source; nil without GlobalShuffle
	indexed  *indexedSet          // for permuted
	chosen   *selection           // nil without one
	shuffle  *shuffle             // nil without one
	next     func() (Item, error) // of the epoch at hand
	plain    bool                 // next is order.next
	block    *Block               // that is filled
	blocks   uint64               // how many there were
	back     []*Block             // to be returned again
	epoch    int64
	had      int64 // records of the epoch
	length   int64 // records of the longest epoch that is over
	err      error

	resume *State // not done yet
	last   *State // of a stream that has ended before its last record

	busy   atomic.Int64  // Blocks that will be done whatever becomes of the stream
	freed  chan struct{} // sent something when one of those is done
	paused chan struct{} // closed by Pause
}

// New makes a Stream. It reads nothing yet.
func New(ctx context.Context, cfg Config) *Stream {
	cfg.Shards = max(cfg.Shards, 1)
	cfg.Cycle = max(min(cfg.Cycle, len(cfg.Names)), 1)
	if cfg.Readers > 0 && !cfg.GlobalShuffle {
		cfg.Readers = max(min(cfg.Readers, len(cfg.Names)), 1)
	}
	if cfg.BufferSize == 0 {
		// The records of one read, and the end of one that began in an earlier.
		cfg.BufferSize = defaultRead + defaultRead/4
	}
	cfg.BufferSize = int(max(min(int64(cfg.BufferSize), cfg.Budget/int64(4*max(cfg.Readers, 1))), 1<<10))
	if cfg.Buffers == nil {
		cfg.Buffers = new(Buffers)
	}
	if cfg.Indexes == nil {
		cfg.Indexes = new(Indexes)
	}
	return &Stream{cfg: cfg, ctx: ctx, resume: cfg.Resume, budget: budget{limit: cfg.Budget}, readers: make(chan *fileReader, max(cfg.Readers, cfg.Cycle)),
		freed: make(chan struct{}, 1), paused: make(chan struct{})}
}

// Append adds records to b, up to n in all: at least one, and more only if they are at hand, or
// none if a file begins, which is an event. The error is io.EOF after the last. Any error
// stays, but ErrPaused. Other events come with the record that follows, or with the error.
func (s *Stream) Append(b *Block, n int) error {
	if b.id == 0 {
		s.blocks++
		b.id, b.stream = s.blocks, s
	}
	s.block = b
	defer func() { s.block = nil }()
	if s.resume != nil && s.err == nil {
		if err := s.restore(); err != nil {
			s.err, s.last = err, s.cfg.Resume
			s.closeEpoch()
			return err
		}
	}
	if len(b.Items) == 0 {
		if err := s.waitForRoom(); err != nil {
			return err
		}
	}
	before := len(b.Items)
	for len(s.back) > 0 {
		if s.again(b, n); len(b.Items) > before {
			return nil
		}
	}
	for len(b.Items) < n && (len(b.Items) == before || s.next != nil && s.sequence.ready()) {
		if s.err == nil && s.plain {
			if some := s.order.run(n - len(b.Items)); len(some) > 0 {
				b.use(some[0].buf)
				b.Items = append(b.Items, some...)
				s.had += int64(len(some))
				continue
			}
		}
		it, err := s.one()
		switch {
		case err == nil:
			b.add(it)
		case err == errEvent:
			return nil
		case err == ErrPaused || len(b.Items) == before:
			return err
		default:
			return nil // it stays
		}
	}
	return nil
}

// one returns the next record.
func (s *Stream) one() (Item, error) {
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
		if err == ErrPaused || err == errEvent {
			return Item{}, err
		}
		s.end(err)
	}
	return Item{}, s.err
}

// waitForRoom waits while the budget is spent on Blocks that others are about to be done with.
func (s *Stream) waitForRoom() error {
	for s.busy.Load() > 0 && s.budget.spent() {
		select {
		case <-s.freed:
		case <-s.paused:
			return ErrPaused
		case <-s.ctx.Done():
			return nil // for others to say
		}
	}
	return nil
}

// again moves records of the first Block that was put back to b.
func (s *Stream) again(b *Block, n int) {
	old := s.back[0]
	some := min(n-len(b.Items), len(old.Items))
	for len(old.Events) > 0 && old.Events[0].At <= some && (old.Events[0].At < some || some == len(old.Items)) {
		e := old.Events[0]
		e.At += len(b.Items)
		b.Events = append(b.Events, e)
		old.Events = old.Events[1:]
	}
	for _, it := range old.Items[:some] {
		b.add(it)
	}
	old.Items = old.Items[some:]
	for i := range old.Events {
		old.Events[i].At -= some
	}
	if len(old.Items) == 0 {
		old.Done()
		s.back = s.back[1:]
	}
}

// Unread puts the records of Blocks back: Append returns them again, in that order, before
// those that were put back earlier.
func (s *Stream) Unread(blocks []*Block) {
	for _, b := range blocks {
		b.idle()
	}
	s.back = append(blocks, s.back...)
}

func (s *Stream) event(e Event) {
	e.At = len(s.block.Items)
	s.block.Events = append(s.block.Events, e)
}

// begin starts an epoch.
func (s *Stream) begin() {
	c := &s.cfg
	files := make([]int, len(c.Names))
	for i := range files {
		files[i] = i
	}
	if c.ShuffleFiles {
		rand.New(newSource(c.Seed, forFiles, s.epoch)).Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	}
	s.next, s.plain = nil, false
	if c.GlobalShuffle {
		s.permuted = s.newPermuted()
		s.sequence = s.permuted
	} else {
		s.order = newOrder(len(files), c.Cycle, s.event)
		queue, from := s.order.restore(s.resume, files)
		if c.Readers > 0 {
			s.files = newAhead(s, files, queue, from)
		} else {
			s.files = &pulled{s: s, files: files, from: from, open: map[int]*pull{}}
		}
		s.order.from = s.files
		s.sequence, s.plain = s.order, true
	}
	s.next = s.sequence.next
	if c.Shards > 1 || c.Skip > 0 || c.Take >= 0 || c.Shuffle > 0 {
		s.chosen = &selection{from: s.sequence, index: c.Shard, shards: c.Shards, skip: c.Skip, take: c.Take}
		if s.permuted != nil { // which does that itself
			s.chosen.shards = 1
			if s.countsPlaces() {
				s.chosen.skip = 0
			}
		}
		s.next, s.plain = s.chosen.next, false
		if c.Shuffle > 0 {
			source := newSource(c.Seed, forRecords, s.epoch)
			s.shuffle = &shuffle{from: s.chosen, s: s, rng: rand.New(source), state: source, size: c.Shuffle, bytes: c.ShuffleBytes}
			s.next = s.shuffle.next
		}
	}
	s.had = 0
}

// end ends an epoch, and the stream unless another epoch follows.
func (s *Stream) end(err error) {
	if err != io.EOF {
		s.last = s.position()
	}
	s.closeEpoch()
	s.epoch++
	s.length = max(s.length, s.had)
	switch {
	case err != io.EOF && s.ctx.Err() != nil:
		s.err = context.Cause(s.ctx)
	case err != io.EOF:
		s.err = err
	case s.epoch == s.cfg.Epochs || s.had == 0:
		// An epoch without records is the last: there would be no end to them.
		s.err = io.EOF
	}
}

func (s *Stream) closeEpoch() {
	if s.next == nil {
		return
	}
	if s.shuffle != nil {
		s.shuffle.close()
	}
	if s.files != nil {
		s.files.close()
	}
	s.sequence.close()
	s.sequence, s.files, s.order, s.permuted, s.chosen, s.shuffle, s.next = nil, nil, nil, nil, nil, nil, nil
}

// Length returns how many records the longest epoch had that is over; 0 if none is.
func (s *Stream) Length() int64 { return s.length }

// Pause has Append return ErrPaused as soon as it would wait, until Resume. It may be called
// while another goroutine is in Append.
func (s *Stream) Pause() { close(s.paused) }

// Resume ends the effect of Pause. No goroutine is in Append.
func (s *Stream) Resume() { s.paused = make(chan struct{}) }

// Peak returns the most bytes that were counted against the budget.
func (s *Stream) Peak() int64 { return s.budget.peak.Load() }

// Close ends the readers and waits for them. Append returns err afterwards.
func (s *Stream) Close(err error) {
	if s.err == nil {
		s.last = s.State()
	}
	s.closeEpoch()
	for _, b := range s.back {
		b.Done()
	}
	s.back = nil
	s.err = err
}

func (s *Stream) fileError(file int, err error) error {
	return s.cfg.FileError(s.cfg.Names[file], err)
}

// getReader returns a fileReader that is free, whose memory is made.
func (s *Stream) getReader() *fileReader {
	select {
	case r := <-s.readers:
		return r
	default:
		return s.newFileReader()
	}
}

func (s *Stream) putReader(r *fileReader) {
	select {
	case s.readers <- r:
	default:
	}
}

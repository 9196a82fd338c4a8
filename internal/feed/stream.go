// Package feed reads the records of many files as one sequence, within a budget of memory.
//
//	file -> reader -> chunks ─┐
//	file -> reader -> chunks ─┼-> interleave -> shard, skip, take -> shuffle -> repeat -> Blocks
//	file -> reader -> chunks ─┘
//
// # Stages
//
// A reader (fileReader) turns one file into chunks: the records of one buffer, without a copy. Every open file has
// a reader in a goroutine of its own, which sends chunks to the channel of the file. Without goroutines the same
// reader runs as a coroutine ([iter.Pull]) when the next chunk of its file is needed.
//
// All stages after the chunks are calls on one goroutine, see [Stream.Append]. They handle one record at a time without copying
// it. So the order depends neither on the number of goroutines nor on their speed. The caller gets records in a [Block], with
// the events between them: skipped ranges, and the beginnings and ends of files.
//
// With Config.GlobalShuffle all records have one random order. The files have indexes, and a pool of goroutines reads ranges of
// that order ahead, each in the order of the files and into one buffer: see globalShuffle.
//
// # Memory
//
// A buffer is charged to the budget from before it is read into until the last of its users releases it: a reader,
// a chunk in a channel, or a Block. A reader waits while the budget is spent. It exceeds the budget if the stream
// waits for its file and no busy Block (see MarkBusy) will release memory. Otherwise a budget spent on later
// records would be a deadlock.
package feed

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync/atomic"

	"github.com/tfparse/tfparse/tfrecord"
)

// Config tells a Stream what to read, and how.
type Config struct {
	Names []string // names of the files, in their order
	// opens a file of Names
	Open   func(ctx context.Context, name string) (io.ReadCloser, error)
	Reader tfrecord.ReaderOptions // codec and limits; its name is not used
	// If not nil, returns a reader for a file of another format, and nil for TFRecord. GlobalShuffle is not set then.
	Format func(name string, r io.Reader) RecordReader

	Readers    int      // files that are open at once, each with a goroutine; 0: the caller reads
	Budget     int64    // limit on the bytes of records that were read and are not released
	BufferSize int      // in bytes; 0: one read of defaultRead, and a quarter more for a record cut off by the previous read
	Buffers    *Buffers // free buffers, shared with other streams; nil: not shared

	Recover bool // continue after damage
	// If not nil, decides what is done with a record, before it is read unless Recover is set. It is called once
	// for each record of a file, in order, and for the record where reading fails. Without Readers it is called
	// after the caller has released the Blocks of the preceding records.
	Choose func(file int, record int64) Choice
	// If not nil, reports whether a record is wanted. Every goroutine that reads calls it. An error ends the stream,
	// or skips the record if Recover is set.
	Filter func(record []byte) (bool, error)
	// If not nil, is called with what was read since its last call, by every goroutine that reads.
	Progress func(records, bytes int64)

	Cycle        int    // files that are interleaved; 0: 1
	ShuffleFiles bool   // another order of the files in every epoch
	Shards       int64  // every Shards-th record is read; 0: all
	Shard        int64  // ordinal of the first record that is read
	Skip         int64  // number of records left out at the beginning of an epoch
	Take         int64  // maximum number of records of an epoch; negative: no limit
	Shuffle      int    // size of the shuffle buffer in records; 0: none
	ShuffleBytes int64  // limit on the bytes in the shuffle buffer
	Seed         uint64 // seed of Shuffle, ShuffleFiles and GlobalShuffle
	Epochs       int64  // number of epochs; negative: no limit
	// makes the error of a file that cannot be opened, read or closed
	FileError func(name string, err error) error

	Resume *State // where the stream begins; nil: at the first record

	// Reads the records of all files in one random order, which Seed and the epoch determine. ShuffleFiles, Cycle,
	// Choose, Format and Shuffle are not set then. Every Shards-th record of that order is read.
	GlobalShuffle bool
	Indexes       *Indexes // indexes of earlier streams, for GlobalShuffle; nil: none
}

// recordSequence returns the records of one epoch: an interleaver or a globalShuffle.
type recordSequence interface {
	nextRecord() (Item, error) // io.EOF after the last; errEvent if an event comes first
	ready() bool               // the next record is available without waiting
	close()                    // ends the goroutines and releases the records
}

// A Choice is the decision of Config.Choose about a record.
type Choice int

const (
	ReadRecord Choice = iota // read this record
	LeaveOut                 // skip this record; its payload is read only if Config.Recover is set
	LeaveFile                // skip this record and all after it
	ReadRest                 // read this record and all after it; Choose is not called again
)

// ErrPaused is returned by Append after Pause.
var ErrPaused = errors.New("feed: paused")

// A Stream returns the records that a Config selects. It is for one goroutine, except for Pause and the methods of
// Blocks.
type Stream struct {
	cfg         Config           // with defaults filled in by New; then not changed
	ctx         context.Context  // ends all reading
	budget      budget           // bytes of records that are read and not released
	freeReaders chan *fileReader // idle readers with their buffers

	sequence      recordSequence       // of the current epoch; nil between epochs
	files         chunkSource          // source of the interleaver; nil with GlobalShuffle
	order         *interleaver         // the sequence, if it is an interleaver
	globalShuffle *globalShuffle       // the sequence, if it is one
	indexed       *indexedSet          // the files of GlobalShuffle, kept for all epochs
	selection     *selection           // shard, skip and take of the epoch; nil if all records are selected
	shuffle       *shuffleBuffer       // shuffle buffer of the epoch; nil without one
	nextRecord    func() (Item, error) // last stage of the epoch; nil between epochs
	inFileOrder   bool                 // nextRecord is order.nextRecord
	block         *Block               // being filled by Append; else nil
	blockCount    uint64               // number of Blocks filled so far
	unread        []*Block             // Blocks that Unread has put back, in order
	epoch         int64                // from 0
	epochRecords  int64                // number of records of the epoch so far
	longestEpoch  int64                // number of records of the longest epoch that has ended
	err           error                // sticky

	resume   *State // Config.Resume until restoreState
	endState *State // state of a stream that has ended before its last record

	busyBlocks atomic.Int64  // number of busy Blocks: see MarkBusy
	freed      chan struct{} // receives after a busy Block was released
	paused     chan struct{} // closed by Pause
}

// New returns a Stream. It reads nothing yet.
func New(ctx context.Context, cfg Config) *Stream {
	cfg.Shards = max(cfg.Shards, 1)
	cfg.Cycle = max(min(cfg.Cycle, len(cfg.Names)), 1)
	if cfg.Readers > 0 && !cfg.GlobalShuffle {
		cfg.Readers = max(min(cfg.Readers, len(cfg.Names)), 1)
	}
	if cfg.BufferSize == 0 {
		// One read, and a record that the previous read cut off.
		cfg.BufferSize = defaultRead + defaultRead/4
	}
	cfg.BufferSize = int(max(min(int64(cfg.BufferSize), cfg.Budget/int64(4*max(cfg.Readers, 1))), 1<<10))
	if cfg.Buffers == nil {
		cfg.Buffers = new(Buffers)
	}
	if cfg.Indexes == nil {
		cfg.Indexes = new(Indexes)
	}
	return &Stream{cfg: cfg, ctx: ctx, resume: cfg.Resume, budget: budget{limit: cfg.Budget}, freeReaders: make(chan *fileReader, max(cfg.Readers, cfg.Cycle)),
		freed: make(chan struct{}, 1), paused: make(chan struct{})}
}

// Append adds records to b until it has n: at least one, more only if they are available without waiting, and none
// if an event must not wait, such as the beginning of a file. The error is io.EOF after the last record. Later
// calls return the same error, except ErrPaused. Other events come with the record that follows, or with the error.
func (s *Stream) Append(b *Block, n int) error {
	if b.id == 0 {
		s.blockCount++
		b.id, b.stream = s.blockCount, s
	}
	s.block = b
	defer func() { s.block = nil }()
	if s.resume != nil && s.err == nil {
		if err := s.restoreState(); err != nil {
			s.err, s.endState = err, s.cfg.Resume
			s.closeEpoch()
			return err
		}
	}
	if len(b.Items) == 0 {
		if err := s.waitForBudget(); err != nil {
			return err
		}
	}
	before := len(b.Items)
	for len(s.unread) > 0 {
		if s.appendUnread(b, n); len(b.Items) > before {
			return nil
		}
	}
	for len(b.Items) < n && (len(b.Items) == before || s.nextRecord != nil && s.sequence.ready()) {
		if s.err == nil && s.inFileOrder {
			if some := s.order.takeRun(n - len(b.Items)); len(some) > 0 {
				b.retainBuffer(some[0].buf)
				b.Items = append(b.Items, some...)
				s.epochRecords += int64(len(some))
				continue
			}
		}
		it, err := s.nextInEpochs()
		switch {
		case err == nil:
			b.addItem(it)
		case err == errEvent:
			return nil
		case err == ErrPaused || len(b.Items) == before:
			return err
		default:
			return nil // the next call returns the error
		}
	}
	return nil
}

// nextInEpochs returns the next record, of this epoch or of one that it begins.
func (s *Stream) nextInEpochs() (Item, error) {
	for s.err == nil {
		if s.ctx.Err() != nil {
			s.Close(context.Cause(s.ctx))
			break
		}
		if s.nextRecord == nil {
			s.beginEpoch()
		}
		it, err := s.nextRecord()
		if err == nil {
			s.epochRecords++
			return it, nil
		}
		if err == ErrPaused || err == errEvent {
			return Item{}, err
		}
		s.endEpoch(err)
	}
	return Item{}, s.err
}

// waitForBudget waits while the budget is spent by Blocks that other goroutines are about to release.
func (s *Stream) waitForBudget() error {
	for s.busyBlocks.Load() > 0 && s.budget.spent() {
		select {
		case <-s.freed:
		case <-s.paused:
			return ErrPaused
		case <-s.ctx.Done():
			return nil // the next stage returns the error
		}
	}
	return nil
}

// appendUnread moves records of the first Block that was put back to b.
func (s *Stream) appendUnread(b *Block, n int) {
	old := s.unread[0]
	some := min(n-len(b.Items), len(old.Items))
	for len(old.Events) > 0 && old.Events[0].At <= some && (old.Events[0].At < some || some == len(old.Items)) {
		e := old.Events[0]
		e.At += len(b.Items)
		b.Events = append(b.Events, e)
		old.Events = old.Events[1:]
	}
	for _, it := range old.Items[:some] {
		b.addItem(it)
	}
	old.Items = old.Items[some:]
	for i := range old.Events {
		old.Events[i].At -= some
	}
	if len(old.Items) == 0 {
		old.Release()
		s.unread = s.unread[1:]
	}
}

// Unread puts the records of Blocks back: Append returns them again, in that order, before Blocks that were put
// back earlier.
func (s *Stream) Unread(blocks []*Block) {
	for _, b := range blocks {
		b.clearBusy()
	}
	s.unread = append(blocks, s.unread...)
}

// addEvent adds an event to the Block that Append fills.
func (s *Stream) addEvent(e Event) {
	e.At = len(s.block.Items)
	s.block.Events = append(s.block.Events, e)
}

// beginEpoch builds the stages of an epoch.
func (s *Stream) beginEpoch() {
	c := &s.cfg
	files := make([]int, len(c.Names))
	for i := range files {
		files[i] = i
	}
	if c.ShuffleFiles {
		rand.New(newRandom(c.Seed, forFiles, s.epoch)).Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	}
	s.nextRecord, s.inFileOrder = nil, false
	if c.GlobalShuffle {
		s.globalShuffle = s.newGlobalShuffle()
		s.sequence = s.globalShuffle
	} else {
		s.order = newInterleaver(len(files), c.Cycle, s.addEvent)
		queue, from := s.order.restoreCycle(s.resume, files)
		if c.Readers > 0 {
			s.files = startGoroutines(s, files, queue, from)
		} else {
			s.files = &coroutineFiles{stream: s, order: files, starts: from, active: map[int]*coroutine{}}
		}
		s.order.source = s.files
		s.sequence, s.inFileOrder = s.order, true
	}
	s.nextRecord = s.sequence.nextRecord
	if c.Shards > 1 || c.Skip > 0 || c.Take >= 0 || c.Shuffle > 0 {
		s.selection = &selection{source: s.sequence, index: c.Shard, shards: c.Shards, skip: c.Skip, take: c.Take}
		if s.globalShuffle != nil { // which does that itself
			s.selection.shards = 1
			if s.countsPlaces() {
				s.selection.skip = 0
			}
		}
		s.nextRecord, s.inFileOrder = s.selection.nextRecord, false
		if c.Shuffle > 0 {
			source := newRandom(c.Seed, forRecords, s.epoch)
			s.shuffle = &shuffleBuffer{source: s.selection, stream: s, rng: rand.New(source), rngState: source, size: c.Shuffle, maxBytes: c.ShuffleBytes}
			s.nextRecord = s.shuffle.nextRecord
		}
	}
	s.epochRecords = 0
}

// endEpoch ends an epoch, and the stream unless another epoch follows.
func (s *Stream) endEpoch(err error) {
	if err != io.EOF {
		s.endState = s.stateWithoutUnread()
	}
	s.closeEpoch()
	s.epoch++
	s.longestEpoch = max(s.longestEpoch, s.epochRecords)
	switch {
	case err != io.EOF && s.ctx.Err() != nil:
		s.err = context.Cause(s.ctx)
	case err != io.EOF:
		s.err = err
	case s.epoch == s.cfg.Epochs || s.epochRecords == 0:
		// An epoch without records is the last: more epochs would never end.
		s.err = io.EOF
	}
}

// closeEpoch closes the stages of the epoch.
func (s *Stream) closeEpoch() {
	if s.nextRecord == nil {
		return
	}
	if s.shuffle != nil {
		s.shuffle.close()
	}
	if s.files != nil {
		s.files.closeFiles()
	}
	s.sequence.close()
	s.sequence, s.files, s.order, s.globalShuffle, s.selection, s.shuffle, s.nextRecord = nil, nil, nil, nil, nil, nil, nil
}

// LongestEpoch returns the number of records of the longest epoch that has ended; 0 before the first end.
func (s *Stream) LongestEpoch() int64 { return s.longestEpoch }

// Pause makes Append return ErrPaused instead of waiting, until Resume. It may be called while another goroutine is
// in Append.
func (s *Stream) Pause() { close(s.paused) }

// Resume ends the effect of Pause. No goroutine may be in Append.
func (s *Stream) Resume() { s.paused = make(chan struct{}) }

// Peak returns the maximum of the bytes that were counted against the budget.
func (s *Stream) Peak() int64 { return s.budget.peak.Load() }

// Close ends the readers and waits for them. Append returns err afterwards.
func (s *Stream) Close(err error) {
	if s.err == nil {
		s.endState = s.State()
	}
	s.closeEpoch()
	for _, b := range s.unread {
		b.Release()
	}
	s.unread = nil
	s.err = err
}

// fileError returns the error of a file.
func (s *Stream) fileError(file int, err error) error {
	return s.cfg.FileError(s.cfg.Names[file], err)
}

// getReader returns an idle fileReader, or a new one.
func (s *Stream) getReader() *fileReader {
	select {
	case r := <-s.freeReaders:
		return r
	default:
		return s.newFileReader()
	}
}

// putReader makes a fileReader idle, or drops it if enough are idle.
func (s *Stream) putReader(r *fileReader) {
	select {
	case s.freeReaders <- r:
	default:
	}
}

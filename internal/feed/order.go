package feed

import (
	"errors"
	"io"
	"math/rand/v2"
)

// interleaver takes records from several files in turn.
//
// With a cycle of one, files follow each other. In a longer cycle several files are read at once, one record from
// each in turn; when the turn comes to the place of a file that has ended, the next file takes it. This is
// TensorFlow's interleave with a block_length of 1.
type interleaver struct {
	source    chunkSource // the chunks of the files
	report    func(Event) // receives events
	fileCount int         // number of files of the epoch

	cycle  []cursor // the files that are read in turn
	turn   int      // index in cycle
	opened int      // number of files that have had a place in the cycle
	active int      // number of files that have a place now
}

// errEvent means that an event, which must not wait for a record, comes first. The next call continues.
var errEvent = errors.New("feed: event")

// cursor is a place in the cycle.
type cursor struct {
	file     int      // place in the order of the epoch; noFile: none
	chunk    *chunk   // of the file; nil: to be read
	nextItem int      // index in chunk.items of the next record
	last     Position // of the record taken last; its Record is -1 before the first
}

// noFile marks an empty place in the cycle.
const noFile = -1

func newInterleaver(n, cycle int, event func(Event)) *interleaver {
	o := &interleaver{report: event, fileCount: n}
	for range max(1, min(cycle, n)) {
		o.cycle = append(o.cycle, cursor{file: noFile})
	}
	return o
}

// ready reports whether the next record is available without waiting.
func (o *interleaver) ready() bool {
	c := &o.cycle[o.turn]
	return c.chunk != nil && c.nextItem < len(c.chunk.items)
}

// nextRecord implements [recordSequence].
func (o *interleaver) nextRecord() (Item, error) {
	for o.opened < o.fileCount || o.active > 0 {
		c := &o.cycle[o.turn]
		switch {
		case o.ready():
			c.nextItem++
			it := c.chunk.items[c.nextItem-1]
			c.last = it.Position
			o.nextTurn()
			return it, nil
		case c.chunk != nil:
			if err := o.finishChunk(c); err != nil {
				return Item{}, err
			}
		case c.file == noFile && o.opened < o.fileCount:
			c.file, c.last = o.opened, Position{Record: -1}
			o.opened++
			o.active++
		case c.file == noFile:
			o.nextTurn()
		default:
			var err error
			if c.chunk, err = o.source.nextChunk(c.file); err != nil {
				return Item{}, err
			}
			c.nextItem = 0
			if c.chunk.begin != nil {
				o.report(Event{Begin: c.chunk.begin})
				return Item{}, errEvent
			}
		}
	}
	return Item{}, io.EOF
}

// finishChunk reports the events after the last record of a chunk.
func (o *interleaver) finishChunk(c *cursor) error {
	last := c.chunk
	c.chunk = nil
	defer last.free()
	if last.skipped != nil {
		o.report(Event{Skipped: last.skipped})
	}
	if last.end != nil {
		o.report(Event{End: last.end})
	}
	if last.err != io.EOF {
		return last.err
	}
	o.active--
	c.file = noFile
	o.nextTurn()
	return nil
}

// takeRun returns up to n records of the current chunk, if the cycle has one file.
func (o *interleaver) takeRun(n int) []Item {
	if len(o.cycle) > 1 || !o.ready() {
		return nil
	}
	c := &o.cycle[0]
	some := c.chunk.items[c.nextItem:min(c.nextItem+n, len(c.chunk.items))]
	c.nextItem += len(some)
	c.last = some[len(some)-1].Position
	return some
}

// nextTurn moves to the next place in the cycle.
func (o *interleaver) nextTurn() {
	if o.turn++; o.turn == len(o.cycle) {
		o.turn = 0
	}
}

// close releases the chunks.
func (o *interleaver) close() {
	for i := range o.cycle {
		if c := o.cycle[i].chunk; c != nil {
			c.free()
		}
	}
}

// selection applies shard, skip and take to the records of an epoch.
type selection struct {
	source recordSequence // all records

	index, shards int64 // records whose ordinal modulo shards is index are selected
	seen          int64 // number of records that source has returned
	skip          int64 // number of selected records still to skip
	take          int64 // number of records still to return; negative: no limit
}

// nextRecord returns the next selected record.
func (s *selection) nextRecord() (Item, error) {
	for s.take != 0 {
		it, err := s.source.nextRecord()
		if err != nil {
			return Item{}, err
		}
		n := s.seen
		s.seen++
		if s.shards > 1 && n%s.shards != s.index {
			continue
		}
		if s.skip > 0 {
			s.skip--
			continue
		}
		if s.take > 0 {
			s.take--
		}
		return it, nil
	}
	return Item{}, io.EOF
}

// shuffleBuffer returns records in random order: it picks one of its items and replaces it with the next record.
// Its items are copies.
type shuffleBuffer struct {
	source   *selection // the records in order
	stream   *Stream    // whose budget is charged for records outside the buffer
	rng      *rand.Rand // picks the next record
	rngState *rand.PCG  // source of rng
	size     int        // maximum number of records in the buffer
	maxBytes int64      // bytes at which the buffer counts as full, if it has a record

	items      []Item  // the records in the buffer
	totalBytes int64   // bytes of items
	lastBuf    *Buffer // buffer of the record returned last; released at the next call
	ended      bool    // source has ended
}

// The uses of random numbers. Each use has its own numbers in an epoch: see newRandom.
const (
	forRecords = 1 << 62
	forFiles   = 2 << 62
)

// newRandom returns the generator of random numbers for a seed, a use and an epoch.
func newRandom(seed uint64, use uint64, epoch int64) *rand.PCG {
	return rand.NewPCG(seed, use|uint64(epoch))
}

// nextRecord fills the buffer and returns one of its records.
func (s *shuffleBuffer) nextRecord() (Item, error) {
	for !s.ended && len(s.items) < s.size && (s.totalBytes < s.maxBytes || len(s.items) == 0) {
		it, err := s.source.nextRecord()
		if err == io.EOF {
			s.ended = true
			break
		}
		if err != nil {
			return Item{}, err
		}
		s.items = append(s.items, s.stream.copyItem(it))
		s.totalBytes += int64(len(it.Record))
	}
	s.releaseLast()
	last := len(s.items) - 1
	if last < 0 {
		return Item{}, io.EOF
	}
	i := s.rng.IntN(len(s.items))
	it := s.items[i]
	s.items[i], s.items[last] = s.items[last], Item{}
	s.items = s.items[:last]
	n := int64(len(it.Record))
	s.totalBytes -= n
	s.stream.budget.reserveNow(n) // the budget counts records outside the buffer
	it.buf.charge = n
	s.lastBuf = it.buf
	return it, nil
}

// releaseLast releases the record returned last.
func (s *shuffleBuffer) releaseLast() {
	if s.lastBuf != nil {
		s.lastBuf.release()
		s.lastBuf = nil
	}
}

func (s *shuffleBuffer) close() {
	s.releaseLast()
	for _, it := range s.items {
		it.buf.release()
	}
}

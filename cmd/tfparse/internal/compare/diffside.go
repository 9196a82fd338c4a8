package compare

import (
	"context"
	"slices"
	"time"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
)

// A side is the records of A or of B, read by a goroutine of its own a little ahead.
type side struct {
	cancel context.CancelFunc
	ctx    context.Context
	chunks chan *chunk
	spare  chan *chunk   // to be filled again
	long   chan struct{} // has a token while a chunk of a long record is filled, or in chunks: one at a time
	done   chan struct{} // closed when the goroutine has ended
	err    error         // of the reading, good once chunks is closed
	pipe   bool          // one of the inputs is no regular file

	current *chunk
	typ     example.MessageType
}

// A chunk is some records in a row, all of one type.
type chunk struct {
	typ       example.MessageType
	records   []byte
	ends      []int // of each record
	positions []tfrecord.Position
	missing   map[int]bool  // skipped records, by position
	faults    []*scan.Fault // in it, or before it
	long      bool          // ends with a record of more than chunkBytes; its memory is not used again

	users int // that must release it before it is filled again; of the goroutine that takes chunks
}

const (
	chunkBytes   = 256 << 10
	chunkRecords = 4 << 10
	chunksAhead  = 4
	mostMissing  = 1 << 16  // records of one skipped range that keep their place
	queuedBytes  = 16 << 20 // of the chunks of a side that are compared at once, unless one takes more
)

func (c *chunk) record(i int) []byte {
	if i == 0 {
		return c.records[:c.ends[0]]
	}
	return c.records[c.ends[i-1]:c.ends[i]]
}

// queueLimit is how many values with such chunks may be in a queue.
func (c *joiner) queueLimit(chunks ...*chunk) int {
	n := 2 * c.jobs
	for _, k := range chunks {
		if k != nil && k.long {
			n = min(n, queuedBytes/len(k.records))
		}
	}
	return n
}

// intact is the number of records that were not skipped.
func (c *chunk) intact() int { return len(c.ends) - len(c.missing) }

// open begins to read a side.
func (c *joiner) open(i int) *side {
	s := &side{chunks: make(chan *chunk, chunksAhead), spare: make(chan *chunk, chunksAhead), long: make(chan struct{}, 1), done: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(c.env.Ctx)
	opts := c.walk
	in := c.in[i]
	s.pipe = slices.ContainsFunc(in, func(i scan.Input) bool { return i.Err == nil && !i.Regular() })
	go func() {
		defer close(s.done)
		defer close(s.chunks)
		if s.err = scan.Walk(s.ctx, in, &opts, scan.Guess(c.typ, s)); s.err == nil {
			s.err = s.send()
		}
	}()
	return s
}

// next returns the next chunk, or nil at the end.
func (s *side) next() (*chunk, error) {
	c, ok := <-s.chunks
	if !ok {
		return nil, s.err
	}
	if c.long {
		<-s.long
	}
	c.users = 1
	return c, nil
}

// release gives a chunk back: the last of its users does.
func (s *side) release(c *chunk) {
	if c == nil {
		return
	}
	if c.users--; c.users > 0 || c.long {
		return
	}
	select {
	case s.spare <- c:
	default:
	}
}

// close ends the goroutine and waits for it, but not for a read from a pipe that nothing is written
// to, which ends with the process.
func (s *side) close() {
	s.cancel()
	if !s.pipe {
		<-s.done
		return
	}
	const grace = 200 * time.Millisecond
	select {
	case <-s.done:
	case <-time.After(grace):
	}
}

func (s *side) send() error {
	c := s.current
	s.current = nil
	if c == nil {
		return nil
	}
	select {
	case s.chunks <- c:
		return nil
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

// fill returns the chunk that is being filled.
func (s *side) fill() *chunk {
	if s.current != nil {
		return s.current
	}
	select {
	case c := <-s.spare:
		*c = chunk{records: c.records[:0], ends: c.ends[:0], positions: c.positions[:0]}
		s.current = c
	default:
		s.current = &chunk{records: make([]byte, 0, chunkBytes+chunkBytes/4)}
	}
	s.current.typ = s.typ
	return s.current
}

func (s *side) Begin(*scan.OldFile) error { return nil }

func (s *side) End(*scan.OldFile) error { return nil }

func (s *side) Type(t example.MessageType) error {
	err := s.send()
	s.typ = t
	return err
}

func (s *side) Record(rec []byte, pos tfrecord.Position) error {
	long := len(rec) > chunkBytes
	if long {
		select {
		case s.long <- struct{}{}:
		case <-s.ctx.Done():
			return s.ctx.Err()
		}
	}
	c := s.fill()
	c.long = long
	c.records = append(c.records, rec...)
	c.ends = append(c.ends, len(c.records))
	c.positions = append(c.positions, pos)
	if len(c.records) >= chunkBytes || len(c.ends) >= chunkRecords {
		return s.send()
	}
	return nil
}

func (s *side) Unknown(u *scan.Unknown) error { return s.Skipped(unknownFault(u)) }

func (s *side) Skipped(fault *scan.Fault) error {
	c := s.fill()
	c.faults = append(c.faults, fault)
	records := int64(0)
	switch {
	case fault.Skipped != nil:
		records = fault.Skipped.Records
	case fault.Class == scan.ClassMessage:
		records = max(fault.Records, 1)
	}
	if records > mostMissing {
		records = 0
	}
	for range max(records, 0) {
		if c.missing == nil {
			c.missing = map[int]bool{}
		}
		c.missing[len(c.ends)] = true
		c.ends = append(c.ends, len(c.records))
		c.positions = append(c.positions, tfrecord.Position{Name: fault.File, Record: fault.Record, Offset: fault.Offset})
	}
	return s.send() // so that it is reported before the verb goes on
}

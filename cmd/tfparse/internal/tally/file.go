package tally

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/walk"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// A file is one input under way: a visitor that cuts its records into chunks, and adds
// up those that are done.
type file struct {
	job     *Job
	inline  bool               // chunks are added to where records are read
	acc     *stats.Accumulator // nil without records
	current *chunk
	pending []*chunk // under way, oldest first
	free    []*chunk

	turn   chan struct{} // closed when all files before are done
	head   bool          // it is
	ahead  int64         // what it takes while it is not
	events []func() error
	err    error
	done   chan struct{}
}

func newFile(j *Job, inline bool) *file {
	return &file{job: j, inline: inline, turn: make(chan struct{}), done: make(chan struct{})}
}

// first says that all files before are done.
func (f *file) first() {
	select {
	case <-f.turn:
	default:
		close(f.turn)
	}
}

func (f *file) Begin(*walk.File) error { return nil }

// End adds up what is left.
func (f *file) End(*walk.File) error {
	if err := f.submit(); err != nil {
		return err
	}
	for len(f.pending) > 0 {
		if err := f.retire(); err != nil {
			return err
		}
	}
	return nil
}

func (f *file) Type(t example.MessageType) error {
	if err := f.job.begin(t); err != nil {
		return err
	}
	acc, err := f.job.accumulator(t)
	f.acc = acc
	return err
}

func (f *file) Lost(fault *walk.Fault) error {
	event := func() error { return f.job.Lost(fault) }
	if f.current == nil && len(f.pending) == 0 {
		return f.do(event)
	}
	if f.inline {
		return f.do(event)
	}
	c := f.open()
	c.lost = append(c.lost, lost{len(c.ends), event})
	return nil
}

func (f *file) Record(rec []byte, pos tfrecord.Position) error {
	c := f.open()
	c.size += len(rec)
	if f.inline {
		c.one(f.job, rec, pos)
		for _, e := range c.events {
			if err := f.do(e); err != nil {
				return err
			}
		}
		c.events = c.events[:0]
	} else {
		c.records = append(c.records, rec...)
		c.ends = append(c.ends, len(c.records))
		c.positions = append(c.positions, pos)
	}
	if c.size < f.job.chunkSize() || f.job.Stats.TFDV {
		return nil
	}
	return f.submit()
}

// open returns the chunk that is being filled.
func (f *file) open() *chunk {
	if f.current != nil {
		return f.current
	}
	c := &chunk{}
	if n := len(f.free); n > 0 {
		c, f.free = f.free[n-1], f.free[:n-1]
		*c = chunk{records: c.records[:0], ends: c.ends[:0], positions: c.positions[:0]}
	}
	c.acc = f.acc.Fresh()
	c.done = make(chan struct{})
	f.current = c
	return c
}

// submit hands the chunk out, or adds it up.
func (f *file) submit() error {
	c := f.current
	if c == nil {
		return nil
	}
	f.current = nil
	if f.inline {
		return f.merge(c)
	}
	most := 2
	if f.isHead() {
		most = f.job.Jobs + 1
	}
	for len(f.pending) >= most {
		if err := f.retire(); err != nil {
			return err
		}
	}
	select {
	case f.job.work <- c:
		f.pending = append(f.pending, c)
		return nil
	case <-f.job.ctx.Done():
		return f.job.ctx.Err()
	}
}

// retire waits for the oldest chunk and adds it up.
func (f *file) retire() error {
	c := f.pending[0]
	f.pending = append(f.pending[:0], f.pending[1:]...)
	<-c.done
	for _, e := range c.events {
		if err := f.do(e); err != nil {
			return err
		}
	}
	err := f.merge(c)
	c.acc, c.events, c.lost = nil, nil, nil
	f.free = append(f.free, c)
	return err
}

// merge adds up a chunk. A file that is not first waits when such files together take
// too much.
func (f *file) merge(c *chunk) error {
	if err := f.acc.Merge(c.acc); err != nil || f.isHead() {
		return err
	}
	j := f.job
	size := f.acc.Size()
	j.mu.Lock()
	j.ahead += size - f.ahead
	f.ahead = size
	wait := j.ahead > j.Memory/aheadShare
	j.mu.Unlock()
	if wait {
		return f.wait()
	}
	return nil
}

// isHead reports whether all files before are done.
func (f *file) isHead() bool {
	if f.head {
		return true
	}
	select {
	case <-f.turn:
		f.head = true
		f.job.mu.Lock()
		f.job.ahead -= f.ahead
		f.ahead = 0
		f.job.mu.Unlock()
	default:
	}
	return f.head
}

// wait waits until all files before are done.
func (f *file) wait() error {
	select {
	case <-f.turn:
		return nil
	case <-f.job.ctx.Done():
		return f.job.ctx.Err()
	}
}

// mostEvents is how many things a file keeps that are to be told in its turn.
const mostEvents = 1000

// do does what must be done in order: at once, or when it is the file's turn.
func (f *file) do(event func() error) error {
	if !f.isHead() {
		f.events = append(f.events, event)
		if len(f.events) < mostEvents {
			return nil
		}
		if err := f.wait(); err != nil {
			return err
		}
		return f.tell()
	}
	if err := f.tell(); err != nil {
		return err
	}
	return event()
}

// tell does what was kept.
func (f *file) tell() error {
	events := f.events
	f.events = nil
	for _, e := range events {
		if err := e(); err != nil {
			return err
		}
	}
	return nil
}

// finish ends a file that has been read, in its turn. What it says of the file comes
// before the error that ended it.
func (f *file) finish() error {
	f.isHead()
	if err := f.tell(); err != nil {
		return err
	}
	return f.err
}

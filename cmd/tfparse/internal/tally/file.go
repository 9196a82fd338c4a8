package tally

import (
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/ordered"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// A run is a visitor that divides the records of a file into chunks, and adds up those that
// are done.
type run struct {
	job     *Job
	pool    *ordered.Pool[*chunk] // nil: chunks are added to where records are read
	acc     *stats.Accumulator    // of the file; nil without records
	current *chunk
	failed  error // of something that was reported
	free    []*chunk
}

func (r *run) Begin(*recordscan.File) error {
	r.acc = nil
	return nil
}

func (r *run) Type(t example.MessageType) error {
	if err := r.job.begin(t); err != nil {
		return err
	}
	acc, err := r.job.accumulator(t)
	r.acc = acc
	return err
}

func (r *run) Lost(fault *recordscan.Fault) error {
	if r.pool == nil || r.pool.Len() == 0 && r.current == nil {
		return r.job.Lost(fault)
	}
	c := r.open()
	c.lost = append(c.lost, lost{len(c.ends), func() error { return r.job.Lost(fault) }})
	return nil
}

func (r *run) Record(rec []byte, pos tfrecord.Position) error {
	c := r.open()
	c.size += len(rec)
	if r.pool == nil {
		c.one(r.job, rec, pos)
		if err := c.report(); err != nil {
			return err
		}
	} else {
		c.records = append(c.records, rec...)
		c.ends = append(c.ends, len(c.records))
		c.positions = append(c.positions, pos)
	}
	if c.size < r.job.chunkSize() || r.job.Stats.TFDV {
		return nil
	}
	return r.submit()
}

// End submits what is left, with the end of the file.
func (r *run) End(*recordscan.File) error {
	r.open().last = true
	return r.submit()
}

// open returns the chunk that is being filled.
func (r *run) open() *chunk {
	c := r.current
	if c == nil {
		c = &chunk{}
		if n := len(r.free); n > 0 {
			c, r.free = r.free[n-1], r.free[:n-1]
			*c = chunk{records: c.records[:0], ends: c.ends[:0], positions: c.positions[:0]}
		}
		r.current = c
	}
	if c.acc == nil && r.acc != nil {
		c.acc, c.into = r.acc.Fresh(), r.acc
	}
	return c
}

// submit hands the chunk out, or adds it up.
func (r *run) submit() error {
	c := r.current
	r.current = nil
	if r.pool == nil {
		c.add(r.job)
		return r.merge(c)
	}
	for r.pool.Full() {
		if err := r.retire(); err != nil {
			return err
		}
	}
	return r.pool.Submit(c)
}

// retire waits for the oldest chunk and adds it up.
func (r *run) retire() error {
	c, err := r.pool.Next()
	if err != nil {
		return err
	}
	return r.merge(c)
}

// merge adds up a chunk. After an error nothing more is reported.
func (r *run) merge(c *chunk) error {
	r.failed = c.report()
	if r.failed == nil && c.acc != nil {
		r.failed = c.into.Merge(c.acc)
	}
	if r.failed == nil && c.last {
		r.failed = r.job.File(c.into)
	}
	if r.failed != nil {
		return r.failed
	}
	c.acc, c.into, c.events, c.lost = nil, nil, nil, nil
	r.free = append(r.free, c)
	return nil
}

// finish adds up what is left.
func (r *run) finish() error {
	if r.pool == nil || r.failed != nil {
		return r.failed
	}
	if r.current != nil {
		if err := r.submit(); err != nil {
			return err
		}
	}
	for r.pool.Len() > 0 {
		if err := r.retire(); err != nil {
			return err
		}
	}
	return nil
}

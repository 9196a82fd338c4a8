package ordered

import (
	"errors"
	"sync"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/walk"
	"github.com/tfparse/tfparse/tfrecord"
)

// A Counter sums up records that come one after the other, on several goroutines. Neither the
// sums nor the order in which faults are reported depend on how many goroutines there are:
// where a portion ends depends on the records alone.
type Counter[S any] struct {
	Fresh func() S                // an empty sum for the records that follow
	Look  func(S, []byte) error   // adds a record to a sum, on any goroutine
	Merge func(S) error           // takes the sum of a portion, in order
	Lost  func(*walk.Fault) error // is given the records that look refuses, in order

	work    chan *portion[S] // nil: one goroutine, which also reads
	workers sync.WaitGroup
	current *portion[S]
	pending []*portion[S] // under way, oldest first
	running int           // of pending, portions of records
	most    int           // that may be running: each may come to hold thousands of faults
	free    []*portion[S]
	failed  error // what the caller was given once
}

// A portion is some records in a row, and their sum; or something to be done between
// portions.
type portion[S any] struct {
	event func() error // not nil: there are no records

	sum       S
	size      int    // what the records take
	records   []byte // copies, if another goroutine looks at them
	ends      []int  // of each record
	positions []tfrecord.Position
	faults    []*walk.Fault
	done      chan struct{} // is sent one value
}

const (
	portionSize   = 256 << 10 // bytes of records
	perRecord     = 32        // bytes that a record takes besides its own
	mostPending   = 256       // portions and events: small files have more events than records
	longestCopied = 64 << 10  // a longer record is looked at where it is
)

// Start starts the goroutines, which stop ends.
func (c *Counter[S]) Start(jobs int) {
	if jobs == 1 {
		return
	}
	c.most = 2 * jobs
	c.work = make(chan *portion[S], c.most)
	for range jobs {
		c.workers.Go(func() {
			for p := range c.work {
				from := 0
				for i, end := range p.ends {
					if err := c.Look(p.sum, p.records[from:end]); err != nil {
						p.faults = append(p.faults, walk.Misfit(p.positions[i], err))
					}
					from = end
				}
				p.done <- struct{}{}
			}
		})
	}
}

// Add adds a record, of which it keeps nothing.
func (c *Counter[S]) Add(rec []byte, pos tfrecord.Position) error {
	if len(rec) > longestCopied {
		return c.addHere(rec, pos)
	}
	p := c.current
	if p == nil {
		p = c.open()
		c.current = p
	}
	p.size += len(rec) + perRecord
	if c.work == nil {
		if err := c.Look(p.sum, rec); err != nil {
			if err := c.Lost(walk.Misfit(pos, err)); err != nil {
				return c.fail(err)
			}
		}
	} else {
		p.records = append(p.records, rec...)
		p.ends = append(p.ends, len(p.records))
		p.positions = append(p.positions, pos)
	}
	if p.size < portionSize {
		return nil
	}
	return c.submit()
}

// addHere adds a record that is too long to be copied, as a portion of its own.
func (c *Counter[S]) addHere(rec []byte, pos tfrecord.Position) error {
	if err := c.drain(); err != nil {
		return err
	}
	sum := c.Fresh()
	if err := c.Look(sum, rec); err != nil {
		if err := c.Lost(walk.Misfit(pos, err)); err != nil {
			return c.fail(err)
		}
	}
	return c.fail(c.Merge(sum))
}

// then has something done after all records so far, and before those that follow.
func (c *Counter[S]) then(event func() error) error {
	if err := c.submit(); err != nil {
		return err
	}
	if len(c.pending) == 0 {
		return c.fail(event())
	}
	return c.push(&portion[S]{event: event})
}

// open returns an empty portion.
func (c *Counter[S]) open() *portion[S] {
	p := &portion[S]{done: make(chan struct{}, 1)}
	if n := len(c.free); n > 0 {
		p, c.free = c.free[n-1], c.free[:n-1]
		*p = portion[S]{records: p.records[:0], ends: p.ends[:0], positions: p.positions[:0], done: p.done}
	}
	p.sum = c.Fresh()
	return p
}

// submit ends the current portion.
func (c *Counter[S]) submit() error {
	p := c.current
	if p == nil {
		return c.failed
	}
	c.current = nil
	if c.work == nil {
		c.free = append(c.free, p)
		return c.fail(c.Merge(p.sum))
	}
	if err := c.push(p); err != nil {
		return err
	}
	c.work <- p // has room for all that are pending
	return nil
}

// push makes p pending.
func (c *Counter[S]) push(p *portion[S]) error {
	for len(c.pending) == mostPending || p.event == nil && c.running == c.most {
		if err := c.retire(); err != nil {
			return err
		}
	}
	if c.failed == nil {
		c.pending = append(c.pending, p)
		if p.event == nil {
			c.running++
		}
	}
	return c.failed
}

// retire waits for the oldest portion and adds it up.
func (c *Counter[S]) retire() error {
	p := c.pending[0]
	c.pending = append(c.pending[:0], c.pending[1:]...)
	if p.event != nil {
		return c.fail(p.event())
	}
	<-p.done
	c.running--
	for _, fault := range p.faults {
		if err := c.Lost(fault); err != nil {
			return c.fail(err)
		}
	}
	c.free = append(c.free, p)
	return c.fail(c.Merge(p.sum))
}

// drain adds up what there is so far.
func (c *Counter[S]) drain() error {
	err := c.submit()
	for err == nil && len(c.pending) > 0 {
		err = c.retire()
	}
	return err
}

// Finish adds up what is left, unless it has failed. walk.ErrStop is no failure.
func (c *Counter[S]) Finish() error {
	if err := c.drain(); !errors.Is(err, walk.ErrStop) {
		return err
	}
	return nil
}

// fail notes the first error, after which nothing is added up any more.
func (c *Counter[S]) fail(err error) error {
	if c.failed == nil {
		c.failed = err
	}
	return c.failed
}

// Stop ends the goroutines. It may be called for nil.
func (c *Counter[S]) Stop() {
	if c != nil && c.work != nil {
		close(c.work)
		c.workers.Wait()
	}
}

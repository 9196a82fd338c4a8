package parallel

import (
	"context"
	"errors"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/internal/ordered"
	"github.com/tfparse/tfparse/tfrecord"
)

// A Counter sums up records that come one after the other, on several goroutines. Neither the
// sums nor the order in which faults are reported depend on how many goroutines there are:
// where a portion ends depends on the records alone.
type Counter[S any] struct {
	Fresh func() S                      // an empty sum for the records that follow
	Look  func(S, []byte) error         // adds a record to a sum, on any goroutine
	Merge func(S) error                 // takes the sum of a portion, in order
	Lost  func(*recordscan.Fault) error // is given the records that look refuses, in order

	work    *ordered.Pool[*portion[S]] // nil: records are added where they are read
	current *portion[S]
	events  []func() error // after the portions under way
	free    []*portion[S]
	failed  error // what the caller was given once
}

// A portion is some records in a row, and their sum.
type portion[S any] struct {
	events []func() error // to be done before

	sum       S
	size      int    // what the records take
	records   []byte // copies
	ends      []int  // of each record
	positions []tfrecord.Position
	faults    []*recordscan.Fault
}

const (
	portionSize   = 256 << 10 // bytes of records
	perRecord     = 32        // bytes that a record takes besides its own
	mostEvents    = 256       // kept before they are done
	longestCopied = 64 << 10  // a longer record is looked at where it is
)

// Start starts the goroutines, which Stop ends. Twice as many portions are under way: each may
// come to hold thousands of faults.
func (c *Counter[S]) Start(jobs int) {
	if jobs == 1 {
		return
	}
	c.work = ordered.New(context.Background(), jobs, 2*jobs, func() func(*portion[S]) error { return c.sumUp })
}

// sumUp adds the records of a portion to its sum.
func (c *Counter[S]) sumUp(p *portion[S]) error {
	from := 0
	for i, end := range p.ends {
		if err := c.Look(p.sum, p.records[from:end]); err != nil {
			p.faults = append(p.faults, recordscan.Misfit(p.positions[i], err))
		}
		from = end
	}
	return nil
}

// Add adds a record and keeps no part of it.
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
			if err := c.Lost(recordscan.Misfit(pos, err)); err != nil {
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
		if err := c.Lost(recordscan.Misfit(pos, err)); err != nil {
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
	if c.work == nil || c.work.Len() == 0 && len(c.events) == 0 {
		return c.fail(event())
	}
	if c.events = append(c.events, event); len(c.events) < mostEvents {
		return nil
	}
	return c.drain()
}

// open returns an empty portion.
func (c *Counter[S]) open() *portion[S] {
	p := &portion[S]{}
	if n := len(c.free); n > 0 {
		p, c.free = c.free[n-1], c.free[:n-1]
		*p = portion[S]{records: p.records[:0], ends: p.ends[:0], positions: p.positions[:0]}
	}
	p.sum = c.Fresh()
	return p
}

// submit ends the current portion.
func (c *Counter[S]) submit() error {
	p := c.current
	if p == nil || c.failed != nil {
		return c.failed
	}
	c.current = nil
	if c.work == nil {
		c.free = append(c.free, p)
		return c.fail(c.Merge(p.sum))
	}
	p.events, c.events = c.events, nil
	for c.work.Full() {
		if err := c.retire(); err != nil {
			return err
		}
	}
	return c.fail(c.work.Submit(p))
}

// retire waits for the oldest portion and adds it up.
func (c *Counter[S]) retire() error {
	p, err := c.work.Next()
	if err != nil {
		return c.fail(err)
	}
	if err := c.do(p.events); err != nil {
		return err
	}
	for _, fault := range p.faults {
		if err := c.Lost(fault); err != nil {
			return c.fail(err)
		}
	}
	c.free = append(c.free, p)
	return c.fail(c.Merge(p.sum))
}

func (c *Counter[S]) do(events []func() error) error {
	for _, event := range events {
		if err := event(); err != nil {
			return c.fail(err)
		}
	}
	return nil
}

// drain adds up what there is so far.
func (c *Counter[S]) drain() error {
	err := c.submit()
	for err == nil && c.work != nil && c.work.Len() > 0 {
		err = c.retire()
	}
	if err != nil {
		return err
	}
	events := c.events
	c.events = nil
	return c.do(events)
}

// Finish adds up what is left, unless it has failed. recordscan.ErrStop is no failure.
func (c *Counter[S]) Finish() error {
	if err := c.drain(); !errors.Is(err, recordscan.ErrStop) {
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
		c.work.Close()
	}
}

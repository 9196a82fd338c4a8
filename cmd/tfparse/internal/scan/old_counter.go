package scan

import (
	"context"
	"errors"

	"github.com/tfparse/tfparse/internal/ordered"
	"github.com/tfparse/tfparse/tfrecord"
)

// A Counter sums up records that come one after the other, on several goroutines. Neither the
// sums nor the order of what is reported depend on how many goroutines there are: where a
// portion ends depends on what is read alone.
type Counter[S any] struct {
	Size int // bytes of records in a portion; zero: 256 KiB
	Long int // a longer record is not copied for a goroutine; zero: 64 KiB

	Fresh func() S // an empty sum for the records that follow
	// Look adds a record to the sum of a portion, on any goroutine.
	Look  func(p *Portion[S], rec []byte, pos tfrecord.Position)
	Merge func(S) error // takes the sum of a portion, in order

	queue   *ordered.Queue[*Portion[S]] // nil: records are added where they are read
	here    bool                        // so are those of the current portion
	current *Portion[S]
	events  []func() error // after the portions under way
	free    []*Portion[S]
	failed  error // what the caller was given once
}

// A Portion is some records in a row, and their sum.
type Portion[S any] struct {
	Sum S

	before    []func() error // to be done before all else
	size      int            // what the records take
	records   []byte         // copies
	ends      []int          // of each record
	positions []tfrecord.Position
	between   []between
	events    []func() error // to be done in order
}

// A between is an event that comes before a record.
type between struct {
	record int
	event  func() error
}

// Then has something done in its turn, behind what was to be done about records before.
func (p *Portion[S]) Then(event func() error) { p.events = append(p.events, event) }

const (
	portionSize   = 256 << 10
	oldPerRecord  = 32       // bytes that a record takes besides its own
	perEvent      = 1 << 10  // bytes that an event is counted as
	mostEvents    = 256      // kept before they are done
	longestCopied = 64 << 10 // see Long
)

// Start starts the goroutines, which Stop ends. Up to limit portions are under way: each may come to
// hold thousands of faults.
func (c *Counter[S]) Start(ctx context.Context, jobs, limit int) {
	if jobs > 1 {
		c.queue = ordered.NewQueue(ctx, jobs, limit, func() func(*Portion[S]) error { return c.sumUp }, c.use)
	}
}

// sumUp adds the records of a portion to its sum.
func (c *Counter[S]) sumUp(p *Portion[S]) error {
	from := 0
	for i, end := range p.ends {
		for len(p.between) > 0 && p.between[0].record <= i {
			p.events, p.between = append(p.events, p.between[0].event), p.between[1:]
		}
		c.Look(p, p.records[from:end], p.positions[i])
		from = end
	}
	for _, b := range p.between {
		p.events = append(p.events, b.event)
	}
	p.between = nil
	return nil
}

// Add adds a record and keeps no part of it.
func (c *Counter[S]) Add(rec []byte, pos tfrecord.Position) error {
	here := c.queue == nil || c.here
	if !here && len(rec) > max(c.Long, longestCopied) {
		return c.addAlone(rec, pos)
	}
	if c.current == nil {
		c.current = c.open()
	}
	p := c.current
	p.size += len(rec) + oldPerRecord
	if here {
		if c.Look(p, rec, pos); len(p.events) > 0 && c.queue == nil {
			err := c.do(p.events)
			if p.events = p.events[:0]; err != nil {
				return err
			}
		}
	} else {
		p.records = append(p.records, rec...)
		p.ends = append(p.ends, len(p.records))
		p.positions = append(p.positions, pos)
	}
	return c.submitIfFull()
}

// addAlone adds a record that is too long to be copied, as a portion of its own.
func (c *Counter[S]) addAlone(rec []byte, pos tfrecord.Position) error {
	if err := c.drain(); err != nil {
		return err
	}
	p := c.open()
	c.Look(p, rec, pos)
	return c.use(p)
}

// report has something done after what was to be done about all records so far.
func (c *Counter[S]) report(event func() error) error {
	switch p := c.current; {
	case p == nil:
		return c.then(event)
	case c.queue == nil:
		return c.fail(event())
	default:
		p.between = append(p.between, between{len(p.ends), event})
		p.size += perEvent
		return c.submitIfFull()
	}
}

// then has something done after all records so far are merged, and before those that follow.
func (c *Counter[S]) then(event func() error) error {
	if err := c.submit(); err != nil {
		return err
	}
	if c.queue == nil || c.queue.Len() == 0 && len(c.events) == 0 {
		return c.fail(event())
	}
	if c.events = append(c.events, event); len(c.events) < mostEvents {
		return nil
	}
	return c.drain()
}

// open returns an empty portion.
func (c *Counter[S]) open() *Portion[S] {
	p := &Portion[S]{}
	if n := len(c.free); n > 0 {
		p, c.free = c.free[n-1], c.free[:n-1]
		*p = Portion[S]{records: p.records[:0], ends: p.ends[:0], positions: p.positions[:0]}
	}
	p.Sum = c.Fresh()
	return p
}

func (c *Counter[S]) submitIfFull() error {
	size := c.Size
	if size == 0 {
		size = portionSize
	}
	if c.current.size < size {
		return nil
	}
	return c.submit()
}

// submit ends the current portion.
func (c *Counter[S]) submit() error {
	p := c.current
	if p == nil || c.failed != nil {
		return c.failed
	}
	c.current = nil
	if c.queue == nil {
		return c.use(p)
	}
	p.before, c.events = c.events, nil
	return c.fail(c.queue.Submit(p))
}

// use merges a portion that is summed up.
func (c *Counter[S]) use(p *Portion[S]) error {
	if err := c.do(p.before); err != nil {
		return err
	}
	if err := c.do(p.events); err != nil {
		return err
	}
	sum := p.Sum
	c.free = append(c.free, p)
	return c.fail(c.Merge(sum))
}

func (c *Counter[S]) do(events []func() error) error {
	for _, event := range events {
		if err := event(); err != nil {
			return c.fail(err)
		}
	}
	return nil
}

// drain merges what there is so far.
func (c *Counter[S]) drain() error {
	err := c.submit()
	if err == nil && c.queue != nil {
		err = c.fail(c.queue.Drain())
	}
	if err != nil {
		return err
	}
	events := c.events
	c.events = nil
	return c.do(events)
}

// Finish merges what is left, unless it has failed. ErrStop is no failure.
func (c *Counter[S]) Finish() error {
	if err := c.drain(); !errors.Is(err, ErrStop) {
		return err
	}
	return nil
}

// fail notes the first error, after which nothing is done any more.
func (c *Counter[S]) fail(err error) error {
	if c.failed == nil {
		c.failed = err
	}
	return c.failed
}

// Stop ends the goroutines. It may be called for nil.
func (c *Counter[S]) Stop() {
	if c != nil && c.queue != nil {
		c.queue.Close()
	}
}

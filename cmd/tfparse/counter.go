package main

import (
	"sync"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/walk"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

// A counter makes statistics of records that come one after the other, on several
// goroutines. Neither the statistics nor the order in which faults are told depend on how
// many there are.
type counter struct {
	result  *stats.Accumulator
	lost    func(*walk.Fault) error // is told of records that the statistics refuse
	work    chan *portion
	workers sync.WaitGroup
	current *portion
	pending []*portion // under way, oldest first
}

// A portion is some records in a row, and their statistics.
type portion struct {
	acc       *stats.Accumulator
	records   []byte
	ends      []int // of each record
	positions []tfrecord.Position
	faults    []*walk.Fault
	done      chan struct{}
}

const (
	portionSize = 256 << 10 // bytes of records
	mostPending = 16        // portions: more than there are goroutines on most machines
)

// newCounter starts the goroutines, which stop ends.
func newCounter(o *stats.Options, jobs int, lost func(*walk.Fault) error) (*counter, error) {
	result, err := stats.New(o)
	if err != nil {
		return nil, err
	}
	c := &counter{result: result, lost: lost, work: make(chan *portion, mostPending)}
	for range jobs {
		c.workers.Go(func() {
			for p := range c.work {
				p.count()
			}
		})
	}
	return c, nil
}

// add adds a record, of which it keeps nothing.
func (c *counter) add(rec []byte, pos tfrecord.Position) error {
	p := c.current
	if p == nil {
		p = &portion{acc: c.result.Fresh(), done: make(chan struct{})}
		c.current = p
	}
	p.records = append(p.records, rec...)
	p.ends = append(p.ends, len(p.records))
	p.positions = append(p.positions, pos)
	if len(p.records) < portionSize {
		return nil
	}
	if len(c.pending) == mostPending {
		if err := c.retire(); err != nil {
			return err
		}
	}
	c.submit()
	return nil
}

func (c *counter) submit() {
	c.work <- c.current // has room for all that are pending
	c.pending = append(c.pending, c.current)
	c.current = nil
}

// retire waits for the oldest portion and adds it up.
func (c *counter) retire() error {
	p := c.pending[0]
	c.pending = append(c.pending[:0], c.pending[1:]...)
	<-p.done
	for _, fault := range p.faults {
		if err := c.lost(fault); err != nil {
			return err
		}
	}
	return c.result.Merge(p.acc)
}

// finish adds up what is left.
func (c *counter) finish() error {
	if c.current != nil {
		c.submit()
	}
	for len(c.pending) > 0 {
		if err := c.retire(); err != nil {
			return err
		}
	}
	return nil
}

// stop ends the goroutines. It may be called for nil.
func (c *counter) stop() {
	if c != nil {
		close(c.work)
		c.workers.Wait()
	}
}

// count makes the statistics.
func (p *portion) count() {
	from := 0
	for i, end := range p.ends {
		if err := p.acc.Add(p.records[from:end]); err != nil {
			p.faults = append(p.faults, walk.Misfit(p.positions[i], err))
		}
		from = end
	}
	close(p.done)
}

package dataset

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/tfparse/tfparse/dataset/internal/feed"
)

// A crew is goroutines that make batches ahead of the caller. Each takes the records of
// a batch, as its turn comes, and parses them while others have their turns: what a
// processor has read it parses itself, from its own caches.
type crew struct {
	b       *Batches
	workers int
	begun   bool
	running sync.WaitGroup
	stopped atomic.Bool

	room chan *rows // memory for as many jobs as may be begun
	jobs chan *job  // in the order of their records; if none is asked for, as they are parsed
	// Workers keep records until their batch is handed out: one before it, of which some
	// do not fit, may take them.
	keep bool

	// For whose turn it is.
	at    *job  // that records are taken for
	given int64 // jobs so far
	over  bool  // there are no more records
	alive int   // workers that will look at over

	// The caller's.
	lent   bool  // a batch, whose memory was taken from room
	landed int64 // jobs so far
	last   int64 // how many there are to land, if b.end is set
}

func newCrew(b *Batches, workers, prefetch int) *crew {
	n := workers + prefetch
	return &crew{b: b, workers: workers, keep: b.opts.StepOver && !b.opts.Unordered,
		room: make(chan *rows, n), jobs: make(chan *job, n)}
}

// job is Batches.job.
func (c *crew) job() (*job, error) {
	b := c.b
	if b.end != nil && c.landed == c.last {
		return nil, b.end
	}
	if !c.begun {
		c.begun = true
		for range cap(c.room) {
			c.room <- b.pool.get()
		}
		b.src.Share()
		c.enlist()
	}
	if c.lent { // perhaps it was released by now
		c.room <- b.pool.get()
		c.lent = false
	}
	j, err := c.land()
	if err != nil {
		return nil, err
	}
	c.landed++
	c.lent = true
	if j.end != nil {
		b.end, c.last = j.end, j.number
	}
	c.told(j)
	if c.keep {
		b.parsed(j.items, j.rows)
		b.src.Finish()
	}
	for _, m := range j.misfits {
		if !b.opts.StepOver {
			c.fail(b.misfit(m.at, m.err))
			return j, nil
		}
		b.stepOver(m.at, m.size, m.err)
	}
	if j.rows.Len() == 0 {
		b.streak += int64(len(j.misfits))
	} else {
		b.streak = 0 // or less than a batch
	}
	if len(j.misfits) > 0 && j.rows.Len() < b.size {
		c.complete(j)
	}
	return j, nil
}

// land waits for the next job.
func (c *crew) land() (*job, error) {
	ctx := c.b.src.Context()
	select {
	case j := <-c.jobs:
		return j, c.await(j)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// await waits until a job is parsed.
func (c *crew) await(j *job) error {
	ctx := c.b.src.Context()
	select {
	case <-j.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// told reports the losses of a job.
func (c *crew) told(j *job) {
	for _, l := range j.losses {
		c.b.reading.lost(l)
	}
}

// fail makes err the end, whatever is still under way.
func (c *crew) fail(err error) {
	c.b.end, c.last = err, c.landed
	c.stopped.Store(true)
	c.b.src.Stop(err)
}

// complete fills a job up of which some records did not fit.
func (c *crew) complete(j *job) {
	b := c.b
	if err := b.src.Begin(true); err != nil {
		c.fail(err)
		return
	}
	defer b.src.End()
	defer b.src.Finish()
	if !b.opts.Unordered { // otherwise any records will do
		if err := c.takeBack(); err != nil {
			c.fail(err)
			return
		}
	}
	if b.end == nil {
		b.fill(j)
		if b.end != nil {
			c.over, c.last = true, c.given
		}
	}
}

// takeBack makes the records of the jobs under way ones that were not read yet. It is the
// caller's turn.
func (c *crew) takeBack() error {
	b := c.b
	var items []feed.Item
	for len(c.jobs) > 0 {
		j := <-c.jobs
		if err := c.await(j); err != nil {
			return err
		}
		c.told(j)
		items = append(items, j.items...)
		b.recycle(j)
		b.src.Finish()
		c.room <- b.pool.get()
		c.over = false // the end comes again behind them
	}
	c.given = c.landed
	b.src.Unread(items)
	c.enlist()
	return nil
}

// enlist starts workers until all run.
func (c *crew) enlist() {
	missing := c.workers - c.alive
	c.alive = c.workers
	for range missing {
		c.running.Go(c.work)
	}
}

// work is what a worker does, until there are no more records.
func (c *crew) work() {
	ctx := c.b.src.Context()
	for {
		var r *rows
		select {
		case r = <-c.room:
		case <-ctx.Done():
			return
		}
		j := c.take(r)
		if j == nil {
			c.room <- r
			return
		}
		c.parse(j)
		j.done <- struct{}{}
		if c.b.opts.Unordered {
			c.jobs <- j
		}
		runtime.Gosched() // whoever waits for the batch is to have it before the next is begun
	}
}

// take takes the records of a batch, which r is for. It returns nil if there are no more.
func (c *crew) take(r *rows) *job {
	b := c.b
	if b.src.Begin(false) != nil {
		return nil
	}
	defer b.src.End()
	if c.over {
		c.alive--
		b.src.Finish()
		return nil
	}
	j := b.newJob(r)
	c.at = j
	for len(j.items) < b.size && j.end == nil {
		j.items, j.end = b.src.Append(j.items, b.size-len(j.items))
	}
	c.at = nil
	// A remainder is parsed even if it is to be dropped: it may have to fill up batches
	// before it, and a record in it may be the first that does not fit.
	c.over = j.end != nil
	c.given++
	j.number = c.given
	if !b.opts.Unordered {
		c.jobs <- j
	}
	return j
}

// parse parses the records of a job.
func (c *crew) parse(j *job) {
	b := c.b
	for _, it := range j.items {
		if c.stopped.Load() {
			break
		}
		if err := j.rows.add(it); err != nil {
			j.misfits = append(j.misfits, misfitting{it.Place, len(it.Record), err})
			if !b.opts.StepOver {
				break
			}
		}
	}
	if !c.keep {
		b.parsed(j.items, j.rows)
		b.src.Finish()
	}
}

// stop ends the workers and waits for them.
func (c *crew) stop(err error) {
	if c.begun {
		c.stopped.Store(true)
		c.b.src.Stop(err)
		c.running.Wait()
		for len(c.room) > 0 {
			c.b.pool.put(<-c.room)
		}
	}
}

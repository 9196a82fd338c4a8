package dataset

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/tfparse/tfparse/internal/feed"
	"github.com/tfparse/tfparse/internal/ordered"
)

// A pipeline makes batches ahead of the caller: a sequencer, which is one goroutine, takes the
// records of one batch after another from the stream, and a pool of workers parses them.
//
// If some records of a batch do not fit and are skipped, the batch lacks rows, and all batches
// behind it begin at other records. Then the pipeline stops, the records of those batches go
// back to the stream, the batch is filled on the caller's goroutine, and the pipeline starts
// again. So neither batches nor errors depend on the number of workers.
type pipeline struct {
	b       *Batches
	workers int
	limit   int  // batches under way
	keep    bool // records are kept until their batch is handed out, so that they can go back

	pool      *ordered.Pool[*job] // nil: the pipeline does not run
	cancel    context.CancelFunc
	stopped   *atomic.Bool
	sequencer sync.WaitGroup
	unsent    *job   // that the sequencer was at when it was stopped
	ready     []*job // parsed, before those of the pool
}

// next is Batches.job.
func (p *pipeline) next() (*job, error) {
	b := p.b
	var j *job
	switch {
	case len(p.ready) > 0:
		j, p.ready = p.ready[0], p.ready[1:]
	default:
		if p.pool == nil {
			p.start()
		}
		var err error
		if j, err = p.pool.Next(); err != nil {
			return nil, err
		}
	}
	skipped := len(j.unfit)
	b.report(j, j.rows.Len() > 0)
	if p.keep {
		j.block.Release()
		if skipped > 0 && j.rows.Len() < b.size {
			p.putBack()
			b.end = nil // it comes again
			b.fill(j)
		}
	}
	return j, nil
}

func (p *pipeline) start() {
	var ctx context.Context
	ctx, p.cancel = context.WithCancel(p.b.ctx)
	p.stopped = new(atomic.Bool)
	p.pool = ordered.New(ctx, p.workers, p.limit, p.worker)
	p.sequencer.Go(p.sequence)
}

// sequence submits the records of one batch after another.
func (p *pipeline) sequence() {
	b := p.b
	for {
		j := jobs.Get().(*job)
		p.unsent = j
		for len(j.block.Items) < b.size && j.end == nil {
			if j.end = b.src.Append(&j.block, b.size); j.end == feed.ErrPaused {
				j.end = nil
				return
			}
		}
		// A remainder is parsed even if it is to be dropped: a record in it may be the first
		// that does not fit.
		last := j.end != nil
		j.block.MarkBusy()
		if p.pool.Submit(j) != nil {
			return
		}
		p.unsent = nil
		if last {
			p.pool.Finish()
			return
		}
	}
}

// worker returns what one worker does.
func (p *pipeline) worker() func(*job) error {
	return func(j *job) error {
		j.rows = p.b.memory.get()
		p.b.parse(j, p.stopped)
		p.release(j)
		return nil
	}
}

// release gives the records of a job back, unless they may be needed again: by putBack, or because
// the job is not parsed, or has a record that ends the stream.
func (p *pipeline) release(j *job) {
	if !p.keep && j.parsed && len(j.unfit) == 0 {
		j.block.Release()
	}
}

// stop ends the goroutines and returns the batches under way, in order.
func (p *pipeline) stop() []*job {
	rest := p.ready
	p.ready = nil
	if p.pool == nil {
		return rest
	}
	p.stopped.Store(true)
	p.cancel()
	p.b.src.Pause()
	p.sequencer.Wait()
	p.b.src.Resume()
	rest = append(rest, p.pool.Close()...)
	if p.unsent != nil {
		p.unsent.unsent = true
		rest = append(rest, p.unsent)
	}
	p.pool, p.unsent = nil, nil
	return rest
}

// pause stops the pipeline between two batches and returns the places of the records under way.
// The next batch starts it again.
func (p *pipeline) pause() (pending []feed.Position) {
	if p.keep {
		p.putBack()
		return nil
	}
	for _, j := range p.stop() {
		if j.unsent {
			p.b.src.Unread([]*feed.Block{&j.block})
			break
		}
		if !j.parsed {
			if j.rows != nil {
				p.b.memory.put(j.rows)
			}
			clear(j.unfit)
			j.rows, j.unfit = p.b.memory.get(), j.unfit[:0]
			p.b.parse(j, nil)
			p.release(j)
		}
		pending = j.places(pending)
		p.ready = append(p.ready, j)
	}
	return pending
}

// putBack stops the pipeline and returns the records under way to the stream.
func (p *pipeline) putBack() {
	var blocks []*feed.Block
	for _, j := range p.stop() {
		if j.rows != nil {
			p.b.memory.put(j.rows)
		}
		blocks = append(blocks, &j.block)
	}
	p.b.src.Unread(blocks)
}

package dataset

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/tfparse/tfparse/internal/feed"
	"github.com/tfparse/tfparse/internal/ordered"
)

// pipeline parses batches ahead of the caller. A sequencer, which is one goroutine, takes the
// records of one batch after another from the stream, and a pool of workers parses them:
//
//	stopped   nextJob                            start the goroutines: running
//	running   a batch is full, or the last       return it
//	          a batch lacks rows, because records in it were skipped
//	                                             returnRecords: stop, and put the records of all later batches back;
//	                                             fill the batch on the caller's goroutine; then stopped
//	          State                              pauseWorkers: stop; parsed batches wait in parsedJobs, or with
//	                                             keepRecords their records are put back; then stopped
//	          Close, an error                    stopWorkers
//
// So neither batches nor errors depend on the number of workers.
type pipeline struct {
	batches     *Batches // the stream
	workers     int      // number of goroutines that parse
	limit       int      // maximum number of batches in progress
	keepRecords bool     // records are kept until their batch is returned, so that they can be put back

	pool       *ordered.Pool[*batchJob] // the workers; nil: stopped
	cancel     context.CancelFunc       // ends the pool
	stopped    *atomic.Bool             // makes the workers stop between two records
	sequencing sync.WaitGroup           // the sequencer
	unsentJob  *batchJob                // the job that the sequencer fills; nil after it was submitted
	parsedJobs []*batchJob              // parsed jobs, which are returned before the jobs of the pool
}

// nextJob implements Batches.nextJob.
func (p *pipeline) nextJob() (*batchJob, error) {
	b := p.batches
	var j *batchJob
	switch {
	case len(p.parsedJobs) > 0:
		j, p.parsedJobs = p.parsedJobs[0], p.parsedJobs[1:]
	default:
		if p.pool == nil {
			p.startWorkers()
		}
		var err error
		if j, err = p.pool.Next(); err != nil {
			return nil, err
		}
	}
	skipped := len(j.misfits)
	b.reportJob(j, j.rows.Len() > 0)
	if p.keepRecords {
		j.block.Release()
		if skipped > 0 && j.rows.Len() < b.size {
			p.returnRecords()
			b.endErr = nil // the stream returns it again
			b.fillBatch(j)
		}
	}
	return j, nil
}

// startWorkers starts the sequencer and the workers.
func (p *pipeline) startWorkers() {
	var ctx context.Context
	ctx, p.cancel = context.WithCancel(p.batches.ctx)
	p.stopped = new(atomic.Bool)
	p.pool = ordered.New(ctx, p.workers, p.limit, p.newWorker)
	p.sequencing.Go(p.submitJobs)
}

// submitJobs is the sequencer: it submits the records of one batch after another.
func (p *pipeline) submitJobs() {
	b := p.batches
	for {
		j := jobPool.Get().(*batchJob)
		p.unsentJob = j
		for len(j.block.Items) < b.size && j.endErr == nil {
			if j.endErr = b.stream.Append(&j.block, b.size); j.endErr == feed.ErrPaused {
				j.endErr = nil
				return
			}
		}
		// A remainder is parsed even if it is to be dropped: a record in it may be the first
		// that does not fit.
		last := j.endErr != nil
		j.block.MarkBusy()
		if p.pool.Submit(j) != nil {
			return
		}
		p.unsentJob = nil
		if last {
			p.pool.Finish()
			return
		}
	}
}

// newWorker returns the function of one worker.
func (p *pipeline) newWorker() func(*batchJob) error {
	return func(j *batchJob) error {
		j.rows = p.batches.rows.takeRows()
		p.batches.parseJob(j, p.stopped)
		p.releaseRecords(j)
		return nil
	}
}

// releaseRecords gives the records of a job back, unless they may be needed again: by
// returnRecords, or because the job is not parsed or has a record that ends the stream.
func (p *pipeline) releaseRecords(j *batchJob) {
	if !p.keepRecords && j.parsed && len(j.misfits) == 0 {
		j.block.Release()
	}
}

// stopWorkers ends the goroutines and returns the jobs in progress, in order.
func (p *pipeline) stopWorkers() []*batchJob {
	rest := p.parsedJobs
	p.parsedJobs = nil
	if p.pool == nil {
		return rest
	}
	p.stopped.Store(true)
	p.cancel()
	p.batches.stream.Pause()
	p.sequencing.Wait()
	p.batches.stream.Resume()
	rest = append(rest, p.pool.Close()...)
	if p.unsentJob != nil {
		p.unsentJob.unsent = true
		rest = append(rest, p.unsentJob)
	}
	p.pool, p.unsentJob = nil, nil
	return rest
}

// pauseWorkers stops the pipeline between two batches and returns the positions of the records in
// progress.
func (p *pipeline) pauseWorkers() (pending []feed.Position) {
	if p.keepRecords {
		p.returnRecords()
		return nil
	}
	for _, j := range p.stopWorkers() {
		if j.unsent {
			p.batches.stream.Unread([]*feed.Block{&j.block})
			break
		}
		if !j.parsed {
			if j.rows != nil {
				p.batches.rows.putRows(j.rows)
			}
			clear(j.misfits)
			j.rows, j.misfits = p.batches.rows.takeRows(), j.misfits[:0]
			p.batches.parseJob(j, nil)
			p.releaseRecords(j)
		}
		pending = j.positions(pending)
		p.parsedJobs = append(p.parsedJobs, j)
	}
	return pending
}

// returnRecords stops the pipeline and returns the records in progress to the stream.
func (p *pipeline) returnRecords() {
	var blocks []*feed.Block
	for _, j := range p.stopWorkers() {
		if j.rows != nil {
			p.batches.rows.putRows(j.rows)
		}
		blocks = append(blocks, &j.block)
	}
	p.batches.stream.Unread(blocks)
}

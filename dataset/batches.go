package dataset

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tfparse/tfparse/dataset/internal/feed"
	"github.com/tfparse/tfparse/feature"
)

// Batches is a stream of parsed records. It is for one goroutine; the batches are
// for any. It must be closed unless it was read to its end, or to an error.
type Batches struct {
	reading
	parser *feature.Parser
	size   int
	pool   *pool
	free   []*job
	some   []feed.Item // records on the way to a batch
	streak int64       // records that do not fit since the last row
	// Strings of the batches are parts of the records: those must stay.
	aliasing bool

	// With workers.
	flying   []*job // under way, oldest first
	part     *job   // not full yet
	most     int    // that may be under way
	end      error  // of the records; nil before
	work     chan *job
	finished chan *job
	workers  sync.WaitGroup
	stopped  atomic.Bool
}

// A job is the records of one batch, and the batch.
type job struct {
	items   []feed.Item
	rows    *rows
	misfits []misfitting
	done    bool
}

// A misfitting record is one that does not fit the spec.
type misfitting struct {
	at   feed.Place
	size int
	err  error
}

func (b *Batches) begin(ctx context.Context, f *Files) {
	b.aliasing = b.parser.Options().AliasRecords
	b.reading.begin(ctx, f, b.aliasing)
	if b.err == nil && b.size <= 0 {
		b.err = argumentf("want at least 1 row in a batch, got %d", b.size)
	}
	b.pool = &pool{parser: b.parser, size: b.size, left: &f.left.rows}
	if workers, prefetch := b.opts.workers(); workers > 1 || prefetch > 0 {
		b.most = workers + prefetch
	}
	b.pool.most = b.most + 2
}

// Next returns the next batch, which is the caller's: see [Batch.Release]. Errors are
// those of [Records.Next]; that of a record that does not fit the spec is an
// [*tfrecord.Error] with its position around a [*feature.Error]. Rows before an
// error come first, in a batch of their own unless DropRemainder is set.
func (b *Batches) Next() (*Batch, error) {
	for b.err == nil {
		j, err := b.job()
		if err != nil {
			b.stop(err)
			break
		}
		if n := j.rows.Len(); n == b.size || n > 0 && !b.opts.DropRemainder {
			b.stats.Batches++
			b.stats.Records += int64(n)
			out := &Batch{Batch: j.rows.Batch, rows: j.rows, names: b.names, pool: b.pool}
			j.rows = nil
			b.recycle(j)
			return out, nil
		}
		b.recycle(j)
	}
	return nil, b.err
}

// job returns the next batch and settles what its records need. It may have fewer
// rows than it should if the stream ends behind it. The error is that of the end.
func (b *Batches) job() (*job, error) {
	if b.most == 0 {
		if b.end != nil {
			return nil, b.end
		}
		j := b.newJob()
		b.fill(j)
		return j, nil
	}
	if b.work == nil {
		b.start()
	}
	b.launch()
	if len(b.flying) == 0 {
		return nil, b.end
	}
	j, err := b.land()
	if err != nil {
		return nil, err
	}
	b.parsed(j.items, j.rows)
	j.items = j.items[:0]
	for _, m := range j.misfits {
		if !b.opts.StepOver {
			b.end = b.misfit(m.at, m.err)
			b.scrap()
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
		b.takeBack()
		b.fill(j)
	}
	return j, nil
}

// fill parses records into j until it is full or the stream ends.
func (b *Batches) fill(j *job) {
	for j.rows.Len() < b.size && b.end == nil {
		if b.hopeless() {
			b.scrap()
			b.end = io.EOF
			return
		}
		some, err := b.src.Append(b.some[:0], b.size-j.rows.Len(), true)
		b.some = some
		if err != nil {
			b.end = err
			return
		}
		for _, it := range some {
			if b.end != nil {
				break
			}
			if b.aliasing && it.Lent() {
				it.Record = bytes.Clone(it.Record)
			}
			if err := j.rows.add(it); err == nil {
				b.streak = 0
				continue
			} else if !b.opts.StepOver {
				b.end = b.misfit(it.Place, err)
			} else {
				b.stepOver(it.Place, len(it.Record), err)
			}
			b.streak++
		}
		b.parsed(some, j.rows)
	}
}

// hopeless reports whether the passes would go on for ever without a row: no record of
// a whole pass fits the spec.
func (b *Batches) hopeless() bool {
	return b.opts.Repeat < 0 && b.src.Length() > 0 && b.streak >= 2*b.src.Length()
}

// parsed gives back records that a batch has its columns of.
func (b *Batches) parsed(items []feed.Item, r *rows) {
	for _, it := range items {
		if b.aliasing {
			b.src.Keep(it, &r.held)
		} else {
			b.src.Done(it)
		}
	}
}

// start starts the workers.
func (b *Batches) start() {
	b.work, b.finished = make(chan *job, b.most), make(chan *job, b.most)
	workers, _ := b.opts.workers()
	work := b.work
	for range workers {
		b.workers.Go(func() { b.parse(work) })
	}
}

// launch gives out batches to be parsed. It waits for records only if nothing is under
// way.
func (b *Batches) launch() {
	for b.end == nil && len(b.flying) < b.most {
		idle := len(b.flying) == 0
		if !idle && b.src.Full() {
			return
		}
		if b.part == nil {
			b.part = b.newJob()
		}
		for b.end == nil && len(b.part.items) < b.size {
			var err error
			b.part.items, err = b.src.Append(b.part.items, b.size-len(b.part.items), idle)
			if err == feed.ErrWait {
				return
			}
			b.end = err
		}
		j := b.part
		b.part = nil
		// A remainder is parsed even if it is to be dropped: it may have to fill up batches
		// before it, and a record in it may be the first that does not fit.
		if len(j.items) == 0 {
			b.drop(j)
			return
		}
		b.flying = append(b.flying, j)
		b.work <- j
	}
}

// land waits for the batch whose turn it is.
func (b *Batches) land() (*job, error) {
	if b.opts.Unordered {
		j, err := b.wait()
		if err == nil {
			i := slices.Index(b.flying, j)
			b.flying = slices.Delete(b.flying, i, i+1)
		}
		return j, err
	}
	j := b.flying[0]
	for !j.done {
		if _, err := b.wait(); err != nil {
			return nil, err
		}
	}
	b.flying = slices.Delete(b.flying, 0, 1)
	return j, nil
}

// wait waits until a batch is parsed.
func (b *Batches) wait() (*job, error) {
	select {
	case j := <-b.finished:
		j.done = true
		return j, nil
	case <-b.src.Context().Done():
		return nil, context.Cause(b.src.Context())
	}
}

// takeBack makes the records of the batches under way ones that were not read yet:
// one before them has records that do not fit, and takes some of theirs.
func (b *Batches) takeBack() {
	if b.opts.Unordered {
		return // any records will do
	}
	var items []feed.Item
	for _, j := range b.flying {
		for !j.done {
			if _, err := b.wait(); err != nil {
				b.end = err
				return
			}
		}
		items = append(items, j.items...)
		j.items = j.items[:0]
		b.recycle(j)
	}
	b.flying = b.flying[:0]
	if b.part != nil {
		items = append(items, b.part.items...)
		b.part.items = b.part.items[:0]
		b.recycle(b.part)
		b.part = nil
	}
	b.src.Unread(items)
	b.end = nil // it comes again behind them
}

// scrap drops the batches under way.
func (b *Batches) scrap() {
	for _, j := range b.flying {
		for !j.done {
			if _, err := b.wait(); err != nil {
				return // and all of it is left to the garbage collector
			}
		}
		b.drop(j)
	}
	b.flying = b.flying[:0]
	if b.part != nil {
		b.drop(b.part)
		b.part = nil
	}
}

// parse is what a worker does.
func (b *Batches) parse(work <-chan *job) {
	done := b.src.Context().Done()
	for {
		var j *job
		select {
		case j = <-work:
		case <-done:
		}
		if j == nil {
			return
		}
		for _, it := range j.items {
			if b.stopped.Load() {
				break
			}
			if err := j.rows.add(it); err != nil {
				j.misfits = append(j.misfits, misfitting{it.Place, len(it.Record), err})
				if !b.opts.StepOver {
					break
				}
			}
		}
		b.finished <- j
	}
}

func (b *Batches) newJob() *job {
	var j *job
	if n := len(b.free); n > 0 {
		j, b.free = b.free[n-1], b.free[:n-1]
	} else {
		j = &job{}
	}
	if j.rows == nil {
		j.rows = b.pool.get()
	}
	return j
}

// recycle takes a job back whose records are done with.
func (b *Batches) recycle(j *job) {
	clear(j.misfits)
	j.misfits, j.done = j.misfits[:0], false
	if j.rows != nil {
		j.rows.reset()
	}
	b.free = append(b.free, j)
}

// drop takes a job back that nobody wants.
func (b *Batches) drop(j *job) {
	for _, it := range j.items {
		b.src.Done(it)
	}
	j.items = j.items[:0]
	b.recycle(j)
}

// stop ends the stream.
func (b *Batches) stop(err error) {
	b.stopped.Store(true)
	if b.work != nil {
		close(b.work)
		b.work = nil
	}
	b.workers.Wait()
	for _, j := range b.free {
		if j.rows != nil {
			b.pool.put(j.rows)
		}
	}
	b.flying, b.part, b.free = nil, nil, nil
	b.pool.close()
	b.close(err)
}

// All returns the batches that are left. The last pair has the error, if there is one.
// The stream is closed when the loop ends.
func (b *Batches) All() iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		defer b.Close()
		for {
			batch, err := b.Next()
			if err == io.EOF || !yield(batch, err) || err != nil {
				return
			}
		}
	}
}

// Stats returns the counts so far.
func (b *Batches) Stats() Stats { return b.statsNow() }

// Close ends the reading and the parsing and waits until no goroutine of them is left,
// as [Records.Close] does. Batches that were handed out stay good.
func (b *Batches) Close() error {
	b.stop(fs.ErrClosed)
	return nil
}

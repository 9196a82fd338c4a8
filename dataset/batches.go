package dataset

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/feed"
)

// Batches is a stream of parsed records. It is for one goroutine; the batches are
// for any. It must be closed unless it was read to its end, or to an error.
type Batches struct {
	reading
	parser *feature.Parser
	size   int
	memory *memory
	streak int64        // records that do not fit since the last row
	end    error        // of the records; nil before
	unused []feed.Position // records that were taken, and not handed out before the error that ends the stream
	// Strings of the batches are parts of the records: those must stay.
	aliasing bool
	pipeline *pipeline // nil: everything is done in the calls of Next
}

// A job is the records of one batch, and the batch.
type job struct {
	block  feed.Block
	rows   *rows
	events []feed.Event // those of the block
	unfit  []unfit      // in the order of the records
	end    error        // of the stream, behind these records
	parsed bool         // all records, or up to one that ends the stream
	unsent bool         // the workers did not get it
}

// unfit is a record that does not fit the spec.
type unfit struct {
	index int // of block.Items
	at    feed.Position
	size  int
	err   error
}

var jobs = sync.Pool{New: func() any { return new(job) }}

func (b *Batches) begin(ctx context.Context, f *Files) {
	b.aliasing = b.parser.Options().AliasRecords
	b.reading.begin(ctx, f, func(c *feed.Config) {
		if b.aliasing {
			// What is read into such a buffer does not stay in a cache anyway. The end of it
			// that is copied, because a record did not fit, is to be a small part.
			c.BufferSize = 2 << 20
		}
	})
	if b.err == nil && b.size <= 0 {
		b.err = argumentf("want at least 1 row in a batch, got %d", b.size)
	}
	if b.opts.Resume != nil {
		b.streak = b.opts.Resume.streak
	}
	b.memory = &memory{parser: b.parser, size: b.size, free: &f.memory.rows}
	if workers, prefetch := b.opts.workers(); workers > 1 || prefetch > 0 {
		b.pipeline = &pipeline{b: b, workers: workers, limit: workers + prefetch, keep: b.opts.SkipErrors}
	}
}

// Next returns the next batch, which is the caller's: see [Batch.Release]. Errors are
// those of [Records.Next]; that of a record that does not fit the spec is an
// [*tfrecord.Error] with its position around a [*feature.Error]. Rows before an
// error come first, in a batch of their own, unless DropRemainder is set or the error is the
// end of the context.
func (b *Batches) Next() (*Batch, error) {
	for b.err == nil {
		j, err := b.job()
		if err != nil {
			b.stop(err)
			break
		}
		rows := j.rows
		j.rows = nil
		b.recycle(j)
		interrupted := b.end != nil && b.ctx.Err() != nil && errors.Is(b.end, context.Cause(b.ctx))
		if n := rows.Len(); n == b.size || n > 0 && !b.opts.DropRemainder && !interrupted {
			b.stats.Batches++
			b.stats.Records += int64(n)
			return &Batch{rows: rows, names: b.names, memory: b.memory}, nil
		}
		if b.end != io.EOF { // the rows are for whoever resumes
			b.unused = append(slices.Clone(rows.at), b.unused...)
		}
		b.memory.put(rows)
	}
	return nil, b.err
}

// job returns the next batch and reports what happened up to it. It may have fewer
// rows than it should if the stream ends behind it. The error is that of the end.
func (b *Batches) job() (*job, error) {
	if b.end != nil {
		return nil, b.end
	}
	if b.pipeline != nil {
		return b.pipeline.next()
	}
	j := jobs.Get().(*job)
	j.rows = b.memory.get()
	b.fill(j)
	return j, nil
}

// fill parses records into j until it is full or the stream ends: those at hand, then
// the next, so that they are parsed while a cache has them.
func (b *Batches) fill(j *job) {
	for j.rows.Len() < b.size && b.end == nil {
		if b.hopeless() {
			b.end = io.EOF
			return
		}
		before := j.rows.Len()
		j.end = b.src.Append(&j.block, b.size-before)
		b.parse(j, nil)
		b.report(j, j.rows.Len() > before)
		j.block.Release()
	}
}

// parse parses the records of j, on any goroutine, until stopped is set, which may be nil.
func (b *Batches) parse(j *job, stopped *atomic.Bool) {
	j.events = append(j.events[:0], j.block.Events...)
	for i := range j.block.Items {
		if stopped != nil && stopped.Load() {
			return
		}
		it := &j.block.Items[i]
		if err := j.rows.add(it); err != nil {
			j.unfit = append(j.unfit, unfit{i, it.Position, len(it.Record), err})
			if !b.opts.SkipErrors {
				break
			}
		}
	}
	if b.aliasing {
		j.block.Pin(&j.rows.held)
	}
	j.parsed = true
}

// report counts and reports, in order, what happened among the records of j, which have
// been parsed. It sets b.end if nothing follows.
func (b *Batches) report(j *job, fit bool) {
	b.streak += int64(len(j.unfit))
	if fit {
		b.streak = 0
	}
	events := j.events
	for _, u := range j.unfit {
		for ; len(events) > 0 && events[0].At <= u.index; events = events[1:] {
			b.event(events[0])
		}
		if !b.opts.SkipErrors {
			b.end = b.reading.unfit(u.at, u.err)
			for _, it := range j.block.Items[u.index:] {
				b.unused = append(b.unused, it.Position)
			}
			return
		}
		b.skip(u.at, u.size, u.err)
	}
	for _, e := range events {
		b.event(e)
	}
	b.end = j.end
	clear(j.unfit)
	j.unfit = j.unfit[:0]
}

// hopeless reports whether the epochs would go on for ever without a row: no record of
// a whole epoch fits the spec.
func (b *Batches) hopeless() bool {
	return b.opts.Repeat < 0 && b.src.LongestEpoch() > 0 && b.streak >= 2*b.src.LongestEpoch()
}

// recycle takes a job back whose records are done with.
func (b *Batches) recycle(j *job) {
	if j.rows != nil {
		b.memory.put(j.rows)
	}
	j.block.Release()
	clear(j.unfit)
	clear(j.events)
	*j = job{block: j.block, events: j.events[:0], unfit: j.unfit[:0]}
	jobs.Put(j)
}

// stop ends the stream.
func (b *Batches) stop(err error) {
	pending := b.unused
	if b.pipeline != nil {
		for _, j := range b.pipeline.stop() {
			pending = j.places(pending)
			b.recycle(j)
		}
	}
	b.save(pending)
	b.close(err)
}

// places appends the places of the records of a job.
func (j *job) places(all []feed.Position) []feed.Position {
	if len(j.block.Items) == 0 && j.rows != nil { // they are parsed and done with
		return append(all, j.rows.at...)
	}
	for _, it := range j.block.Items {
		all = append(all, it.Position)
	}
	return all
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

// State returns where the stream is: [FilesOptions.Resume] goes on with the record behind the last
// of the batch that Next returned last, also after the stream was closed or has failed. It
// waits until the workers have parsed the batches under way, which are returned later.
func (b *Batches) State() (*State, error) {
	s, err := b.state(func() []feed.Position {
		if b.pipeline != nil {
			return b.pipeline.pause()
		}
		return nil
	})
	if s != nil {
		s.streak = b.streak
	}
	return s, err
}

// Stats returns the counts so far.
func (b *Batches) Stats() Stats { return b.statsNow() }

// Close ends the reading and the parsing and waits until no goroutine of them is left,
// as [Records.Close] does. Batches that were handed out stay good.
func (b *Batches) Close() error {
	b.stop(fs.ErrClosed)
	return nil
}

package dataset

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"iter"
	"sync"

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
	some   []feed.Item // records on the way to a batch
	streak int64       // records that do not fit since the last row
	end    error       // of the records; nil before
	// Strings of the batches are parts of the records: those must stay.
	aliasing bool
	crew     *crew // nil: everything is done in the calls of Next

	mu   sync.Mutex
	free []*job
}

// A job is the records of one batch, and the batch.
type job struct {
	items   []feed.Item
	rows    *rows
	misfits []misfitting

	// With a crew.
	number int64         // of jobs up to this one
	losses []feed.Loss   // between the records
	end    error         // of the records, behind these
	done   chan struct{} // has something when the batch is parsed
}

// A misfitting record is one that does not fit the spec.
type misfitting struct {
	at   feed.Place
	size int
	err  error
}

func (b *Batches) begin(ctx context.Context, f *Files) {
	b.aliasing = b.parser.Options().AliasRecords
	b.reading.begin(ctx, f, func(c *feed.Config) {
		c.Lost, c.Near = b.lost, isNear
		if b.aliasing {
			// What is read into such a slab does not stay in a cache anyway. The end of it
			// that is copied, because a record did not fit, is to be a small part.
			c.SlabSize = 2 << 20
		}
	})
	if b.err == nil && b.size <= 0 {
		b.err = argumentf("want at least 1 row in a batch, got %d", b.size)
	}
	b.pool = &pool{parser: b.parser, size: b.size, left: &f.left.rows, most: 2}
	if workers, prefetch := b.opts.workers(); workers > 1 || prefetch > 0 {
		b.crew = newCrew(b, workers, prefetch)
		b.pool.most += workers + prefetch
	}
}

// lost is told of what the feed stepped over.
func (b *Batches) lost(l feed.Loss) {
	if b.crew != nil && b.crew.at != nil {
		b.crew.at.losses = append(b.crew.at.losses, l) // for the caller's goroutine
		return
	}
	b.reading.lost(l)
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
	if b.crew != nil {
		return b.crew.job()
	}
	if b.end != nil {
		return nil, b.end
	}
	j := b.newJob(b.pool.get())
	b.fill(j)
	return j, nil
}

// fill parses records into j until it is full or the stream ends.
func (b *Batches) fill(j *job) {
	for j.rows.Len() < b.size && b.end == nil {
		if b.hopeless() {
			b.end = io.EOF
			return
		}
		some, err := b.src.Append(b.some[:0], b.size-j.rows.Len())
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
	if b.aliasing {
		b.src.Done(items, &r.held)
	} else {
		b.src.Done(items, nil)
	}
}

func (b *Batches) newJob(r *rows) *job {
	b.mu.Lock()
	defer b.mu.Unlock()
	j := &job{}
	if n := len(b.free); n > 0 {
		j, b.free = b.free[n-1], b.free[:n-1]
	} else {
		j.done = make(chan struct{}, 1)
	}
	j.rows = r
	return j
}

// recycle takes a job back whose records are done with.
func (b *Batches) recycle(j *job) {
	clear(j.misfits)
	clear(j.losses)
	j.items, j.misfits, j.losses, j.end = j.items[:0], j.misfits[:0], j.losses[:0], nil
	if j.rows != nil {
		b.pool.put(j.rows)
		j.rows = nil
	}
	b.mu.Lock()
	b.free = append(b.free, j)
	b.mu.Unlock()
}

// stop ends the stream.
func (b *Batches) stop(err error) {
	if b.crew != nil {
		b.crew.stop(err)
	}
	b.free = nil
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

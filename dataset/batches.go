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
	"github.com/tfparse/tfparse/tfrecord"
)

// Batches is a stream of parsed batches. One goroutine may use it; any goroutine may use a batch. It
// must be closed unless it was read to its end or to an error.
type Batches struct {
	fileStream
	parser       *feature.Parser // parser of the rows
	size         int             // number of rows of a full batch
	rows         *rowPool        // free memory of batches
	misfitStreak int64           // number of records since the last row, none of which fits
	endErr       error           // error or end of the records; nil while there are more
	unreturned   []feed.Position // records that were taken and not returned before the error that ends the stream
	aliasing     bool            // strings are views of the records, which must remain valid
	pipeline     *pipeline       // nil: the calls of Next do everything
}

// batchJob has the records of one batch and the columns that they are parsed to.
type batchJob struct {
	block   feed.Block     // the records; released when nothing can need them again
	rows    *batchRows     // columns of the records; nil before parsing begins
	events  []feed.Event   // copy of the events of block
	misfits []misfitRecord // records that do not fit the spec, in order
	endErr  error          // error or end of the stream after these records
	parsed  bool           // the records are parsed: all, or up to one that ends the stream
	unsent  bool           // the workers did not get the job
}

// misfitRecord is a record that does not fit the spec.
type misfitRecord struct {
	index    int // index in block.Items
	position feed.Position
	size     int   // size of the record in bytes
	err      error // why it does not fit
}

// jobPool holds free jobs.
var jobPool = sync.Pool{New: func() any { return new(batchJob) }}

// startBatches prepares the stream.
func (b *Batches) startBatches(ctx context.Context, f *Files) {
	b.aliasing = b.parser.Options().AliasRecords
	b.fileStream.startReading(ctx, f, func(c *feed.Config) {
		if b.aliasing {
			// The data does not stay in a cache anyway. A record that is cut off at the end of
			// a buffer is copied: in a large buffer that is a small part.
			c.BufferSize = 2 << 20
		}
	})
	if b.err == nil && b.size <= 0 {
		b.err = argumentError("want at least 1 row in a batch, got %d", b.size)
	}
	if b.opts.Resume != nil {
		b.misfitStreak = b.opts.Resume.misfitStreak
	}
	b.rows = &rowPool{parser: b.parser, size: b.size, free: &f.shared.rows}
	if workers, prefetch := b.opts.workerCount(); workers > 1 || prefetch > 0 {
		b.pipeline = &pipeline{batches: b, workers: workers, limit: workers + prefetch, keepRecords: b.opts.SkipErrors}
	}
}

// Next returns the next batch, which belongs to the caller: see [Batch.Release]. Errors are those
// of [Records.Next]; the error about a record that does not fit the spec is a [*tfrecord.Error]
// with its position around a [*feature.Error]. Rows before an error are returned first, in a batch
// of their own, unless DropRemainder is set or the context has ended.
func (b *Batches) Next() (*Batch, error) {
	for b.err == nil {
		j, err := b.nextJob()
		if err != nil {
			b.stopStream(err)
			break
		}
		rows := j.rows
		j.rows = nil
		b.recycleJob(j)
		interrupted := b.endErr != nil && b.ctx.Err() != nil && errors.Is(b.endErr, context.Cause(b.ctx))
		if n := rows.Len(); n == b.size || n > 0 && !b.opts.DropRemainder && !interrupted {
			b.stats.Batches++
			b.stats.Records += int64(n)
			return &Batch{rows: rows, names: b.names, pool: b.rows}, nil
		}
		if b.endErr != io.EOF { // a stream that resumes reads the rows again
			b.unreturned = append(slices.Clone(rows.positions), b.unreturned...)
		}
		b.rows.putRows(rows)
	}
	return nil, b.err
}

// nextJob returns the next batch and reports what was skipped up to it. The batch has too few rows
// if the stream ends after it. After that it returns endErr.
func (b *Batches) nextJob() (*batchJob, error) {
	if b.endErr != nil {
		return nil, b.endErr
	}
	if b.pipeline != nil {
		return b.pipeline.nextJob()
	}
	j := jobPool.Get().(*batchJob)
	j.rows = b.rows.takeRows()
	b.fillBatch(j)
	return j, nil
}

// fillBatch parses records into j until it is full or the stream ends. It takes the records that
// are available first, so that they are parsed while they are in a cache.
func (b *Batches) fillBatch(j *batchJob) {
	for j.rows.Len() < b.size && b.endErr == nil {
		if b.repeatsWithoutRows() {
			b.endErr = io.EOF
			return
		}
		before := j.rows.Len()
		j.endErr = b.stream.Append(&j.block, b.size-before)
		b.parseJob(j, nil)
		b.reportJob(j, j.rows.Len() > before)
		j.block.Release()
	}
}

// parseJob parses the records of j, or stops early when stopped is set; stopped may be nil. Any
// goroutine may call it.
func (b *Batches) parseJob(j *batchJob, stopped *atomic.Bool) {
	j.events = append(j.events[:0], j.block.Events...)
	for i := range j.block.Items {
		if stopped != nil && stopped.Load() {
			return
		}
		it := &j.block.Items[i]
		if err := j.rows.appendRecord(it); err != nil {
			j.misfits = append(j.misfits, misfitRecord{i, it.Position, len(it.Record), err})
			if !b.opts.SkipErrors {
				break
			}
		}
	}
	if b.aliasing {
		j.block.Pin(&j.rows.pinned)
	}
	j.parsed = true
}

// reportJob counts and reports, in order, what was skipped among the parsed records of j; fit means
// that at least one record was not. It sets b.endErr if nothing follows.
func (b *Batches) reportJob(j *batchJob, fit bool) {
	b.misfitStreak += int64(len(j.misfits))
	if fit {
		b.misfitStreak = 0
	}
	events := j.events
	for _, u := range j.misfits {
		for ; len(events) > 0 && events[0].At <= u.index; events = events[1:] {
			b.reportEvent(events[0])
		}
		if !b.opts.SkipErrors {
			b.endErr = b.fileStream.misfitError(u.position, u.err)
			for _, it := range j.block.Items[u.index:] {
				b.unreturned = append(b.unreturned, it.Position)
			}
			return
		}
		b.skipMisfit(u.position, u.size, u.err)
	}
	for _, e := range events {
		b.reportEvent(e)
	}
	b.endErr = j.endErr
	clear(j.misfits)
	j.misfits = j.misfits[:0]
}

// repeatsWithoutRows reports whether no record of a whole epoch fits the spec, so that the epochs
// would go on without end.
func (b *Batches) repeatsWithoutRows() bool {
	return b.opts.Repeat < 0 && b.stream.LongestEpoch() > 0 && b.misfitStreak >= 2*b.stream.LongestEpoch()
}

// recycleJob frees a job.
func (b *Batches) recycleJob(j *batchJob) {
	if j.rows != nil {
		b.rows.putRows(j.rows)
	}
	j.block.Release()
	clear(j.misfits)
	clear(j.events)
	*j = batchJob{block: j.block, events: j.events[:0], misfits: j.misfits[:0]}
	jobPool.Put(j)
}

// stopStream ends the stream.
func (b *Batches) stopStream(err error) {
	pending := b.unreturned
	if b.pipeline != nil {
		for _, j := range b.pipeline.stopWorkers() {
			pending = j.positions(pending)
			b.recycleJob(j)
		}
	}
	b.saveState(pending)
	b.closeStream(err)
}

// positions appends the positions of the records of a job.
func (j *batchJob) positions(all []feed.Position) []feed.Position {
	if len(j.block.Items) == 0 && j.rows != nil { // the records are parsed and released
		return append(all, j.rows.positions...)
	}
	for _, it := range j.block.Items {
		all = append(all, it.Position)
	}
	return all
}

// All returns the remaining batches. The last pair has the error, if there is one. The stream is
// closed when the loop ends.
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

// State returns the position of the stream: [FilesOptions.Resume] continues with the record after
// the last row that Next returned, also after the stream was closed or has failed. It waits until
// the workers have parsed the batches in progress, which are returned later.
func (b *Batches) State() (*State, error) {
	s, err := b.makeState(func() []feed.Position {
		if b.pipeline != nil {
			return b.pipeline.pauseWorkers()
		}
		return nil
	})
	if s != nil {
		s.misfitStreak = b.misfitStreak
	}
	return s, err
}

// Stats returns the counts so far.
func (b *Batches) Stats() Stats { return b.currentStats() }

// Close ends the reading and the parsing and waits until none of their goroutines is left, as
// [Records.Close] does. Batches that were returned stay valid.
func (b *Batches) Close() error {
	b.stopStream(fs.ErrClosed)
	return nil
}

// A Batch has the columns of some records. It is read only and belongs to the caller until Release.
type Batch struct {
	rows  *batchRows // columns and positions; nil after Release
	names []string   // names of the files, for Position
	pool  *rowPool   // gets rows from Release
}

// Len returns the number of rows.
func (b *Batch) Len() int { return b.rows.Len() }

// Columns returns the columns, to be ranged over or looked up by name and group: see
// [feature.ColumnOf].
func (b *Batch) Columns() feature.Columns { return b.rows.Columns() }

// Position returns the position of the record of row i. It panics if there is no such row.
func (b *Batch) Position(i int) tfrecord.Position {
	p := b.rows.positions[i]
	return tfrecord.Position{Name: b.names[p.File], Record: p.Record, Offset: p.Offset}
}

// Release lets a later batch reuse the memory of this one. The methods of the batch panic
// afterwards, and its columns and tensors are invalid, which race builds show by overwriting their
// values. Strings stay valid, unless they are views of the records
// (feature.ParserOptions.AliasRecords). A second call does nothing. Any goroutine may call it, also
// after the stream is closed. It is optional: the garbage collector frees other batches.
func (b *Batch) Release() {
	if b.rows == nil {
		return
	}
	b.pool.putRows(b.rows)
	b.rows = nil
}

// batchRows is the memory of a batch.
type batchRows struct {
	*feature.Batch                    // the columns
	positions      []feed.Position    // position of the record of each row
	pinned         feed.PinnedBuffers // records that strings are views of
	fullSize       int                // number of rows of a full batch
	growAt         int                // number of rows at which the columns grow next; 0: they have grown to fullSize
}

// firstGrowth is the number of rows after which the columns grow for the first time.
const firstGrowth = 16

// growColumns grows the columns for three times as many rows as they have, at most for fullSize
// rows: they grow in few steps by an amount that the data justify.
func (r *batchRows) growColumns() {
	n := r.Len()
	r.Grow(min(3*n, r.fullSize-n))
	if r.growAt = 4 * n; r.growAt >= r.fullSize {
		r.growAt = 0
	}
}

// appendRecord parses a record into one more row, unless it does not fit.
func (r *batchRows) appendRecord(it *feed.Item) error {
	if err := r.Append(it.Record); err != nil {
		return err
	}
	r.positions = append(r.positions, it.Position)
	if r.Len() == r.growAt {
		r.growColumns()
	}
	return nil
}

// rowPool has the memory of released batches.
type rowPool struct {
	parser *feature.Parser // parser of the rows
	size   int             // number of rows of a full batch
	free   *sync.Pool      // pool of *batchRows, also of other parsers
}

// takeRows returns memory for a batch.
func (m *rowPool) takeRows() *batchRows {
	r, ok := m.free.Get().(*batchRows)
	if !ok || r.Parser() != m.parser {
		r = &batchRows{Batch: m.parser.NewBatch()}
	}
	r.fullSize, r.growAt = m.size, firstGrowth
	return r
}

// putRows frees the memory of a batch.
func (m *rowPool) putRows(r *batchRows) {
	r.Batch.Reset()
	r.positions = r.positions[:0]
	r.pinned.Release()
	m.free.Put(r)
}

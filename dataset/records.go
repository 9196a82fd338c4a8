package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"

	"github.com/tfparse/tfparse/internal/feed"
	"github.com/tfparse/tfparse/tfrecord"
)

// fileStream is shared by Records and Batches: a feed.Stream, its counts, and its state for Resume.
type fileStream struct {
	ctx        context.Context // ends the stream
	stream     *feed.Stream    // nil if the settings are wrong; err has the error then
	names      []string        // names of the files, by feed.Position.File
	opts       FilesOptions    // options of the Files
	stats      Stats           // counts so far
	err        error           // how the stream ended; nil before
	endState   *feed.State     // position of the stream when it ended
	filesState *filesState     // nil until a State was asked for
}

// startReading prepares a stream. An error of its settings is for the first Next. adjust, if not
// nil, changes the settings of feed.
func (r *fileStream) startReading(ctx context.Context, f *Files, adjust func(*feed.Config)) {
	r.ctx, r.opts = ctx, f.opts
	c, err := f.feedConfig(ctx)
	if adjust != nil {
		adjust(&c)
	}
	if err == nil && f.opts.Resume != nil {
		c.Resume, err = f.opts.Resume.feedState(&f.opts, c.Names)
	}
	r.names, r.err = c.Names, r.withContextError(err)
	if err == nil {
		r.stream = feed.New(ctx, c)
	}
}

// position returns the position of a record with the name of its file.
func (r *fileStream) position(p feed.Position) tfrecord.Position {
	return tfrecord.Position{Name: r.names[p.File], Record: p.Record, Offset: p.Offset}
}

// reportEvent counts and reports what was skipped between two records.
func (r *fileStream) reportEvent(e feed.Event) {
	if e.Skipped != nil {
		r.reportSkipped(e.Skipped)
	}
}

// reportSkipped counts and reports a skipped range or file.
func (r *fileStream) reportSkipped(s *feed.Skipped) {
	skipped := Skipped{Position: r.position(s.Position), End: s.End, Records: s.Records, Err: s.Err}
	if s.Record < 0 {
		skipped.Err = &FileError{r.names[s.File], withoutPath(s.Err)}
	}
	r.stats.SkippedRanges++
	if s.Records < 0 || r.stats.SkippedRecords < 0 {
		r.stats.SkippedRecords = -1
	} else {
		r.stats.SkippedRecords += s.Records
	}
	if r.opts.OnSkip != nil {
		r.opts.OnSkip(skipped)
	}
}

// misfitError returns the error of a record that does not fit the spec.
func (r *fileStream) misfitError(p feed.Position, err error) error {
	return &tfrecord.Error{Position: r.position(p), Compressed: -1, Err: err}
}

// skipMisfit counts and reports a record that does not fit the spec.
func (r *fileStream) skipMisfit(p feed.Position, size int, err error) {
	r.stats.Unfit++
	if r.opts.OnSkip != nil {
		end := p.Offset + tfrecord.HeaderSize + int64(size) + tfrecord.FooterSize
		if r.opts.Format != nil {
			end = -1
		}
		r.opts.OnSkip(Skipped{Position: r.position(p), End: end, Records: 1, Err: r.misfitError(p, err)})
	}
}

// closeStream ends the reading. Later calls of Next return err, unless there was an error before.
func (r *fileStream) closeStream(err error) {
	if r.err == nil {
		r.err = r.withContextError(err)
	}
	if r.stream != nil {
		r.stream.Close(r.err)
	}
}

// withContextError makes an error that is the cause of the context's end also wrap the context's
// error, so that callers can test for context.Canceled whatever the cause is.
func (r *fileStream) withContextError(err error) error {
	if done := r.ctx.Err(); done != nil && errors.Is(err, context.Cause(r.ctx)) && !errors.Is(err, done) {
		return fmt.Errorf("%w: %w", done, err)
	}
	return err
}

// currentStats returns the counts so far.
func (r *fileStream) currentStats() Stats {
	s := r.stats
	if r.stream != nil {
		s.PeakBytes = r.stream.Peak()
	}
	return s
}

// Records is a stream of records. One goroutine may use it. It must be closed unless it was read to
// its end or to an error.
type Records struct {
	fileStream
	block          *feed.Block   // records taken from the stream
	nextItem       int           // index in block.Items
	reportedEvents int           // number of events in block.Events that were reported
	last           feed.Position // position of the record returned last
	hasLast        bool          // a record was returned
}

// maxRecordsTaken is the maximum number of records that are taken from the stream at once.
const maxRecordsTaken = 256

// Next returns the next record, lent until the next call: race builds overwrite it then. The error
// is [io.EOF] after the last record, a [*FileError], a [*tfrecord.Error], or wraps [ErrArgument].
// When the context ends it wraps the error of the context, such as [context.Canceled], and its
// cause.
func (r *Records) Next() ([]byte, error) {
	if r.err != nil {
		return nil, r.err
	}
	if r.nextItem > 0 {
		r.block.Spoil(r.nextItem - 1)
	}
	var err error
	for err == nil && r.nextItem == len(r.block.Items) {
		r.releaseBlock()
		err = r.stream.Append(r.block, maxRecordsTaken)
		r.reportEvents()
	}
	r.reportEvents()
	if err != nil {
		r.saveState(r.pendingRecords())
		r.releaseBlock()
		r.closeStream(err)
		return nil, r.err
	}
	it := &r.block.Items[r.nextItem]
	r.nextItem++
	r.last, r.hasLast = it.Position, true
	r.stats.Records++
	return it.Record, nil
}

// reportEvents reports the events before the next record.
func (r *Records) reportEvents() {
	for ; r.reportedEvents < len(r.block.Events) && r.block.Events[r.reportedEvents].At <= r.nextItem; r.reportedEvents++ {
		r.reportEvent(r.block.Events[r.reportedEvents])
	}
}

// releaseBlock releases the records that were taken together.
func (r *Records) releaseBlock() {
	r.block.Release()
	r.nextItem, r.reportedEvents = 0, 0
}

// State returns the position of the stream: [FilesOptions.Resume] continues after the record that
// Next returned last, also after the stream was closed or has failed.
func (r *Records) State() (*State, error) { return r.makeState(r.pendingRecords) }

// pendingRecords returns the records that were taken from the stream and not returned.
func (r *Records) pendingRecords() (all []feed.Position) {
	for _, it := range r.block.Items[r.nextItem:] {
		all = append(all, it.Position)
	}
	return all
}

// Pos returns the position of the record that was returned last.
func (r *Records) Pos() tfrecord.Position {
	if !r.hasLast {
		return tfrecord.Position{}
	}
	return r.position(r.last)
}

// All returns the remaining records, each lent until the loop goes on. The last pair has the error,
// if there is one. The stream is closed when the loop ends.
func (r *Records) All() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		defer r.Close()
		for {
			rec, err := r.Next()
			if err == io.EOF || !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// Stats returns the counts so far.
func (r *Records) Stats() Stats { return r.currentStats() }

// Close ends the reading and waits until all its goroutines have ended. A read in progress ends
// first; a read from standard input that is not a pipe may have to wait for input. Next returns
// [fs.ErrClosed] afterwards, or the error that ended the stream.
func (r *Records) Close() error {
	r.saveState(r.pendingRecords())
	r.releaseBlock()
	r.closeStream(fs.ErrClosed)
	return nil
}

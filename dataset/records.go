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

// A reading is what Records and Batches have in common.
type reading struct {
	ctx   context.Context
	src   *feed.Stream
	names []string
	opts  FilesOptions
	stats Stats
	err   error       // of the end
	saved *feed.State // where the stream was when it ended
	files *filesState // as soon as a State was asked for
}

// begin prepares a stream; what is wrong with its settings is for the first Next. adjust
// may change what feed is to do.
func (r *reading) begin(ctx context.Context, f *Files, adjust func(*feed.Config)) {
	r.ctx, r.opts = ctx, f.opts
	c, err := f.plan(ctx)
	if adjust != nil {
		adjust(&c)
	}
	if err == nil && f.opts.Resume != nil {
		c.Resume, err = f.opts.Resume.of(&f.opts, c.Names)
	}
	r.names, r.err = c.Names, r.canceled(err)
	if err == nil {
		r.src = feed.New(ctx, c)
	}
}

func (r *reading) position(p feed.Position) tfrecord.Position {
	return tfrecord.Position{Name: r.names[p.File], Record: p.Record, Offset: p.Offset}
}

// event counts and reports what was skipped between two records.
func (r *reading) event(e feed.Event) {
	if e.Skipped != nil {
		r.skippedRange(e.Skipped)
	}
}

func (r *reading) skippedRange(s *feed.Skipped) {
	skipped := Skipped{Position: r.position(s.Position), End: s.End, Records: s.Records, Err: s.Err}
	if s.Record < 0 {
		skipped.Err = &FileError{r.names[s.File], reason(s.Err)}
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

// unfit makes the error of a record that does not fit the spec.
func (r *reading) unfit(p feed.Position, err error) error {
	return &tfrecord.Error{Position: r.position(p), Compressed: -1, Err: err}
}

// skip counts and reports a record that does not fit the spec.
func (r *reading) skip(p feed.Position, size int, err error) {
	r.stats.Unfit++
	if r.opts.OnSkip != nil {
		end := p.Offset + tfrecord.HeaderSize + int64(size) + tfrecord.FooterSize
		if r.opts.Format != nil {
			end = -1
		}
		r.opts.OnSkip(Skipped{Position: r.position(p), End: end, Records: 1, Err: r.unfit(p, err)})
	}
}

// close ends the reading; err is for the calls of Next that follow.
func (r *reading) close(err error) {
	if r.err == nil {
		r.err = r.canceled(err)
	}
	if r.src != nil {
		r.src.Close(r.err)
	}
}

// canceled makes an error that is the cause of the context's end also what the context
// itself ended with, so that callers can ask for context.Canceled whatever the cause is.
func (r *reading) canceled(err error) error {
	if done := r.ctx.Err(); done != nil && errors.Is(err, context.Cause(r.ctx)) && !errors.Is(err, done) {
		return fmt.Errorf("%w: %w", done, err)
	}
	return err
}

// statsNow returns the counts so far.
func (r *reading) statsNow() Stats {
	s := r.stats
	if r.src != nil {
		s.PeakBytes = r.src.Peak()
	}
	return s
}

// Records is a stream of records. It is for one goroutine. It must be closed unless it
// was read to its end, or to an error.
type Records struct {
	reading
	block    *feed.Block
	next     int        // of block.Items
	reported int        // of block.Events
	at       feed.Position // of the record that was last returned
	any      bool       // there was one
}

// recordsAtOnce is how many records are taken from the stream together, if that many are at
// hand.
const recordsAtOnce = 256

// Next returns the next record, lent until the next call: race builds overwrite it
// then. The error is [io.EOF] after the last record, a [*FileError], an
// [*tfrecord.Error], or wraps [ErrArgument]. When the context ends it wraps both what the
// context ended with, such as [context.Canceled], and the cause of that.
func (r *Records) Next() ([]byte, error) {
	if r.err != nil {
		return nil, r.err
	}
	if r.next > 0 {
		r.block.Spoil(r.next - 1)
	}
	var err error
	for err == nil && r.next == len(r.block.Items) {
		r.done()
		err = r.src.Append(r.block, recordsAtOnce)
		r.events()
	}
	r.events()
	if err != nil {
		r.save(r.pending())
		r.done()
		r.close(err)
		return nil, r.err
	}
	it := &r.block.Items[r.next]
	r.next++
	r.at, r.any = it.Position, true
	r.stats.Records++
	return it.Record, nil
}

// events reports what happened before the next record.
func (r *Records) events() {
	for ; r.reported < len(r.block.Events) && r.block.Events[r.reported].At <= r.next; r.reported++ {
		r.event(r.block.Events[r.reported])
	}
}

// done gives the records back that were taken together.
func (r *Records) done() {
	r.block.Release()
	r.next, r.reported = 0, 0
}

// State returns where the stream is: [FilesOptions.Resume] goes on with the record behind the one
// that Next returned last, also after the stream was closed or has failed.
func (r *Records) State() (*State, error) { return r.state(r.pending) }

// pending are the records that were taken from the stream and not returned.
func (r *Records) pending() (all []feed.Position) {
	for _, it := range r.block.Items[r.next:] {
		all = append(all, it.Position)
	}
	return all
}

// Pos is the position of the record that was last returned.
func (r *Records) Pos() tfrecord.Position {
	if !r.any {
		return tfrecord.Position{}
	}
	return r.position(r.at)
}

// All returns the records that are left, each lent until the loop goes on. The last
// pair has the error, if there is one. The stream is closed when the loop ends.
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
func (r *Records) Stats() Stats { return r.statsNow() }

// Close ends the reading and waits until no goroutine of it is left. A read under way
// ends first; one from standard input that is no pipe may have to wait for input.
// Next returns [fs.ErrClosed] afterwards, or the error that ended the stream.
func (r *Records) Close() error {
	r.save(r.pending())
	r.done()
	r.close(fs.ErrClosed)
	return nil
}

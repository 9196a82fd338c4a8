package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"

	"github.com/tfparse/tfparse/dataset/internal/feed"
	"github.com/tfparse/tfparse/tfrecord"
)

// A reading is what Records and Batches have in common.
type reading struct {
	ctx   context.Context
	src   *feed.Stream
	names []string
	opts  FilesOptions
	stats Stats
	err   error // of the end
}

// begin prepares a stream; what is wrong with its settings is for the first Next. adjust
// may change what feed is to do.
func (r *reading) begin(ctx context.Context, f *Files, adjust func(*feed.Config)) {
	r.ctx, r.opts = ctx, f.opts
	c, err := f.plan()
	c.Lost = r.lost
	if adjust != nil {
		adjust(&c)
	}
	r.names, r.err = c.Names, err
	if err == nil {
		r.src = feed.New(ctx, c)
	}
}

func (r *reading) position(p feed.Place) tfrecord.Position {
	return tfrecord.Position{Name: r.names[p.File], Record: p.Record, Offset: p.Offset}
}

// lost is told of what the feed stepped over.
func (r *reading) lost(l feed.Loss) {
	loss := Loss{Position: r.position(l.Place), End: l.End, Records: l.Records, Err: l.Err}
	if l.Record < 0 {
		loss.Err = &FileError{r.names[l.File], reason(l.Err)}
	}
	r.stats.Losses++
	if l.Records < 0 || r.stats.Lost < 0 {
		r.stats.Lost = -1
	} else {
		r.stats.Lost += l.Records
	}
	if r.opts.OnLoss != nil {
		r.opts.OnLoss(loss)
	}
}

// misfit makes the error of a record that does not fit the spec.
func (r *reading) misfit(p feed.Place, err error) error {
	return &tfrecord.Error{Position: r.position(p), Compressed: -1, Err: err}
}

// stepOver counts a record that does not fit the spec.
func (r *reading) stepOver(p feed.Place, size int, err error) {
	r.stats.Misfits++
	if r.opts.OnLoss != nil {
		end := p.Offset + tfrecord.HeaderSize + int64(size) + tfrecord.FooterSize
		r.opts.OnLoss(Loss{Position: r.position(p), End: end, Records: 1, Err: r.misfit(p, err)})
	}
}

// close ends the reading; err is for the calls of Next that follow.
func (r *reading) close(err error) {
	if r.err == nil {
		r.err = r.canceled(err)
	}
	if r.src != nil {
		r.src.Close(r.err)
		r.stats.PeakBytes = r.src.Peak()
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

// Stats returns the counts so far.
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
	lent feed.Item
	has  bool // a record is lent
	pos  tfrecord.Position
}

// Next returns the next record, lent until the next call: race builds overwrite it
// then. The error is [io.EOF] after the last record, a [*FileError], an
// [*tfrecord.Error], or wraps [ErrArgument]. When the context ends it wraps both what the
// context ended with, such as [context.Canceled], and the cause of that.
func (r *Records) Next() ([]byte, error) {
	if r.err != nil {
		return nil, r.err
	}
	if r.has {
		r.src.Done([]feed.Item{r.lent}, nil)
		r.has = false
	}
	it, err := r.src.Next()
	if err != nil {
		r.close(err)
		return nil, r.err
	}
	r.lent, r.has = it, true
	r.stats.Records++
	return it.Record, nil
}

// Pos is the position of the record that was last returned.
func (r *Records) Pos() tfrecord.Position {
	if !r.has {
		return r.pos
	}
	return r.position(r.lent.Place)
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
	if r.has {
		r.pos = r.Pos()
		r.has = false
	}
	r.close(fs.ErrClosed)
	return nil
}

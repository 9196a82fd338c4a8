package scan

import (
	"context"
	"io"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/feed"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// readSettings are the settings for reading the bytes of inputs.
type readSettings struct {
	stdin    io.Reader              // standard input
	reader   tfrecord.ReaderOptions // without a name
	recover  bool                   // skip damage
	progress *console.Progress      // may be nil
}

// budget is the size of the records that are read ahead, in bytes. The command needs less than 64 MiB.
const budget = 16 << 20

// maxItems is the maximum number of records that are taken from package feed at once.
const maxItems = 256

// A stream reads inputs from front to end, or all of them in a random order. An error ends a stream of package feed;
// another one reads the inputs after it.
type stream struct {
	*readSettings
	ctx       context.Context                             // cancels the reading
	in        []Input                                     // the inputs
	jobs      int                                         // files read ahead at once
	choose    func(file int, record int64) Choice         // may be nil
	headCache *headCache                                  // may be nil
	format    func(name string, r io.Reader) RecordReader // see Options.Format

	shuffle  *shuffleState // random order; nil: from front to end
	feed     *feed.Stream  // reads in[begin:]
	block    feed.Block    // records and events of feed
	begin    int           // index in in of the first file of feed
	item     int           // index of the next record in block
	reported int           // index of the next event in block
	err      error         // error of feed; nil: feed has more
	file     *File         // current file; nil: none
	queue    []event       // events to return first
	current  event         // the event that next returned
}

// open returns the reader for the order of the options.
func (s *Source) open(settings *readSettings) (reader, error) {
	if s.opts.Order.kind != inOrder && s.opts.Order.kind != byChance {
		return s.reorder(settings)
	}
	return s.stream(settings), nil
}

// stream returns a stream from front to end.
func (s *Source) stream(settings *readSettings) *stream {
	r := &stream{readSettings: settings, ctx: s.env.Ctx, in: s.in, jobs: s.opts.Jobs, choose: s.choice(), format: s.opts.Format}
	if s.opts.Glance {
		r.headCache = &headCache{codec: settings.reader.Compression}
	}
	r.start(0)
	return r
}

// start begins to read in[begin:].
func (r *stream) start(begin int) {
	special := map[string]Input{} // inputs that are open or in error
	tables := map[string]*Table{}
	stdin := r.stdin
	var names []string
	for _, i := range r.in[begin:] {
		names = append(names, i.Name)
		switch {
		case i.Table != nil:
			tables[i.Name] = i.Table
			if kept := i.Table.scratch[Stdin]; i.Name == Stdin && kept != nil {
				stdin, _ = i.Table.open(r.ctx, Stdin)
			}
		case i.Stream != nil && i.Name == Stdin:
			stdin = i.Stream
		case i.Stream != nil || i.Err != nil:
			special[i.Name] = i
		}
	}
	if r.headCache != nil && stdin != nil {
		stdin = r.headCache.wrapReader(Stdin, stdin)
	}
	c := feed.Config{
		Names: names, Reader: r.reader, Budget: budget, Recover: r.recover, Cycle: 1, Take: -1, Epochs: 1,
		FileError: func(name string, err error) error { return &dataset.FileError{Name: name, Err: reason(err)} },
	}
	if r.jobs > 1 {
		c.Readers = r.jobs
	}
	c.Open = func(ctx context.Context, name string) (io.ReadCloser, error) {
		if name == Stdin {
			return feed.Stdin(stdin), nil
		}
		if i := special[name]; i.Err != nil {
			return nil, i.Err
		} else if i.Stream.take() {
			return r.headCache.wrapFile(name, i.Stream), nil
		}
		if t := tables[name]; t != nil {
			return t.open(ctx, name)
		}
		f, err := storage.OpenContext(ctx, name)
		if err != nil {
			return nil, err
		}
		return r.headCache.wrapFile(name, f), nil
	}
	if len(tables) > 0 || r.format != nil {
		c.Format = func(name string, from io.Reader) RecordReader {
			if t := tables[name]; t != nil {
				return t.records(from)
			}
			if r.format != nil {
				return r.format(name, from)
			}
			return nil
		}
	}
	if r.choose != nil {
		c.Choose = func(file int, record int64) Choice { return r.choose(begin+file, record) }
	}
	if p := r.progress; p != nil {
		c.Progress = func(records, bytes int64) { p.Records(int(records)); p.Bytes(int(bytes)) }
	}
	if r.shuffle != nil {
		r.shuffle.configure(r, &c)
	}
	r.begin, r.feed, r.err = begin, feed.New(r.ctx, c), nil
}

// next implements [reader].
func (r *stream) next() (*event, error) {
	if len(r.queue) > 0 {
		r.current, r.queue = r.queue[0], r.queue[1:]
		return &r.current, nil
	}
	if r.item > 0 {
		r.block.Spoil(r.item - 1)
	}
	for {
		switch b := &r.block; {
		case r.reported < len(b.Events) && b.Events[r.reported].At <= r.item:
			e := b.Events[r.reported]
			r.reported++
			if r.shuffle != nil && e.Skipped == nil {
				r.shuffle.noteModTime(r, e)
				continue
			}
			if err := r.event(e); err != nil {
				return nil, err
			}
			if e.End != nil && e.End.Err != nil {
				continue // the error of feed reports it
			}
			return &r.current, nil
		case r.item < len(b.Items):
			it := &b.Items[r.item]
			r.item++
			if r.shuffle != nil {
				r.shuffle.warnModTime()
				r.file.Count++
			}
			r.current.kind, r.current.rec = evRecord, it.Record
			r.current.pos.Name, r.current.pos.Record, r.current.pos.Offset = r.in[r.begin+it.File].Name, it.Position.Record, it.Position.Offset
			return &r.current, nil
		case r.err == nil:
			b.Release()
			r.item, r.reported = 0, 0
			r.err = r.feed.Append(b, maxItems)
		case r.err == io.EOF && r.shuffle != nil && r.file != nil:
			r.shuffle.warnModTime()
			r.current = event{kind: evEnd, file: r.file}
			r.file = nil
			return &r.current, nil
		case r.err == io.EOF:
			return nil, io.EOF
		case r.ctx.Err() != nil:
			return nil, r.ctx.Err()
		case r.shuffle != nil:
			return nil, shuffledFault(r.err)
		case r.file == nil: // the error is about no file
			return nil, r.err
		default:
			return r.endFailed(), nil
		}
	}
}

// event sets the current event from one of package feed.
func (r *stream) event(e feed.Event) error {
	switch {
	case e.Begin != nil:
		in := &r.in[r.begin+e.Begin.File]
		r.file = &File{Name: in.Name, Index: r.begin + e.Begin.File, Opened: e.Begin.Opened, records: in.Records, slice: in.Slice}
		if in.Table != nil {
			r.file.Type = example.TypeExample
		} else if r.format != nil {
			r.file.Type = example.TypeRaw
		}
		r.current = event{kind: evBegin, file: r.file}
	case e.End != nil:
		f := r.file
		f.Codec, f.Stored, f.Count = e.End.Compression, e.End.Stored, e.End.Records
		f.Glance = r.headCache.get(f.Name)
		r.current = event{kind: evEnd, file: f}
	case r.ctx.Err() != nil: // an interrupted read looks like damage
		return r.ctx.Err()
	default:
		name := r.in[r.begin+e.Skipped.File].Name
		skipped, err := &tfrecord.SkippedRange{Begin: e.Skipped.Offset, End: e.Skipped.End, Records: e.Skipped.Records}, e.Skipped.Err
		if e.Skipped.Record < 0 {
			skipped, err = nil, &dataset.FileError{Name: name, Err: reason(err)}
		}
		r.current = event{kind: evFault, file: r.file, fault: FaultOf(name, err, skipped)}
	}
	return nil
}

// endFailed returns the fault that ended feed, and continues with the next input.
func (r *stream) endFailed() *event {
	f := r.file
	r.current = event{kind: evFault, file: f, fault: FaultOf(f.Name, r.err, nil)}
	r.queue = append(r.queue, event{kind: evEnd, file: f})
	r.feed.Close(r.err)
	r.block.Release()
	r.file, r.item, r.reported = nil, 0, 0
	if f.Index+1 < len(r.in) {
		r.start(f.Index + 1)
	} else {
		r.err = io.EOF
	}
	return &r.current
}

// close implements [reader].
func (r *stream) close() {
	r.block.Release()
	r.item, r.reported = 0, 0
	r.feed.Close(io.EOF)
	r.err = io.EOF
}

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

// readSettings say how the bytes of inputs are read.
type readSettings struct {
	stdin    io.Reader
	reader   tfrecord.ReaderOptions // but for the name
	recover  bool                   // skip damage
	progress *console.Progress      // may be nil
}

// budget is how many bytes of records are read ahead of the verb. The command stays below 64 MiB.
const budget = 16 << 20

// atOnce is how many records are taken from package feed at once, if they are there.
const atOnce = 256

// A stream reads inputs from front to end, or all of them in a random order. An error ends a stream of package feed; then the inputs
// after it are another one.
type stream struct {
	*readSettings
	ctx     context.Context
	in      []Input
	jobs    int
	choose  func(file int, record int64) Choice         // may be nil
	glances *glances                                    // may be nil
	format  func(name string, r io.Reader) RecordReader // of inputs that are not CSV; nil: TFRecord

	shuffle  *shuffling // nil: from front to end
	feed     *feed.Stream
	block    feed.Block
	begin    int     // the index in in of the first file of feed
	item     int     // of block, the next one
	reported int     // events of block
	err      error   // that feed ended with
	file     *File   // at hand; nil: none
	queue    []event // that come before all else
	current  event
}

// open returns what reads the inputs in the order that the options say.
func (s *Source) open(settings *readSettings) (reader, error) {
	if s.opts.Order.kind != inOrder && s.opts.Order.kind != byChance {
		return s.reorder(settings)
	}
	return s.stream(settings), nil
}

// stream reads the inputs from front to end.
func (s *Source) stream(settings *readSettings) *stream {
	r := &stream{readSettings: settings, ctx: s.ctx, in: s.in, jobs: s.opts.Jobs, choose: s.choice(), format: s.opts.Format}
	if s.opts.Glance {
		r.glances = &glances{codec: settings.reader.Compression}
	}
	r.start(0)
	return r
}

// start begins to read the inputs from one on.
func (r *stream) start(begin int) {
	special := map[string]Input{} // those that are not opened by their names
	tables := map[string]*Table{}
	stdin := r.stdin
	var names []string
	for _, i := range r.in[begin:] {
		names = append(names, i.Name)
		switch {
		case i.Table != nil:
			tables[i.Name] = i.Table
			if kept := i.Table.kept[Stdin]; i.Name == Stdin && kept != nil {
				stdin, _ = i.Table.open(r.ctx, Stdin)
			}
		case i.Stream != nil && i.Name == Stdin:
			stdin = i.Stream
		case i.Stream != nil || i.Err != nil:
			special[i.Name] = i
		}
	}
	if r.glances != nil && stdin != nil {
		stdin = r.glances.of(Stdin, stdin)
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
			return r.glances.ofFile(name, i.Stream), nil
		}
		if t := tables[name]; t != nil {
			return t.open(ctx, name)
		}
		f, err := storage.OpenContext(ctx, name)
		if err != nil {
			return nil, err
		}
		return r.glances.ofFile(name, f), nil
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
				r.shuffle.note(r, e)
				continue
			}
			if err := r.event(e); err != nil {
				return nil, err
			}
			if e.End != nil && e.End.Err != nil {
				continue // which says it with its error
			}
			return &r.current, nil
		case r.item < len(b.Items):
			it := &b.Items[r.item]
			r.item++
			if r.shuffle != nil {
				r.shuffle.warnOnce()
				r.file.Count++
			}
			r.current.kind, r.current.rec = evRecord, it.Record
			r.current.pos.Name, r.current.pos.Record, r.current.pos.Offset = r.in[r.begin+it.File].Name, it.Position.Record, it.Position.Offset
			return &r.current, nil
		case r.err == nil:
			b.Release()
			r.item, r.reported = 0, 0
			r.err = r.feed.Append(b, atOnce)
		case r.err == io.EOF && r.shuffle != nil && r.file != nil:
			r.shuffle.warnOnce()
			r.current = event{kind: evEnd, file: r.file}
			r.file = nil
			return &r.current, nil
		case r.err == io.EOF:
			return nil, io.EOF
		case r.ctx.Err() != nil:
			return nil, r.ctx.Err()
		case r.shuffle != nil:
			return nil, shuffledFault(r.err)
		case r.file == nil: // it is about no file
			return nil, r.err
		default:
			return r.failed(), nil
		}
	}
}

// event turns an event of package feed into the current one.
func (r *stream) event(e feed.Event) error {
	switch {
	case e.Begin != nil:
		in := &r.in[r.begin+e.Begin.File]
		r.file = &File{Name: in.Name, Index: r.begin + e.Begin.File, Opened: e.Begin.Opened, records: in.Records}
		if in.Table != nil {
			r.file.Type = example.TypeExample
		} else if r.format != nil {
			r.file.Type = example.TypeRaw
		}
		r.current = event{kind: evBegin, file: r.file}
	case e.End != nil:
		f := r.file
		f.Codec, f.Stored, f.Count = e.End.Compression, e.End.Stored, e.End.Records
		f.Glance = r.glances.get(f.Name)
		r.current = event{kind: evEnd, file: f}
	case r.ctx.Err() != nil: // an interrupted read looks like damage, and is none
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

// failed returns the fault that has ended the stream, and begins the next one.
func (r *stream) failed() *event {
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

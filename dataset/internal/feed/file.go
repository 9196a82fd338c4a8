package feed

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/tfparse/tfparse/tfrecord"
)

// Skipped is a range of a file that was skipped, or all of a file that could not be
// opened.
type Skipped struct {
	Place         // of the first record skipped; Record is -1 if the file could not be opened
	End     int64 // where the range ends; -1 when the rest of the file cannot be had
	Records int64 // how many records were skipped; -1 when unknown
	Err     error // an *tfrecord.Error, or what Config.Open returned
}

// A chunk is records of one buffer, and what comes behind them.
type chunk struct {
	items   []Item
	buf     *Buffer // in use; nil without items
	skipped *Skipped
	err     error // nothing follows; io.EOF at the end of the file
}

var chunks = sync.Pool{New: func() any { return new(chunk) }}

// release gives a chunk back whose records have been taken.
func (c *chunk) release() {
	if c.buf != nil {
		c.buf.done()
	}
	clear(c.items)
	*c = chunk{items: c.items[:0]}
	chunks.Put(c)
}

var errStopped = errors.New("feed: stopped")

// A fileReader reads files into chunks, one file after another.
type fileReader struct {
	s       *Stream
	r       *tfrecord.Reader
	buf     *Buffer // that is read into
	old     *Buffer // the one before: the beginning of a record is still to be copied from it
	used    int     // bytes of buf, where records are copied to it
	current *chunk  // not yet handed over
	yield   func(*chunk) bool
	room    func(n int64) error // takes n bytes of the budget, perhaps later
}

func (s *Stream) newFileReader() *fileReader {
	f := &fileReader{s: s}
	opts := s.cfg.Reader
	if !s.cfg.Recover {
		opts.Memory = f.memory
		if opts.BufferSize == 0 {
			// A buffer has the records of a read, and the end of one that began before.
			opts.BufferSize = min(defaultRead, s.cfg.BufferSize/5*4)
		}
	}
	f.r = tfrecord.NewReader(nil, &opts)
	return f
}

// read reads one file into chunks, the last of which has an error. It returns early if
// yield returns false. room takes bytes of the budget.
func (f *fileReader) read(ctx context.Context, file int, room func(int64) error, yield func(*chunk) bool) {
	f.room, f.yield = room, yield
	err := f.file(ctx, file)
	f.chunk().err = err
	f.flush()
	f.end(&f.old)
	f.end(&f.buf)
	f.room, f.yield = nil, nil
}

func (f *fileReader) end(b **Buffer) {
	if *b != nil {
		(*b).done()
		*b = nil
	}
}

func (f *fileReader) file(ctx context.Context, file int) error {
	c := &f.s.cfg
	src, err := c.open(ctx, file, f.flush)
	if err != nil {
		if c.Recover && ctx.Err() == nil {
			f.skip(&Skipped{Place{File: file, Record: -1}, -1, -1, err})
			return io.EOF
		}
		return f.s.fileError(file, err)
	}
	f.r.Reset(src, c.Names[file])
	if c.Recover {
		err = f.recover(ctx, file)
	} else {
		err = f.strict(file)
	}
	if e := src.close(); e != nil && err == io.EOF {
		err = f.s.fileError(file, e)
	}
	return err
}

// strict reads up to the first fault. Records stay where they were read to.
func (f *fileReader) strict(file int) error {
	for {
		rec, err := f.r.Next()
		f.end(&f.old)
		if err != nil {
			return err
		}
		pos := f.r.Pos()
		f.add(rec, Place{file, pos.Record, pos.Offset})
		if f.yield == nil {
			return errStopped
		}
	}
}

// recover continues after faults. Records are copied to buffers.
func (f *fileReader) recover(ctx context.Context, file int) error {
	for found := range f.r.Recover() {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case found.Lost != nil:
			l := found.Lost
			f.skip(&Skipped{Place{file, found.Pos.Record, l.Begin}, l.End, l.Records, l.Err})
		default:
			n := len(found.Record)
			if f.buf == nil || n > len(f.buf.bytes)-f.used {
				_, err := f.memory(max(n, 1))
				f.end(&f.old)
				if err != nil {
					return err
				}
				f.used = 0
			}
			rec := f.buf.bytes[f.used : f.used+n : f.used+n]
			f.used += copy(rec, found.Record)
			f.add(rec, Place{file, found.Pos.Record, found.Pos.Offset})
		}
		if f.yield == nil {
			return errStopped
		}
	}
	return io.EOF
}

// memory is tfrecord.ReaderOptions.Memory. What was read before is handed over first: whoever
// waits for it may be the one who makes room.
func (f *fileReader) memory(n int) ([]byte, error) {
	if err := f.flush(); err != nil {
		return nil, err
	}
	f.end(&f.old)
	f.old, f.buf = f.buf, nil
	size := max(int64(n), int64(f.s.cfg.BufferSize))
	if err := f.room(size); err != nil {
		return nil, err
	}
	f.buf = f.s.buffer(size, size)
	return f.buf.bytes, nil
}

// chunk returns the one that is not yet handed over.
func (f *fileReader) chunk() *chunk {
	if f.current == nil {
		f.current = chunks.Get().(*chunk)
	}
	return f.current
}

func (f *fileReader) add(rec []byte, at Place) {
	c := f.chunk()
	if c.buf == nil {
		c.buf = f.buf
		c.buf.use()
	}
	c.items = append(c.items, Item{rec, at, c.buf})
}

func (f *fileReader) skip(s *Skipped) {
	f.chunk().skipped = s
	f.flush()
}

// flush hands over what there is. It is called before every read from the file, too: whoever
// waits for a record is not to wait for those behind it.
func (f *fileReader) flush() error {
	if c := f.current; c != nil {
		f.current = nil
		if f.yield == nil {
			c.release()
		} else if !f.yield(c) {
			f.yield = nil // nobody takes any more
		}
	}
	if f.yield == nil {
		return errStopped
	}
	return nil
}

// defaultRead is how much is read at once: that much stays in the caches next to a
// processor until it is parsed.
const defaultRead = 256 << 10

// A source is an open file. Reading from it fails once its context is done.
type source struct {
	ctx     context.Context
	rc      io.ReadCloser
	waiting func() error // called before a read, which may take its time
	stop    func() bool
	stopped chan struct{}
}

// A deadliner can be told to end a read that has begun: pipes and sockets can.
type deadliner interface{ SetReadDeadline(time.Time) error }

// open opens a file. Reading from it calls waiting first.
func (c *Config) open(ctx context.Context, file int, waiting func() error) (*source, error) {
	rc, err := c.Open(ctx, c.Names[file])
	if err != nil {
		return nil, err
	}
	s := &source{ctx: ctx, rc: rc, waiting: waiting}
	if d, ok := rc.(deadliner); ok {
		s.stopped = make(chan struct{})
		s.stop = context.AfterFunc(ctx, func() {
			d.SetReadDeadline(time.Unix(1, 0))
			close(s.stopped)
		})
	}
	return s, nil
}

// Read implements [io.Reader].
func (s *source) Read(p []byte) (int, error) {
	if err := cmp.Or(s.waiting(), s.ctx.Err()); err != nil {
		return 0, err
	}
	return s.rc.Read(p)
}

func (s *source) close() error {
	if s.stop != nil && !s.stop() {
		<-s.stopped
	}
	return s.rc.Close()
}

// Stdin makes what Config.Open returns for standard input: closing it does nothing.
func Stdin(r io.Reader) io.ReadCloser {
	if f, ok := r.(*os.File); ok {
		return stdinFile{f}
	}
	return io.NopCloser(r)
}

// A stdinFile can be told to end a read, where the system allows that, and be read
// from again by others.
type stdinFile struct{ *os.File }

func (f stdinFile) Close() error {
	f.SetReadDeadline(time.Time{}) // an error says that there was none
	return nil
}

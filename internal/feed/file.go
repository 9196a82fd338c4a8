package feed

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/tfparse/tfparse/internal/recordhooks"
	"github.com/tfparse/tfparse/internal/storage"
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
	buf     *Buffer    // in use; nil without items
	begin   *FileBegin // before the items
	skipped *Skipped   // behind them
	end     *FileEnd   // behind all
	err     error      // nothing follows; io.EOF at the end of the file
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
	size    int     // of the next buffer, at least
	current *chunk  // not yet handed over
	yield   func(*chunk) bool
	reserve func(n int64) error // takes n bytes of the budget, perhaps later

	// Of the file at hand.
	stats    FileEnd
	damaged  bool
	from     from
	doubted  bool                           // a fault of a remote file was read again
	choice   func(record int64) Choice      // nil: what is left of it is read
	progress struct{ records, bytes int64 } // as far as it was reported
	direct   *os.File                       // which the Reader reads itself, without source
}

func (s *Stream) newFileReader() *fileReader {
	f := &fileReader{s: s}
	opts := s.cfg.Reader
	if opts.BufferSize == 0 {
		// A buffer has the records of a read, and the end of one that began before.
		opts.BufferSize = min(defaultRead, s.cfg.BufferSize/5*4)
	}
	f.r = tfrecord.NewReader(nil, &opts)
	recordhooks.SetMemory(f.r, f.memory)
	return f
}

// read reads one file into chunks; the last one has an error. It returns early if
// yield returns false. reserve takes bytes of the budget.
func (f *fileReader) read(ctx context.Context, file int, begin from, reserve func(int64) error, yield func(*chunk) bool) {
	f.reserve, f.yield = reserve, yield
	f.stats, f.damaged, f.direct, f.doubted = FileEnd{File: file}, false, nil, false
	f.from, f.choice = begin, f.s.chooser(file, begin)
	f.progress.records, f.progress.bytes = 0, 0
	err := f.file(ctx, file)
	for err == errAgain {
		if err = f.flush(); err == nil {
			f.end(&f.old)
			f.end(&f.buf)
			f.stats = FileEnd{File: file, Stored: f.stats.Stored}
			err = f.contents(ctx, file)
		}
	}
	if err != io.EOF {
		f.stats.Err = err
	}
	end := f.stats
	c := f.chunk()
	c.end, c.err = &end, err
	f.flush()
	f.end(&f.old)
	f.end(&f.buf)
	f.reserve, f.yield, f.choice, f.from = nil, nil, nil, from{}
}

func (f *fileReader) end(b **Buffer) {
	if *b != nil {
		(*b).done()
		*b = nil
	}
}

func (f *fileReader) file(ctx context.Context, file int) error {
	c := &f.s.cfg
	src, err := c.open(ctx, file, f)
	f.chunk().begin = &FileBegin{File: file, Opened: err == nil}
	if err != nil {
		if c.Recover && ctx.Err() == nil {
			f.skip(&Skipped{Place{File: file, Record: -1}, -1, -1, err})
			return io.EOF
		}
		return f.s.fileError(file, err)
	}
	return f.records(ctx, file, src)
}

// contents reads a file again.
func (f *fileReader) contents(ctx context.Context, file int) error {
	src, err := f.s.cfg.open(ctx, file, f)
	if err != nil {
		return f.s.fileError(file, err)
	}
	return f.records(ctx, file, src)
}

// records reads an open file, and closes it.
func (f *fileReader) records(ctx context.Context, file int, src *source) (err error) {
	c := &f.s.cfg
	var other RecordReader
	if c.Format != nil {
		other = c.Format(c.Names[file], src)
	}
	switch {
	case other != nil:
		err = f.format(ctx, file, other)
	case c.Recover:
		f.r.Reset(src, c.Names[file])
		err = f.recover(ctx, file)
	default:
		f.r.Reset(src.reader(f), c.Names[file])
		err = f.strict(ctx, file)
	}
	if err == errAgain {
		src.close()
		return err
	}
	if !f.damaged && other == nil {
		f.codec(err)
	}
	if e := src.close(); e != nil && err == io.EOF {
		err = f.s.fileError(file, e)
	}
	return err
}

// strict reads up to the first fault.
func (f *fileReader) strict(ctx context.Context, file int) error {
	for {
		choice := ReadRest
		if f.choice != nil && recordhooks.HasNext(f.r) {
			if f.yield == nil {
				return errStopped
			}
			choice = f.choose(f.stats.Records)
		}
		switch choice {
		case LeaveFile:
			return io.EOF
		case LeaveOut:
			if err := f.leaveOut(ctx); err != nil {
				return f.believed(file, choice, err)
			}
			continue
		}
		rec, err := f.r.Next()
		f.end(&f.old)
		if err != nil {
			return f.believed(file, choice, err)
		}
		pos := f.r.Pos()
		if err := f.add(rec, Place{file, pos.Record, pos.Offset}); err != nil {
			return err
		}
		if choice == ReadRecord {
			f.flush() // the next choice may depend on it
		}
		if f.yield == nil {
			return errStopped
		}
	}
}

// undecided is the choice about a record that was not asked for.
const undecided Choice = -1

// errAgain ends reading that begins again.
var errAgain = errors.New("feed: read again")

// doubt reports whether a fault is not yet believed: bytes that came over a network may be wrong, and those of the file right. Then
// the file is read again, up to record without a look at the records. A fault that is there again is the file's, and so are those
// behind it.
func (f *fileReader) doubt(file int, record int64, choice Choice, fault *tfrecord.Error) bool {
	if f.doubted || fault.Class == 0 || !storage.Remote(f.s.cfg.Names[file]) {
		return false
	}
	f.doubted = true
	f.from.next, f.from.offset = record, -1
	rest := f.choice
	f.choice = func(r int64) Choice {
		if r < record {
			return LeaveOut
		}
		f.choice = rest
		switch {
		case r == record && choice != undecided:
			return choice
		case rest == nil:
			return ReadRest
		}
		return rest(r)
	}
	return true
}

// believed returns the error of the next record, or errAgain if it is doubted.
func (f *fileReader) believed(file int, choice Choice, err error) error {
	if e, ok := errors.AsType[*tfrecord.Error](err); ok && f.doubt(file, f.stats.Records, choice, e) {
		return errAgain
	}
	return err
}

// choose decides about a record.
func (f *fileReader) choose(record int64) Choice {
	if f.choice == nil {
		return ReadRest
	}
	choice := f.choice(record)
	if choice == ReadRest {
		f.choice = nil
	}
	return choice
}

// leaveOut goes behind the next record. Whoever shows progress looks at it now and then.
func (f *fileReader) leaveOut(ctx context.Context) error {
	if f.stats.Records%1024 == 0 {
		if err := cmp.Or(f.flush(), ctx.Err()); err != nil {
			return err
		}
	}
	if err := f.r.Skip(); err != nil {
		return err
	}
	f.stats.Records++
	return f.from.check(f.r.Pos().Record, f.r.Pos().Offset)
}

// codec notes the codec when the file is at its end or at its first fault. A file that is no
// TFRecord has none.
func (f *fileReader) codec(fault error) {
	f.stats.Compression = f.r.Compression()
	if e, ok := errors.AsType[*tfrecord.Error](fault); ok && e.Class == tfrecord.NotTFRecord {
		f.stats.Compression = tfrecord.Auto
	}
}

// recover continues after faults.
func (f *fileReader) recover(ctx context.Context, file int) error {
	for found := range f.r.Recover() {
		f.end(&f.old)
		choice := ReadRest
		if found.Skipped == nil {
			choice = f.choose(found.Pos.Record)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case choice == LeaveFile:
			return io.EOF
		case choice == LeaveOut:
			f.stats.Records++
			if err := f.from.check(found.Pos.Record, found.Pos.Offset); err != nil {
				return err
			}
		case found.Skipped != nil && found.Pos.Record < f.from.next: // it was reported
		case found.Skipped != nil && f.doubt(file, found.Pos.Record, undecided, found.Skipped.Err):
			return errAgain
		case found.Skipped != nil:
			l := found.Skipped
			if !f.damaged || l.Err.Class == tfrecord.NotTFRecord {
				f.codec(l.Err)
				f.damaged = true
			}
			f.skip(&Skipped{Place{file, found.Pos.Record, l.Begin}, l.End, l.Records, l.Err})
		default:
			if err := f.add(found.Record, Place{file, found.Pos.Record, found.Pos.Offset}); err != nil {
				return err
			}
			if choice == ReadRecord {
				f.flush()
			}
		}
		if f.yield == nil {
			return errStopped
		}
	}
	return io.EOF
}

// memory is a [recordhooks.Memory]. What was read before is handed over first: whoever
// waits for it may be what releases memory of the budget.
func (f *fileReader) memory(n int) ([]byte, error) {
	if err := f.flush(); err != nil {
		return nil, err
	}
	f.end(&f.old)
	f.old, f.buf = f.buf, nil
	// Where one record was larger than a buffer others will be, too: they need not be moved from
	// one buffer to the next as they arrive.
	if f.size = max(f.size, f.s.cfg.BufferSize); n > f.size && int64(n) <= f.s.cfg.Budget/8 {
		f.size = n
	}
	size := int64(max(n, f.size))
	if err := f.reserve(size); err != nil {
		return nil, err
	}
	f.buf = f.s.buffer(size)
	return f.buf.bytes, nil
}

// chunk returns the one that is not yet handed over.
func (f *fileReader) chunk() *chunk {
	if f.current == nil {
		f.current = chunks.Get().(*chunk)
	}
	return f.current
}

// add adds a record, unless Config.Filter leaves it out. The error is that of Filter.
func (f *fileReader) add(rec []byte, at Place) error {
	if filter := f.s.cfg.Filter; filter != nil && !f.from.again {
		ok, err := filter(rec)
		if err != nil {
			err = &tfrecord.Error{Position: f.s.place(at), Compressed: -1, Err: err}
			if !f.s.cfg.Recover {
				return err
			}
			end := at.Offset + tfrecord.HeaderSize + int64(len(rec)) + tfrecord.FooterSize
			if f.s.cfg.Format != nil {
				end = -1
			}
			f.skip(&Skipped{at, end, 1, err})
		}
		if !ok || err != nil {
			f.stats.Records++
			return nil
		}
	}
	if at.Record == f.from.next {
		f.doubted = false // it was read again, and is sound
	}
	c := f.chunk()
	if c.buf == nil {
		c.buf = f.buf
		c.buf.use()
	}
	c.items = append(c.items, Item{rec, at, c.buf})
	f.stats.Records++
	return nil
}

func (f *fileReader) skip(s *Skipped) {
	f.chunk().skipped = s
	f.flush()
}

// flush hands over what there is. It is called before every read from the file, too: whoever
// waits for a record is not to wait for those behind it.
func (f *fileReader) flush() error {
	f.showProgress()
	if c := f.current; c != nil {
		f.current = nil
		if f.yield == nil {
			c.release()
		} else if !f.yield(c) {
			f.yield = nil // no more records are wanted
		}
	}
	if f.yield == nil {
		return errStopped
	}
	return nil
}

func (f *fileReader) showProgress() {
	show := f.s.cfg.Progress
	if show == nil {
		return
	}
	bytes := f.stats.Stored
	if f.direct != nil {
		if at, err := f.direct.Seek(0, io.SeekCurrent); err == nil {
			bytes = max(at, f.progress.bytes)
		}
	}
	if f.stats.Records < f.progress.records {
		return // the file is read again
	}
	show(f.stats.Records-f.progress.records, bytes-f.progress.bytes)
	f.progress.records, f.progress.bytes = f.stats.Records, bytes
}

// defaultRead is how much is read at once: that much stays in the caches next to a
// processor until it is parsed.
const defaultRead = 256 << 10

// A source is an open file. Reading from it fails once its context is done.
type source struct {
	ctx     context.Context
	rc      io.ReadCloser
	by      *fileReader // which hands over what it has before a read, which may take its time
	stop    func() bool
	stopped chan struct{}
}

// A deadliner can be made to end a read that has begun: pipes and sockets can.
type deadliner interface{ SetReadDeadline(time.Time) error }

// open opens a file, which by will read.
func (c *Config) open(ctx context.Context, file int, by *fileReader) (*source, error) {
	rc, err := c.Open(ctx, c.Names[file])
	if err != nil {
		return nil, err
	}
	s := &source{ctx: ctx, rc: rc, by: by}
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
	if err := cmp.Or(s.by.flush(), s.ctx.Err()); err != nil {
		return 0, err
	}
	n, err := s.rc.Read(p)
	s.by.stats.Stored += int64(max(n, 0))
	return n, err
}

// reader returns what a Reader reads. Where payloads are passed over it is the file itself, if
// it is a regular one: a Reader seeks in it.
func (s *source) reader(by *fileReader) io.Reader {
	if by.choice != nil {
		if f, ok := s.rc.(*os.File); ok {
			if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
				by.direct = f
				return f
			}
		}
	}
	return s
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

// A stdinFile can be made to end a read, where the system allows that, and be read
// from again by others.
type stdinFile struct{ *os.File }

func (f stdinFile) Close() error {
	f.SetReadDeadline(time.Time{}) // an error says that there was none
	return nil
}

package feed

import (
	"cmp"
	"context"
	"io"
	"os"
	"time"
)

// defaultRead is the size of one read in bytes, so small that it stays in the processor's caches until its records
// are parsed.
const defaultRead = 256 << 10

// source is an open file. Reading from it fails when its context is done.
type source struct {
	ctx          context.Context // context of the stream
	file         io.ReadCloser   // what Config.Open returned
	reader       *fileReader     // is flushed before each read
	stopDeadline func() bool     // keeps ctx from setting a deadline; nil if file has no deadlines
	deadlineSet  chan struct{}   // closed when ctx has set the deadline
}

// deadliner is a file whose blocked reads can be ended: a pipe or a socket.
type deadliner interface{ SetReadDeadline(time.Time) error }

// openFile opens a file for a reader.
func (c *Config) openFile(ctx context.Context, file int, reader *fileReader) (*source, error) {
	rc, err := c.Open(ctx, c.Names[file])
	if err != nil {
		return nil, err
	}
	s := &source{ctx: ctx, file: rc, reader: reader}
	if d, ok := rc.(deadliner); ok {
		s.deadlineSet = make(chan struct{})
		s.stopDeadline = context.AfterFunc(ctx, func() {
			d.SetReadDeadline(time.Unix(1, 0))
			close(s.deadlineSet)
		})
	}
	return s, nil
}

// Read implements [io.Reader].
func (s *source) Read(p []byte) (int, error) {
	if err := cmp.Or(s.reader.flush(), s.ctx.Err()); err != nil {
		return 0, err
	}
	n, err := s.file.Read(p)
	s.reader.fileEnd.Stored += int64(max(n, 0))
	return n, err
}

// directReader returns the io.Reader for a tfrecord.Reader: s, or the file itself if it is regular and payloads may
// be skipped, so that the Reader can seek.
func (s *source) directReader(reader *fileReader) io.Reader {
	if reader.choose != nil {
		if f, ok := s.file.(*os.File); ok {
			if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
				reader.seekFile = f
				return f
			}
		}
	}
	return s
}

// close waits for the deadline, if ctx is setting it, and closes the file.
func (s *source) close() error {
	if s.stopDeadline != nil && !s.stopDeadline() {
		<-s.deadlineSet
	}
	return s.file.Close()
}

// Stdin returns standard input for Config.Open: closing it leaves r open.
func Stdin(r io.Reader) io.ReadCloser {
	if f, ok := r.(*os.File); ok {
		return stdinFile{f}
	}
	return io.NopCloser(r)
}

// stdinFile is standard input with read deadlines, where the system has them. Close removes the deadline, so that
// later code can read on.
type stdinFile struct{ *os.File }

func (f stdinFile) Close() error {
	f.SetReadDeadline(time.Time{}) // fails on a file without deadlines
	return nil
}

// A RecordReader reads the records of a file of another format than TFRecord. See dataset.RecordReader.
type RecordReader interface {
	Next() ([]byte, error)
	Pos() (record, offset int64)
	Skipped() (records, end int64)
}

// readFormat reads a file with a RecordReader. It copies the records, because they are lent one at a time.
func (f *fileReader) readFormat(ctx context.Context, file int, r RecordReader) error {
	used := 0 // bytes of f.buf
	for {
		rec, err := r.Next()
		ordinal, offset := r.Pos()
		at := Position{file, ordinal, offset}
		switch {
		case err == io.EOF:
			return io.EOF
		case f.handOver == nil:
			return errStopped
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			if !f.stream.cfg.Recover {
				return f.stream.fileError(file, err)
			}
			if ordinal >= 0 { // else the error is about the file, and gets its name elsewhere
				err = f.stream.fileError(file, err)
			}
			records, end := r.Skipped()
			if end < 0 || ordinal >= f.start.firstRecord { // else it was reported before
				f.addSkipped(&Skipped{at, end, records, err})
			}
			if end < 0 {
				return io.EOF
			}
			continue
		}
		choice := f.chooseRecord(ordinal)
		switch choice {
		case LeaveFile:
			return io.EOF
		case LeaveOut:
			f.fileEnd.Records++
			if err := f.start.checkOffset(ordinal, offset); err != nil {
				return err
			}
			continue
		}
		if f.buf == nil || len(rec) > len(f.buf.bytes)-used {
			if _, err := f.nextBuffer(len(rec)); err != nil {
				return err
			}
			f.releaseBuffer(&f.prevBuf)
			used = 0
		}
		n := copy(f.buf.bytes[used:], rec)
		if err := f.addRecord(f.buf.bytes[used:used+n:used+n], at); err != nil {
			return err
		}
		used += n
		if choice == ReadRecord {
			f.flush() // the next choice may depend on it
		}
		if f.handOver == nil {
			return errStopped
		}
	}
}

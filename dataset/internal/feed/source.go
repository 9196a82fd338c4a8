package feed

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/tfparse/tfparse/tfrecord"
)

// A Loss is a stretch of a file that was stepped over, or all of a file that could
// not be opened.
type Loss struct {
	Place         // of the first record lost; Record is -1 if the file could not be opened
	End     int64 // where the loss ends; -1 when the rest of the file cannot be had
	Records int64 // how many records were lost; -1 when unknown
	Err     error // an *tfrecord.Error, or what Config.Open returned
}

// lossOf makes the Loss of what tfrecord.Recover found.
func lossOf(file int, found tfrecord.Recovered) Loss {
	l := found.Lost
	return Loss{Place{file, found.Pos.Record, l.Begin}, l.End, l.Records, l.Err}
}

// notOpened makes the Loss of a file that was not opened.
func notOpened(file int, err error) Loss {
	return Loss{Place{File: file, Record: -1}, -1, -1, err}
}

// A source is an open file. Reading from it fails once its context is done.
type source struct {
	ctx     context.Context
	rc      io.ReadCloser
	waiting func() // called before a read, which may take its time; may be nil
	stop    func() bool
	stopped chan struct{}
}

// A deadliner can be told to end a read that has begun: pipes and sockets can.
type deadliner interface{ SetReadDeadline(time.Time) error }

// open opens a file. Reading from it calls waiting first.
func (c *Config) open(ctx context.Context, file int, waiting func()) (*source, error) {
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
	if s.waiting != nil {
		s.waiting()
	}
	if err := s.ctx.Err(); err != nil {
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

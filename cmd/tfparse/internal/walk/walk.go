package walk

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/inputs"
	"github.com/tfparse/tfparse/tfrecord"
)

// ErrStop is what a Visitor returns to end the walk without an error.
var ErrStop = errors.New("walk: enough")

// ErrNextFile is what the method Record of a Visitor returns to leave out the rest of the
// file without an error.
var ErrNextFile = errors.New("walk: enough of this file")

// A File is one input of a walk.
type File struct {
	Name   string
	Opened bool
	// What is known at the end of the file, or at its fault.
	Codec  tfrecord.Compression // Auto: unknown
	Stored int64                // bytes read from the file itself; not counted when payloads are passed over

	Records *inputs.Range // those that the input asks for; nil: all. Visitors see to it
}

// A Visitor is told what a walk finds, in order. An error that it returns ends
// the walk and is returned from it, except ErrStop.
type Visitor interface {
	// Begin and End enclose everything about one input, also one that cannot be opened.
	Begin(f *File) error
	// Record is given each record; rec is lent for the call, and nil if Options.Unwanted said so.
	Record(rec []byte, pos tfrecord.Position) error
	// Lost is given each fault. In the strict mode the file is over then.
	Lost(fault *Fault) error
	End(f *File) error
}

// Options say how a walk reads.
type Options struct {
	Stdin    io.Reader
	Reader   tfrecord.ReaderOptions // Name is set by the walk
	Step     bool                   // step over damage
	Progress *console.Progress      // may be nil

	// Unwanted, if not nil, is asked before each record whether its payload
	// can be passed over: it is not read then, nor its checksum. It is not
	// asked when damage is stepped over.
	Unwanted func() bool
}

// Walk reads the inputs in order.
func Walk(ctx context.Context, in []inputs.Input, opts *Options, v Visitor) error {
	w := walker{ctx: ctx, opts: opts, v: v}
	for _, i := range in {
		if err := w.file(i); err != nil {
			if errors.Is(err, ErrStop) {
				return nil
			}
			return err
		}
	}
	return nil
}

// A walker is a walk under way.
type walker struct {
	ctx    context.Context
	opts   *Options
	v      Visitor
	reader *tfrecord.Reader // for all files, so that its memory is made once
}

func (w *walker) file(in inputs.Input) error {
	f := &File{Name: in.Name, Records: in.Records}
	v := w.v
	r, err := Open(w.ctx, in, w.opts.Stdin, w.opts.Progress)
	f.Opened = err == nil
	if err := v.Begin(f); err != nil {
		return err
	}
	if err != nil {
		if err := v.Lost(Unreadable(in.Name, err)); err != nil {
			return err
		}
		return v.End(f)
	}
	defer r.Close()
	if w.opts.Step {
		err = w.step(f, r)
	} else {
		err = w.strict(f, r)
	}
	f.Stored = r.n
	if err != nil && !errors.Is(err, ErrNextFile) {
		return err
	}
	return v.End(f)
}

// lost passes a fault on. An interrupted read looks like one, and is none.
func (w *walker) lost(fault *Fault) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	return w.v.Lost(fault)
}

// Open opens one input. Reading from it fails once ctx is done.
func Open(ctx context.Context, in inputs.Input, stdin io.Reader, progress *console.Progress) (*Source, error) {
	if in.Err != nil {
		return nil, in.Err
	}
	s := &Source{ctx: ctx, r: stdin, progress: progress}
	switch {
	case in.Stream != nil:
		s.r, s.close = in.Stream, in.Stream
	case in.Name != inputs.Stdin:
		f, err := os.Open(in.Name)
		if err != nil {
			return nil, err
		}
		s.r, s.file, s.close = f, f, f
	}
	return s, nil
}

func (w *walker) strict(f *File, src *Source) error {
	opts := w.opts
	var from io.Reader = src
	seeks := opts.Unwanted != nil && src.file != nil
	if seeks {
		from = src.file // a Reader of a file seeks over long payloads
		defer src.follow()
	}
	r := w.open(from, f.Name)
	for n := 0; ; n++ {
		if n%1024 == 0 && w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		if seeks && n%64 == 0 {
			src.follow()
		}
		var rec []byte
		var err error
		if opts.Unwanted != nil && opts.Unwanted() {
			err = r.Skip()
		} else {
			rec, err = r.Next()
		}
		if err == io.EOF {
			f.Codec = r.Compression()
			return nil
		}
		if err != nil {
			fault := faultOf(f.Name, err, nil)
			f.Codec = codecAfter(fault, r.Compression())
			return w.lost(fault)
		}
		opts.Progress.Records(1)
		if err := w.v.Record(rec, r.Pos()); err != nil {
			return err
		}
	}
}

func (w *walker) step(f *File, src *Source) error {
	r := w.open(src, f.Name)
	damaged := false
	for found := range r.Recover() {
		var err error
		if found.Lost != nil {
			fault := faultOf(f.Name, found.Lost.Err, found.Lost)
			if !damaged {
				f.Codec, damaged = r.Compression(), true
			}
			f.Codec = codecAfter(fault, f.Codec)
			err = w.lost(fault)
		} else {
			w.opts.Progress.Records(1)
			err = w.v.Record(found.Record, found.Pos)
		}
		if err != nil {
			return err
		}
	}
	if !damaged {
		f.Codec = r.Compression()
	}
	return nil
}

// open returns the reader, with a source of some name.
func (w *walker) open(src io.Reader, name string) *tfrecord.Reader {
	if w.reader == nil {
		w.reader = tfrecord.NewReader(nil, &w.opts.Reader)
	}
	w.reader.Reset(src, name)
	return w.reader
}

// codecAfter is what is known of the codec after a fault: what is no TFRecord
// has none.
func codecAfter(fault *Fault, codec tfrecord.Compression) tfrecord.Compression {
	if fault.Class == tfrecord.NotTFRecord.String() {
		return tfrecord.Auto
	}
	return codec
}

// A Source reads an input and counts.
type Source struct {
	ctx      context.Context
	r        io.Reader
	file     *os.File  // nil: a stream
	close    io.Closer // nil: standard input, which is not ours to close
	n        int64
	at       int64 // in the file, as far as the progress has counted
	progress *console.Progress
}

// Read implements [io.Reader].
func (s *Source) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.r.Read(p)
	s.n += int64(n)
	s.progress.Bytes(n)
	return n, err
}

// follow counts for the progress how far a Reader has come in the file itself, which does
// not read from s.
func (s *Source) follow() {
	if s.progress == nil {
		return
	}
	if at, err := s.file.Seek(0, io.SeekCurrent); err == nil && at > s.at {
		s.progress.Bytes(int(at - s.at))
		s.at = at
	}
}

// Close implements [io.Closer].
func (s *Source) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close.Close()
}

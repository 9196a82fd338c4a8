package scan

import (
	"context"
	"errors"
	"io"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/dataset"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

// An OldFile is one input of a scan.
type OldFile struct {
	Name   string
	Opened bool
	// What is known at the end of the file, or at its fault.
	Codec  tfrecord.Compression // Auto: unknown
	Stored int64                // bytes read from the file itself; not counted where payloads are left out
	Count  int64                // intact records, those that Options.Choose leaves out included

	Records *Range // those that the input asks for; nil: all. Visitors see to it

	Type example.MessageType // of the records, where the format says it; TypeAuto: their bytes say it

	Glance Glance // with Options.Glance, known at the end of the file
}

// A Visitor is called for what a scan finds, in order. An error that it returns ends
// the scan and is returned from it, except ErrStop.
type Visitor interface {
	// Begin and End enclose everything about one input, also one that cannot be opened.
	Begin(f *OldFile) error
	// Record is given each record, lent for the call.
	Record(rec []byte, pos tfrecord.Position) error
	// Skipped is called for each fault, before reading continues after it. Without Options.Step
	// damage ends the file: End is called next.
	Skipped(fault *Fault) error
	End(f *OldFile) error
}

// Options say how a scan reads.
type OldOptions struct {
	Stdin    io.Reader
	Reader   tfrecord.ReaderOptions // Name is set by the scan
	Step     bool                   // skip damage
	Progress *console.Progress      // may be nil
	Jobs     int                    // files that are read at once, ahead of the Visitor; below 2: none

	Glance bool // look at the first bytes of each file: see File.Glance

	// Choose is that of dataset.FilesOptions.
	Choose func(file int, record int64) dataset.Choice
}

// Walk reads the inputs in order.
func Walk(ctx context.Context, in []Input, opts *OldOptions, v Visitor) error {
	s := NewScan(ctx, in, opts)
	defer s.Close()
	return s.Walk(v)
}

// A Scan reads inputs in order, by package dataset.
type Scan struct {
	ctx     context.Context
	in      []Input
	opts    *OldOptions
	records *dataset.Records
	begin   int // of in: the first that records reads

	v    Visitor
	file *OldFile // of in, at hand
	next int      // index in in of the file behind it
	err  error    // of v

	glances *glances
}

// NewScan prepares a Scan of the inputs. It must be closed.
func NewScan(ctx context.Context, in []Input, opts *OldOptions) *Scan {
	s := &Scan{ctx: ctx, in: in, opts: opts}
	if opts.Glance {
		s.glances = &glances{codec: opts.Reader.Compression}
	}
	s.read(0)
	return s
}

// read begins to read the inputs from one on.
func (s *Scan) read(begin int) {
	var names []string
	special := map[string]Input{}
	tables := map[string]*Table{}
	stdin := s.opts.Stdin
	for _, i := range s.in[begin:] {
		names = append(names, i.Name)
		switch {
		case i.Table != nil:
			tables[i.Name] = i.Table
			if kept := i.Table.kept[Stdin]; i.Name == Stdin && kept != nil {
				stdin, _ = i.Table.open(s.ctx, Stdin)
			}
		case i.Stream != nil && i.Name == Stdin:
			stdin = i.Stream
		case i.Stream != nil || i.Err != nil:
			special[i.Name] = i
		}
	}
	if s.opts.Glance && stdin != nil {
		stdin = s.glances.of(Stdin, stdin)
	}
	o := &dataset.FilesOptions{Stdin: stdin, Reader: s.opts.Reader, SkipErrors: s.opts.Step, OnSkip: s.onSkip, OnFile: s.onFile,
		Workers: max(s.opts.Jobs, 1), Budget: budget}
	o.Open = func(ctx context.Context, name string) (io.ReadCloser, error) {
		if i := special[name]; i.Err != nil {
			return nil, i.Err
		} else if i.Stream.take() {
			return s.glances.ofFile(name, i.Stream), nil
		}
		if t := tables[name]; t != nil {
			return t.open(ctx, name)
		}
		f, err := storage.OpenContext(ctx, name)
		if err != nil {
			return nil, err
		}
		return s.glances.ofFile(name, f), nil
	}
	if len(tables) > 0 {
		o.Format = func(name string, r io.Reader) dataset.RecordReader {
			if t := tables[name]; t != nil {
				return t.records(r)
			}
			return nil
		}
	}
	if choose := s.opts.Choose; choose != nil {
		o.Choose = func(file int, record int64) dataset.Choice { return choose(begin+file, record) }
	}
	if p := s.opts.Progress; p != nil {
		o.OnProgress = func(records, bytes int64) { p.Records(int(records)); p.Bytes(int(bytes)) }
	}
	s.begin, s.records = begin, dataset.NewFilesNamed(names, o).Records(s.ctx)
}

// Peek walks until v returns ErrStop, or there are more than most bytes of records, or nothing
// is left. Walk begins at the first record all the same.
func (s *Scan) Peek(v Visitor, most int) error {
	first := s.records
	first.Keep()
	err := s.Walk(&peek{v, most})
	if s.records != first {
		s.records.Close()
	}
	s.records, s.begin = first, 0
	first.Rewind()
	return err
}

// A peek ends a scan behind some bytes of records.
type peek struct {
	Visitor
	most int
}

func (p *peek) Record(rec []byte, pos tfrecord.Position) error {
	if err := p.Visitor.Record(rec, pos); err != nil {
		return err
	}
	if p.most -= len(rec); p.most <= 0 {
		return ErrStop
	}
	return nil
}

// Walk calls v for what is read.
func (s *Scan) Walk(v Visitor) error {
	s.v, s.err = v, nil
	for {
		rec, err := s.records.Next()
		switch {
		case s.err != nil:
			err = s.err
		case err == nil:
			err = v.Record(rec, s.records.Pos())
		case err == io.EOF:
			return nil
		default:
			err = s.fault(err)
		}
		if errors.Is(err, ErrStop) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// fault is called for the error that ends the stream: the inputs behind it are another one.
func (s *Scan) fault(err error) error {
	if s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	if s.file == nil { // it is about no file
		return err
	}
	if err := s.v.Skipped(FaultOf(s.file.Name, err, nil)); err != nil {
		return err
	}
	if err := s.v.End(s.file); err != nil {
		return err
	}
	s.file = nil
	if s.next == len(s.in) {
		return ErrStop
	}
	if s.begin > 0 {
		s.records.Close()
	}
	s.read(s.next)
	return nil
}

func (s *Scan) onFile(e dataset.FileEvent) {
	if s.err != nil {
		return
	}
	if !e.End {
		i := s.begin + e.Index
		s.file, s.next = &OldFile{Name: e.Name, Opened: e.Opened, Records: s.in[i].Records}, i+1
		if s.in[i].Table != nil {
			s.file.Type = example.TypeExample
		}
		s.err = s.v.Begin(s.file)
		return
	}
	s.file.Codec, s.file.Stored, s.file.Count = e.Compression, e.StoredBytes, e.Records
	s.file.Glance = s.glances.get(e.Name)
	if e.Err == nil {
		s.err = s.v.End(s.file)
	}
}

func (s *Scan) onSkip(skipped dataset.Skipped) {
	// An interrupted read looks like damage, and is none.
	if s.err == nil {
		s.err = s.ctx.Err()
	}
	if s.err != nil {
		return
	}
	skippedRange := &tfrecord.SkippedRange{Begin: skipped.Offset, End: skipped.End, Records: skipped.Records}
	if skipped.Record < 0 {
		skippedRange = nil
	}
	s.err = s.v.Skipped(FaultOf(s.file.Name, skipped.Err, skippedRange))
}

// Close ends the reading.
func (s *Scan) Close() { s.records.Close() }

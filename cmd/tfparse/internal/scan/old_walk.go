package scan

import (
	"context"
	"errors"
	"io"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/tfrecord"
)

// OldFile is File.
type OldFile = File

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

	// Choose is that of Options.
	Choose func(file int, record int64) Choice
}

// Walk reads the inputs in order.
func Walk(ctx context.Context, in []Input, opts *OldOptions, v Visitor) error {
	r := &stream{
		readSettings: &readSettings{stdin: opts.Stdin, reader: opts.Reader, recover: opts.Step, progress: opts.Progress},
		ctx:          ctx, in: in, jobs: opts.Jobs,
	}
	if opts.Glance {
		r.glances = &glances{codec: opts.Reader.Compression}
	}
	r.choose = opts.Choose
	r.start(0)
	defer r.close()
	for {
		ev, err := r.next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			switch ev.kind {
			case evBegin:
				err = v.Begin(ev.file)
			case evEnd:
				err = v.End(ev.file)
			case evFault:
				err = v.Skipped(ev.fault)
			default:
				err = v.Record(ev.rec, ev.pos)
			}
		}
		if err != nil {
			return stopped(err)
		}
	}
}

// stopped is the error of a scan that a Visitor ended.
func stopped(err error) error {
	if errors.Is(err, ErrStop) {
		return nil
	}
	return err
}

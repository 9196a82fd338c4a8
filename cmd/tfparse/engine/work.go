// Package engine divides the work of verbs among machines, file by file, for programs that run it on an engine such as
// Apache Beam.
//
// A [Work] says what is done with each file. A [Worker] does it with one, on any machine, and returns a [Result]. The
// results of all files, merged in the order of the files, are what the verb goes on with: its outputs, messages and exit
// codes are those of one process that reads all files, byte for byte.
//
// The forms of Work and Result are for programs of one version.
package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/result"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/record"
	"github.com/tfparse/tfparse/validate/stats"
)

// An Engine does the work on files on many machines.
type Engine interface {
	// Gather does the work on each of the files and returns the results merged in the order of the files.
	Gather(ctx context.Context, w *Work, files []File) (*Result, error)
	// Rewrite copies the records of files to others, and returns how many it wrote to each of those.
	Rewrite(ctx context.Context, w *Rewriting, files []File) ([]int64, error)
}

// A File is one of the inputs.
type File struct {
	Name string
	Err  string // why there is nothing to open; "" for a file, which may still fail to open
	// Missing is whether Err says that there is no such file.
	Missing bool

	Records int64 // that it has, for Rewrite; see Result.Counts
}

// A Work says what is done with each file: records are counted, or statistics are made, and if there is a Check, records checked.
type Work struct {
	Counting *Counting `json:"counting,omitempty"` // nil: statistics are made

	// Statistics are options of statistics, as an accumulator without records in its bytes form. Their Message has no
	// effect.
	Statistics []byte              `json:"statistics,omitempty"`
	Type       example.MessageType `json:"type"` // of the records; TypeAuto: find out, for each file

	Compression   tfrecord.Compression `json:"compression"`     // zero: find out
	MaxRecordSize int64                `json:"max_record_size"` // zero: that of tfrecord.ReaderOptions
	SkipChecksums bool                 `json:"skip_checksums"`
	Stop          bool                 `json:"stop"`     // at the first fault; else it is skipped
	Messages      int                  `json:"messages"` // faults of one sort that are kept; the others are counted

	Check *Check `json:"check,omitempty"` // nil: none
}

// NewWork returns the work that makes statistics.
func NewWork(o *stats.Options) (*Work, error) {
	acc, err := stats.New(o)
	if err != nil {
		return nil, err
	}
	w := &Work{Messages: 20}
	w.Statistics, err = acc.MarshalBinary()
	return w, err
}

// A Result is what the work on a file gave, or that on several files merged.
type Result = result.Result

// A Count says how many records a file has.
type Count = result.Count

// A Failure is a part of a file that was skipped, or a file that could not be read.
type Failure = result.Failure

func newResult(w *Work) *Result {
	r := result.New(w.Messages)
	if w.Check != nil {
		r.Findings = record.NewSummary(w.Check.Most)
	}
	return r
}

// NewResult returns the result of no files.
func (w *Work) NewResult() *Result {
	r := newResult(w)
	r.Files = 0
	return r
}

// A Worker does the work on files, one after the other. It belongs to one goroutine.
type Worker struct {
	work Work
	none *stats.Accumulator // without records

	checkers map[example.MessageType]*record.Checker
	checker  *record.Checker // of the file that is read; nil without Work.Check
}

// NewWorker returns a worker.
func NewWorker(w *Work) (*Worker, error) {
	k := &Worker{work: *w, none: &stats.Accumulator{}}
	if w.Counting != nil {
		return k, nil
	}
	if err := k.none.UnmarshalBinary(w.Statistics); err != nil {
		return nil, err
	}
	return k, nil
}

// Do reads a file, which open opens, and returns what the work is about. Everything that is wrong with the file itself is part
// of the result. An error is one of reading it now, which another attempt may not have, or of ctx.
func (k *Worker) Do(ctx context.Context, file File, open func(ctx context.Context, name string) (io.ReadCloser, error)) (*Result, error) {
	in := recordscan.Input{Name: file.Name}
	if file.Err != "" {
		in.Err = recordscan.TextError(file.Err, file.Missing)
	} else if stream, err := open(ctx, file.Name); err == nil {
		in.Stream = recordscan.NewStream(nil, stream)
		defer stream.Close()
	} else if permanent(err) {
		in.Err = err
	} else {
		return nil, fmt.Errorf("%s: %w", file.Name, err)
	}
	return k.read(ctx, in)
}

// errStop ends the reading of a file at a fault that ends the run.
var errStop = errors.New("engine: stop")

// reporter returns what takes the faults of a file.
func (k *Worker) reporter(r *Result, in recordscan.Input) func(*recordscan.Fault) error {
	return func(fault *recordscan.Fault) error {
		if fault.Class == "" && !permanent(fault.Err) && in.Err == nil {
			return fault
		}
		if k.work.Stop {
			r.Faults.Fatal = fault
			return errStop
		}
		r.Faults.Add(fault)
		return nil
	}
}

func (k *Worker) read(ctx context.Context, in recordscan.Input) (*Result, error) {
	r := newResult(&k.work)
	report := k.reporter(r, in)
	if k.work.Counting != nil {
		return k.count(ctx, in, r, report)
	}
	o := k.none.Options()
	check := k.check(r, report)
	job := statsource.FileJob{
		Options: *o, Type: k.work.Type, Skip: !k.work.Stop,
		Reader:  k.work.reader(),
		Skipped: report, Refused: report,
		End:   func(f *recordscan.File) { r.Records = f.Count },
		Begin: k.begin,
		Check: func(rec []byte, pos tfrecord.Position) (later func() error, counts bool) {
			r.Bytes += int64(len(rec))
			return check(rec, pos)
		},
	}
	if o.TFDV { // a record that it refuses ends the run
		job.Refused = func(fault *recordscan.Fault) error {
			r.Faults.Fatal = fault
			return errStop
		}
	}
	var err error
	r.Statistics, err = job.Run(ctx, in)
	switch {
	case errors.Is(err, errStop):
		err = nil
	case err != nil && ctx.Err() != nil:
		err = ctx.Err()
	case err != nil:
		if fault, ok := errors.AsType[*recordscan.Fault](err); ok && fault.Class == "" {
			break // it may be read another time
		}
		r.Failed, err = err.Error(), nil // options that records of this type do not have
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (w *Work) reader() tfrecord.ReaderOptions {
	return tfrecord.ReaderOptions{Compression: w.Compression, MaxRecordSize: w.MaxRecordSize, SkipChecksums: w.SkipChecksums}
}

// permanent reports whether another attempt to read a file would fail in the same way.
func permanent(err error) bool {
	for _, known := range []error{fs.ErrNotExist, fs.ErrPermission, fs.ErrInvalid, syscall.EISDIR, syscall.ENOTDIR} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

// MarshalBinary implements [encoding.BinaryMarshaler].
func (w *Work) MarshalBinary() ([]byte, error) { return json.Marshal(w) }

// UnmarshalBinary implements [encoding.BinaryUnmarshaler].
func (w *Work) UnmarshalBinary(b []byte) error { return json.Unmarshal(b, w) }

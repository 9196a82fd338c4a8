package tfrecordio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/tfparse/tfparse/tfrecord"
)

func init() {
	register.DoFn3x1[context.Context, File, func([]byte), error](&readFn{})
	register.DoFn4x1[context.Context, File, func([]byte), func(Failure), error](&readSkippingFn{})
	register.Emitter1[[]byte]()
}

// ReadOptions are the settings of [Read] and the like. A nil *ReadOptions and every zero field mean the
// default.
type ReadOptions struct {
	Compression   tfrecord.Compression // zero: find out from the first bytes, for each file
	MaxRecordSize int64                // limit on a record; zero: tfrecord.MaxRecordSize
}

// Read returns the records of the files that a pattern stands for, as [Match] has it: a PCollection<[]byte>. Damage, a
// missing shard and a pattern that names nothing fail the pipeline.
func Read(s beam.Scope, pattern string, opts *ReadOptions) beam.PCollection {
	s = s.Scope("tfrecordio.Read")
	return beam.ParDo(s, &readFn{Options: optionsOf(opts)}, Match(s, nil, pattern))
}

// ReadWithFailures is Read that skips damage: the first PCollection<[]byte> has every intact record,
// the second PCollection<[Failure]> what was skipped.
func ReadWithFailures(s beam.Scope, pattern string, opts *ReadOptions) (records, failures beam.PCollection) {
	s = s.Scope("tfrecordio.ReadWithFailures")
	return beam.ParDo2(s, &readSkippingFn{Options: optionsOf(opts)}, Match(s, &MatchOptions{KeepMissing: true}, pattern))
}

func optionsOf(opts *ReadOptions) ReadOptions {
	if opts == nil {
		return ReadOptions{}
	}
	return *opts
}

// readFn reads a file.
type readFn struct{ Options ReadOptions }

// ProcessElement implements the DoFn.
func (fn *readFn) ProcessElement(ctx context.Context, f File, emit func([]byte)) error {
	return f.Each(ctx, &fn.Options, func(rec []byte, _ tfrecord.Position) error {
		emit(bytes.Clone(rec)) // the reader overwrites rec
		return nil
	}, nil)
}

// readSkippingFn reads a file and skips damage.
type readSkippingFn struct{ Options ReadOptions }

// ProcessElement implements the DoFn.
func (fn *readSkippingFn) ProcessElement(ctx context.Context, f File, emit func([]byte), skipped func(Failure)) error {
	return f.Each(ctx, &fn.Options, func(rec []byte, _ tfrecord.Position) error {
		emit(bytes.Clone(rec)) // the reader overwrites rec
		return nil
	}, func(failure Failure) error { skipped(failure); return nil })
}

// Metrics is the namespace of the counters of this module: records, bytes (of records) and skipped (ranges that were
// skipped).
const Metrics = "tfparse"

var (
	recordsRead    = beam.NewCounter(Metrics, "records")
	bytesRead      = beam.NewCounter(Metrics, "bytes")
	failuresCaught = beam.NewCounter(Metrics, "skipped")
)

// Each calls record for every record of the file, in order, within a DoFn. A record is lent for the call. It
// calls skipped for every range that is damaged, and for a file that is not there; if skipped is nil, that is the error. An error of the file
// system, and one that a function returns, ends the reading. Each adds to the counters of [Metrics].
func (f File) Each(ctx context.Context, opts *ReadOptions, record func(rec []byte, pos tfrecord.Position) error, skipped func(Failure) error) error {
	count := func(failure Failure) error {
		if skipped == nil {
			return errors.New(failure.Error)
		}
		failuresCaught.Inc(ctx, 1)
		return skipped(failure)
	}
	if f.Missing != "" {
		return count(missing(f.Name, f.Missing))
	}
	src, err := open(ctx, f.Name)
	if errors.Is(err, fs.ErrNotExist) && skipped != nil {
		return count(missing(f.Name, err.Error()))
	} else if err != nil {
		return named(f.Name, err)
	}
	defer src.Close()
	o := optionsOf(opts)
	r := tfrecord.NewReader(src, &tfrecord.ReaderOptions{Name: f.Name, Compression: o.Compression, MaxRecordSize: o.MaxRecordSize})
	for item := range r.Recover() {
		if item.Skipped == nil {
			recordsRead.Inc(ctx, 1)
			bytesRead.Inc(ctx, int64(len(item.Record)))
			err = record(item.Record, item.Pos)
		} else if e := item.Skipped.Err; skipped == nil || e.Class == 0 { // no class: the file system failed, and not the data
			err = e
		} else {
			err = count(failureOf(item.Pos, item.Skipped))
		}
		if err != nil {
			return fmt.Errorf("tfrecordio: %w", err)
		}
	}
	return ctx.Err()
}

package tfrecordio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/tfparse/tfparse/beam/internal/counters"
	"github.com/tfparse/tfparse/tfrecord"
)

func init() { beam.RegisterType(reflect.TypeFor[span]()) }

// A span is a part of a file that one worker reads: all of it, or the records that begin in [Begin, End) by an index.
type span struct {
	File  File
	Begin int64 // where the index has a record
	End   int64 // 0: all of the file
	First int64 // ordinal of the record at Begin
	Size  int64 // of the file, when it was divided
}

// Each calls record for every record of the file, in order; it is for use in a DoFn. The record is lent for the call. It
// calls skipped for every range that is damaged, and for a file that is not there; if skipped is nil, those are errors, which end it as those of the file system and
// of the functions do. Each adds to the counters of [Metrics] if ctx is that of a DoFn.
func (f File) Each(ctx context.Context, opts *ReadOptions, record func(rec []byte, pos tfrecord.Position) error, skipped func(Failure) error) error {
	return span{File: f}.read(ctx, opts, record, skipped)
}

// read is walk that adds to the counters.
func (p span) read(ctx context.Context, opts *ReadOptions, record func([]byte, tfrecord.Position) error, skipped func(Failure) error) error {
	var read counters.Tally
	defer func() { read.Flush(ctx) }()
	skip := skipped
	if skipped != nil {
		skip = func(f Failure) error {
			counters.Skipped.Inc(ctx, 1)
			return skipped(f)
		}
	}
	return p.walk(ctx, opts, func(rec []byte, pos tfrecord.Position) error {
		read.Record(ctx, len(rec))
		return record(rec, pos)
	}, skip)
}

// walk does what Each does, for a part of a file, and leaves the counters alone.
//
// The parts of a file have every record once and every skipped range once, also where an index has a
// place at which no record begins, or damage covers one: a part begins with its first intact record, and
// the part before goes on up to that record.
func (p span) walk(ctx context.Context, opts *ReadOptions, record func([]byte, tfrecord.Position) error, skipped func(Failure) error) error {
	name := p.File.Name
	if p.File.Missing != "" {
		return skipFile(name, p.File.Missing, skipped)
	}
	src, err := open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) && skipped != nil {
		return skipFile(name, reason(err).Error(), skipped)
	} else if err != nil {
		return fmt.Errorf("tfrecordio: %s: %w", name, reason(err))
	}
	defer src.Close()
	o := optionsOf(opts)
	options := tfrecord.ReaderOptions{Name: name, Compression: o.Compression, MaxRecordSize: o.MaxRecordSize, SkipChecksums: o.SkipChecksums}
	in := io.Reader(src)
	if p.End != 0 {
		if src.at == nil || src.size != p.Size {
			return fmt.Errorf("tfrecordio: %s: changed since it was divided by its index", name)
		}
		in, options.Compression = io.NewSectionReader(src.at, p.Begin, p.Size-p.Begin), tfrecord.None
	}
	if o.SkipChecksums && skipped == nil {
		return p.walkUnchecked(ctx, tfrecord.NewReader(in, &options), record)
	}
	begun := p.Begin == 0
	for item := range tfrecord.NewReader(in, &options).Recover() {
		if err := ctx.Err(); err != nil {
			return err
		}
		pos := item.Pos
		pos.Record += p.First
		pos.Offset += p.Begin
		if item.Skipped == nil {
			if begun = true; p.End != 0 && pos.Offset >= p.End {
				return nil
			}
			if err := record(item.Record, pos); err != nil {
				return err
			}
			continue
		}
		fault := *item.Skipped.Err
		fault.Record += p.First
		fault.Offset += p.Begin
		switch {
		case fault.Class == 0: // not about the data: the file system failed
			return fmt.Errorf("tfrecordio: %w", &fault)
		case !begun: // the part before has this
		case skipped == nil:
			return fmt.Errorf("tfrecordio: %w", &fault)
		default:
			f := Failure{File: name, Record: pos.Record, Offset: pos.Offset, End: item.Skipped.End, Records: item.Skipped.Records, Class: fault.Class.String(), Error: fault.Error()}
			if f.End >= 0 {
				f.End += p.Begin
			}
			if err := skipped(f); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// walkUnchecked calls record for the records of a part of a file, whose checksums are not compared.
func (p span) walkUnchecked(ctx context.Context, r *tfrecord.Reader, record func([]byte, tfrecord.Position) error) error {
	for rec, err := range r.All() {
		if fault, ok := errors.AsType[*tfrecord.Error](err); ok {
			moved := *fault
			moved.Record += p.First
			moved.Offset += p.Begin
			err = &moved
		}
		if err != nil {
			return fmt.Errorf("tfrecordio: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		pos := r.Pos()
		pos.Record += p.First
		pos.Offset += p.Begin
		if p.End != 0 && pos.Offset >= p.End {
			return nil
		}
		if err := record(rec, pos); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// skipFile skips a file that is not there; without skipped it is an error.
func skipFile(name, why string, skipped func(Failure) error) error {
	err := fmt.Errorf("%s: %s", name, why)
	if skipped == nil {
		return fmt.Errorf("tfrecordio: %w", err)
	}
	return skipped(Failure{File: name, Record: -1, Offset: -1, End: -1, Records: -1, Error: err.Error()})
}

// reason drops the operation and the path from an error of the system: the name is in front of it already.
func reason(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

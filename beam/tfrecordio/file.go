package tfrecordio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/tfparse/tfparse/beam/internal/counters"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

func init() {
	beam.RegisterType(reflect.TypeFor[File]())
	beam.RegisterType(reflect.TypeFor[Failure]())
	register.Emitter1[File]()
	register.Emitter1[Failure]()
}

// A File is one file that a pattern matches. It is an element of a PCollection.
type File struct {
	Name string
	// Ordinal is the position of the file in the list of all files, from 0: patterns in the order given, files of a
	// glob or a directory by name, shards by index.
	Ordinal int64
	// Missing is the reason why the file cannot be read, such as a shard that its set lacks. It is empty for a
	// file. Match returns a missing File only with MatchOptions.KeepMissing.
	Missing string
}

// A Failure is a part of a file that could not be read, or a missing file: a dead letter. It is an element of a
// PCollection. The ranges are those that tfparse recover and tfparse verify report.
type Failure struct {
	File    string // name of the file; empty if the record came without one
	Record  int64  // ordinal of the record at Offset; -1 for a missing file
	Offset  int64  // offset of the first skipped byte in the uncompressed stream; -1 for a missing file
	End     int64  // offset after the last skipped byte; -1: the rest of the file is skipped
	Records int64  // number of skipped records; -1: unknown
	Class   string // text of a [tfrecord.Class], such as "payload_crc"; empty for a missing file
	Error   string // one line, with the file, the record and the offset
}

// Metrics is the namespace of the counters of this module. Reading a file counts, except when [Convert] and [Shuffle] first read it to
// count its records. Attempts that an engine repeats are counted again, unless the engine reports committed values.
//
//	records   number of records read
//	bytes     bytes of these records, without framing and compression
//	skipped   number of skipped ranges, records and files
//	findings  number of findings about records in tfstats.Validate
//	written   number of records written
const Metrics = counters.Namespace

// Open opens the file within a DoFn, as Read does. It does not decompress. The file must not be Missing.
func (f File) Open(ctx context.Context) (io.ReadCloser, error) {
	return storage.OpenContext(ctx, f.Name)
}

// Each calls record for every record of the file, in order; it is for use in a DoFn. The record is valid during the call. Each
// calls skipped for every damaged range, and for a missing file; if skipped is nil, these are errors. Each ends with the first error,
// also of the file system and of the functions. It increments the counters of [Metrics] if ctx is the context of a DoFn.
func (f File) Each(ctx context.Context, opts *ReadOptions, record func(rec []byte, pos tfrecord.Position) error, skipped func(Failure) error) error {
	var read counters.Tally
	defer func() { read.Flush(ctx) }()
	skip := skipped
	if skipped != nil {
		skip = func(f Failure) error {
			counters.Skipped.Inc(ctx, 1)
			return skipped(f)
		}
	}
	return f.walk(ctx, opts, func(rec []byte, pos tfrecord.Position) error {
		read.Record(ctx, len(rec))
		return record(rec, pos)
	}, skip)
}

// walk is Each without the counters.
func (f File) walk(ctx context.Context, opts *ReadOptions, record func([]byte, tfrecord.Position) error, skipped func(Failure) error) error {
	if f.Missing != "" {
		return skipFile(f.Name, f.Missing, skipped)
	}
	in, err := storage.OpenContext(ctx, f.Name)
	if errors.Is(err, fs.ErrNotExist) && skipped != nil {
		return skipFile(f.Name, reason(err).Error(), skipped)
	} else if err != nil {
		return fmt.Errorf("tfrecordio: %s: %w", f.Name, reason(err))
	}
	defer in.Close()
	o := optionsOf(opts)
	r := tfrecord.NewReader(in, &tfrecord.ReaderOptions{Name: f.Name, Compression: o.Compression, MaxRecordSize: o.MaxRecordSize, SkipChecksums: o.SkipChecksums})
	if skipped == nil {
		for rec, err := range r.All() {
			if err != nil {
				return fmt.Errorf("tfrecordio: %w", err)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := record(rec, r.Pos()); err != nil {
				return err
			}
		}
		return ctx.Err()
	}
	for item := range r.Recover() {
		err := ctx.Err()
		switch s := item.Skipped; {
		case err != nil:
		case s == nil:
			err = record(item.Record, item.Pos)
		case s.Err.Class == 0: // the file system failed
			err = fmt.Errorf("tfrecordio: %w", s.Err)
		default:
			err = skipped(Failure{File: f.Name, Record: item.Pos.Record, Offset: item.Pos.Offset, End: s.End, Records: s.Records, Class: s.Err.Class.String(), Error: s.Err.Error()})
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// skipFile passes the failure of a missing file to skipped. If skipped is nil, it returns the failure as an error.
func skipFile(name, why string, skipped func(Failure) error) error {
	err := fmt.Errorf("%s: %s", name, why)
	if skipped == nil {
		return fmt.Errorf("tfrecordio: %w", err)
	}
	return skipped(Failure{File: name, Record: -1, Offset: -1, End: -1, Records: -1, Error: err.Error()})
}

// reason drops the operation and the path from an error of the system: the message already has the name of the file.
func reason(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

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
	// Missing says why there is nothing to read, as for a shard that a set lacks; it is empty for a
	// file. Match returns such a File only with MatchOptions.KeepMissing.
	Missing string
}

// A Failure is a part of a file that could not be read, or a file that is not there: a dead letter. It is an element of
// a PCollection. The ranges are those that tfparse recover and tfparse verify report.
type Failure struct {
	File    string
	Record  int64  // ordinal of the record at Offset; -1 for all of a file that is not there
	Offset  int64  // of the first byte that is skipped, in the uncompressed stream; -1 for all of a file that is not there
	End     int64  // of the skipped bytes; -1 where the rest of the file is skipped
	Records int64  // that were skipped; -1 where this is unknown
	Class   string // as "payload_crc", the text of a [tfrecord.Class]; empty for a file that is not there
	Error   string // one line, with the file, the record and the offset
}

// Metrics is the namespace of the counters of this module. Each pass over a file that returns records or results counts once; the pass in
// which [Convert] and [Shuffle] count records does not. Attempts that an engine repeats are counted again, unless it reports
// what was committed.
//
//	records   records that were read
//	bytes     their bytes, without framing and compression
//	skipped   ranges, records and files that were skipped
//	findings  findings about records, of tfstats.Validate
//	written   records that were written
const Metrics = counters.Namespace

// Open opens the file within a DoFn, as Read does. What is read is compressed if the file is. The file must not be Missing.
func (f File) Open(ctx context.Context) (io.ReadCloser, error) {
	return storage.OpenContext(ctx, f.Name)
}

// Each calls record for every record of the file, in order; it is for use in a DoFn. The record is lent for the call. It
// calls skipped for every range that is damaged, and for a file that is not there; if skipped is nil, those are errors, which end it as those of the file system and
// of the functions do. Each adds to the counters of [Metrics] if ctx is that of a DoFn.
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

// walk does what Each does, and leaves the counters alone.
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
		case s.Err.Class == 0: // not about the data: the file system failed
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

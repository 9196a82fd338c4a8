package tfrecordio

import (
	"bytes"
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/tfparse/tfparse/tfrecord"
)

func init() {
	register.DoFn3x1[context.Context, File, func([]byte), error](&readFn{})
	register.DoFn4x1[context.Context, File, func([]byte), func(Failure), error](&readSkippingFn{})
	register.Emitter1[[]byte]()
}

// ReadOptions are the settings for reading files, as in [Read]. A nil *ReadOptions and every zero field mean the
// default.
type ReadOptions struct {
	Compression   tfrecord.Compression // compression of the files; zero: detect it for each file, from the first bytes
	MaxRecordSize int64                // maximum size of a record, in bytes; zero: tfrecord.MaxRecordSize
	// SkipChecksums turns off the comparison of checksums. It has no effect where damage is skipped.
	SkipChecksums bool
}

func optionsOf(opts *ReadOptions) ReadOptions {
	if opts == nil {
		return ReadOptions{}
	}
	return *opts
}

// Read returns the records of the files that a pattern matches (see [Match]) as a PCollection<[]byte>. Damage, a missing
// shard and a pattern that matches no file fail the pipeline, with the file, the record and the offset in the error.
func Read(s beam.Scope, pattern string, opts *ReadOptions) beam.PCollection {
	s = s.Scope("tfrecordio.Read")
	return readAll(s, Match(s, nil, pattern), opts)
}

// ReadAll is [Read] for patterns in a PCollection<string>.
func ReadAll(s beam.Scope, patterns beam.PCollection, opts *ReadOptions) beam.PCollection {
	s = s.Scope("tfrecordio.ReadAll")
	return readAll(s, MatchAll(s, nil, patterns), opts)
}

// ReadWithFailures is [Read] that skips damage. The first result is a PCollection<[]byte> of the intact records, the second a
// PCollection<[Failure]>. An error of the file system still fails the pipeline, so that the engine can try again.
func ReadWithFailures(s beam.Scope, pattern string, opts *ReadOptions) (records, failures beam.PCollection) {
	s = s.Scope("tfrecordio.ReadWithFailures")
	return readSkipping(s, Match(s, &MatchOptions{KeepMissing: true}, pattern), opts)
}

// ReadAllWithFailures is [ReadWithFailures] for patterns in a PCollection<string>.
func ReadAllWithFailures(s beam.Scope, patterns beam.PCollection, opts *ReadOptions) (records, failures beam.PCollection) {
	s = s.Scope("tfrecordio.ReadAllWithFailures")
	return readSkipping(s, MatchAll(s, &MatchOptions{KeepMissing: true}, patterns), opts)
}

func readAll(s beam.Scope, files beam.PCollection, opts *ReadOptions) beam.PCollection {
	return beam.ParDo(s, &readFn{Options: optionsOf(opts)}, files)
}

func readSkipping(s beam.Scope, files beam.PCollection, opts *ReadOptions) (records, failures beam.PCollection) {
	return beam.ParDo2(s, &readSkippingFn{Options: optionsOf(opts)}, files)
}

// readFn reads a file.
type readFn struct{ Options ReadOptions }

// ProcessElement implements the DoFn.
func (fn *readFn) ProcessElement(ctx context.Context, f File, emit func([]byte)) error {
	return f.Each(ctx, &fn.Options, emitting(emit), nil)
}

// readSkippingFn reads a file and skips damage.
type readSkippingFn struct{ Options ReadOptions }

// ProcessElement implements the DoFn.
func (fn *readSkippingFn) ProcessElement(ctx context.Context, f File, emit func([]byte), skip func(Failure)) error {
	return f.Each(ctx, &fn.Options, emitting(emit), func(f Failure) error { skip(f); return nil })
}

// emitting returns a function that emits copies of records: the reader overwrites its record, and the engine keeps emitted values.
func emitting(emit func([]byte)) func([]byte, tfrecord.Position) error {
	return func(rec []byte, _ tfrecord.Position) error {
		emit(bytes.Clone(rec))
		return nil
	}
}

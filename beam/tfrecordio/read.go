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

// ReadOptions are the settings of [Read] and the like. A nil *ReadOptions and every zero field mean the
// default.
type ReadOptions struct {
	Compression   tfrecord.Compression // zero: find out from the first bytes, for each file
	MaxRecordSize int64                // limit on a record; zero: tfrecord.MaxRecordSize
	// SkipChecksums does not compare the checksums of records, unless damage is skipped.
	SkipChecksums bool
}

func optionsOf(opts *ReadOptions) ReadOptions {
	if opts == nil {
		return ReadOptions{}
	}
	return *opts
}

// Read returns the records of the files that a pattern stands for (see [Match]) as a PCollection<[]byte>. Damage, a
// missing shard and a pattern that names nothing fail the pipeline, with the file, the record and the offset in the error.
func Read(s beam.Scope, pattern string, opts *ReadOptions) beam.PCollection {
	s = s.Scope("tfrecordio.Read")
	return readAll(s, Match(s, nil, pattern), opts)
}

// ReadAll is [Read] for patterns in a PCollection<string>.
func ReadAll(s beam.Scope, patterns beam.PCollection, opts *ReadOptions) beam.PCollection {
	s = s.Scope("tfrecordio.ReadAll")
	return readAll(s, MatchAll(s, nil, patterns), opts)
}

// ReadWithFailures is [Read] that skips damage: the first PCollection<[]byte> has every intact record,
// the second PCollection<[Failure]> what was skipped. A failing file system still fails the pipeline, so that the engine can try again.
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

// emitting emits copies of records: the reader overwrites what it lends, and what is emitted is kept.
func emitting(emit func([]byte)) func([]byte, tfrecord.Position) error {
	return func(rec []byte, _ tfrecord.Position) error {
		emit(bytes.Clone(rec))
		return nil
	}
}

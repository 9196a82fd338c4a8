// Package tfexample parses records to columns in pipelines of Apache Beam: batches of records become ragged tensors, by a spec
// ([feature.Spec]), and a function of the caller computes with them.
//
//	// words counts the words of each batch.
//	type words struct{}
//
//	func (words) ProcessBatch(ctx context.Context, b *feature.Batch, emit func(int)) error {
//		text, err := feature.ColumnOf[string](b.Columns(), "text")
//		if err != nil {
//			return err
//		}
//		emit(len(text.Values()))
//		return nil
//	}
//
//	func init() { tfexample.Register[words, int]() }
//
//	counts, failures := tfexample.Parse(s, spec, words{}, records, nil)
//
// A batch ends when it has Options.BatchSize records, and when a bundle of the engine ends, so that no record waits for other records. So the
// engine decides how many records are in a batch: results must not depend on it.
package tfexample

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/tfparse/tfparse/beam/internal/counters"
	"github.com/tfparse/tfparse/beam/tfrecordio"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/tfrecord"
)

// A BatchFn computes with batches. Its exported fields are its settings, which Beam sends to the workers as JSON. Register makes
// it known to Beam.
type BatchFn[T any] interface {
	// ProcessBatch is called with the columns of at least one record. The batch and its tensors are valid until it returns. Emitted
	// values must not share their memory, except for strings.
	ProcessBatch(ctx context.Context, b *feature.Batch, emit func(T)) error
}

// Options are the settings of [Parse] and [ParseFiles]. A nil *Options and every zero field mean the default.
type Options struct {
	BatchSize int // maximum number of records in a batch; zero: 1024
	// SkipMisfits skips records that do not fit the spec, and in ParseFiles also damage and missing files. The second PCollection has
	// a Failure for each. Without SkipMisfits they fail the pipeline.
	SkipMisfits bool
	Read        tfrecordio.ReadOptions // settings for reading in ParseFiles
}

const defaultBatchSize = 1024

// Register makes a BatchFn known to Beam. An init function of the program calls it for each BatchFn F of the program; F emits T.
func Register[F BatchFn[T], T any]() {
	beam.RegisterType(reflect.TypeFor[F]())
	register.DoFn4x1[context.Context, []byte, func(T), func(tfrecordio.Failure), error](&recordsFn[F, T]{})
	register.DoFn4x1[context.Context, tfrecordio.File, func(T), func(tfrecordio.Failure), error](&filesFn[F, T]{})
	register.Emitter1[T]()
	register.Emitter1[tfrecordio.Failure]()
}

// Parse parses records, a PCollection<[]byte>, by a spec, and calls fn with batches of the records. The first result is a PCollection<T> of
// the values that fn emits. The second result is a PCollection<tfrecordio.Failure> of the class "message", empty without Options.SkipMisfits.
// These failures have no file and no position, unlike those of ParseFiles.
//
// Parse panics if the spec is invalid. Values that fn emits at the end of a bundle are in the global window.
func Parse[F BatchFn[T], T any](s beam.Scope, spec feature.Spec, fn F, records beam.PCollection, opts *Options) (out, failures beam.PCollection) {
	s = s.Scope("tfexample.Parse")
	return beam.ParDo2(s, &recordsFn[F, T]{newParser(spec, fn, opts)}, records)
}

// ParseFiles is Parse for the records of files, a PCollection<tfrecordio.File> such as that of tfrecordio.Match. Errors and failures have
// the file, the ordinal of the record and its offset. All records of a batch are from one file.
func ParseFiles[F BatchFn[T], T any](s beam.Scope, spec feature.Spec, fn F, files beam.PCollection, opts *Options) (out, failures beam.PCollection) {
	s = s.Scope("tfexample.ParseFiles")
	return beam.ParDo2(s, &filesFn[F, T]{newParser(spec, fn, opts)}, files)
}

// parser has the fields and methods that the two DoFns share.
type parser[F BatchFn[T], T any] struct {
	Spec    []byte // JSON
	Fn      F
	Options Options

	batch *feature.Batch
}

func newParser[F BatchFn[T], T any](spec feature.Spec, fn F, opts *Options) parser[F, T] {
	p := parser[F, T]{Fn: fn}
	if opts != nil {
		p.Options = *opts
	}
	if p.Options.BatchSize <= 0 {
		p.Options.BatchSize = defaultBatchSize
	}
	_, err := feature.NewParser(spec, nil)
	if err == nil {
		p.Spec, err = spec.MarshalJSON()
	}
	if err != nil {
		panic(fmt.Sprintf("tfexample: %v", err))
	}
	return p
}

// Setup implements the DoFn.
func (p *parser[F, T]) Setup() error {
	var spec feature.Spec
	if err := json.Unmarshal(p.Spec, &spec); err != nil {
		return err
	}
	compiled, err := feature.NewParser(spec, nil)
	if err == nil {
		p.batch = compiled.NewBatch()
	}
	return err
}

// StartBundle implements the DoFn: it drops records that a failed bundle has left.
func (p *parser[F, T]) StartBundle(context.Context, func(T), func(tfrecordio.Failure)) error {
	p.batch.Reset()
	return nil
}

// FinishBundle implements the DoFn: the last records of a bundle do not wait for the next bundle.
func (p *parser[F, T]) FinishBundle(ctx context.Context, emit func(T), _ func(tfrecordio.Failure)) error {
	return p.flush(ctx, emit)
}

// flush processes the batch, if it has records, and empties it.
func (p *parser[F, T]) flush(ctx context.Context, emit func(T)) error {
	if p.batch.Len() == 0 {
		return nil
	}
	defer p.batch.Reset()
	return p.Fn.ProcessBatch(ctx, p.batch, emit)
}

// add parses a record. It calls misfit for a record that does not fit the spec.
func (p *parser[F, T]) add(ctx context.Context, rec []byte, emit func(T), misfit func(error) error) error {
	if err := p.batch.Append(rec); err != nil {
		return misfit(err)
	}
	if p.batch.Len() < p.Options.BatchSize {
		return nil
	}
	return p.flush(ctx, emit)
}

// recordsFn parses records.
type recordsFn[F BatchFn[T], T any] struct{ parser[F, T] }

// ProcessElement implements the DoFn.
func (p *recordsFn[F, T]) ProcessElement(ctx context.Context, rec []byte, emit func(T), skip func(tfrecordio.Failure)) error {
	return p.add(ctx, rec, emit, func(err error) error {
		if !p.Options.SkipMisfits {
			return fmt.Errorf("tfexample: %w", err)
		}
		counters.Skipped.Inc(ctx, 1)
		skip(tfrecordio.Failure{Record: -1, Offset: -1, End: -1, Records: 1, Class: misfitClass, Error: err.Error()})
		return nil
	})
}

// misfitClass is the class of intact records that do not fit the spec.
const misfitClass = "message"

// filesFn parses the records of files.
type filesFn[F BatchFn[T], T any] struct{ parser[F, T] }

// ProcessElement implements the DoFn.
func (p *filesFn[F, T]) ProcessElement(ctx context.Context, f tfrecordio.File, emit func(T), skip func(tfrecordio.Failure)) error {
	var damaged func(tfrecordio.Failure) error
	if p.Options.SkipMisfits {
		damaged = func(f tfrecordio.Failure) error { skip(f); return nil }
	}
	err := f.Each(ctx, &p.Options.Read, func(rec []byte, pos tfrecord.Position) error {
		return p.add(ctx, rec, emit, func(err error) error {
			if !p.Options.SkipMisfits {
				return fmt.Errorf("tfexample: %s: %w", pos, err)
			}
			counters.Skipped.Inc(ctx, 1)
			skip(tfrecordio.Failure{File: pos.Name, Record: pos.Record, Offset: pos.Offset, End: -1, Records: 1, Class: misfitClass, Error: fmt.Sprintf("%s: %v", pos, err)})
			return nil
		})
	}, damaged)
	if err != nil {
		return err
	}
	return p.flush(ctx, emit) // a batch has records of one file
}

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
// A batch ends where it is full, and where a bundle of the engine ends, so that no record waits for others. How many records are in a batch
// is for the engine to decide, up to Options.BatchSize: results must not depend on it.
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

// A BatchFn computes with batches. Its exported fields are its settings, which Beam carries to the workers as JSON. Register makes
// it known to Beam.
type BatchFn[T any] interface {
	// ProcessBatch is called with the columns of some records, at least one. The batch and its tensors are good until it returns;
	// what it emits must not share their memory, but for strings.
	ProcessBatch(ctx context.Context, b *feature.Batch, emit func(T)) error
}

// Options are the settings of [Parse] and [ParseFiles]. A nil *Options and every zero field mean the default.
type Options struct {
	BatchSize int // records in a batch at most; zero: 1024
	// SkipMisfits skips records that do not fit the spec, and ParseFiles also damage and files that are not there: the second PCollection has them.
	// Otherwise they fail the pipeline.
	SkipMisfits bool
	Read        tfrecordio.ReadOptions // of ParseFiles
}

const defaultBatchSize = 1024

// Register makes a BatchFn known to Beam. It is called by an init function of the program, for each BatchFn F that it uses; F emits T.
func Register[F BatchFn[T], T any]() {
	beam.RegisterType(reflect.TypeFor[F]())
	register.DoFn4x1[context.Context, []byte, func(T), func(tfrecordio.Failure), error](&recordsFn[F, T]{})
	register.DoFn4x1[context.Context, tfrecordio.File, func(T), func(tfrecordio.Failure), error](&filesFn[F, T]{})
	register.Emitter1[T]()
	register.Emitter1[tfrecordio.Failure]()
}

// Parse parses records, a PCollection<[]byte>, by a spec, and has fn compute with batches of them. The first result is a PCollection<T> of
// what fn emits. With Options.SkipMisfits the second one is a PCollection<tfrecordio.Failure> of the class "message": these records have no file and no
// position; ParseFiles knows them.
//
// It panics if there is no parser for the spec. What fn emits at the end of a bundle is in the global window.
func Parse[F BatchFn[T], T any](s beam.Scope, spec feature.Spec, fn F, records beam.PCollection, opts *Options) (out, failures beam.PCollection) {
	s = s.Scope("tfexample.Parse")
	return beam.ParDo2(s, &recordsFn[F, T]{newParser(spec, fn, opts)}, records)
}

// ParseFiles is Parse of the records of files, a PCollection<tfrecordio.File> as tfrecordio.Match returns it. Errors and failures have
// the file, the ordinal of the record and its offset. A batch has records of one file.
func ParseFiles[F BatchFn[T], T any](s beam.Scope, spec feature.Spec, fn F, files beam.PCollection, opts *Options) (out, failures beam.PCollection) {
	s = s.Scope("tfexample.ParseFiles")
	return beam.ParDo2(s, &filesFn[F, T]{newParser(spec, fn, opts)}, files)
}

// parser is what the two DoFns share.
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

// StartBundle implements the DoFn: a bundle that failed may have left records.
func (p *parser[F, T]) StartBundle(context.Context, func(T), func(tfrecordio.Failure)) error {
	p.batch.Reset()
	return nil
}

// FinishBundle implements the DoFn: records do not wait for another bundle.
func (p *parser[F, T]) FinishBundle(ctx context.Context, emit func(T), _ func(tfrecordio.Failure)) error {
	return p.flush(ctx, emit)
}

// flush has the batch processed, if there are records.
func (p *parser[F, T]) flush(ctx context.Context, emit func(T)) error {
	if p.batch.Len() == 0 {
		return nil
	}
	defer p.batch.Reset()
	return p.Fn.ProcessBatch(ctx, p.batch, emit)
}

// add parses a record. misfit is called for one that does not fit.
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

// misfitClass is the class of records that are intact and do not fit.
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

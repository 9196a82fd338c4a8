// Package gather does the work of package engine on files in pipelines: each file on one worker, and one worker merges the results in
// the order of the files.
package gather

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/tfparse/tfparse/beam/internal/counters"
	"github.com/tfparse/tfparse/beam/tfrecordio"
	"github.com/tfparse/tfparse/cmd/tfparse/engine"
	"github.com/tfparse/tfparse/internal/extsort"
)

func init() {
	register.DoFn3x1[context.Context, tfrecordio.File, func([]byte), error](&fileFn{})
	register.DoFn4x1[context.Context, int, func(*[]byte) bool, func([]byte), error](&mergeFn{})
	register.Emitter1[[]byte]()
	register.Iter1[[]byte]()
}

// Files does the work on each file of a PCollection<tfrecordio.File> and returns its results, as a PCollection<[]byte> of the
// ordinal and the name of the file and the bytes form of an [engine.Result]. See [Split].
func Files(s beam.Scope, files beam.PCollection, w *engine.Work) beam.PCollection {
	config, err := w.MarshalBinary()
	if err != nil {
		panic(err) // JSON of strings and numbers
	}
	return beam.ParDo(s, &fileFn{Work: config}, files)
}

// Merge merges results of [Files] in the order of the ordinals of the files. It returns one, as a PCollection<[]byte> with
// the bytes form of an [engine.Result], also where there are no files. They all go through one worker: an accumulator for
// each file, never records. Temporary files hold what does not fit into memory.
func Merge(s beam.Scope, results beam.PCollection, w *engine.Work) beam.PCollection {
	none, err := w.NewResult().MarshalBinary()
	if err != nil {
		panic(err) // as above
	}
	// A group of nothing would be no group: the result of no files is always there.
	all := beam.Flatten(s, results, beam.Create(s, join(-1, "", none)))
	return beam.ParDo(s, &mergeFn{}, beam.GroupByKey(s, beam.AddFixedKey(s, all)))
}

// join frames the result of a file. What is joined sorts as files do: by ordinal, and by name where two
// files have one ordinal, because they are of two lists.
func join(ordinal int64, name string, result []byte) []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(ordinal+1))
	b = binary.AppendUvarint(b, uint64(len(name)))
	return append(append(b, name...), result...)
}

// Split takes an element of [Files] apart. key sorts as the files do.
func Split(b []byte) (key, result []byte, err error) {
	const ordinal = 8
	if len(b) >= ordinal {
		if n, size := binary.Uvarint(b[ordinal:]); size > 0 && n <= uint64(len(b)-ordinal-size) {
			name := b[ordinal+size:][:n]
			return append(append([]byte{}, b[:ordinal]...), name...), b[ordinal+size+int(n):], nil
		}
	}
	return nil, nil, errors.New("gather: not a result of a file")
}

// fileFn does the work on a file.
type fileFn struct {
	Work []byte

	worker *engine.Worker
}

// Setup implements the DoFn.
func (fn *fileFn) Setup() error {
	var w engine.Work
	err := w.UnmarshalBinary(fn.Work)
	if err == nil {
		fn.worker, err = engine.NewWorker(&w)
	}
	return err
}

// ProcessElement implements the DoFn.
func (fn *fileFn) ProcessElement(ctx context.Context, f tfrecordio.File, emit func([]byte)) error {
	r, err := fn.worker.Do(ctx, engine.File{Name: f.Name, Err: f.Missing, Missing: f.Missing != ""}, func(ctx context.Context, _ string) (io.ReadCloser, error) { return f.Open(ctx) })
	if err != nil {
		return err
	}
	counters.Records.Inc(ctx, r.Records)
	counters.Bytes.Inc(ctx, r.Bytes)
	counters.Skipped.Inc(ctx, r.Skipped())
	if r.Findings != nil {
		counters.Findings.Inc(ctx, int64(r.Findings.All().Findings))
	}
	b, err := r.MarshalBinary()
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	emit(join(f.Ordinal, f.Name, b))
	return nil
}

// mergeFn merges the results of all files.
type mergeFn struct{}

// sortMemory is how many bytes of results are sorted in memory; temporary files hold more.
const sortMemory = 64 << 20

// ProcessElement implements the DoFn.
func (*mergeFn) ProcessElement(ctx context.Context, _ int, results func(*[]byte) bool, emit func([]byte)) error {
	// Merging in another order would change the last digits of sums, and which values a sketch keeps.
	sorter := extsort.New(ctx, sortMemory, "")
	defer sorter.Close()
	var b []byte
	for results(&b) {
		key, result, err := Split(b)
		if err == nil {
			err = sorter.Add(key, result)
		}
		if err != nil {
			return err
		}
	}
	var all *engine.Result
	err := sorter.Each(func(_, b []byte) error {
		r := &engine.Result{}
		if err := r.UnmarshalBinary(b); err != nil {
			return err
		}
		if all == nil {
			all = r // of no files
			return nil
		}
		all.Merge(r)
		return nil
	})
	if err != nil {
		return err
	}
	if b, err = all.MarshalBinary(); err != nil {
		return err
	}
	emit(b)
	return nil
}

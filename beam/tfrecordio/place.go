package tfrecordio

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/tfparse/tfparse/tfrecord"
)

func init() {
	beam.RegisterType(reflect.TypeFor[placed]())
	register.DoFn3x1[context.Context, File, func(placed), error](&countFn{})
	register.DoFn4x0[int, func(*placed) bool, func(placed), func(int64)](&placeFn{})
	register.DoFn4x1[context.Context, placed, func(int, []byte), func(Failure), error](&orderedFn{})
	register.Emitter1[placed]()
	register.Emitter1[int64]()
	register.Iter1[placed]()
}

// placed is a file with the position of its intact records among the records of all files, in the order of the files.
type placed struct {
	File    File
	First   int64 // index of its first record among all records
	Records int64 // number of its intact records
}

// place counts the records of files. It returns the files as a PCollection<placed>, distributed over the workers, and the
// number of all records as a PCollection<int64>.
func place(s beam.Scope, files beam.PCollection, o OrderedOptions) (placedFiles, total beam.PCollection) {
	counted := beam.ParDo(s, &countFn{Options: o}, files)
	placedFiles, total = beam.ParDo2(s, &placeFn{}, beam.GroupByKey(s, beam.AddFixedKey(s, counted)))
	return beam.Reshuffle(s, placedFiles), total
}

// countFn counts the intact records of a file.
type countFn struct{ Options OrderedOptions }

// ProcessElement implements the DoFn. It does not change counters or emit failures: placed.read does, which reads the file again.
func (fn *countFn) ProcessElement(ctx context.Context, f File, emit func(placed)) error {
	p := placed{File: f}
	err := f.walk(ctx, &fn.Options.Read, func([]byte, tfrecord.Position) error {
		p.Records++
		return nil
	}, fn.Options.skipping(func(Failure) {}))
	if err == nil {
		emit(p)
	}
	return err
}

// placeFn sums up the numbers of records, in the order of the files.
type placeFn struct{}

// ProcessElement implements the DoFn.
func (fn *placeFn) ProcessElement(_ int, counted func(*placed) bool, emit func(placed), total func(int64)) {
	var all []placed
	var p placed
	for counted(&p) {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b placed) int { return cmp.Compare(a.File.Ordinal, b.File.Ordinal) })
	n := int64(0)
	for _, p := range all {
		p.First = n
		n += p.Records
		emit(p)
	}
	total(n)
}

// read calls record for every record of the file, with its index among the records of all files.
func (p placed) read(ctx context.Context, o *OrderedOptions, record func(place int64, rec []byte) error, skip func(Failure)) error {
	n := int64(0)
	err := p.File.Each(ctx, &o.Read, func(rec []byte, _ tfrecord.Position) error {
		n++
		return record(p.First+n-1, rec)
	}, o.skipping(skip))
	if err == nil && n != p.Records {
		err = fmt.Errorf("tfrecordio: %s: the file changed: got %d records, want %d", p.File.Name, n, p.Records)
	}
	return err
}

package tfstats

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/tfparse/tfparse/beam/internal/counters"
	"github.com/tfparse/tfparse/beam/tfrecordio"
	"github.com/tfparse/tfparse/internal/extsort"
	"github.com/tfparse/tfparse/validate/record"
	"github.com/tfparse/tfparse/validate/stats"
)

func init() {
	register.DoFn4x1[context.Context, tfrecordio.File, func([]byte), func(tfrecordio.Failure), error](&fileFn{})
	register.DoFn4x1[context.Context, int, func(*[]byte) bool, func([]byte), error](&mergeFn{})
	register.Function1x2(statisticsOf)
	register.Emitter1[[]byte]()
	register.Iter1[[]byte]()
}

// readFiles reads the files of a PCollection<tfrecordio.File>, each on one worker. One worker merges the results in the order of the files
// into a PCollection<[]byte> of one encoded fileResult, even if there are no files. It also returns the failures of all files.
func readFiles(s beam.Scope, files beam.PCollection, w fileWork) (merged, failures beam.PCollection) {
	results, failures := beam.ParDo2(s, &fileFn{Work: w}, files)
	// Without elements there would be no group, so an empty result is always added.
	all := beam.Flatten(s, results, beam.Create(s, frame(-1, "", nil)))
	return beam.ParDo(s, &mergeFn{Work: w}, beam.GroupByKey(s, beam.AddFixedKey(s, all))), failures
}

// A fileResult is the result for one file, or for several files together.
type fileResult struct {
	statistics *stats.Accumulator
	findings   *record.Summary // findings about records; nil: records are not checked
}

// encode returns r as bytes: the length of the findings, the findings, the statistics.
func (r *fileResult) encode() (b []byte, err error) {
	var findings []byte
	if r.findings != nil {
		if findings, err = r.findings.MarshalBinary(); err != nil {
			return nil, err
		}
	}
	b = append(binary.AppendUvarint(nil, uint64(len(findings))), findings...)
	return r.statistics.AppendBinary(b)
}

var errResult = errors.New("tfstats: not the result of a file")

// decodeResult decodes the output of encode.
func decodeResult(b []byte) (*fileResult, error) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, errResult
	}
	r := &fileResult{statistics: &stats.Accumulator{}}
	if findings := b[size:][:n]; n > 0 {
		r.findings = &record.Summary{}
		if err := r.findings.UnmarshalBinary(findings); err != nil {
			return nil, err
		}
	}
	return r, r.statistics.UnmarshalBinary(b[size+int(n):])
}

// frame puts the position of a file before its result. Framed results sort like files: by ordinal, and by name if two files have
// the same ordinal, because they are from two lists.
func frame(ordinal int64, name string, result []byte) []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(ordinal+1))
	b = binary.AppendUvarint(b, uint64(len(name)))
	return append(append(b, name...), result...)
}

// unframe splits the output of frame. key sorts like the files.
func unframe(b []byte) (key, result []byte, err error) {
	const ordinal = 8
	if len(b) >= ordinal {
		if n, size := binary.Uvarint(b[ordinal:]); size > 0 && n <= uint64(len(b)-ordinal-size) {
			name := b[ordinal+size:][:n]
			return append(append([]byte{}, b[:ordinal]...), name...), b[ordinal+size+int(n):], nil
		}
	}
	return nil, nil, errResult
}

// fileFn reads a file. It emits the result, unless the type of the records is unknown.
type fileFn struct {
	Work fileWork

	options *stats.Accumulator // accumulator without records, for its options
}

// Setup implements the DoFn.
func (fn *fileFn) Setup() (err error) {
	fn.options, err = decodeAccumulator(fn.Work.Statistics)
	return err
}

// ProcessElement implements the DoFn.
func (fn *fileFn) ProcessElement(ctx context.Context, f tfrecordio.File, emit func([]byte), failed func(tfrecordio.Failure)) error {
	r := fileReader{work: &fn.Work, options: fn.options, failed: failed}
	if err := r.readFile(ctx, f); err != nil || r.result.statistics == nil {
		return err
	}
	if r.result.findings != nil {
		counters.Findings.Inc(ctx, int64(r.result.findings.All().Findings))
	}
	b, err := r.result.encode()
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	emit(frame(f.Ordinal, f.Name, b))
	return nil
}

// mergeFn merges the results of all files.
type mergeFn struct{ Work fileWork }

// sortMemory is the maximum size of the results that are sorted in memory, in bytes; more results go to temporary files.
const sortMemory = 64 << 20

// ProcessElement implements the DoFn.
func (fn *mergeFn) ProcessElement(ctx context.Context, _ int, results func(*[]byte) bool, emit func([]byte)) error {
	// Merging in another order would change the last digits of sums, and the values in a sketch.
	sorter := extsort.New(ctx, sortMemory, "")
	defer sorter.Close()
	var b []byte
	for results(&b) {
		key, result, err := unframe(b)
		if err == nil {
			err = sorter.Add(key, result)
		}
		if err != nil {
			return err
		}
	}
	all := fileResult{findings: fn.Work.newFindings()}
	err := sorter.Each(func(_, b []byte) error {
		if len(b) == 0 {
			return nil
		}
		r, err := decodeResult(b)
		if err != nil {
			return err
		}
		return all.merge(r)
	})
	if err == nil && all.statistics == nil {
		all.statistics, err = decodeAccumulator(fn.Work.Statistics)
	}
	if err == nil {
		b, err = all.encode()
	}
	if err == nil {
		emit(b)
	}
	return err
}

// merge adds o, the result of the file after the files of r. o must not be used again.
func (r *fileResult) merge(o *fileResult) error {
	if r.findings != nil {
		r.findings.Merge(o.findings)
	}
	if r.statistics == nil {
		r.statistics = o.statistics.Fresh()
	}
	if a, b := r.statistics.Options().Message, o.statistics.Options().Message; a != b {
		return fmt.Errorf("tfstats: want files of one record type, got %s and %s", a, b)
	}
	return r.statistics.Merge(o.statistics)
}

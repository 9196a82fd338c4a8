// Package tfstats makes statistics of TFRecord files in pipelines of Apache Beam, and validates them against a schema: what
// tfparse stats and tfparse validate print, for data that one machine would take too long to read.
//
//	files := tfrecordio.Match(s, nil, "gs://bucket/train-*")
//	statistics, failures := tfstats.FromFiles(s, files, nil)
//
// The unit of work is a file. Each file gives one accumulator ([stats.Accumulator]), some kilobytes, and only accumulators go
// over the network: they are merged in the order of the files, on one worker, so that the result is the same to the byte
// however many workers there are, and that of the command for the same files and options.
package tfstats

import (
	"context"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/tfparse/tfparse/beam/internal/gather"
	"github.com/tfparse/tfparse/beam/tfrecordio"
	"github.com/tfparse/tfparse/cmd/tfparse/engine"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

func init() {
	beam.RegisterCoder(reflect.TypeFor[*stats.Accumulator](), encodeAccumulator, decodeAccumulator)
	register.DoFn4x1[context.Context, []byte, func(*stats.Accumulator), func(tfrecordio.Failure), error](&resultFn{})
	register.Emitter1[*stats.Accumulator]()
}

func encodeAccumulator(a *stats.Accumulator) ([]byte, error) { return a.MarshalBinary() }

func decodeAccumulator(b []byte) (*stats.Accumulator, error) {
	a := &stats.Accumulator{}
	return a, a.UnmarshalBinary(b)
}

// Options are the settings of [FromFiles] and [Validate]. A nil *Options and every zero field mean the default.
type Options struct {
	// Statistics says what is computed. Its Message has no effect, see Type.
	Statistics *stats.Options

	Type          example.MessageType  // of the records; zero: find out, for each file
	Compression   tfrecord.Compression // zero: find out from the first bytes, for each file
	MaxRecordSize int64                // limit on a record; zero: tfrecord.MaxRecordSize

	// MaxFailures is how many failures are kept of damaged ranges, and of records that do not fit: of each file, and in all.
	// One Failure counts the others. Zero: 1000
	MaxFailures int
}

// work returns the work on a file, and panics if the options contradict themselves, as Beam's own transforms do.
func (o *Options) work(s *stats.Options) *engine.Work {
	w, err := engine.NewWork(s)
	if err != nil {
		panic(fmt.Sprintf("tfstats: %v", err))
	}
	w.Type, w.Compression, w.MaxRecordSize, w.Messages = o.Type, o.Compression, o.MaxRecordSize, o.MaxFailures
	if w.Messages == 0 {
		w.Messages = 1000
	}
	return w
}

func optionsOf(opts *Options) *Options {
	if opts == nil {
		return &Options{}
	}
	return opts
}

// FromFiles makes statistics of the records of files, a PCollection<tfrecordio.File> as [tfrecordio.Match] returns it. The
// first result is a PCollection<*stats.Accumulator> of one element, also where there are no files; its coder is that of its
// bytes form. The second is a PCollection<tfrecordio.Failure>: ranges that are damaged, files that are not there, and records that
// the statistics do not take, which have the class "message" and the End -1.
//
// It panics if the options contradict themselves. The pipeline fails where records of different files are of different types.
func FromFiles(s beam.Scope, files beam.PCollection, opts *Options) (statistics, failures beam.PCollection) {
	s = s.Scope("tfstats.FromFiles")
	o := optionsOf(opts)
	w := o.work(o.Statistics)
	result := gather.Merge(s, gather.Files(s, files, w), w)
	return beam.ParDo2(s, &resultFn{None: w.Statistics}, result)
}

// resultFn takes the result of all files apart.
type resultFn struct {
	None []byte // accumulator without records
}

// ProcessElement implements the DoFn.
func (fn *resultFn) ProcessElement(_ context.Context, b []byte, statistics func(*stats.Accumulator), failed func(tfrecordio.Failure)) error {
	var r engine.Result
	if err := r.UnmarshalBinary(b); err != nil {
		return err
	}
	if err := r.Err(); err != nil {
		return err
	}
	for _, f := range r.Failures() {
		failed(tfrecordio.Failure(f))
	}
	if r.Statistics == nil {
		none, err := decodeAccumulator(fn.None)
		if err != nil {
			return err
		}
		r.Statistics = none
	}
	statistics(r.Statistics)
	return nil
}

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
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/tfparse/tfparse/beam/tfrecordio"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/tfrecord"
	"github.com/tfparse/tfparse/validate/stats"
)

func init() {
	beam.RegisterCoder(reflect.TypeFor[*stats.Accumulator](), encodeAccumulator, decodeAccumulator)
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
}

// work returns what is done with each file, and panics if the options contradict themselves, as Beam's own transforms do.
func (o *Options) work(s *stats.Options) fileWork {
	w := fileWork{Type: o.Type, Read: tfrecordio.ReadOptions{Compression: o.Compression, MaxRecordSize: o.MaxRecordSize}}
	acc, err := stats.New(s)
	if err == nil {
		w.Statistics, err = acc.MarshalBinary()
	}
	if err != nil {
		panic(fmt.Sprintf("tfstats: %v", err))
	}
	return w
}

// FromFiles makes statistics of the records of files, a PCollection<tfrecordio.File> as [tfrecordio.Match] returns it. The
// first result is a PCollection<*stats.Accumulator> of one element, also where there are no files; its coder is that of its
// bytes form. The second is a PCollection<tfrecordio.Failure>: ranges that are damaged, files that are not there, and records that
// the statistics do not take, which have the class "message" and the End -1.
//
// It panics if the options contradict themselves. The pipeline fails where records of different files are of different types.
func FromFiles(s beam.Scope, files beam.PCollection, opts *Options) (statistics, failures beam.PCollection) {
	s = s.Scope("tfstats.FromFiles")
	o := Options{}
	if opts != nil {
		o = *opts
	}
	merged, failures := readFiles(s, files, o.work(o.Statistics))
	return beam.ParDo(s, statisticsOf, merged), failures
}

// statisticsOf returns the statistics of a fileResult.
func statisticsOf(b []byte) (*stats.Accumulator, error) {
	r, err := decodeResult(b)
	if err != nil {
		return nil, err
	}
	return r.statistics, nil
}

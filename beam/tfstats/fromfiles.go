// Package tfstats computes statistics of TFRecord files in pipelines of Apache Beam, and validates the files against a schema,
// like tfparse stats and tfparse validate, for data that one machine would take too long to read.
//
//	files := tfrecordio.Match(s, nil, "gs://bucket/train-*")
//	statistics, failures := tfstats.FromFiles(s, files, nil)
//
// The unit of work is a file. Each file gives one accumulator ([stats.Accumulator]) of some kilobytes, and only accumulators go
// over the network. One worker merges them in the order of the files. So the result is the same byte for byte for any number of
// workers, and equal to the result of the command for the same files and options.
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
	// Statistics are the options of the statistics. Their Message has no effect: see Type.
	Statistics *stats.Options

	Type          example.MessageType  // type of the records; zero: detect it for each file
	Compression   tfrecord.Compression // compression of the files; zero: detect it for each file, from the first bytes
	MaxRecordSize int64                // maximum size of a record, in bytes; zero: tfrecord.MaxRecordSize
}

// work returns the settings for the work on each file. It panics if the options are invalid, as Beam's own transforms do.
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

// FromFiles computes statistics of the records of files, a PCollection<tfrecordio.File> such as that of [tfrecordio.Match]. The
// first result is a PCollection<*stats.Accumulator> of one element, even if there are no files; its coder uses MarshalBinary. The
// second result is a PCollection<tfrecordio.Failure>: damaged ranges, missing files, and records that the statistics reject, which
// have the class "message" and the End -1.
//
// FromFiles panics if the options are invalid. The pipeline fails if files have records of different types.
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

package tfrecordio

import (
	"errors"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/tfparse/tfparse/tfrecord"
)

func init() {
	beam.RegisterType(reflect.TypeFor[Failure]())
	register.Emitter1[Failure]()
}

// A Failure is a part of a file that could not be read, or a file that is not there: a dead letter. It is an element of
// a PCollection. The ranges are those that tfparse recover and tfparse verify report.
type Failure struct {
	File    string
	Record  int64  // ordinal of the record at Offset; -1 for all of a file that is not there
	Offset  int64  // of the first byte that is skipped, in the uncompressed stream; -1 for all of a file that is not there
	End     int64  // behind the last byte that is skipped; -1 where the rest of the file is
	Records int64  // that were skipped; -1 where this is unknown
	Class   string // as "payload_crc", the text of a [tfrecord.Class]; empty for a file that is not there
	Error   string // one line, with the file, the record and the offset
}

// failureOf returns the Failure of a skipped range.
func failureOf(pos tfrecord.Position, r *tfrecord.SkippedRange) Failure {
	return Failure{File: pos.Name, Record: pos.Record, Offset: r.Begin, End: r.End, Records: r.Records, Class: r.Err.Class.String(), Error: r.Err.Error()}
}

// missing returns the Failure of a file that is not there.
func missing(name, why string) Failure {
	return Failure{File: name, Record: -1, Offset: -1, End: -1, Records: -1, Error: named(name, errors.New(why)).Error()}
}

package tfrecordio

import (
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
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

package tfrecordio

import (
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Metrics is the namespace of the counters of this module. Counters count what attempts do that
// an engine repeats, unless it has a way to tell them apart.
//
//	records  records that were read
//	bytes    their bytes, without framing and compression
//	skipped  ranges and files that were skipped
//	written  records that were written
const Metrics = "tfparse"

var (
	recordsRead    = beam.NewCounter(Metrics, "records")
	bytesRead      = beam.NewCounter(Metrics, "bytes")
	rangesSkipped  = beam.NewCounter(Metrics, "skipped")
	recordsWritten = beam.NewCounter(Metrics, "written")
)

// A tally adds to the counters of reading once for many records: to find a counter takes as long as to read a short record.
type tally struct{ records, bytes int64 }

func (t *tally) record(ctx context.Context, size int) {
	t.records++
	t.bytes += int64(size)
	if t.records == 1024 {
		t.flush(ctx)
	}
}

func (t *tally) flush(ctx context.Context) {
	recordsRead.Inc(ctx, t.records)
	bytesRead.Inc(ctx, t.bytes)
	*t = tally{}
}

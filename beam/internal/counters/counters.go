// Package counters has the counters of this module, which transforms of several packages increment. tfrecordio.Metrics describes the counters.
package counters

import (
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Namespace is the namespace of all counters.
const Namespace = "tfparse"

// The counters; see tfrecordio.Metrics.
var (
	Records  = beam.NewCounter(Namespace, "records")
	Bytes    = beam.NewCounter(Namespace, "bytes")
	Skipped  = beam.NewCounter(Namespace, "skipped")
	Findings = beam.NewCounter(Namespace, "findings")
	Written  = beam.NewCounter(Namespace, "written")
)

// A Tally adds to Records and Bytes once for many records: finding a counter takes as long as reading a short record.
type Tally struct{ records, bytes int64 }

// Record counts a record.
func (t *Tally) Record(ctx context.Context, size int) {
	t.records++
	t.bytes += int64(size)
	if t.records == 1024 {
		t.Flush(ctx)
	}
}

// Flush adds the tally to the counters.
func (t *Tally) Flush(ctx context.Context) {
	Records.Inc(ctx, t.records)
	Bytes.Inc(ctx, t.bytes)
	*t = Tally{}
}

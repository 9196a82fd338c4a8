package tfrecordio

import "github.com/tfparse/tfparse/beam/internal/counters"

// Metrics is the namespace of the counters of this module. Each pass over a file that returns records or results counts once; the pass in
// which [Convert] and [Shuffle] count records does not. Attempts that an engine repeats are counted again, unless it reports
// what was committed.
//
//	records   records that were read
//	bytes     their bytes, without framing and compression
//	skipped   ranges, records and files that were skipped
//	findings  findings about records, of tfstats.Validate
//	written   records that were written
const Metrics = counters.Namespace

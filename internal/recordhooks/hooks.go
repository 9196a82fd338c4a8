// Package recordhooks gives internal/feed and view access to parts of package tfrecord that are not in its API: the memory
// that a Reader reads into, the decoders that an Indexed keeps, and an index while it is built. Package tfrecord sets the
// functions when it is initialized.
package recordhooks

import "io"

// Memory returns a buffer of at least n bytes, which nothing else uses. A Reader with a Memory leaves its records
// where it has read them: when the buffer is full it requests another buffer, copies the beginning of an incomplete
// record into it, and never uses the old buffer again. The owner of the memory decides when the old buffer is
// reused. A Reader requests at most twice the bytes of a record that it has read. An error ends the stream.
type Memory func(n int) ([]byte, error)

var (
	// SetMemory makes a *tfrecord.Reader that has read nothing yet read into buffers of a Memory.
	SetMemory func(reader any, memory Memory)
	// HasNext reports whether Next of a *tfrecord.Reader would return something other than io.EOF. It may read from
	// the file, and the last record is invalid afterwards.
	HasNext func(reader any) bool
	// GrowIndex is tfrecord.BuildIndex with an *IndexOptions and an *Index as result, which is never nil: with an error
	// it has the records before it. grow is called again and again; snapshot returns an *Index of the records so far.
	GrowIndex func(r io.ReaderAt, size int64, opts any, grow func(snapshot func() any)) (any, error)
	// FreeDecoders drops the decoders that a *tfrecord.Indexed keeps so that records in order are decoded once: at most
	// GOMAXPROCS, of about 100 KiB each for gzip.
	FreeDecoders func(indexed any)
)

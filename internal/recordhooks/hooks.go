// Package recordhooks gives internal/feed access to parts of package tfrecord that are not in its API: the memory that a
// Reader reads into, and the decoders that an Indexed keeps. Package tfrecord sets the functions when it is initialized.
package recordhooks

// Memory returns a buffer of at least n bytes, which nothing else uses. A Reader with a Memory leaves its records where it
// has read them: when the buffer is full it asks for another one, copies the beginning of an incomplete record into it, and
// never touches the old one again. The owner of the memory decides when that is used again. A Reader asks for no more than
// twice what has arrived of a record. An error ends the stream.
type Memory func(n int) ([]byte, error)

var (
	// SetMemory makes a *tfrecord.Reader that has read nothing yet read into buffers of a Memory.
	SetMemory func(reader any, memory Memory)
	// HasNext reports whether Next of a *tfrecord.Reader would return something other than io.EOF. It reads until that is
	// known, and ends the loan of the last record.
	HasNext func(reader any) bool
	// FreeDecoders drops the decoders that a *tfrecord.Indexed keeps so that records in order are decoded once: at most
	// GOMAXPROCS, of about 100 KiB each for gzip.
	FreeDecoders func(indexed any)
)

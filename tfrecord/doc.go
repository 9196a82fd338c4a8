// Package tfrecord reads and writes the TFRecord container: byte strings, one
// after another, each with two checksums, in a stream that may be compressed.
// The payloads are any bytes; package example decodes those of TensorFlow.
//
// # Format
//
// A stream is zero or more records back to back, and nothing else:
//
//	offset  size  field
//	0       8     length n, uint64 little endian
//	8       4     masked CRC-32C of the 8 bytes before it, uint32 little endian
//	12      n     payload
//	12+n    4     masked CRC-32C of the payload, uint32 little endian
//
// The mask rotates a CRC right by 15 bits and adds 0xa282ead8. [AppendRecord] and
// [ConsumeRecord] work on that alone and keep no state.
//
// A codec compresses the whole stream; its blocks are independent of the
// records. Offsets are always those of the uncompressed stream.
//
//	None    as above
//	GZIP    RFC 1952: any number of members, any header, zero padding at the end
//	ZLIB    RFC 1950: any number of streams, zero padding at the end
//	SNAPPY  TensorFlow's own: blocks of a uint32 big endian size and that many
//	        bytes of raw snappy; not the snappy framing format, not Hadoop's
//	ZSTD    frames with windows of up to 8 MiB; TensorFlow does not read it
//
// A [Reader] detects the codec unless its options name one: by the checksum of
// the first length, then by magic numbers and the bytes that they decode to. It ignores
// file names. If a stream is not of the named codec, the error names the format
// that [Identify] recognizes.
//
// # Writing
//
// A [Writer] makes streams that TensorFlow reads: one gzip member, one zlib
// stream, snappy blocks of at most 262,144 bytes. Equal records give equal
// bytes. [Create] makes a file that appears under its name only when it is
// complete and synced.
//
// # Random access
//
// [OpenIndexed] returns records by their ordinals. It needs an [io.ReaderAt] and an [Index] with the offset of
// every record. [BuildIndex] makes an index by reading the data once; the index can be stored in a file beside the
// data. The index of compressed data has checkpoints, where decoding can begin. The checksums of records are always
// compared, so neither an index nor a checkpoint needs to be trusted.
//
// # Errors
//
// [io.EOF] means that the stream ended between two records. Everything else is
// an [*Error] with the ordinal of the record, the offset of its header and a
// [Class]. A truncated stream is always detected, also inside a record header, a
// gzip trailer or a snappy block size, where TensorFlow sees a clean end. A Reader
// can continue after one kind of fault, a bad payload checksum; [Reader.Recover]
// continues after any damage.
//
// # Memory
//
// A record that [Reader.Next] returns is lent until the next call. Race builds
// overwrite it then.
//
// No allocation is sized by a number from the input alone. Buffers grow as bytes
// arrive, to at most about twice their size; a snappy block is bounded by what
// its bytes can encode, the window of a zstd frame by 8 MiB. A payload is
// bounded by ReaderOptions.MaxRecordSize, by default 2 GiB - 1. Reading and
// writing allocate nothing per record.
//
// # Differences from TensorFlow
//
//	the stream ends inside a record header                an error; TensorFlow: the end
//	a gzip or zlib stream is cut, or its trailer is       an error; TensorFlow: the end, or an error only if a record is cut
//	a gzip or zlib checksum is wrong                      the records before it are returned; TensorFlow drops up to 256 KiB
//	gzip: an empty member, a member at a buffer's edge    reading continues; TensorFlow: the end
//	gzip: zero padding of two bytes and more              ignored; TensorFlow: an error
//	zlib: a second stream                                 read; TensorFlow ignores it
//	zlib: other bytes after the stream                    an error; TensorFlow ignores them
//	snappy: a block above 262,144 bytes                   read; TensorFlow: an error
//	snappy: one to three bytes after the last block       an error; TensorFlow: the end
//	a length above the limit                              an error; TensorFlow allocates it
//	a skipped record with a damaged payload               skipped, as in TensorFlow
//
// # Limits
//
// Without an [Index], a zstd frame and a gzip, zlib or snappy stream can be decoded
// from the beginning only. Lengths above 2^63-17 are errors. The package cannot
// follow a file that grows: for a Reader the end of a stream is final.
package tfrecord

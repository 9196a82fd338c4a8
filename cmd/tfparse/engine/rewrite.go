package engine

import "github.com/tfparse/tfparse/tfrecord"

// A Rewriting says how the records of files are written to others. Their numbers are known, because all files have been
// read by a [Counting] with Verify: what that has skipped is skipped again, in silence, and anything else that is damaged is an error.
type Rewriting struct {
	Output      string // a file, or a set of shards, as "out@16"
	Compression tfrecord.Compression
	Level       int

	KeepShards bool   // each file becomes the shard with its ordinal; else records go to the shards in turn
	Shuffle    bool   // in a random order
	Seed       uint64 // of the order
	Memory     int64  // bytes of records that are sorted at once by each worker; zero: the engine's default

	Input         tfrecord.Compression // zero: find out, for each file
	MaxRecordSize int64                // zero: that of tfrecord.ReaderOptions
	SkipChecksums bool
	Stop          bool // nothing was damaged
}

package tfrecordio

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/tfparse/tfparse/internal/extsort"
	"github.com/tfparse/tfparse/internal/filelist"
	"github.com/tfparse/tfparse/internal/storage"
	"github.com/tfparse/tfparse/tfrecord"
)

func init() {
	beam.RegisterType(reflect.TypeFor[Shard]())
	register.DoFn2x0[[]byte, func(int, []byte)](&hashFn{})
	register.DoFn2x0[[]byte, func(int, int)](&shardIDsFn{})
	register.DoFn5x1[context.Context, int, func(*int) bool, func(*[]byte) bool, func(written), error](&writeFn{})
	register.Emitter2[int, []byte]()
	register.Emitter2[int, int]()
}

// WriteOptions are the settings for writing files, as in [Write]. A nil *WriteOptions and every zero field mean the default.
type WriteOptions struct {
	Compression tfrecord.Compression // compression of the files; zero: none
	Level       int                  // compression level: GZIP and ZLIB 1 to 9, ZSTD 1 to 22; zero: the codec's default
	// Memory is the approximate size of the records that a worker sorts in memory, in bytes; more records are sorted with
	// temporary files of the system. Zero means 64 MiB.
	Memory int64
	// Seed makes Write use the SHA-256 of the seed, as eight bytes in big-endian order, and the record: each Seed gives another random
	// order and distribution over the shards. Zero means the SHA-256 of the record alone.
	Seed uint64
}

const defaultMemory = 64 << 20

// writeOptionsOf returns the settings with defaults. It panics if the compression or the level is invalid.
func writeOptionsOf(opts *WriteOptions) WriteOptions {
	var o WriteOptions
	if opts != nil {
		o = *opts
	}
	if o.Memory <= 0 {
		o.Memory = defaultMemory
	}
	// A Writer reports invalid options at its first use.
	if err := tfrecord.NewWriter(discard{}, o.writer()).Close(); err != nil {
		panic(err)
	}
	return o
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func (o *WriteOptions) writer() *tfrecord.WriterOptions {
	return &tfrecord.WriterOptions{Compression: o.Compression, Level: o.Level}
}

// A Shard is a written file. It is an element of a PCollection.
type Shard struct {
	Name    string
	Records int64
	Bytes   int64 // bytes of the records, without framing and compression
}

// Write writes the records of a PCollection<[]byte> to the files of a set, such as "out@16" or "gs://bucket/out@16.gz". It returns a
// PCollection<[Shard]> once all files have been renamed. "out@16" is out-00000-of-00016 to out-00015-of-00016.
//
// The bytes of a shard depend only on the records and the options, not on bundles, workers or attempts: a record goes to shard
// [dataset.KeyHash](record) modulo the number of shards, and a shard is sorted by SHA-256, so equal records are neighbours. A Seed
// changes both: see WriteOptions. There is a file for every shard, even without records.
//
// Shards are written under hidden names in the same directory, and renamed when all shards are written; hidden files of failed
// attempts are removed then. Only one pipeline at a time may write a set. Objects of gs:// and s3:// have no hidden names: each
// object appears when it is complete, and another attempt replaces it with the same bytes.
//
// [dataset.KeyHash]: https://pkg.go.dev/github.com/tfparse/tfparse/dataset#KeyHash
func Write(s beam.Scope, set string, records beam.PCollection, opts *WriteOptions) beam.PCollection {
	s = s.Scope("tfrecordio.Write")
	names := shardNames(set)
	o := writeOptionsOf(opts)
	return writeSorted(s, set, o, hashKey, beam.ParDo(s, &hashFn{Shards: len(names), Seed: o.Seed}, records))
}

// shardNames returns the names of the files of a set. It panics, as Beam's own transforms do, if the set cannot be written.
func shardNames(set string) []string {
	validate([]string{set})
	names, err := filelist.ShardNames(set)
	if err == nil && set == filelist.Stdin {
		err = fmt.Errorf("standard output (-) cannot be written by workers")
	}
	if err == nil && storage.Remote(names[0]) { // stores that can only be read return an error without a request
		var out storage.Output
		if out, err = storage.Create(names[0]); err == nil {
			out.Abort()
		}
	}
	if err != nil {
		panic(fmt.Sprintf("tfrecordio: %v", err))
	}
	return names
}

// hashKey is the size of the key that Write sorts by, in bytes: enough of a SHA-256 that different records have different keys.
const hashKey = 16

// hashFn gives each record the shard and the key that its SHA-256 determines.
type hashFn struct {
	Shards int
	Seed   uint64

	chunks *chunker
}

// StartBundle implements the DoFn: it drops records that a failed bundle has left.
func (fn *hashFn) StartBundle(func(int, []byte)) { fn.chunks = newChunker(fn.Shards) }

// FinishBundle implements the DoFn: the last records of a bundle do not wait for the next bundle.
func (fn *hashFn) FinishBundle(emit func(int, []byte)) { fn.chunks.flush(emit) }

// ProcessElement implements the DoFn.
func (fn *hashFn) ProcessElement(rec []byte, emit func(int, []byte)) {
	sum := sha256.Sum256(rec)
	if fn.Seed != 0 {
		sum = sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, fn.Seed), rec...))
	}
	shard := binary.BigEndian.Uint64(sum[:]) % uint64(fn.Shards) // as dataset.KeyHash
	fn.chunks.add(int(shard), rec, emit, binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:hashKey]))
}

// writeSorted writes a PCollection<KV<int, []byte>> of shards and chunks of records. key is the size of the records' keys. Records are
// written in the order of their keys.
func writeSorted(s beam.Scope, set string, o WriteOptions, key int, keyed beam.PCollection) beam.PCollection {
	names := shardNames(set)
	// A shard without records would have no group, so every shard is an element of a second collection.
	ids := beam.ParDo(s, &shardIDsFn{Shards: len(names)}, beam.Impulse(s))
	written := beam.ParDo(s, &writeFn{Set: set, Options: o, Key: key}, beam.CoGroupByKey(s, ids, keyed))
	return finish(s, set, o, written)
}

// shardIDsFn emits the index of every shard, as the key.
type shardIDsFn struct{ Shards int }

// ProcessElement implements the DoFn.
func (fn *shardIDsFn) ProcessElement(_ []byte, emit func(int, int)) {
	for i := range fn.Shards {
		emit(i, 0)
	}
}

// writeFn writes one shard.
type writeFn struct {
	Set     string
	Options WriteOptions
	Key     int
	names   []string
}

// Setup implements the DoFn.
func (fn *writeFn) Setup() { fn.names = shardNames(fn.Set) }

// ProcessElement implements the DoFn.
func (fn *writeFn) ProcessElement(ctx context.Context, shard int, _ func(*int) bool, keyed func(*[]byte) bool, emit func(written)) error {
	sorter := extsort.New(ctx, fn.Options.Memory, "")
	defer sorter.Close()
	if err := eachRecord(fn.Key, keyed, sorter.Add); err != nil {
		return err
	}
	w, err := writeShard(ctx, fn.names[shard], &fn.Options, func(put func(rec []byte) error) error {
		return sorter.Each(func(_, rec []byte) error { return put(rec) })
	})
	if err == nil {
		emit(w)
	}
	return err
}

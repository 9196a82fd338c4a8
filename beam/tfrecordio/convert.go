package tfrecordio

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/tfparse/tfparse/tfrecord"
)

func init() {
	register.DoFn4x1[context.Context, File, func(written), func(Failure), error](&keepFn{})
}

// OrderedOptions are the settings of [Convert] and [Shuffle]. A nil *OrderedOptions and every zero field mean the default.
type OrderedOptions struct {
	Read  ReadOptions
	Write WriteOptions
	// SkipDamage skips damage and missing files, and returns them as failures in the second PCollection. Otherwise
	// they fail the pipeline.
	SkipDamage bool
	// KeepShards makes Convert write the records of each file to the shard with the same ordinal. There must be as many files as
	// shards. Files are not read twice, and records do not move between workers.
	KeepShards bool
}

func orderedOptionsOf(opts *OrderedOptions) OrderedOptions {
	var o OrderedOptions
	if opts != nil {
		o = *opts
	}
	o.Write = writeOptionsOf(&o.Write)
	return o
}

// skipping returns the function that File.Each calls for failures, or nil if failures are errors.
func (o *OrderedOptions) skipping(skip func(Failure)) func(Failure) error {
	if !o.SkipDamage {
		return nil
	}
	return func(f Failure) error { skip(f); return nil }
}

// Convert copies the records of the files that patterns match (see [Match]) to the shards of a set (see [Write]), such as "out@16": each record to the
// next shard in turn. So it changes the compression, or the number of shards. The shards have the same bytes as those of the command tfparse convert. They are
// a PCollection<[Shard]>; the PCollection<[Failure]> is empty unless OrderedOptions.SkipDamage is set.
//
// A first pass counts the records of each file.
func Convert(s beam.Scope, set string, opts *OrderedOptions, patterns ...string) (shards, failures beam.PCollection) {
	s = s.Scope("tfrecordio.Convert")
	fn := matchFn{KeepMissing: opts != nil && opts.SkipDamage}
	if opts != nil && opts.KeepShards {
		fn.Shards, fn.Output = len(shardNames(set)), set
	}
	validate(patterns)
	return convert(s, set, opts, match(s, fn, beam.Create(s, patterns)))
}

// ConvertFiles is [Convert] for files in a PCollection<[File]>, in the order of their ordinals. With
// OrderedOptions.KeepShards, the ordinals of the files must be those of the shards, each once.
func ConvertFiles(s beam.Scope, set string, opts *OrderedOptions, files beam.PCollection) (shards, failures beam.PCollection) {
	return convert(s.Scope("tfrecordio.ConvertFiles"), set, opts, files)
}

func convert(s beam.Scope, set string, opts *OrderedOptions, files beam.PCollection) (shards, failures beam.PCollection) {
	o := orderedOptionsOf(opts)
	names := shardNames(set)
	if o.KeepShards {
		out, failures := beam.ParDo2(s, &keepFn{Set: set, Options: o}, files)
		return finish(s, set, o.Write, out), failures
	}
	placed, _ := place(s, files, o)
	keyed, failures := beam.ParDo2(s, &orderedFn{Shards: len(names), Options: o}, placed)
	return writeSorted(s, set, o.Write, placeKey, keyed), failures
}

// placeKey is the size of the key that Convert sorts by, in bytes: the index of the record among all records.
const placeKey = 8

// orderedFn assigns the records of a file to the shards, in turn. The key of a record is its index among all records.
type orderedFn struct {
	Shards  int
	Options OrderedOptions
}

// ProcessElement implements the DoFn.
func (fn *orderedFn) ProcessElement(ctx context.Context, p placed, emit func(int, []byte), skip func(Failure)) error {
	chunks := newChunker(fn.Shards)
	defer chunks.flush(emit)
	return p.read(ctx, &fn.Options, func(place int64, rec []byte) error {
		chunks.add(int(place%int64(fn.Shards)), rec, emit, uint64(place))
		return nil
	}, skip)
}

// keepFn writes the records of a file to the shard with its ordinal.
type keepFn struct {
	Set     string
	Options OrderedOptions
	names   []string
}

// Setup implements the DoFn.
func (fn *keepFn) Setup() { fn.names = shardNames(fn.Set) }

// ProcessElement implements the DoFn.
func (fn *keepFn) ProcessElement(ctx context.Context, f File, emit func(written), skip func(Failure)) error {
	if f.Ordinal < 0 || f.Ordinal >= int64(len(fn.names)) {
		return fmt.Errorf("tfrecordio: %s: KeepShards: %s has %d shards, this is file %d", f.Name, fn.Set, len(fn.names), f.Ordinal)
	}
	w, err := writeShard(ctx, fn.names[f.Ordinal], &fn.Options.Write, func(put func(rec []byte) error) error {
		return f.Each(ctx, &fn.Options.Read, func(rec []byte, _ tfrecord.Position) error { return put(rec) }, fn.Options.skipping(skip))
	})
	if err == nil {
		emit(w)
	}
	return err
}

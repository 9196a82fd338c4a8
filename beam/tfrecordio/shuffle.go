package tfrecordio

import (
	"context"
	"encoding/binary"
	"math/bits"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/tfparse/tfparse/internal/extsort"
	"github.com/tfparse/tfparse/internal/shufflekey"
)

func init() {
	register.DoFn4x1[context.Context, placed, func(int, []byte), func(Failure), error](&drawFn{})
	register.DoFn2x2[context.Context, int64, []int64, error](&countDrawnFn{})
	register.DoFn5x1[context.Context, int, func(*[]byte) bool, []int64, func(int, []byte), error](&rankFn{})
}

// Shuffle writes the records of the files that patterns match to the shards of a set, in a random order of all records: every order is
// equally likely. The same seed gives the same order, with any workers. The shards have the same bytes as those of the command
// tfparse shuffle --seed. Everything else is as in [Convert].
//
// A transform holds at most WriteOptions.Memory bytes of records. The order has as many parts as there are shards. Each record moves
// twice between workers: to the other records of its part of the order, and then to its shard. The engine keeps moving records in memory
// or on disk: prism, which runs in this process, keeps all of them in memory.
func Shuffle(s beam.Scope, set string, seed uint64, opts *OrderedOptions, patterns ...string) (shards, failures beam.PCollection) {
	s = s.Scope("tfrecordio.Shuffle")
	validate(patterns)
	return shuffle(s, set, seed, opts, match(s, matchFn{KeepMissing: opts != nil && opts.SkipDamage}, beam.Create(s, patterns)))
}

// ShuffleFiles is [Shuffle] for files in a PCollection<[File]>, which draw random numbers in the order of their ordinals.
func ShuffleFiles(s beam.Scope, set string, seed uint64, opts *OrderedOptions, files beam.PCollection) (shards, failures beam.PCollection) {
	return shuffle(s.Scope("tfrecordio.ShuffleFiles"), set, seed, opts, files)
}

func shuffle(s beam.Scope, set string, seed uint64, opts *OrderedOptions, files beam.PCollection) (shards, failures beam.PCollection) {
	o := orderedOptionsOf(opts)
	n := len(shardNames(set))
	placed, total := place(s, files, o)
	drawn, failures := beam.ParDo2(s, &drawFn{Parts: n, Seed: seed, Options: o}, placed)
	if n > 1 {
		counts := beam.ParDo(s, &countDrawnFn{Parts: n, Seed: seed}, total)
		drawn = beam.ParDo(s, &rankFn{Parts: n, Memory: o.Write.Memory}, beam.GroupByKey(s, drawn), beam.SideInput{Input: counts})
	}
	return writeSorted(s, set, o.Write, drawnKey, drawn), failures
}

// drawnKey is the size of the keys, in bytes. A key is a random number, or the index in the new order, followed by the index among the
// records that were read, which orders records with equal random numbers.
const drawnKey = 16

// partOf returns the part of the order that a random number belongs to: the parts are equal ranges of numbers, in order.
func partOf(random uint64, parts int) int {
	part, _ := bits.Mul64(random, uint64(parts))
	return int(part)
}

// drawFn gives the records of a file random numbers as keys: the same numbers that the command draws for these records.
type drawFn struct {
	Parts   int
	Seed    uint64
	Options OrderedOptions
}

// ProcessElement implements the DoFn.
func (fn *drawFn) ProcessElement(ctx context.Context, p placed, emit func(int, []byte), skip func(Failure)) error {
	random := shufflekey.At(fn.Seed, uint64(p.First))
	chunks := newChunker(fn.Parts)
	defer chunks.flush(emit)
	return p.read(ctx, &fn.Options, func(place int64, rec []byte) error {
		r := random.Uint64()
		chunks.add(partOf(r, fn.Parts), rec, emit, r, uint64(place))
		return nil
	}, skip)
}

// countDrawnFn counts the records of each part. The counts depend only on the number of all records and the seed; for 10^9 records
// it takes two seconds.
type countDrawnFn struct {
	Parts int
	Seed  uint64
}

// ProcessElement implements the DoFn.
func (fn *countDrawnFn) ProcessElement(ctx context.Context, total int64) ([]int64, error) {
	counts := make([]int64, fn.Parts)
	random := shufflekey.At(fn.Seed, 0)
	for i := range total {
		if i%1e6 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		counts[partOf(random.Uint64(), fn.Parts)]++
	}
	return counts, nil
}

// rankFn sorts a part. That gives each record its index in the new order, and so its shard: records go to the shards in turn.
type rankFn struct {
	Parts  int
	Memory int64
}

// ProcessElement implements the DoFn.
func (fn *rankFn) ProcessElement(ctx context.Context, part int, drawn func(*[]byte) bool, counts []int64, emit func(int, []byte)) error {
	sorter := extsort.New(ctx, fn.Memory, "")
	defer sorter.Close()
	if err := eachRecord(drawnKey, drawn, sorter.Add); err != nil {
		return err
	}
	rank := int64(0)
	for _, n := range counts[:part] {
		rank += n
	}
	chunks := newChunker(fn.Parts)
	defer chunks.flush(emit)
	return sorter.Each(func(key, rec []byte) error {
		chunks.add(int(rank%int64(fn.Parts)), rec, emit, uint64(rank), binary.BigEndian.Uint64(key[8:]))
		rank++
		return nil
	})
}

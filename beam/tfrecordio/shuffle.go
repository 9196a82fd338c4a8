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

// Shuffle writes the records of the files that patterns stand for to the shards of a set in a random order of all: every order
// is equally likely. The same seed gives the same order, whatever the workers. The files have the bytes that the command
// tfparse shuffle --seed writes; all else is as in [Convert].
//
// A transform holds at most WriteOptions.Memory bytes of records. Each record moves two times between workers: to the others of its
// part of the order, there being as many parts as shards, and then to its shard. What moves is in the memory or on the disks of the engine:
// prism, which runs in this process, keeps all of it in memory.
func Shuffle(s beam.Scope, set string, seed uint64, opts *OrderedOptions, patterns ...string) (shards, failures beam.PCollection) {
	s = s.Scope("tfrecordio.Shuffle")
	validate(patterns)
	return shuffle(s, set, seed, opts, match(s, matchFn{KeepMissing: opts != nil && opts.SkipDamage}, beam.Create(s, patterns)))
}

// ShuffleFiles is [Shuffle] for files in a PCollection<[File]>, whose ordinals give the order in which they draw random numbers.
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

// drawnKey is the size of the keys: a random number, or a place in the new order, and the place among the records that were read, which
// decides where two random numbers are equal.
const drawnKey = 16

// partOf returns which part of the order a random number belongs to: the parts divide the numbers evenly, in order.
func partOf(random uint64, parts int) int {
	part, _ := bits.Mul64(random, uint64(parts))
	return int(part)
}

// drawFn gives the records of a file random numbers as keys, those that the command draws for them.
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

// countDrawnFn counts how many records each part has: that depends on their number and the seed alone, and takes two seconds for 10^9.
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

// rankFn sorts a part, which gives each record its place in the new order, and by that its shard: they take turns.
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

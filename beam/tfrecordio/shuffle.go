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
	register.DoFn2x1[context.Context, int64, []int64](&countDrawnFn{})
	register.DoFn5x1[context.Context, int, func(*[]byte) bool, []int64, func(int, []byte), error](&rankFn{})
}

// Shuffle writes the records of the files that patterns stand for to the shards of a set in a random order of all: every order
// is equally likely. The same seed gives the same order, whatever the workers. The files have the bytes that the command tfparse shuffle --seed writes; all else is as in
// [Convert].
//
// No worker holds more than WriteOptions.Memory bytes of records: each record moves two times between workers, first to
// the others of its part of the order, there being as many parts as shards, and then to its shard.
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
	return p.read(ctx, &fn.Options, func(place int64, rec []byte) error {
		r := random.Uint64()
		emit(partOf(r, fn.Parts), keyed(rec, r, uint64(place)))
		return nil
	}, skip)
}

// countDrawnFn counts how many records each part has: that depends on their number and the seed alone, and takes two seconds for 10^9.
type countDrawnFn struct {
	Parts int
	Seed  uint64
}

// ProcessElement implements the DoFn.
func (fn *countDrawnFn) ProcessElement(ctx context.Context, total int64) []int64 {
	counts := make([]int64, fn.Parts)
	random := shufflekey.At(fn.Seed, 0)
	for range total {
		counts[partOf(random.Uint64(), fn.Parts)]++
	}
	return counts
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
	var v []byte
	for drawn(&v) {
		if err := sorter.Add(v[:drawnKey], v[drawnKey:]); err != nil {
			return err
		}
	}
	rank := int64(0)
	for _, n := range counts[:part] {
		rank += n
	}
	return sorter.Each(func(key, rec []byte) error {
		emit(int(rank%int64(fn.Parts)), keyed(rec, uint64(rank), binary.BigEndian.Uint64(key[8:])))
		rank++
		return nil
	})
}

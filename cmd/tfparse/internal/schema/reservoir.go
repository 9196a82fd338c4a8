package schema

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tfparse/tfparse/tfrecord"
)

// A reservoir samples n records of a stream of unknown length, each with the same probability. It uses Algorithm L
// (Kim-Hung Li, 1994), which computes the next record to sample in advance, so that others need not be read. The seed is
// fixed, so the sample of a stream is always the same.
type reservoir struct {
	n          int             // size of the sample
	records    []sampledRecord // the current sample, in any order
	ordinal    int64           // of the next record of the stream
	nextSample int64           // ordinal of the next record to sample
	weight     float64         // W of Algorithm L
	rand       *rand.Rand
}

// A sampledRecord is a copy of a record and its position.
type sampledRecord struct {
	ordinal int64 // in the stream, over all files
	pos     tfrecord.Position
	record  []byte
}

func newReservoir(n int) *reservoir {
	return &reservoir{n: n, weight: 1, rand: rand.New(rand.NewPCG(1, 2))}
}

// wantsNext reports whether the next record will be sampled.
func (r *reservoir) wantsNext() bool { return r.ordinal == r.nextSample }

// addRecord adds the next record. If wantsNext is false, the caller may increment ordinal instead.
func (r *reservoir) addRecord(rec []byte, pos tfrecord.Position) {
	number := r.ordinal
	r.ordinal++
	if number != r.nextSample {
		return
	}
	c := sampledRecord{number, pos, nil}
	if len(r.records) < r.n {
		c.record = slices.Clone(rec)
		r.records = append(r.records, c)
	} else {
		i := r.rand.IntN(r.n)
		c.record = append(r.records[i].record[:0], rec...)
		r.records[i] = c
	}
	r.nextSample++
	if len(r.records) == r.n {
		r.weight *= math.Exp(math.Log(r.randomPositive()) / float64(r.n))
		if skip := math.Floor(math.Log(r.randomPositive()) / math.Log1p(-r.weight)); skip < math.MaxInt64/2 {
			r.nextSample += int64(skip)
		} else {
			r.nextSample = math.MaxInt64
		}
	}
}

// randomPositive returns a random number above 0 and below 1.
func (r *reservoir) randomPositive() float64 {
	for {
		if x := r.rand.Float64(); x > 0 {
			return x
		}
	}
}

// sortedSamples returns the sampled records in the order of the stream.
func (r *reservoir) sortedSamples() []sampledRecord {
	slices.SortFunc(r.records, func(a, b sampledRecord) int { return int(a.ordinal - b.ordinal) })
	return r.records
}

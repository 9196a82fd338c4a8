package schema

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tfparse/tfparse/tfrecord"
)

// A reservoir chooses n records of a stream whose length is not known, each with
// the same chance, and knows beforehand which it will look at next (algorithm L of
// Kim-Hung Li, 1994). It always chooses the same.
type reservoir struct {
	n       int
	records []chosen
	number  int64 // of the next record
	next    int64 // of the next one that is looked at
	w       float64
	rand    *rand.Rand
}

type chosen struct {
	number int64 // among the records of all files
	pos    tfrecord.Position
	record []byte
}

func newReservoir(n int) *reservoir {
	return &reservoir{n: n, w: 1, rand: rand.New(rand.NewPCG(1, 2))}
}

// wants reports whether the next record is looked at.
func (r *reservoir) wants() bool { return r.number == r.next }

// add is given every record that is not left out by wants.
func (r *reservoir) add(rec []byte, pos tfrecord.Position) {
	number := r.number
	r.number++
	if number != r.next {
		return
	}
	c := chosen{number, pos, nil}
	if len(r.records) < r.n {
		c.record = slices.Clone(rec)
		r.records = append(r.records, c)
	} else {
		i := r.rand.IntN(r.n)
		c.record = append(r.records[i].record[:0], rec...)
		r.records[i] = c
	}
	r.next++
	if len(r.records) == r.n {
		r.w *= math.Exp(math.Log(r.positive()) / float64(r.n))
		if skip := math.Floor(math.Log(r.positive()) / math.Log1p(-r.w)); skip < math.MaxInt64/2 {
			r.next += int64(skip)
		} else {
			r.next = math.MaxInt64
		}
	}
}

// positive returns a random number above 0 and below 1.
func (r *reservoir) positive() float64 {
	for {
		if x := r.rand.Float64(); x > 0 {
			return x
		}
	}
}

// inOrder returns the records chosen, in the order of the stream.
func (r *reservoir) inOrder() []chosen {
	slices.SortFunc(r.records, func(a, b chosen) int { return int(a.number - b.number) })
	return r.records
}

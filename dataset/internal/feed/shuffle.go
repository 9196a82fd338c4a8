package feed

import (
	"io"
	"math/rand/v2"
)

// A shuffle holds some records back and returns any of them. It takes in what it
// gave out, so that, until the end, the next is one of size records.
type shuffle struct {
	from  *pass
	mem   *memory
	rng   *rand.Rand
	size  int
	bytes int64 // of records held, at most, but for a single one

	held  []*run // a cell each
	sum   int64  // of their bytes
	ended bool
}

// The streams of random numbers that one seed gives: by use and by pass.
const (
	forRecords = 1 << 62
	forFiles   = 2 << 62
)

func newRand(seed uint64, use uint64, epoch int64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, use|uint64(epoch)))
}

func (s *shuffle) next() (Item, error) {
	for !s.ended && len(s.held) < s.size && (s.sum < s.bytes || len(s.held) == 0) {
		it, err := s.from.next()
		if err == io.EOF {
			s.ended = true
			break
		}
		if err != nil {
			return Item{}, err
		}
		s.held = append(s.held, s.mem.cell(it.Record, it.Place))
		s.sum += int64(len(it.Record))
		s.mem.done([]Item{it}, nil)
	}
	last := len(s.held) - 1
	if last < 0 {
		return Item{}, io.EOF
	}
	i := s.rng.IntN(len(s.held))
	c := s.held[i]
	s.held[i], s.held[last] = s.held[last], nil
	s.held = s.held[:last]
	s.sum -= int64(len(c.cell))
	s.mem.chargeCell(c, int64(len(c.cell)))
	return c.take(), nil
}

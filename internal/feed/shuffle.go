package feed

import (
	"io"
	"math/rand/v2"
)

// A shuffle has a buffer of copies of records and returns any of them. It takes in what it
// gave out, so that, until the end, the next is one of size records.
type shuffle struct {
	from  *selection
	s     *Stream
	rng   *rand.Rand
	state *rand.PCG // of rng
	size  int
	bytes int64 // of records in the buffer, at most, but for a single one

	held  []Item
	sum   int64   // of their bytes
	given *Buffer // of the record that was returned last; whoever wants it has another use of it
	ended bool
}

// The streams of random numbers that one seed gives: by use and by epoch.
const (
	forRecords = 1 << 62
	forFiles   = 2 << 62
)

func newSource(seed uint64, use uint64, epoch int64) *rand.PCG {
	return rand.NewPCG(seed, use|uint64(epoch))
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
		s.held = append(s.held, s.s.copyOf(it))
		s.sum += int64(len(it.Record))
	}
	s.settle()
	last := len(s.held) - 1
	if last < 0 {
		return Item{}, io.EOF
	}
	i := s.rng.IntN(len(s.held))
	it := s.held[i]
	s.held[i], s.held[last] = s.held[last], Item{}
	s.held = s.held[:last]
	n := int64(len(it.Record))
	s.sum -= n
	s.s.budget.take(n) // outside the shuffle buffer it counts
	it.buf.charge = n
	s.given = it.buf
	return it, nil
}

func (s *shuffle) settle() {
	if s.given != nil {
		s.given.done()
		s.given = nil
	}
}

func (s *shuffle) close() {
	s.settle()
	for _, it := range s.held {
		it.buf.done()
	}
}

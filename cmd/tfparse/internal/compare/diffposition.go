package compare

import (
	"github.com/tfparse/tfparse/internal/ordered"
)

// A span is a run of pairs: records of A from one on, and those of B beside them.
type span struct {
	chunks [2]*chunk
	from   [2]int
	n      int

	pairs    []pair // in what follows from what the comparer found
	features featureSums
}

// A pair is one that is not the same bytes.
type pair struct {
	at  int // in the span
	how verdict
	err error // of a record that does not decode
	bad int   // the side of it
}

// byPosition compares the first record with the first, the second with the second, and so on.
func (c *diff) byPosition() error {
	var sides [2]*side
	for i := range sides {
		sides[i] = c.open(i)
		defer sides[i].close()
	}
	queue := ordered.NewQueue(c.env.Ctx, workers(c.jobs), 2*c.jobs, func() func(*span) error {
		cmp := newComparer()
		return func(s *span) error { cmp.compare(s); return nil }
	}, func(s *span) error {
		err := c.add(s)
		for i, chunk := range s.chunks {
			sides[i].release(chunk)
		}
		return err
	})
	defer queue.Close()
	var at [2]*chunk
	var from [2]int
	ended := [2]bool{}
	for {
		for i := range at {
			for !ended[i] && (at[i] == nil || from[i] == len(at[i].ends)) {
				sides[i].release(at[i])
				at[i] = nil
				chunk, err := c.next(sides[i])
				if err != nil {
					return err
				}
				at[i], from[i], ended[i] = chunk, 0, chunk == nil
				if chunk != nil {
					c.records[i] += int64(chunk.intact())
				}
			}
		}
		s := &span{chunks: at, from: from}
		switch {
		case ended[0] && ended[1]:
			return queue.Drain()
		case !ended[0] && !ended[1]:
			s.n = min(len(at[0].ends)-from[0], len(at[1].ends)-from[1])
		default:
			i := 0
			if ended[0] {
				i = 1
			}
			s.n = len(at[i].ends) - from[i]
			s.chunks[1-i] = nil
		}
		for i, chunk := range s.chunks {
			from[i] += s.n
			if chunk != nil {
				chunk.users++
			}
		}
		queue.Limit = c.queueLimit(s.chunks[:]...)
		if err := queue.Submit(s); err != nil {
			return err
		}
	}
}

// workers is the number of goroutines of a pool: with one job the caller does the work.
func workers(jobs int) int {
	if jobs == 1 {
		return 0
	}
	return jobs
}

// add adds a span that was compared, and prints what differs.
func (c *diff) add(s *span) error {
	r := &c.result
	for i := range s.chunks {
		if s.chunks[i] != nil && s.chunks[1-i] == nil {
			for k := s.from[i]; k < s.from[i]+s.n; k++ {
				if s.chunks[i].missing[k] {
					continue
				}
				r.only[i]++
				if err := c.showOnly(i, found{pos: place(s.chunks[i], k)}); err != nil {
					return err
				}
			}
			return nil
		}
	}
	r.features.merge(&s.features)
	r.bytesSame += int64(s.n)
	r.same += int64(s.n)
	for _, p := range s.pairs {
		r.bytesSame--
		if p.how == sameContent {
			continue
		}
		r.same--
		a, b := s.from[0]+p.at, s.from[1]+p.at
		switch p.how {
		case skipped:
			c.uncompared++
		case misfit:
			if err := c.misfit(s.chunks[p.bad], [2]int{a, b}[p.bad], p.err); err != nil {
				return err
			}
		default:
			r.changed++
			if err := c.showChanged(
				found{s.chunks[0].typ, s.chunks[0].record(a), place(s.chunks[0], a)},
				found{s.chunks[1].typ, s.chunks[1].record(b), place(s.chunks[1], b)}); err != nil {
				return err
			}
		}
	}
	return nil
}

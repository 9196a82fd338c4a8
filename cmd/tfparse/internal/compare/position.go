package compare

import (
	"iter"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/ordered"
	"github.com/tfparse/tfparse/tfrecord"
)

// A chunk is some records in a row of one side, all of one type.
type chunk struct {
	typ       example.MessageType
	records   []byte
	ends      []int // of each record
	positions []tfrecord.Position
	missing   map[int]bool  // indices of skipped records
	faults    []*scan.Fault // in it, or before it

	users int // spans that are under way, and one while more follow; then it is filled again
}

// Limits of chunks, which bound the memory of a comparison. A record may be longer than a chunk.
const (
	chunkBytes   = 256 << 10
	chunkRecords = 4 << 10
	queuedBytes  = 16 << 20 // of the chunks of a side that are compared at once, unless one takes more
)

func (c *chunk) record(i int) []byte {
	if i == 0 {
		return c.records[:c.ends[0]]
	}
	return c.records[c.ends[i-1]:c.ends[i]]
}

// release ends a use of the chunk, which may be nil, and adds it to the free ones if that was the last.
// The memory of long records is not kept.
func (c *chunk) release(free []*chunk) []*chunk {
	if c == nil {
		return free
	}
	if c.users--; c.users > 0 || len(c.records) > 2*chunkBytes {
		return free
	}
	return append(free, c)
}

func (c *chunk) place(i int) recordPlace {
	return recordPlace{jsonscan.Name(c.positions[i].Name), c.positions[i].Record}
}

// chunksOf reads a side in chunks, and fills those again that are free.
func (c *joiner) chunksOf(side int, free *[]*chunk) iter.Seq2[*chunk, error] {
	return func(yield func(*chunk, error) bool) {
		r := &chunkReader{yield: yield, free: free}
		err := scan.Walk(c.env.Ctx, c.in[side], &c.walk, scan.Guess(c.typ, r))
		if err == nil && !r.stopped {
			err = r.send()
		}
		if err != nil && !r.stopped {
			yield(nil, err)
		}
	}
}

// A chunkReader makes chunks of the records of a scan.
type chunkReader struct {
	yield   func(*chunk, error) bool
	free    *[]*chunk
	current *chunk // being filled; may be nil
	typ     example.MessageType
	stopped bool // yield wants no more
}

func (r *chunkReader) send() error {
	c := r.current
	if r.current = nil; c != nil && !r.yield(c, nil) {
		r.stopped = true
		return scan.ErrStop
	}
	return nil
}

// open returns the chunk that is being filled.
func (r *chunkReader) open() *chunk {
	if r.current != nil {
		return r.current
	}
	if n := len(*r.free); n > 0 {
		r.current, *r.free = (*r.free)[n-1], (*r.free)[:n-1]
		*r.current = chunk{records: r.current.records[:0], ends: r.current.ends[:0], positions: r.current.positions[:0]}
	} else {
		r.current = &chunk{records: make([]byte, 0, chunkBytes+chunkBytes/4)}
	}
	r.current.typ, r.current.users = r.typ, 1
	return r.current
}

func (r *chunkReader) Begin(*scan.OldFile) error { return nil }

func (r *chunkReader) End(*scan.OldFile) error { return nil }

func (r *chunkReader) Type(t example.MessageType) error {
	err := r.send()
	r.typ = t
	return err
}

func (r *chunkReader) Record(rec []byte, pos tfrecord.Position) error {
	c := r.open()
	c.records = append(c.records, rec...)
	c.ends = append(c.ends, len(c.records))
	c.positions = append(c.positions, pos)
	if len(c.records) >= chunkBytes || len(c.ends) >= chunkRecords {
		return r.send()
	}
	return nil
}

func (r *chunkReader) Unknown(u *scan.Unknown) error { return r.Skipped(unknownFault(u)) }

func (r *chunkReader) Skipped(fault *scan.Fault) error {
	c := r.open()
	c.faults = append(c.faults, fault)
	for range skippedRecords(fault) {
		if c.missing == nil {
			c.missing = map[int]bool{}
		}
		c.missing[len(c.ends)] = true
		c.ends = append(c.ends, len(c.records))
		c.positions = append(c.positions, tfrecord.Position{Name: fault.File, Record: fault.Record, Offset: fault.Offset})
	}
	return r.send() // so that it is reported before the verb goes on
}

// A span is a run of pairs: records of A from one on, and those of B beside them.
type span struct {
	chunks [2]*chunk // nil: the side has ended
	from   [2]int
	n      int

	pairs    []pair // those that are not the same bytes, in order
	features featureSums
}

// A pair is two records of a span that were compared.
type pair struct {
	index   int // in the span
	verdict verdict
	err     error // of a record that does not decode
	bad     int   // the side of it
}

// byPosition compares the first record with the first, the second with the second, and so on.
func (c *diff) byPosition() error {
	workers := c.jobs
	if workers == 1 {
		workers = 0 // this goroutine compares
	}
	var free []*chunk
	queue := ordered.NewQueue(c.env.Ctx, workers, 2*c.jobs, func() func(*span) error {
		cmp := &comparer{}
		return func(s *span) error { cmp.compareSpan(s); return nil }
	}, func(s *span) error {
		err := c.addSpan(s)
		for _, chunk := range s.chunks {
			free = chunk.release(free)
		}
		return err
	})
	defer queue.Close()
	var next [2]func() (*chunk, error, bool)
	for side := range next {
		var stop func()
		next[side], stop = iter.Pull2(c.chunksOf(side, &free))
		defer stop()
	}
	s := span{}
	for ended := [2]bool{}; ; {
		for i := range next {
			for !ended[i] && (s.chunks[i] == nil || s.from[i] == len(s.chunks[i].ends)) {
				free = s.chunks[i].release(free)
				chunk, err, more := next[i]()
				if err == nil && more {
					err = c.reportFaults(chunk)
					c.records[i] += int64(len(chunk.ends) - len(chunk.missing))
				}
				if err != nil {
					return err
				}
				s.chunks[i], s.from[i], ended[i] = chunk, 0, !more
			}
		}
		s.n = 0
		queue.Limit = 2 * c.jobs
		for i, chunk := range s.chunks {
			if chunk == nil {
				continue
			}
			if left := len(chunk.ends) - s.from[i]; s.n == 0 || left < s.n {
				s.n = left
			}
			queue.Limit = min(queue.Limit, queuedBytes/max(len(chunk.records), 1))
		}
		if s.n == 0 {
			return queue.Drain()
		}
		work := s
		for _, chunk := range work.chunks {
			if chunk != nil {
				chunk.users++
			}
		}
		if err := queue.Submit(&work); err != nil {
			return err
		}
		for i := range s.from {
			s.from[i] += s.n
		}
	}
}

func (c *diff) reportFaults(chunk *chunk) error {
	for _, fault := range chunk.faults {
		if err := c.reading.Fault(c.env, fault); err != nil {
			return err
		}
	}
	return nil
}

// compareSpan compares the pairs of a span.
func (c *comparer) compareSpan(s *span) {
	a, b := s.chunks[0], s.chunks[1]
	if a == nil || b == nil {
		return
	}
	for i := range s.n {
		ai, bi := s.from[0]+i, s.from[1]+i
		if a.missing[ai] || b.missing[bi] {
			s.pairs = append(s.pairs, pair{index: i, verdict: skipped})
			continue
		}
		v, bad, err := c.compare(a.typ, a.record(ai), b.typ, b.record(bi))
		if v == sameBytes {
			continue
		}
		s.pairs = append(s.pairs, pair{i, v, err, bad})
		if v == changed {
			s.features.addRecord()
			c.eachChange(a.typ, b.typ, s.features.addChange)
		}
	}
}

// addSpan adds a span that was compared, and prints its differences.
func (c *diff) addSpan(s *span) error {
	r := &c.result
	for i, chunk := range s.chunks {
		if s.chunks[1-i] != nil {
			continue
		}
		for k := s.from[i]; k < s.from[i]+s.n; k++ {
			if chunk.missing[k] {
				continue
			}
			r.only[i]++
			if err := c.showOnly(i, &pairedRecord{place: chunk.place(k)}); err != nil {
				return err
			}
		}
		return nil
	}
	r.features.merge(&s.features)
	r.bytesSame += int64(s.n - len(s.pairs))
	r.same += int64(s.n - len(s.pairs))
	for _, p := range s.pairs {
		at := [2]int{s.from[0] + p.index, s.from[1] + p.index}
		var err error
		switch p.verdict {
		case sameContent:
			r.same++
		case skipped:
			c.uncompared++
		case misfit:
			err = c.misfit(s.chunks[p.bad].positions[at[p.bad]], p.err)
		default:
			r.changed++
			var two [2]pairedRecord
			for i, chunk := range s.chunks {
				two[i] = pairedRecord{chunk.typ, chunk.record(at[i]), chunk.place(at[i])}
			}
			err = c.showChanged(&two[0], &two[1])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

package feed

import (
	"errors"
	"io"
)

// An order says which file the next record of an epoch is taken from.
//
// With a cycle of one, files follow each other. With a longer one, that many files are
// read at once, one record from each in turn; the next file takes the place of one
// that is at its end when the turn comes to that place again. This is what
// TensorFlow's interleave does with a block_length of 1.
type order struct {
	from  files
	event func(Event)
	files int

	cycle  []cursor
	turn   int // in cycle
	opened int // files that had a place in it
	placed int // files that have one
}

// errEvent says that there is no record yet, but an event that is not to wait for one. The
// next call goes on.
var errEvent = errors.New("feed: event")

// A cursor is a file in the cycle.
type cursor struct {
	file  int // -1: none
	chunk *chunk
	next  int   // of chunk.items
	last  Place // of the record that was taken last; before the first, Record is -1
}

const noFile = -1

func newOrder(n, cycle int, event func(Event)) *order {
	o := &order{event: event, files: n}
	for range max(1, min(cycle, n)) {
		o.cycle = append(o.cycle, cursor{file: noFile})
	}
	return o
}

// ready reports whether the next record is at hand.
func (o *order) ready() bool {
	c := &o.cycle[o.turn]
	return c.chunk != nil && c.next < len(c.chunk.items)
}

func (o *order) next() (Item, error) {
	for o.opened < o.files || o.placed > 0 {
		c := &o.cycle[o.turn]
		switch {
		case o.ready():
			c.next++
			it := c.chunk.items[c.next-1]
			c.last = it.Place
			o.advance()
			return it, nil
		case c.chunk != nil:
			if err := o.end(c); err != nil {
				return Item{}, err
			}
		case c.file == noFile && o.opened < o.files:
			c.file, c.last = o.opened, Place{Record: -1}
			o.opened++
			o.placed++
		case c.file == noFile:
			o.advance()
		default:
			var err error
			if c.chunk, err = o.from.next(c.file); err != nil {
				return Item{}, err
			}
			c.next = 0
			if c.chunk.begin != nil {
				o.event(Event{Begin: c.chunk.begin})
				return Item{}, errEvent
			}
		}
	}
	return Item{}, io.EOF
}

// end goes behind the last record of a chunk.
func (o *order) end(c *cursor) error {
	last := c.chunk
	c.chunk = nil
	defer last.release()
	if last.skipped != nil {
		o.event(Event{Skipped: last.skipped})
	}
	if last.end != nil {
		o.event(Event{End: last.end})
	}
	if last.err != io.EOF {
		return last.err
	}
	o.placed--
	c.file = noFile
	o.advance()
	return nil
}

// run returns up to n records of the chunk at hand, if records come from one file after
// another.
func (o *order) run(n int) []Item {
	if len(o.cycle) > 1 || !o.ready() {
		return nil
	}
	c := &o.cycle[0]
	some := c.chunk.items[c.next:min(c.next+n, len(c.chunk.items))]
	c.next += len(some)
	c.last = some[len(some)-1].Place
	return some
}

func (o *order) advance() {
	if o.turn++; o.turn == len(o.cycle) {
		o.turn = 0
	}
}

func (o *order) close() {
	for i := range o.cycle {
		if c := o.cycle[i].chunk; c != nil {
			c.release()
		}
	}
}

// A selection is those records of an epoch that are wanted, before they are shuffled.
type selection struct {
	from sequence

	index, shards int64 // every record whose ordinal leaves index when divided by shards
	seen          int64
	skip          int64
	take          int64 // how many are left to take; negative: no limit
}

func (s *selection) next() (Item, error) {
	for s.take != 0 {
		it, err := s.from.next()
		if err != nil {
			return Item{}, err
		}
		n := s.seen
		s.seen++
		if s.shards > 1 && n%s.shards != s.index {
			continue
		}
		if s.skip > 0 {
			s.skip--
			continue
		}
		if s.take > 0 {
			s.take--
		}
		return it, nil
	}
	return Item{}, io.EOF
}

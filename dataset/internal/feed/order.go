package feed

import "io"

// An order says which file the next record of a pass is taken from.
//
// With a cycle of one, files follow each other. With a longer one, so many files are
// read at once, one record from each in turn; the next file takes the place of one
// that is at its end when the turn comes to that place again. This is what
// TensorFlow's interleave does with a block_length of 1.
type order struct {
	supply    supply
	files     int
	unordered bool

	cycle  []int // the file at each place; -1 is none
	turn   int
	opened int // files that had a place
	placed int // files that have one
}

func newOrder(s supply, files, cycle int, unordered bool) *order {
	o := &order{supply: s, files: files, unordered: unordered, cycle: make([]int, max(1, min(cycle, files)))}
	for i := range o.cycle {
		o.cycle[i] = -1
	}
	return o
}

func (o *order) next() (Item, error) {
	if o.unordered {
		return o.supply.any()
	}
	for o.opened < o.files || o.placed > 0 {
		if o.cycle[o.turn] < 0 {
			if o.opened < o.files {
				o.cycle[o.turn] = o.opened
				o.opened++
				o.placed++
				continue
			}
			o.advance()
			continue
		}
		it, err := o.supply.next(o.turn, o.cycle[o.turn])
		if err == nil {
			o.advance()
			return it, nil
		}
		if err != io.EOF {
			return Item{}, err
		}
		o.cycle[o.turn] = -1
		o.placed--
		o.advance()
	}
	return Item{}, io.EOF
}

// appendTo appends up to n records to dst, as long as they need no more than taking.
func (o *order) appendTo(dst []Item, n int) []Item {
	if len(o.cycle) == 1 {
		return o.supply.appendTo(dst, 0, n)
	}
	for ; n > 0 && o.cycle[o.turn] >= 0; n-- {
		had := len(dst)
		if dst = o.supply.appendTo(dst, o.turn, 1); len(dst) == had {
			break
		}
		o.advance()
	}
	return dst
}

func (o *order) advance() {
	if o.turn++; o.turn == len(o.cycle) {
		o.turn = 0
	}
}

// A pass is the records of all files once: those that are wanted, before they are
// shuffled.
type pass struct {
	order *order
	mem   *memory

	index, shards int64 // every record whose ordinal leaves index when divided by shards
	seen          int64
	skip          int64
	take          int64 // how many are left to take; negative: no limit
}

func (p *pass) next() (Item, error) {
	for p.take != 0 {
		it, err := p.order.next()
		if err != nil {
			return Item{}, err
		}
		n := p.seen
		p.seen++
		if p.shards > 1 && n%p.shards != p.index {
			p.mem.done([]Item{it}, nil)
			continue
		}
		if p.skip > 0 {
			p.skip--
			p.mem.done([]Item{it}, nil)
			continue
		}
		if p.take > 0 {
			p.take--
		}
		return it, nil
	}
	return Item{}, io.EOF
}

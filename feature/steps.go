package feature

import (
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
)

// featureLists adds the steps of all feature lists to their columns.
func (b *Batch) featureLists(r *mapReader) error {
	for _, i := range b.p.groups[InSequence] {
		c := &b.cols[i]
		if c.required && !b.hasList(r, c.values) {
			return b.fault(c, c.values, -1, ErrMissing)
		}
		var n int
		var err error
		if c.plan.late || b.slow {
			n, err = b.stepByStep(c, r)
		} else if n, err = b.directSteps(c, r.list(c.values)); n > b.p.opts.MaxSteps {
			err = errNotCanonical
		}
		if err != nil {
			return err
		}
		if c.padded {
			c.candidate = max(c.candidate, n)
		}
		c.levels[0].end(n)
	}
	return nil
}

// hasList reports whether there is a list in a slot.
func (b *Batch) hasList(r *mapReader, i int) bool {
	if b.slow {
		return r.lists[i].round == b.round
	}
	_, _, ok := r.walk.Value(i)
	return ok
}

// list returns the encoded list in a slot; an absent list is empty.
func (r *mapReader) list(i int) []byte {
	if lo, hi, ok := r.walk.Value(i); ok {
		return r.record[lo:hi]
	}
	return nil
}

// directSteps adds the steps of one list.
func (b *Batch) directSteps(c *column, list []byte) (n int, err error) {
	for i := 0; i < len(list); {
		// All of the most common form.
		count := 0
		if c.kind == fixedKind {
			count, i = b.fixedSteps(c, list, i)
		} else {
			count, i = b.raggedSteps(c, list, i)
		}
		n += count
		if i == len(list) {
			break
		}
		// And then one of any form.
		lo, hi, ok := canonical.Message(list, i, canonical.Tag1)
		if !ok || !b.fastValue(c, c.plan.op, list[:hi], lo) {
			return n, errNotCanonical
		}
		i = hi
		n++
	}
	return n, nil
}

// fixedSteps adds steps from i on, which all have as many values, as long as they have
// the most common form. It returns how many, and where it stopped.
func (b *Batch) fixedSteps(c *column, list []byte, i int) (n, stop int) {
	switch {
	case c.plan.op == oneInt64:
		n = len(c.ints)
		c.ints, i = canonical.Int64Steps(c.ints, list, i)
		return len(c.ints) - n, i
	case c.dtype == Float32 && c.cell > 0:
		n = len(c.floats)
		c.floats, i = canonical.FloatSteps(c.floats, list, i, c.cell)
		return (len(c.floats) - n) / c.cell, i
	case c.plan.op == oneString:
		return b.textSteps(c, list, i)
	}
	return 0, i
}

// raggedSteps is fixedSteps for steps of any number of cells.
func (b *Batch) raggedSteps(c *column, list []byte, i int) (n, stop int) {
	l := &c.levels[len(c.levels)-1]
	last := l.splits[len(l.splits)-1]
	switch {
	case c.dtype == Int64 && c.cell == 1:
		before := len(l.splits)
		for {
			c.ints, l.splits, i = canonical.Int64ListSteps(c.ints, l.splits, list, i)
			vals, next, ok := canonical.Int64ListStep(c.ints, list, i)
			if !ok {
				return len(l.splits) - before, i
			}
			l.end(len(vals) - len(c.ints))
			c.ints = vals
			i = next
		}
	case c.dtype == Float32:
		before := len(c.floats)
		for {
			vals, next, ok := canonical.FloatStep(c.floats, list, i)
			size := len(vals) - before
			if !ok || c.cell != 1 && size%c.cell != 0 {
				return n, i
			}
			if next < len(list) { // many of the same size may follow
				vals, next = canonical.FloatSteps(vals, list, next, size)
			}
			steps, count := (len(vals)-before)/size, int64(size/c.cell)
			l.splits = slices.Grow(l.splits, steps)
			for range steps {
				last += count
				l.splits = append(l.splits, last)
			}
			c.floats, before = vals, len(vals)
			n += steps
			i = next
		}
	case c.dtype == String && c.cell == 1: // of one value, that is
		n, i = b.textSteps(c, list, i)
		l.splits = slices.Grow(l.splits, n)
		for range n {
			last++
			l.splits = append(l.splits, last)
		}
		return n, i
	}
	return 0, i
}

// textSteps adds the strings of steps from i on that have one. A whole list is made one
// string that contains them: six bytes more for each are copied faster than each alone.
func (b *Batch) textSteps(c *column, list []byte, i int) (n, stop int) {
	lo, hi, ok := canonical.BytesStep(list, i)
	if !ok {
		return 0, i
	}
	if i > 0 { // the rest of a list that was copied before
		for ; ok; lo, hi, ok = canonical.BytesStep(list, i) {
			c.strings = append(c.strings, b.text(list[lo:hi]))
			n++
			i = hi
		}
		return n, i
	}
	whole, texts := b.text(list), c.strings
	for ; ok; lo, hi, ok = canonical.BytesStep(list, i) {
		texts = append(texts, whole[lo:hi])
		n++
		i = hi
	}
	c.strings = texts
	return n, i
}

// stepByStep adds the steps of the lists of values and of partitions, one at a time on either
// path. The lists must have equally many steps.
func (b *Batch) stepByStep(c *column, r *mapReader) (n int, err error) {
	b.lists = append(b.lists[:0], b.remaining(c.values, -1, r))
	for level, p := range c.parts {
		if p.slot >= 0 {
			b.lists = append(b.lists, b.remaining(p.slot, level, r))
		}
	}
	for ; ; n++ {
		more := false
		for j := range b.lists {
			l := &b.lists[j]
			next, err := b.nextStep(l, &r.slots[l.slot])
			if err != nil {
				return n, b.fault(c, l.slot, n, err).inPartition(l.level)
			}
			if j == 0 {
				more = next
			} else if next != more {
				e := b.fault(c, l.slot, -1, ErrSteps).inPartition(l.level)
				e.Want, e.Got = fmt.Sprintf("%d steps, as there are of values", b.countSteps(c.values, r)), fmt.Sprint(b.countSteps(l.slot, r))
				return n, e
			}
		}
		if !more {
			return n, nil
		}
		if n == b.p.opts.MaxSteps {
			e := b.fault(c, c.values, -1, ErrLimit)
			e.Want, e.Got = fmt.Sprintf("at most %d steps", n), "more"
			return n, e
		}
		if err := b.unit(c, r, n); err != nil {
			return n, err
		}
	}
}

// remainingSteps are the steps of the list in a slot that have not been read yet: encoded on the
// fast path, in a scanner on the slow path.
type remainingSteps struct {
	slot    int
	level   int // of the partition that they are the data of; -1: they are values
	encoded []byte
	scanner example.StepScanner
}

// remaining returns all steps of the list in a slot; an absent list has none.
func (b *Batch) remaining(slot, level int, r *mapReader) remainingSteps {
	l := remainingSteps{slot: slot, level: level}
	switch {
	case !b.slow:
		l.encoded = r.list(slot)
	case b.hasList(r, slot):
		l.scanner = r.lists[slot].steps.Scan()
	}
	return l
}

// nextStep puts the next step of a list into its slot, if there is one.
func (b *Batch) nextStep(l *remainingSteps, s *slot) (more bool, err error) {
	if b.slow {
		if more = l.scanner.Next(); more {
			s.feature, s.round = l.scanner.Feature(), b.round
		}
		return more, l.scanner.Err()
	}
	if len(l.encoded) == 0 {
		return false, nil
	}
	lo, hi, ok := canonical.Message(l.encoded, 0, canonical.Tag1)
	if !ok {
		return false, errNotCanonical
	}
	s.raw, s.from, s.round = l.encoded[:hi], lo, b.round
	l.encoded = l.encoded[hi:]
	return true, nil
}

// countSteps returns the number of steps in a slot, for an error of the slow path.
func (b *Batch) countSteps(slot int, r *mapReader) (n int) {
	for l := b.remaining(slot, -1, r); b.slow && l.scanner.Next(); n++ {
	}
	return n
}

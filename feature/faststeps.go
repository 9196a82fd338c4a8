package feature

import (
	"slices"

	"github.com/tfparse/tfparse/internal/canonical"
)

// fastLists adds the steps of all feature lists to their columns.
func (b *Batch) fastLists(r *mapReader) bool {
	for _, i := range b.p.groups[InSequence] {
		c := &b.cols[i]
		if _, _, ok := r.walk.Value(c.values); !ok && c.required {
			return false
		}
		n, ok := 0, false
		if c.plan.late {
			n, ok = b.lateSteps(c, r)
		} else {
			n, ok = b.directSteps(c, r.list(c.values))
		}
		if !ok || n > b.p.opts.MaxSteps {
			return false
		}
		if c.padded {
			c.candidate = max(c.candidate, n)
		}
		c.levels[0].end(n)
	}
	return true
}

// list returns the encoded list in a slot; an absent list is empty.
func (r *mapReader) list(i int) []byte {
	if lo, hi, ok := r.walk.Value(i); ok {
		return r.record[lo:hi]
	}
	return nil
}

// directSteps adds the steps of one list.
func (b *Batch) directSteps(c *column, list []byte) (n int, ok bool) {
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
			return n, false
		}
		i = hi
		n++
	}
	return n, true
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

// lateSteps adds the steps of the lists of values and of partitions, which must have
// equally many.
func (b *Batch) lateSteps(c *column, r *mapReader) (n int, ok bool) {
	b.lists = append(b.lists[:0], unread{c.values, r.list(c.values)})
	for _, p := range c.parts {
		if p.slot >= 0 {
			b.lists = append(b.lists, unread{p.slot, r.list(p.slot)})
		}
	}
	for ; len(b.lists[0].steps) > 0; n++ {
		for j := range b.lists {
			l := &b.lists[j]
			lo, hi, ok := canonical.Message(l.steps, 0, canonical.Tag1)
			if !ok {
				return n, false
			}
			s := &r.slots[l.slot]
			s.raw, s.from, s.round = l.steps[:hi], lo, b.round
			l.steps = l.steps[hi:]
		}
		if !b.fastLate(c, r) {
			return n, false
		}
	}
	for _, l := range b.lists {
		if len(l.steps) > 0 {
			return n, false
		}
	}
	return n, true
}

// An unread is the part of the list in a slot that has not been read yet.
type unread struct {
	slot  int
	steps []byte
}

package feature

import (
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
)

// addFeatureLists adds the steps of all feature lists to their columns.
func (b *Batch) addFeatureLists(r *mapReader) error {
	for _, i := range b.p.groupColumns[InSequence] {
		c := &b.cols[i]
		if c.required && !b.hasList(r, c.valueSlot) {
			return b.keyError(c, c.valueSlot, -1, ErrMissing)
		}
		var n int
		var err error
		if c.columnPlan.multiKey || b.slow {
			n, err = b.stepByStep(c, r)
		} else if n, err = b.addDirectSteps(c, r.listBytes(c.valueSlot)); n > b.p.opts.MaxSteps {
			err = errNotCanonical
		}
		if err != nil {
			return err
		}
		if c.padded {
			c.pending = max(c.pending, n)
		}
		c.levels[0].endRow(n)
	}
	return nil
}

// hasList reports whether the record has the feature list of a slot.
func (b *Batch) hasList(r *mapReader, i int) bool {
	if b.slow {
		return r.lists[i].round == b.round
	}
	_, _, ok := r.walk.Value(i)
	return ok
}

// listBytes returns the encoded feature list of a key on the fast path; an absent list is empty.
func (r *mapReader) listBytes(i int) []byte {
	if lo, hi, ok := r.walk.Value(i); ok {
		return r.record[lo:hi]
	}
	return nil
}

// addDirectSteps adds the steps of a list that one column alone reads, on the fast path.
func (b *Batch) addDirectSteps(c *column, list []byte) (n int, err error) {
	for i := 0; i < len(list); {
		// The steps of the most common form, many at once.
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
		// Then one step of another form.
		lo, hi, ok := canonical.Message(list, i, canonical.Tag1)
		if !ok || !b.addValue(c, c.columnPlan.op, list[:hi], lo) {
			return n, errNotCanonical
		}
		i = hi
		n++
	}
	return n, nil
}

// fixedSteps adds the steps of the most common form from offset i on, which have one cell each.
// It returns their number, and the offset after them.
func (b *Batch) fixedSteps(c *column, list []byte, i int) (n, stop int) {
	switch {
	case c.columnPlan.op == oneInt64:
		n = len(c.ints)
		c.ints, i = canonical.Int64Steps(c.ints, list, i)
		return len(c.ints) - n, i
	case c.dtype == Float32 && c.cell > 0:
		n = len(c.floats)
		c.floats, i = canonical.FloatSteps(c.floats, list, i, c.cell)
		return (len(c.floats) - n) / c.cell, i
	case c.columnPlan.op == oneString:
		return b.textSteps(c, list, i)
	}
	return 0, i
}

// raggedSteps is fixedSteps for steps with any number of cells.
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
			l.endRow(len(vals) - len(c.ints))
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
			if next < len(list) { // steps of the same size often follow
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
	case c.dtype == String && c.cell == 1: // steps of one value each
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

// textSteps adds the run of one-string steps at offset i. The first call copies the whole list
// and slices the values from the copy. That keeps six bytes of framing for each value, and is faster than copying each value.
func (b *Batch) textSteps(c *column, list []byte, i int) (n, stop int) {
	lo, hi, ok := canonical.BytesStep(list, i)
	if !ok {
		return 0, i
	}
	if i > 0 { // not the first call for the list
		for ; ok; lo, hi, ok = canonical.BytesStep(list, i) {
			c.strings = append(c.strings, b.makeString(list[lo:hi]))
			n++
			i = hi
		}
		return n, i
	}
	whole, texts := b.makeString(list), c.strings
	for ; ok; lo, hi, ok = canonical.BytesStep(list, i) {
		texts = append(texts, whole[lo:hi])
		n++
		i = hi
	}
	c.strings = texts
	return n, i
}

// stepByStep adds the steps of the feature lists that a column reads, of values and of
// partitions, one step at a time, on either path. The lists must have the same number of steps.
func (b *Batch) stepByStep(c *column, r *mapReader) (n int, err error) {
	b.lists = append(b.lists[:0], b.stepsOf(c.valueSlot, -1, r))
	for level, p := range c.parts {
		if p.slot >= 0 {
			b.lists = append(b.lists, b.stepsOf(p.slot, level, r))
		}
	}
	for ; ; n++ {
		more := false
		for j := range b.lists {
			l := &b.lists[j]
			next, err := b.nextStep(l, &r.slots[l.slot])
			if err != nil {
				return n, b.keyError(c, l.slot, n, err).inPartition(l.level)
			}
			if j == 0 {
				more = next
			} else if next != more {
				e := b.keyError(c, l.slot, -1, ErrSteps).inPartition(l.level)
				e.Want, e.Got = fmt.Sprintf("%d steps, as there are of values", b.countSteps(c.valueSlot, r)), fmt.Sprint(b.countSteps(l.slot, r))
				return n, e
			}
		}
		if !more {
			return n, nil
		}
		if n == b.p.opts.MaxSteps {
			e := b.keyError(c, c.valueSlot, -1, ErrLimit)
			e.Want, e.Got = fmt.Sprintf("at most %d steps", n), "more"
			return n, e
		}
		if err := b.addUnit(c, r, n); err != nil {
			return n, err
		}
	}
}

// remainingSteps are the steps of a feature list that have not been read yet.
type remainingSteps struct {
	slot    int                 // slot of the key of the list
	level   int                 // the partition whose data the list has; -1: it has values
	encoded []byte              // fast path
	scanner example.StepScanner // slow path
}

// stepsOf returns all steps of the feature list of a slot; an absent list has none.
func (b *Batch) stepsOf(slot, level int, r *mapReader) remainingSteps {
	l := remainingSteps{slot: slot, level: level}
	switch {
	case !b.slow:
		l.encoded = r.listBytes(slot)
	case b.hasList(r, slot):
		l.scanner = r.lists[slot].steps.Scan()
	}
	return l
}

// nextStep puts the next step of a list into its slot, if there is one.
func (b *Batch) nextStep(l *remainingSteps, s *featureSlot) (more bool, err error) {
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

// countSteps returns the number of steps of a list, for an error of the slow path.
func (b *Batch) countSteps(slot int, r *mapReader) (n int) {
	for l := b.stepsOf(slot, -1, r); b.slow && l.scanner.Next(); n++ {
	}
	return n
}

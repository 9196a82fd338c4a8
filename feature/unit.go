package feature

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/ragged"
)

// addUnit adds one unit to a column: the features in the slots of its keys. step is the index
// of the step or example, or -1. On error the caller truncates the column.
func (b *Batch) addUnit(c *column, r *mapReader, step int) error {
	s := &r.slots[c.valueSlot]
	n := 0
	switch {
	case s.round != b.round || c.unsetIsAbsent && s.hasNoKind(b.slow):
		if c.kind == fixedKind {
			return b.addDefault(c, step)
		}
	default:
		var err error
		if n, err = b.decodeValues(c, s); err != nil {
			return b.keyError(c, c.valueSlot, step, err)
		}
	}
	switch c.kind {
	case fixedKind:
		if n != c.cell {
			return b.countError(c, step, "%d for shape %v", n)
		}
		if c.padded { // a step is a block
			c.pending = max(c.pending, step+1)
		}
	case sequenceKind:
		if n%c.cell != 0 {
			return b.countError(c, step, "a multiple of %d for shape %v", n)
		}
		c.levels[len(c.levels)-1].endRow(n / c.cell)
		c.pending = max(c.pending, n/c.cell)
	case varLenKind:
		c.levels[len(c.levels)-1].endRow(n)
	case sparseKind:
		if err := b.addIndices(c, r, n, step); err != nil {
			return err
		}
		c.levels[len(c.levels)-1].endRow(n)
	case raggedKind:
		return b.addPartitions(c, r, n, step)
	}
	return nil
}

// addDefault adds the default value of a feature that is absent.
func (b *Batch) addDefault(c *column, step int) error {
	if c.required {
		return b.keyError(c, c.valueSlot, step, ErrMissing)
	}
	c.ints = append(c.ints, c.defaultValue.Int64s...)
	c.floats = append(c.floats, c.defaultValue.Floats...)
	c.strings = append(c.strings, c.defaultStrings...)
	return nil
}

// countError returns the error of a wrong number of values; want is a format of the cell size and shape.
func (b *Batch) countError(c *column, step int, want string, got int) error {
	if !b.slow {
		return errNotCanonical
	}
	e := b.keyError(c, c.valueSlot, step, ErrCount)
	e.Want, e.Got = fmt.Sprintf(want, c.cell, c.inner), fmt.Sprint(got)
	return e
}

// decodeValues appends the values of a feature to the column and returns their number.
func (b *Batch) decodeValues(c *column, s *featureSlot) (n int, err error) {
	if !b.slow {
		n, ok := b.appendValues(c, c.columnPlan.op, s.raw, s.from)
		if !ok {
			return 0, errNotCanonical
		}
		return n, nil
	}
	switch c.dtype {
	case Int64:
		n = len(c.ints)
		c.ints, err = s.feature.AppendInt64s(c.ints)
		return len(c.ints) - n, err
	case Float32:
		n = len(c.floats)
		c.floats, err = s.feature.AppendFloats(c.floats)
		return len(c.floats) - n, err
	}
	b.bytes, err = s.feature.AppendBytes(b.bytes[:0])
	c.strings = slices.Grow(c.strings, len(b.bytes))
	for _, v := range b.bytes {
		c.strings = append(c.strings, b.makeString(v))
	}
	return len(b.bytes), err
}

// readInt64s reads a feature of partition data or of indices into b.ints.
func (b *Batch) readInt64s(r *mapReader, slot int) (err error) {
	b.ints = b.ints[:0]
	s := &r.slots[slot]
	switch {
	case s.round != b.round: // absent
	case b.slow:
		b.ints, err = s.feature.AppendInt64s(b.ints)
	default:
		var ok bool
		if b.ints, ok = canonical.AppendInt64s(b.ints, s.raw, s.from); !ok {
			return errNotCanonical
		}
	}
	return err
}

// addIndices adds the indices of the last n values of a Sparse feature, and sorts both.
func (b *Batch) addIndices(c *column, r *mapReader, n, step int) error {
	dims, from := len(c.indexSlots), len(c.index)
	c.index = slices.Grow(c.index, n*dims)[:from+n*dims]
	for d, slot := range c.indexSlots {
		if err := b.readInt64s(r, slot); err != nil {
			return b.keyError(c, slot, step, err)
		}
		if len(b.ints) != n {
			e := b.keyError(c, slot, step, ErrIndex)
			e.Want, e.Got = fmt.Sprintf("%d indices, one for each value", n), fmt.Sprint(len(b.ints))
			return e
		}
		for j, x := range b.ints {
			if uint64(x) >= uint64(c.sizes[d]) {
				e := b.keyError(c, slot, step, ErrIndex)
				e.Want, e.Got = fmt.Sprintf("index %d at least 0 and less than %d", j, c.sizes[d]), fmt.Sprint(x)
				return e
			}
			c.index[from+j*dims+d] = x
		}
	}
	if !c.sorted {
		b.sortEntries(c, from, n)
	}
	return nil
}

// sortEntries sorts the last n entries of a Sparse feature by their indices, which begin at
// c.index[from]. It is stable.
func (b *Batch) sortEntries(c *column, from, n int) {
	dims := len(c.indexSlots)
	at := func(j int) []int64 { return c.index[from+j*dims : from+(j+1)*dims] }
	b.order = b.order[:0]
	inOrder := true
	for j := range n {
		b.order = append(b.order, j)
		inOrder = inOrder && (j == 0 || slices.Compare(at(j-1), at(j)) <= 0)
	}
	if inOrder {
		return
	}
	slices.SortStableFunc(b.order, func(i, j int) int { return slices.Compare(at(i), at(j)) })
	c.index = permute(c.index, b.order, dims)
	switch c.dtype {
	case Int64:
		c.ints = permute(c.ints, b.order, 1)
	case Float32:
		c.floats = permute(c.floats, b.order, 1)
	case String:
		c.strings = permute(c.strings, b.order, 1)
	}
}

// permute puts the last len(order) cells of v into that order. It uses the capacity after them
// as scratch memory.
func permute[T any](v []T, order []int, cell int) []T {
	n := len(v)
	from := n - len(order)*cell
	for _, j := range order {
		v = append(v, v[from+j*cell:from+(j+1)*cell]...)
	}
	copy(v[from:n], v[n:])
	clear(v[n:])
	return v[:n]
}

// addPartitions divides the last n values of a Ragged feature into rows, from the innermost
// partition to the outermost.
func (b *Batch) addPartitions(c *column, r *mapReader, n, step int) error {
	items := n
	first := c.firstPart()
	for i := len(c.parts) - 1; i >= 0; i-- {
		p := &c.parts[i]
		if p.slot < 0 {
			if items%int(p.length) != 0 {
				return b.keyError(c, c.valueSlot, step, &ragged.PartitionError{Encoding: p.name, Index: -1, Want: fmt.Sprintf("a multiple of %d items", p.length), Got: int64(items)}).inPartition(i)
			}
			items /= int(p.length)
			if first+i < len(c.levels) {
				c.levels[first+i].count += items
			}
			continue
		}
		if err := b.readInt64s(r, p.slot); err != nil {
			return b.keyError(c, p.slot, step, err).inPartition(i)
		}
		l := &c.levels[first+i]
		before := len(l.splits)
		limit := b.p.opts.MaxRows - (before - 1 - c.rowsAt(first+i, b.n))
		splits, err := appendRows(l.splits, p.name, b.ints, items, limit)
		if err != nil {
			e := b.keyError(c, p.slot, step, err).inPartition(i)
			if errors.Is(err, ErrLimit) {
				e.Want, e.Got = fmt.Sprintf("at most %d rows declared by one record", b.p.opts.MaxRows), "more"
			}
			return e
		}
		l.splits = splits
		items = len(splits) - before
	}
	c.levels[first-1].endRow(items)
	return nil
}

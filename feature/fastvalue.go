package feature

import (
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/simd"
)

// fastValue adds to a column the canonical Feature f[i:]: one unit. It is what unit does for
// columns that read one key.
func (b *Batch) fastValue(c *column, o op, f []byte, i int) bool {
	if i == len(f) && c.noKind {
		return b.fastAbsent(c)
	}
	n := 0
	switch o {
	case oneInt64:
		v, ok := canonical.Int64(f, i)
		if ok {
			c.ints = append(c.ints, v)
		}
		return ok
	case oneFloat:
		v, ok := canonical.Float(f, i)
		if ok {
			c.floats = append(c.floats, v)
		}
		return ok
	case oneString:
		v, ok := canonical.Bytes(f, i)
		if ok {
			c.strings = append(c.strings, b.text(v))
		}
		return ok
	default:
		var ok bool
		if n, ok = b.many(c, o, f, i); !ok {
			return false
		}
	}
	if c.kind == fixedKind {
		return n == c.cell
	}
	if c.cell != 1 {
		if n%c.cell != 0 {
			return false
		}
		n /= c.cell
	}
	if c.kind == sequenceKind {
		c.candidate = max(c.candidate, n)
	}
	c.levels[len(c.levels)-1].end(n)
	return true
}

// many appends the values of the canonical Feature f[i:] to a column and returns their
// number.
func (b *Batch) many(c *column, o op, f []byte, i int) (n int, ok bool) {
	switch o {
	case manyInt64s, oneInt64, rowInt64s:
		n = len(c.ints)
		c.ints, ok = canonical.AppendInt64s(c.ints, f, i)
		return len(c.ints) - n, ok
	case manyFloats, oneFloat:
		n = len(c.floats)
		c.floats, ok = canonical.AppendFloats(c.floats, f, i)
		return len(c.floats) - n, ok
	}
	if i, ok = canonical.List(f, i); !ok {
		return 0, false
	}
	for i < len(f) {
		lo, hi, ok := canonical.Message(f, i, canonical.Tag1)
		if !ok {
			return n, false
		}
		c.strings = append(c.strings, b.text(f[lo:hi]))
		i = hi
		n++
	}
	return n, true
}

// text makes a string of bytes in the record.
func (b *Batch) text(p []byte) string {
	if b.p.opts.AliasRecords {
		b.arena.used += len(p)
		return simd.String(p)
	}
	return b.arena.add(p)
}

// fastAbsent adds to a column what it has where its key is absent.
func (b *Batch) fastAbsent(c *column) bool {
	if c.kind != fixedKind {
		c.levels[len(c.levels)-1].end(0)
		return true
	}
	if c.required {
		return false
	}
	return b.absent(c, -1) == nil
}

// fastLate adds a unit to a column that reads several keys, or one that others read
// too, as unit does.
func (b *Batch) fastLate(c *column, r *mapReader) bool {
	n := 0
	if s := &r.slots[c.values]; s.round == b.round {
		var ok bool
		if n, ok = b.many(c, c.plan.op, s.raw, s.from); !ok {
			return false
		}
	}
	switch c.kind {
	case sparseKind:
		if b.indices(c, r, n, -1) != nil {
			return false
		}
	case raggedKind:
		return b.partitions(c, r, n, -1) == nil
	}
	c.levels[len(c.levels)-1].end(n)
	return true
}

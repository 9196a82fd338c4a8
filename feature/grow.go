package feature

import "slices"

// Grow makes room for n more rows of the average size of the rows that the batch has, so
// that columns do not grow in many small steps. On an empty batch it does nothing. It
// allocates the memory at once: for records from an untrusted source n should be no more
// than a few times Len.
func (b *Batch) Grow(n int) {
	if b.n == 0 || n <= 0 {
		return
	}
	for i := range b.cols {
		c := &b.cols[i]
		c.ints = grown(c.ints, n, b.n)
		c.floats = grown(c.floats, n, b.n)
		c.strings = grown(c.strings, n, b.n)
		c.index = grown(c.index, n, b.n)
		for j := range c.levels {
			l := &c.levels[j]
			l.splits = grown(l.splits, n, b.n)
		}
	}
}

// grown returns s, which has the values of some rows, with room for those of n more rows
// and an eighth.
func grown[T any](s []T, n, rows int) []T {
	more := float64(len(s)) * float64(n) / float64(rows) * 1.125
	if more >= 1<<30 {
		return s // it grows as it comes
	}
	return slices.Grow(s, int(more))
}

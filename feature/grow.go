package feature

import "slices"

// Grow makes room for n more rows, if they are like those that the batch has. Whoever
// knows how many there will be in the end saves columns from growing bit by bit; on an
// empty batch it does nothing. Like append, it takes memory for what is to come: with
// records of a stranger n should be no more than a few times Len.
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

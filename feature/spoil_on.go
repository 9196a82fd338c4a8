//go:build race

package feature

// spoil overwrites the values of a batch that is done with, so that a test run with
// -race shows who kept them. Strings that were read from it stay good.
func (b *Batch) spoil() {
	for i := range b.cols {
		c := &b.cols[i]
		fill(c.ints, -0x2424242424242425)
		fill(c.floats, -1.2379401e+17)
		fill(c.strings, "\xdb\xdb\xdb\xdb")
		fill(c.index, -0x2424242424242425)
	}
}

func fill[T any](s []T, v T) {
	for i := range s {
		s[i] = v
	}
}

// next ends the loan of a batch and returns one for the rows that follow. Here it is
// another one, so that whoever kept the batch itself finds no later rows in it either,
// only values that are spoiled.
func (b *Batch) next() *Batch {
	b.spoil()
	return b.p.NewBatch()
}

//go:build race

package feature

// spoil overwrites the values of a batch after its last use, so that tests with -race find code that kept them.
// Strings that were read from it stay valid.
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

// recycle drops the memory of a batch that was released, so that its columns show the overwritten values, and not
// those of a later batch.
func (p *Parser) recycle(*Batch) {}

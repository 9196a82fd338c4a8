//go:build !race

package feature

func (b *Batch) spoil() {}

// next ends the loan of a batch and returns one for the rows that follow: the same.
func (b *Batch) next() *Batch {
	b.Reset()
	return b
}

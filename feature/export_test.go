package feature

// AppendAny is Append without the fast path.
func (b *Batch) AppendAny(record []byte) error { return b.appendSlow(record) }

// Fast reports whether the fast path accepts the record. It adds nothing.
func (b *Batch) Fast(record []byte) bool {
	b.round++
	ok := b.readCanonical(record)
	b.truncate(b.n)
	return ok
}

package example

import (
	"slices"
	"strings"

	"github.com/tfparse/tfparse/internal/encode"
	"github.com/tfparse/tfparse/internal/wire"
)

// A Builder encodes an Example without intermediate maps or values. The zero
// value is empty. Each name may be added once. Once it has grown to the size
// of its messages, a Builder that is Reset allocates nothing.
type Builder struct {
	buf     encode.Buffer // encoded map entries, the last one that was added first
	entries []added       // in the order they were added
	err     *Error
}

// An added entry is a range of Builder.buf, counted from its end.
type added struct {
	name   string
	lo, hi int
}

// Add adds a feature; it copies v. The zero Value is a feature without kind.
func (b *Builder) Add(name string, v Value) {
	if v.Kind() == Malformed {
		b.fail(severalKinds("", name, -1))
		return
	}
	if b.fits(name, v.least()) {
		lo := b.buf.Len()
		v.write(&b.buf)
		b.end(name, lo)
	}
}

// AddStrings adds a bytes_list of strings, without the copy that [Strings] makes of them.
func (b *Builder) AddStrings(name string, v ...string) {
	least := int64(0)
	for _, s := range v {
		least += int64(len(s))
	}
	if b.fits(name, least) {
		lo := b.buf.Len()
		encode.Bytes(&b.buf, v)
		b.end(name, lo)
	}
}

// fits reports whether there may be another feature of at least the given size.
func (b *Builder) fits(name string, least int64) bool {
	if n := int64(b.buf.Len()) + int64(len(name)) + least; n > maxSize {
		b.fail(tooLarge(n))
	}
	return b.err == nil
}

// end makes an entry of what was written since lo.
func (b *Builder) end(name string, lo int) {
	b.buf.Entry(name, lo)
	b.entries = append(b.entries, added{name, lo, b.buf.Len()})
}

func (b *Builder) fail(e *Error) {
	if b.err == nil {
		b.err = e
	}
}

// AppendBinary appends the encoded Example to dst, as [Example.AppendBinary]
// does. The error says what could not be encoded: the first value that has
// several kinds, a name that was added twice, or a message that grew too
// large. What was added stays until Reset.
func (b *Builder) AppendBinary(dst []byte) ([]byte, error) {
	if b.err != nil {
		return dst, b.err
	}
	if len(b.entries) == 0 {
		return dst, nil
	}
	byName := func(x, y added) int { return strings.Compare(x.name, y.name) }
	if !slices.IsSortedFunc(b.entries, byName) {
		slices.SortFunc(b.entries, byName)
	}
	for i, e := range b.entries[1:] {
		if b.entries[i].name == e.name {
			return dst, &Error{Path: PathTo("", e.name), Err: ErrValue, Want: "each name once", Got: "it twice"}
		}
	}
	size := int64(b.buf.Len())
	if wire.SizeField(size) > maxSize {
		return dst, tooLarge(size)
	}
	dst = slices.Grow(dst, int(wire.SizeField(size)))
	dst = wire.AppendHeader(dst, fieldFeatures, size)
	entries := b.buf.Bytes()
	for _, e := range b.entries {
		dst = append(dst, entries[len(entries)-e.hi:len(entries)-e.lo]...)
	}
	return dst, nil
}

// Reset empties the Builder and keeps its memory.
func (b *Builder) Reset() {
	b.buf.Reset()
	clear(b.entries)
	b.entries, b.err = b.entries[:0], nil
}

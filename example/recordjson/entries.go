package recordjson

import (
	"bytes"
	"slices"

	"github.com/tfparse/tfparse/internal/wire"
)

// An entries is the entries of a map of features, or of feature lists, encoded
// one after another.
type entries struct {
	buf    []byte
	list   []entry
	sorted bool
}

// An entry is a range of entries.buf, and the range of its name in it.
type entry struct {
	lo, hi     int
	name, next int
}

func (m *entries) reset() {
	m.buf, m.list, m.sorted = m.buf[:0], m.list[:0], true
}

// add adds an entry whose value is what value holds.
func (m *entries) add(name string, value []byte) {
	key, val := wire.SizeField(int64(len(name))), wire.SizeField(int64(len(value)))
	e := entry{lo: len(m.buf)}
	b := wire.AppendHeader(m.buf, 1, key+val)
	b = wire.AppendHeader(b, 1, int64(len(name)))
	e.name = len(b)
	b = append(b, name...)
	e.next = len(b)
	b = wire.AppendHeader(b, 2, int64(len(value)))
	m.buf = append(b, value...)
	e.hi = len(m.buf)
	if n := len(m.list); n > 0 && m.sorted {
		before := &m.list[n-1]
		m.sorted = bytes.Compare(m.buf[before.name:before.next], m.buf[e.name:e.next]) < 0
	}
	m.list = append(m.list, e)
}

// append appends the map as a field, sorted by names; nothing if it is empty.
func (m *entries) append(dst []byte, field int32) []byte {
	if len(m.list) == 0 {
		return dst
	}
	dst = wire.AppendHeader(slices.Grow(dst, int(wire.SizeField(int64(len(m.buf))))), field, int64(len(m.buf)))
	if m.sorted {
		return append(dst, m.buf...)
	}
	slices.SortFunc(m.list, func(x, y entry) int {
		return bytes.Compare(m.buf[x.name:x.next], m.buf[y.name:y.next])
	})
	for _, e := range m.list {
		dst = append(dst, m.buf[e.lo:e.hi]...)
	}
	return dst
}

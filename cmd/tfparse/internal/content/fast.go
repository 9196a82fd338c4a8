package content

import (
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/canonical"
	"github.com/tfparse/tfparse/internal/wire"
)

// The fast path is for messages whose names are known, in the encoding that every writer
// produces: only the order of the entries may differ. It finds the values with a [canonical.Walk],
// checks that each one is packed as shortly as possible, and copies them in the order of their
// names. Whatever else there may be in a message, it leaves to the slow path.

// appendExample appends the form of the Example b[i:].
func (g *group) appendExample(dst, b []byte, i int) ([]byte, bool) {
	g.start()
	for i < len(b) {
		lo, hi, ok := canonical.Message(b, i, canonical.Tag1)
		if !ok || !g.find(b[:hi], lo) {
			return dst, false
		}
		i = hi
	}
	return g.appendMap(dst, b, 1, shortest)
}

// appendSequence appends the form of a SequenceExample.
func (f *Former) appendSequence(dst, b []byte) ([]byte, bool) {
	f.features.start()
	f.lists.start()
	for i := 0; i < len(b); {
		number, lo, hi := canonical.Field(b, i)
		switch {
		case number == 1 && f.features.find(b[:hi], lo):
		case number == 2 && f.lists.find(b[:hi], lo):
		default:
			return dst, false
		}
		i = hi
	}
	dst, ok := f.features.appendMap(dst, b, 1, shortest)
	if !ok {
		return dst, false
	}
	return f.lists.appendMap(dst, b, 2, shortestSteps)
}

// appendList appends the form of an ExampleListWithContext.
func (f *Former) appendList(dst, b []byte) ([]byte, bool) {
	contexts, from, to := 0, 0, 0
	for i := 0; i < len(b); {
		number, lo, hi := canonical.Field(b, i)
		ok := false
		switch number {
		case 1:
			dst, ok = f.examples.appendInner(dst, b[:hi], lo, 1)
		case 2:
			contexts++
			from, to, ok = lo, hi, contexts == 1
		}
		if !ok {
			return dst, false
		}
		i = hi
	}
	if contexts == 0 {
		return dst, true
	}
	return f.features.appendInner(dst, b[:to], from, 2)
}

// appendInner appends the form of the Example b[i:] as a field of another message.
func (g *group) appendInner(dst, b []byte, i int, field int32) ([]byte, bool) {
	var ok bool
	if g.inner, ok = g.appendExample(g.inner[:0], b, i); !ok {
		return dst, false
	}
	return append(wire.AppendHeader(dst, field, int64(len(g.inner))), g.inner...), true
}

// Measured is what a Feature has.
type Measured struct {
	Kind  example.Kind
	Count int // values
	Bytes int // of the values, without tags and lengths
}

// Measure measures the Feature b[i:]. It is not ok if that is not in its one form.
func Measure(b []byte, i int) (m Measured, ok bool) {
	if i == len(b) {
		return m, true
	}
	size := int64(len(b) - i)
	m.Kind = example.Kind(b[i] >> 3)
	switch tag := b[i]; tag {
	case canonical.Int64Tag, canonical.FloatTag:
		lo, ok := canonical.Chunk(b, i, tag)
		m.Bytes = len(b) - lo
		switch {
		case !ok:
			return m, false
		case m.Bytes == 0: // not with an empty chunk
			return m, size == 2
		case size != wire.SizeField(wire.SizeField(int64(m.Bytes))):
			return m, false
		case tag == canonical.FloatTag:
			m.Count = m.Bytes / 4
			return m, m.Bytes%4 == 0
		}
		m.Count, ok = countShortest(b, lo)
		return m, ok
	case canonical.BytesTag:
		at, ok := canonical.List(b, i)
		if !ok || size != wire.SizeField(int64(len(b)-at)) {
			return m, false
		}
		for ; at < len(b); m.Count++ {
			lo, hi, ok := canonical.Message(b, at, canonical.Tag1)
			if !ok || int64(hi-at) != wire.SizeField(int64(hi-lo)) {
				return m, false
			}
			m.Bytes += hi - lo
			at = hi
		}
		return m, true
	}
	return m, false
}

// shortest reports whether the Feature b[i:] is in its one form.
func shortest(b []byte, i int) bool {
	_, ok := Measure(b, i)
	return ok
}

// shortestSteps reports whether the FeatureList b[i:] is in its one form.
func shortestSteps(b []byte, i int) bool {
	for i < len(b) {
		lo, hi, ok := canonical.Message(b, i, canonical.Tag1)
		if !ok || int64(hi-i) != wire.SizeField(int64(hi-lo)) || !shortest(b[:hi], lo) {
			return false
		}
		i = hi
	}
	return true
}

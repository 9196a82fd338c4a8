package content

import (
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

// shortest reports whether the Feature b[i:] is in its one form.
func shortest(b []byte, i int) bool {
	if i == len(b) {
		return true
	}
	size := int64(len(b) - i)
	switch tag := b[i]; tag {
	case canonical.Int64Tag, canonical.FloatTag:
		lo, ok := canonical.Chunk(b, i, tag)
		n := int64(len(b) - lo)
		switch {
		case !ok:
			return false
		case n == 0: // not with an empty chunk
			return size == 2
		case size != wire.SizeField(wire.SizeField(n)):
			return false
		case tag == canonical.FloatTag:
			return n%4 == 0
		}
		return shortestVarints(b[lo:])
	case canonical.BytesTag:
		at, ok := canonical.List(b, i)
		if !ok || size != wire.SizeField(int64(len(b)-at)) {
			return false
		}
		for at < len(b) {
			lo, hi, ok := canonical.Message(b, at, canonical.Tag1)
			if !ok || int64(hi-at) != wire.SizeField(int64(hi-lo)) {
				return false
			}
			at = hi
		}
		return true
	}
	return false
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

package canonical

import (
	"encoding/binary"
	"math/bits"

	"github.com/tfparse/tfparse/internal/wire"
)

// A value is in its shortest canonical encoding if no varint and no length in it has padding, and a
// list without values has no chunk. Each value has exactly one such encoding.

// FeatureSize is the kind of a Feature and the number and size of its values.
type FeatureSize struct {
	Kind  uint8 // field number; 0: no kind set
	Count int   // number of values
	Bytes int   // total size of the values, without tags and lengths
}

// Measure returns the size of the Feature b[i:]. ok is false if it is not in its shortest canonical encoding.
func Measure(b []byte, i int) (m FeatureSize, ok bool) {
	if i == len(b) {
		return m, true
	}
	size := int64(len(b) - i)
	m.Kind = b[i] >> 3
	switch tag := b[i]; tag {
	case Int64Tag, FloatTag:
		lo, ok := Chunk(b, i, tag)
		m.Bytes = len(b) - lo
		switch {
		case !ok:
			return m, false
		case m.Bytes == 0: // without values there must be no chunk
			return m, size == 2
		case size != wire.SizeField(wire.SizeField(int64(m.Bytes))):
			return m, false
		case tag == FloatTag:
			m.Count = m.Bytes / 4
			return m, m.Bytes%4 == 0
		}
		m.Count, ok = countShortest(b, lo)
		return m, ok
	case BytesTag:
		at, ok := List(b, i)
		if !ok || size != wire.SizeField(int64(len(b)-at)) {
			return m, false
		}
		for ; at < len(b); m.Count++ {
			lo, hi, ok := Message(b, at, Tag1)
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

// isShortest reports whether the Feature b[i:] is in its shortest canonical encoding.
func isShortest(b []byte, i int) bool {
	_, ok := Measure(b, i)
	return ok
}

// ShortestSteps reports whether the FeatureList b[i:] is in its shortest canonical encoding.
func ShortestSteps(b []byte, i int) bool {
	for i < len(b) {
		lo, hi, ok := Message(b, i, Tag1)
		if !ok || int64(hi-i) != wire.SizeField(int64(hi-lo)) || !isShortest(b[:hi], lo) {
			return false
		}
		i = hi
	}
	return true
}

// countShortest counts the varints of b[i:]. ok is false if one is damaged or has padding: a last
// byte of 0 after a byte with the continuation bit.
func countShortest(b []byte, i int) (n int, ok bool) {
	const low, high = 0x7f7f7f7f7f7f7f7f, 0x8080808080808080
	if size := len(b) - i; 0 < size && size <= 8 && len(b) >= 8 { // most lists; too short for a varint of more than 64 bits
		w := binary.LittleEndian.Uint64(b[len(b)-8:]) >> (64 - 8*uint(size))
		zeros := ^((w&low + low) | w | low) // the high bit of each byte that is 0
		more := w & high
		return size - bits.OnesCount64(more), zeros&(more<<8) == 0 && b[len(b)-1] < 0x80
	}
	n, ok = wire.CountSound(b, i)
	if !ok {
		if _, next := wire.CheckVarints(b[i:]); next < 0 {
			return 0, false
		}
		n = wire.CountVarints(b[i:])
	}
	for i++; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		zeros := ^((w&low + low) | w | low)
		if zeros&binary.LittleEndian.Uint64(b[i-1:])&high != 0 {
			return 0, false
		}
	}
	for ; i < len(b); i++ {
		if b[i] == 0 && b[i-1] >= 0x80 {
			return 0, false
		}
	}
	return n, true
}

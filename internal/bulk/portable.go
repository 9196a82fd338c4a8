package bulk

import (
	"encoding/binary"
	"math"
	"slices"
)

// The obvious way. It is built everywhere, so that tests compare it with the fast
// one.

func plainAppendFloats(dst []float32, b []byte) []float32 {
	n := len(b) / 4
	dst = slices.Grow(dst, n)
	for i := range n {
		dst = append(dst, math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return dst
}

func plainAppendFloatBytes(dst []byte, v []float32) []byte {
	dst = slices.Grow(dst, 4*len(v))
	for _, x := range v {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
	}
	return dst
}

func plainString(b []byte) string { return string(b) }

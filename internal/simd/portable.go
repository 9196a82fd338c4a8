package simd

import (
	"encoding/binary"
	"math"
	"slices"
)

// The slow path. It is built everywhere, so that tests compare it with the fast path.

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

// Before is the number of bytes that must precede varints in their buffer, so that the kernel for AVX2 decodes
// them.
const Before = 7

// plainVarints decodes the varints of b[i:] into out, up to the first invalid varint or the end of out.
func plainVarints(out []int64, b []byte, i int) (n, next int) {
	for n < len(out) {
		v, size := binary.Uvarint(b[i:])
		if size <= 0 {
			break
		}
		out[n] = int64(v)
		n, i = n+1, i+size
	}
	return n, i
}

func plainString(b []byte) string { return string(b) }

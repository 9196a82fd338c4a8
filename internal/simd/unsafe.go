//go:build !purego && (386 || amd64 || arm || arm64 || loong64 || mipsle || mips64le || ppc64le || riscv64 || wasm)

package simd

import (
	"slices"
	"unsafe"
)

// Aliases reports whether String shares memory.
const Aliases = true

// AppendFloats appends the little-endian float32 of b to dst, bit for bit. It ignores bytes after the last whole
// float32.
func AppendFloats(dst []float32, b []byte) []float32 {
	n := len(b) / 4
	if n == 0 {
		return dst
	}
	// b need not be aligned: the floats are viewed as bytes.
	start := len(dst)
	dst = slices.Grow(dst, n)[:start+n]
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&dst[start])), 4*n), b)
	return dst
}

// AppendFloatBytes appends v to dst, little-endian.
func AppendFloatBytes(dst []byte, v []float32) []byte {
	if len(v) == 0 {
		return dst
	}
	return append(dst, unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), 4*len(v))...)
}

// String returns b as a string. Where Aliases is true it shares the memory, which must
// not change as long as the string is in use.
func String(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

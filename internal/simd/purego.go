//go:build purego || !(386 || amd64 || arm || arm64 || loong64 || mipsle || mips64le || ppc64le || riscv64 || wasm)

package simd

// Aliases reports whether String shares memory.
const Aliases = false

// AppendFloats appends the little-endian float32 of b to dst, bit for bit. It ignores bytes after the last whole
// float32.
func AppendFloats(dst []float32, b []byte) []float32 { return plainAppendFloats(dst, b) }

// AppendFloatBytes appends v to dst, little-endian.
func AppendFloatBytes(dst []byte, v []float32) []byte { return plainAppendFloatBytes(dst, v) }

// String returns b as a string. Where Aliases is true it shares the memory, which must
// not change as long as the string is in use.
func String(b []byte) string { return plainString(b) }

//go:build purego || !amd64

package simd

// Varints decodes the varints of b[i:] into out, as far as a kernel can: none, on this platform. It returns the
// number of values and the position of the next varint.
func Varints(out []int64, b []byte, i int) (n, next int) { return 0, i }

// Wide reports whether Varints is fast for lists of any size and at any position.
func Wide() bool { return false }

const hasKernel = false

//go:build purego || !amd64

package simd

// Varints decodes the varints of b[i:] into out, as far as it can do so fast. It
// returns how many it decoded and where the next begins: nothing is said about that one, or
// what follows. It reads no byte outside of b and writes no element behind the values.
func Varints(out []int64, b []byte, i int) (n, next int) { return 0, i }

// Wide reports whether Varints is fast for lists of any size and at any place.
func Wide() bool { return false }

const hasKernel = false

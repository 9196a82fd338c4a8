//go:build purego || !amd64

package simd

// PackVarints writes values as varints to dst, as many as it can: none, on this
// platform. It returns how many bytes it wrote and how many values it took.
func PackVarints(dst []byte, v []int64) (written, taken int) { return 0, 0 }

//go:build purego || !amd64

package simd

// Int64Steps decodes the steps of a feature list b from i on that have at most eight int64,
// as far as it can do so fast: none, on this platform. It returns how many steps and values it
// decoded, and where the next step begins.
func Int64Steps(out, ends []int64, b []byte, i int, last int64) (steps, values, next int) {
	return 0, 0, i
}

// DecodesSteps reports whether Int64Steps does anything.
func DecodesSteps() bool { return false }

//go:build purego || !amd64

package simd

// Int64Steps decodes the steps of a feature list b from i on that have at most eight int64, as far as a kernel can:
// none, on this platform. It returns the number of steps and of values, and the position of the next step.
func Int64Steps(out, ends []int64, b []byte, i int, last int64) (steps, values, next int) {
	return 0, 0, i
}

// DecodesSteps reports whether Int64Steps decodes steps on this machine.
func DecodesSteps() bool { return false }

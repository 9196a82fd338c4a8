//go:build !purego

package simd

import "unsafe"

// int64Steps is Int64Steps in assembly. It needs what hasVBMI2 stands for.
//
//go:noescape
func int64Steps(out *int64, room int, ends *int64, most int, b *byte, size, i int, last int64) (steps, values, next int)

// Int64Steps decodes the steps of a feature list b from i on that have at most eight int64,
// in one packed chunk or none at all, as far as it can do so fast. The values go to out, and
// for each step the number of all values up to its end, counted from last on, to ends. It returns
// how many steps and values it decoded, and where the next step begins: nothing is said
// about that one. It reads no byte outside of b; behind the values it may write to out.
func Int64Steps(out, ends []int64, b []byte, i int, last int64) (steps, values, next int) {
	for hasVBMI2 && i < len(b) {
		n, k, end := int64Steps(unsafe.SliceData(out[values:]), len(out)-values, unsafe.SliceData(ends[steps:]), len(ends)-steps, unsafe.SliceData(b), min(len(b), i+stride), i, last+int64(values))
		if n == 0 {
			break
		}
		steps, values, i = steps+n, values+k, end
	}
	return steps, values, i
}

// DecodesSteps reports whether Int64Steps does anything.
func DecodesSteps() bool { return hasVBMI2 }

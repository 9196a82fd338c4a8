//go:build !purego

package simd

import "unsafe"

// int64Steps is Int64Steps in assembly. It needs the instructions that hasVBMI2 reports.
//
//go:noescape
func int64Steps(out *int64, room int, ends *int64, most int, b *byte, size, i int, last int64) (steps, values, next int)

// Int64Steps decodes the steps of a feature list b from i on that have at most eight int64, in one packed chunk or
// none, as far as the kernel can. It writes the values to out. For each step it writes to ends last plus the number
// of values up to the end of the step. It returns the number of steps and of values, and the position of the next
// step, which may be valid too. It reads only b, and may write to out after the values.
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

// DecodesSteps reports whether Int64Steps decodes steps on this machine.
func DecodesSteps() bool { return hasVBMI2 }

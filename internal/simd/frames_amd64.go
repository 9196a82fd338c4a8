//go:build !purego

package simd

import "unsafe"

// intFrames is IntFrames in assembly. It needs what hasVBMI2 stands for.
//
//go:noescape
func intFrames(out *int64, room int, ends *int64, most int, b *byte, size, i int, last int64) (frames, values, next int)

// IntFrames decodes the frames of a feature list b from i on that have at most eight int64,
// in one packed chunk or none at all, as far as it can do so fast. The values go to out, and
// for each frame the number of all values up to its end, counted from last on, to ends. It returns
// how many frames and values it decoded, and where the next frame begins: nothing is said
// about that one. It reads no byte outside of b; behind the values it may write to out.
func IntFrames(out, ends []int64, b []byte, i int, last int64) (frames, values, next int) {
	for hasVBMI2 && i < len(b) {
		n, k, end := intFrames(unsafe.SliceData(out[values:]), len(out)-values, unsafe.SliceData(ends[frames:]), len(ends)-frames, unsafe.SliceData(b), min(len(b), i+stride), i, last+int64(values))
		if n == 0 {
			break
		}
		frames, values, i = frames+n, values+k, end
	}
	return frames, values, i
}

// DecodesFrames tells whether IntFrames does anything.
func DecodesFrames() bool { return hasVBMI2 }

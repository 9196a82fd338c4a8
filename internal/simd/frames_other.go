//go:build purego || !amd64

package simd

// IntFrames decodes the frames of a feature list b from i on that have at most eight int64,
// as far as it can do so fast: none, on this platform. It returns how many frames and values it
// decoded, and where the next frame begins.
func IntFrames(out, ends []int64, b []byte, i int, last int64) (frames, values, next int) {
	return 0, 0, i
}

// DecodesFrames tells whether IntFrames does anything.
func DecodesFrames() bool { return false }

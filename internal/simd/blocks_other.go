//go:build !amd64 || purego

package simd

// Ends takes no integers here.
func Ends(v []int64) (least, most int64, zeros, taken int) { return 0, 0, 0, 0 }

// PackDistances takes no integers here.
func PackDistances(dst []byte, v []int64, base int64, width int, sums *Sums) (taken int) { return 0 }

// Buckets takes no distances here.
func Buckets(out []uint16, data []byte, width int, add uint64, shift int) (taken int) { return 0 }

// OrderedBuckets takes no distances here.
func OrderedBuckets(out []uint16, data []byte, width int, base int64, zero, least uint64, shift int) (taken int) {
	return 0
}

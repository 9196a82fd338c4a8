//go:build !purego

package simd

import (
	"golang.org/x/sys/cpu"
)

// inBlocks tells whether the processor and the system have what the kernels for blocks need.
var inBlocks = packs && cpu.X86.HasAVX512IFMA

// mostGroups is how many groups of eight integers one call takes, which cannot be interrupted: so many
// that the sum of 52 bits of each does not exceed 64.
const mostGroups = 1 << 9

// spread and gather say, for each width, where the bytes of eight integers go: from packed ones to
// words, and back.
var spread, gather = func() (s, g [9][64]byte) {
	for width := 1; width <= 8; width++ {
		for i := range 8 {
			for k := range width {
				s[width][8*i+k] = byte(width*i + k)
				g[width][width*i+k] = byte(8*i + k)
			}
		}
	}
	return s, g
}()

// bytesOf marks the bytes of eight integers of a width, packed, and wordsOf in words.
func bytesOf(width int) uint64 { return ^uint64(0) >> (64 - 8*width) }
func wordsOf(width int) uint64 { return 0x0101010101010101 * (1<<width - 1) }

// Ends returns the least and the largest of the first integers, and how many of those are 0. It
// takes as many as it can, eight at a time: none where there is no kernel.
func Ends(v []int64) (least, most int64, zeros, taken int) {
	groups := min(len(v)/8, mostGroups)
	if !inBlocks || groups == 0 {
		return 0, 0, 0, 0
	}
	least, most, zeros = ends512(&v[0], groups)
	return least, most, zeros, 8 * groups
}

//go:noescape
func ends512(v *int64, groups int) (least, most int64, zeros int)

// PackDistances writes how far integers are from base, each in width bytes, from 1 to 8, of which dst
// has as many as there are integers. It adds them up, too. It takes as many as it can.
func PackDistances(dst []byte, v []int64, base int64, width int, sums *Sums) (taken int) {
	groups := min(len(v)/8, len(dst)/(8*width), mostGroups)
	if !inBlocks || groups == 0 {
		return 0
	}
	var words [8][8]uint64
	pack512(&dst[0], &v[0], groups, base, 8*width, bytesOf(width), &gather[width], &words)
	for i, out := range []*uint64{&sums.Low, &sums.High, &sums.LowLow[0], &sums.LowLow[1], &sums.LowHigh[0], &sums.LowHigh[1], &sums.HighHigh[0], &sums.HighHigh[1]} {
		for _, x := range words[i] {
			*out += x
		}
	}
	return 8 * groups
}

//go:noescape
func pack512(dst *byte, v *int64, groups int, base int64, step int, mask uint64, order *[64]byte, sums *[8][8]uint64)

// Buckets adds a number to each of the distances that PackDistances has written, and writes of the
// sum, without so many bits, the lowest 16. It takes as many as it can.
func Buckets(out []uint16, data []byte, width int, add uint64, shift int) (taken int) {
	groups := min(len(out)/8, len(data)/(8*width), mostGroups)
	if !inBlocks || groups == 0 {
		return 0
	}
	buckets512(&out[0], &data[0], groups, 8*width, bytesOf(width), wordsOf(width), &spread[width], add, uint64(shift))
	return 8 * groups
}

//go:noescape
func buckets512(out *uint16, data *byte, groups, step int, mask, words uint64, order *[64]byte, add, shift uint64)

// OrderedBuckets is Buckets for what the integers, those distances from base, are as float64: for
// integers of the same order, of which the bits of zero are 0, and less are those of any number
// nearer to 0. Least is taken off, not added.
func OrderedBuckets(out []uint16, data []byte, width int, base int64, zero, least uint64, shift int) (taken int) {
	groups := min(len(out)/8, len(data)/(8*width), mostGroups)
	if !inBlocks || groups == 0 {
		return 0
	}
	ordered512(&out[0], &data[0], groups, 8*width, bytesOf(width), wordsOf(width), &spread[width], base, zero, least, uint64(shift))
	return 8 * groups
}

//go:noescape
func ordered512(out *uint16, data *byte, groups, step int, mask, words uint64, order *[64]byte, base int64, zero, least, shift uint64)

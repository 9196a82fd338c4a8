package numbers

import (
	"math"
	"sync"
)

// A key is an integer that stands for a number and is of the same order: of an integer
// itself with its sign bit turned over, and of a float its bits, with the sign bit turned
// over where it is positive, and all of them where it is negative.
const (
	signBit = 1 << 63

	keyNegative = 0x007fffff // -Inf
	keyZero     = 0x80000000
	keyPositive = 0xff800000 // +Inf
)

func intKey(v int64) uint64 { return uint64(v) ^ signBit }

func floatKey(v float32) uint64 {
	b := math.Float32bits(v + 0) // 0 for -0: they are the same value
	return uint64(b ^ (uint32(int32(b)>>31) | 1<<31))
}

func floatOf(key uint64) float32 {
	k := uint32(key)
	return math.Float32frombits(k ^ (uint32(int32(^k)>>31) | 1<<31))
}

// A scratch has room for the keys of a chunk.
type scratch [chunkSize]uint64

var scratches = sync.Pool{New: func() any { return new(scratch) }}

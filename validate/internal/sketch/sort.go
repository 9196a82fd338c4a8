package sketch

import (
	"math"
	"slices"
	"sync"
)

// scratch is what sortFloats sorts in.
var scratch = sync.Pool{New: func() any { return &[2 * runLength]uint64{} }}

// sortFloats sorts values that are not NaN. Larger lists are sorted by their
// bytes, least significant first; bytes that are the same everywhere cost
// nothing, and most are where values have few bits or lie close together.
func sortFloats(v []float64) {
	if len(v) < 256 {
		slices.Sort(v)
		return
	}
	var keys, spare []uint64
	if len(v) <= runLength {
		memory := scratch.Get().(*[2 * runLength]uint64)
		defer scratch.Put(memory)
		keys, spare = memory[:len(v)], memory[runLength:][:len(v)]
	} else {
		keys, spare = make([]uint64, len(v)), make([]uint64, len(v))
	}
	var counts [8][256]int32
	for i, x := range v {
		k := orderedBits(x)
		keys[i] = k
		for b := range counts {
			counts[b][byte(k>>(8*b))]++
		}
	}
	for b := range counts {
		c := &counts[b]
		if int(c[byte(keys[0]>>(8*b))]) == len(v) {
			continue
		}
		at := int32(0)
		for i, n := range c {
			c[i] = at
			at += n
		}
		for _, k := range keys {
			d := byte(k >> (8 * b))
			spare[c[d]] = k
			c[d]++
		}
		keys, spare = spare, keys
	}
	for i, k := range keys {
		v[i] = fromOrderedBits(k)
	}
}

// orderedBits maps numbers to integers of the same order. Zero has one sign.
func orderedBits(x float64) uint64 {
	b := math.Float64bits(x)
	switch {
	case x == 0:
		return 1 << 63
	case b>>63 != 0:
		return ^b
	}
	return b | 1<<63
}

func fromOrderedBits(k uint64) float64 {
	if k>>63 != 0 {
		return math.Float64frombits(k &^ (1 << 63))
	}
	return math.Float64frombits(^k)
}

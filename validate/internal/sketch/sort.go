package sketch

import (
	"math"
	"math/bits"
	"slices"
	"sync"
)

// scratch is what sortFloats sorts in.
var scratch = sync.Pool{New: func() any { return &[2 * runLength]uint64{} }}

// digitBits is how many bits sortFloats sorts by at a time.
const digitBits = 11

// sortFloats sorts values that are not NaN. Larger lists are sorted by their bits,
// least significant first. Bits that are the same everywhere at either end cost
// nothing, and many are where values were single precision or lie close together.
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
	some, all := uint64(0), ^uint64(0)
	for i, x := range v {
		k := orderedBits(x)
		keys[i] = k
		some |= k
		all &= k
	}
	differ := some &^ all
	if differ == 0 {
		return
	}
	shift := bits.TrailingZeros64(differ)
	width := 64 - bits.LeadingZeros64(differ) - shift
	passes := (width + digitBits - 1) / digitBits
	for pass := range passes {
		var counts [1 << digitBits]int32
		at := shift + pass*digitBits
		for _, k := range keys {
			counts[k>>at&(1<<digitBits-1)]++
		}
		sum := int32(0)
		for i, n := range counts {
			counts[i] = sum
			sum += n
		}
		for _, k := range keys {
			d := k >> at & (1<<digitBits - 1)
			spare[counts[d]] = k
			counts[d]++
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

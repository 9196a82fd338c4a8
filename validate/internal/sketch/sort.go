package sketch

import (
	"math/bits"
	"slices"
	"sync"
)

// scratch is what SortKeys sorts in.
var scratch = sync.Pool{New: func() any { return &[runLength]uint64{} }}

const (
	runLength = 1 << 15
	digitBits = 11  // that SortKeys sorts by at a time
	fewKeys   = 256 // that are sorted otherwise
)

// SortKeys sorts integers. Longer lists are sorted by their two highest digits that differ, and what is
// equal there once more. Bits that are the same everywhere at either end cost nothing, and many
// are where they stand for values of single precision or near each other.
func SortKeys(v []uint64) {
	if len(v) < fewKeys {
		slices.Sort(v)
		return
	}
	some, all := uint64(0), ^uint64(0)
	for _, k := range v {
		some |= k
		all &= k
	}
	differ := some &^ all
	if differ == 0 {
		return
	}
	lowest, end := bits.TrailingZeros64(differ), bits.Len64(differ)
	from := max(lowest, end-2*digitBits)
	sortDigits(v, from, end)
	if from == lowest {
		return
	}
	first := 0
	for i := 1; i <= len(v); i++ {
		if i == len(v) || v[i]>>from != v[first]>>from {
			if i-first > 1 {
				SortKeys(v[first:i])
			}
			first = i
		}
	}
}

// sortDigits sorts by the bits from one place to another, which two digits have room for.
func sortDigits(v []uint64, from, end int) {
	var other []uint64
	if len(v) <= runLength {
		memory := scratch.Get().(*[runLength]uint64)
		defer scratch.Put(memory)
		other = memory[:len(v)]
	} else {
		other = make([]uint64, len(v))
	}
	keys := v
	for at := from; at < end; at += digitBits {
		var counts [1 << digitBits]int32
		for _, k := range keys {
			counts[k>>(at&63)&(1<<digitBits-1)]++
		}
		sum := int32(0)
		for i, n := range counts {
			counts[i] = sum
			sum += n
		}
		for _, k := range keys {
			d := k >> (at & 63) & (1<<digitBits - 1)
			other[counts[d]] = k
			counts[d]++
		}
		keys, other = other, keys
	}
	if end-from <= digitBits {
		copy(v, keys)
	}
}

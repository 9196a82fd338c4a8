package sketch

import (
	"math/bits"
	"slices"
	"sync"
)

// sortBuffers has temporary buffers for sortDigits.
var sortBuffers = sync.Pool{New: func() any { return &[bufferKeys]uint64{} }}

const (
	bufferKeys   = 1 << 15 // size of a temporary buffer
	digitBits    = 11      // bits of a radix sort digit
	minRadixKeys = 256     // shorter lists are sorted by comparison
)

// SortKeys sorts integers. It radix-sorts long lists by the two highest digits that differ, then recursively sorts each group of
// keys that are equal in these digits. It ignores leading and trailing bits that all keys share: there are many such bits if the
// keys represent float32 values or are near each other.
func SortKeys(v []uint64) {
	if len(v) < minRadixKeys {
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

// sortDigits sorts by the bits from `from` up to but excluding end, which are at most two digits.
func sortDigits(v []uint64, from, end int) {
	var other []uint64
	if len(v) <= bufferKeys {
		memory := sortBuffers.Get().(*[bufferKeys]uint64)
		defer sortBuffers.Put(memory)
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

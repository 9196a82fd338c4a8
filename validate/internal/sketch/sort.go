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
	digitBits    = 10      // bits of a radix sort digit
	digitMask    = 1<<digitBits - 1
	minRadixKeys = 256 // shorter lists are sorted by comparison
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
	sortDigits(v, from, end-from > digitBits)
	if from == lowest {
		return
	}
	for i := 1; i < len(v); i++ {
		if v[i] >= v[i-1] { // most groups have one key
			continue
		}
		first := i - 1
		for first > 0 && v[first-1]>>from == v[i]>>from {
			first--
		}
		for i < len(v) && v[i]>>from == v[first]>>from {
			i++
		}
		SortKeys(v[first:i])
	}
}

// sortDigits sorts by the digit that begins at bit from and, if both is true, by the next one too. Higher bits are equal.
func sortDigits(v []uint64, from int, both bool) {
	var other []uint64
	if len(v) <= bufferKeys {
		memory := sortBuffers.Get().(*[bufferKeys]uint64)
		defer sortBuffers.Put(memory)
		other = memory[:len(v)]
	} else {
		other = make([]uint64, len(v))
	}
	// Where the next key with a digit belongs, at first the number of these keys. One pass counts both digits.
	var low, high [digitMask + 1]uint32
	shift := uint(from) & 63
	for _, k := range v {
		low[k>>shift&digitMask]++
		high[k>>shift>>digitBits&digitMask]++
	}
	before, beforeHigh := uint32(0), uint32(0)
	for i := range low {
		n, m := low[i], high[i]
		low[i], high[i] = before, beforeHigh
		before += n
		beforeHigh += m
	}
	for _, k := range v {
		d := k >> shift & digitMask
		other[low[d]] = k
		low[d]++
	}
	if !both {
		copy(v, other)
		return
	}
	for _, k := range other {
		d := k >> shift >> digitBits & digitMask
		v[high[d]] = k
		high[d]++
	}
}

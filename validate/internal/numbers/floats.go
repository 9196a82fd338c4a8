package numbers

import "math"

// Floats are kept as integers of the same order: positive ones with the sign bit
// set, negative ones with all bits turned over.
const (
	keyNegative = 0x007fffff // -Inf
	keyZero     = 0x80000000
	keyPositive = 0xff800000 // +Inf
)

func keyOf(v float32) uint32 {
	b := math.Float32bits(v)
	return b ^ (uint32(int32(b)>>31) | 1<<31)
}

func floatOf(k uint32) float32 {
	return math.Float32frombits(k ^ (uint32(int32(^k)>>31) | 1<<31))
}

// sealFloats looks at a chunk of floats.
func (n *Numbers) sealFloats(v []float32, apart bool) {
	var memory [chunkSize]uint32
	keys := memory[:len(v)]
	least, most := uint32(math.MaxUint32), uint32(0)
	zeros := uint64(0)
	for i, x := range v {
		k := keyOf(x + 0) // 0 for -0: they are the same value
		least, most = min(least, k), max(most, k)
		if k == keyZero {
			zeros++
		}
		keys[i] = k
	}
	n.Zeros += zeros
	finite := v
	if least <= keyNegative || most >= keyPositive {
		if finite, keys = n.odd(v, keys); len(keys) == 0 {
			return
		}
		least, most = math.MaxUint32, 0
		for _, k := range keys {
			least, most = min(least, k), max(most, k)
		}
	}
	if len(finite) > 0 {
		n.spread.AddAll(finite)
		lo, hi := floatOf(least), floatOf(most)
		if len(finite) < len(keys) || least == keyZero || most == keyZero { // which may be -0
			lo, hi = finite[0], finite[0]
			for _, x := range finite {
				lo, hi = min(lo, x), max(hi, x)
			}
		}
		n.Least, n.Most = min(n.Least, float64(lo)), max(n.Most, float64(hi))
	}
	n.store.add(pack(keys, least, most))
	if !apart {
		n.spill()
	}
}

// odd counts what is not finite. It returns the values that are, and the keys of
// all but NaN.
func (n *Numbers) odd(v []float32, keys []uint32) ([]float32, []uint32) {
	finite, kept := make([]float32, 0, len(v)), keys[:0]
	for i, x := range v {
		switch {
		case x != x:
			n.NaN++
			continue
		case x > math.MaxFloat32:
			n.Positive++
		case x < -math.MaxFloat32:
			n.Negative++
		default:
			finite = append(finite, x)
		}
		kept = append(kept, keys[i])
	}
	return finite, kept
}

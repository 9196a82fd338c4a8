package sketch

import (
	"math"
	"math/bits"
	"slices"
)

// distinct keeps the smallest different hashes that were added, up to a limit.
type distinct struct {
	hashes []uint64
	limit  uint64 // no hash from here on matters; 0: all do
}

func (d *distinct) add(h uint64, keep int) {
	if d.limit != 0 && h >= d.limit {
		return
	}
	if len(d.hashes) >= 2*keep {
		d.shrink(keep)
	}
	d.hashes = append(d.hashes, h)
}

func (d *distinct) shrink(keep int) {
	slices.Sort(d.hashes)
	d.hashes = slices.Compact(d.hashes)
	if len(d.hashes) > keep {
		d.limit = d.hashes[keep]
		d.hashes = d.hashes[:keep]
	}
}

func (d *distinct) merge(o *distinct, keep int) {
	if o.limit != 0 && (d.limit == 0 || o.limit < d.limit) {
		d.limit = o.limit
		d.hashes = slices.DeleteFunc(d.hashes, func(h uint64) bool { return h >= d.limit })
	}
	for _, h := range o.hashes {
		d.add(h, keep)
	}
}

func (d distinct) estimate(keep int) uint64 {
	d.hashes = slices.Clone(d.hashes)
	d.shrink(keep)
	if d.limit == 0 {
		return uint64(len(d.hashes))
	}
	// The number of hashes below the limit gives the number of all.
	return uint64(math.Round(float64(len(d.hashes)) / (float64(d.limit) / (1 << 64))))
}

// Hash spreads strings over the integers, the same ones everywhere.
func Hash(b []byte) uint64 {
	const k0, k1 = 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9
	h := uint64(len(b)) * k0
	for len(b) >= 8 {
		v := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		h = mix(h^v, k1)
		b = b[8:]
	}
	v := uint64(len(b)) << 56
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	return mix(mix(h^v, k1)^k0, k1)
}

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^a>>32, b)
	return hi ^ lo ^ a
}

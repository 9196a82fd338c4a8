package feed

import (
	"math/bits"
	"math/rand/v2"
)

// A permutation is a pseudorandom order of the numbers below n, decided by a seed and an epoch. It computes each number when it
// is asked for, in constant memory. It is a Feistel network over the next even number of bits; a result that is not below n is
// permuted again until it is (cycle walking). It is immutable.
type permutation struct {
	n    int64
	half uint // bits of a half of a number
	keys [feistelRounds]uint64
}

// feistelRounds is how often the halves are mixed. Four are enough for a permutation that looks
// random; with more, orders of few numbers are also even.
const feistelRounds = 8

// newPermutation returns the order of n numbers for a seed and an epoch.
func newPermutation(n int64, seed uint64, epoch int64) *permutation {
	p := &permutation{n: n, half: uint(max(bits.Len64(uint64(max(n, 1)-1))+1, 8) / 2)}
	r := rand.NewPCG(seed, uint64(epoch))
	for i := range p.keys {
		p.keys[i] = r.Uint64()
	}
	return p
}

// at returns number i of the order. It panics unless 0 <= i < n.
func (p *permutation) at(i int64) int64 {
	if i < 0 || i >= p.n {
		panic("feed: an index outside the permutation")
	}
	mask := uint64(1)<<p.half - 1
	for x := uint64(i); ; {
		left, right := x>>p.half, x&mask
		for _, key := range p.keys {
			left, right = right, left^mix(right^key)&mask
		}
		if x = left<<p.half | right; x < uint64(p.n) {
			return int64(x)
		}
	}
}

// mix is the finalizer of SplitMix64: every bit of x changes about half of the result.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

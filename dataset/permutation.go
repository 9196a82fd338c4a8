package dataset

import (
	"math/bits"
	"math/rand/v2"
)

// A Permutation is the numbers from 0 to n-1 in a random order that a seed decides. It shuffles any
// number of records without a buffer: record At(i) of a [tfrecord.Indexed] is the i-th of an epoch.
// [FilesOptions.GlobalShuffle] does that for the records of many files.
// It takes no memory for its numbers, is immutable, and safe for concurrent use.
//
// It is a Feistel network over the numbers of the next even number of bits; what is not below n
// goes through it again until it is.
type Permutation struct {
	n    int64
	half uint // bits of a half of a number
	keys [permutationRounds]uint64
}

// permutationRounds is how often the halves are mixed. Four are enough for a permutation that looks
// random; with more, orders of few numbers are also even.
const permutationRounds = 8

// NewPermutation returns the order of n numbers of a seed and an epoch. It panics if n is negative.
func NewPermutation(n int64, seed uint64, epoch int64) *Permutation {
	if n < 0 {
		panic("dataset: a permutation of less than no numbers")
	}
	p := &Permutation{n: n, half: uint(max(bits.Len64(uint64(max(n, 1)-1))+1, 8) / 2)}
	r := rand.NewPCG(seed, uint64(epoch))
	for i := range p.keys {
		p.keys[i] = r.Uint64()
	}
	return p
}

// Len returns how many numbers there are.
func (p *Permutation) Len() int64 { return p.n }

// At returns number i of the order. It panics if there is none.
func (p *Permutation) At(i int64) int64 {
	if i < 0 || i >= p.n {
		panic("dataset: an index that is not in the permutation")
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

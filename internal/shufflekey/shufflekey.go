// Package shufflekey generates the random keys by which a shuffle sorts records. The command generates them in
// sequence; workers of a pipeline begin anywhere in the sequence. So both write the same order.
package shufflekey

import (
	"math/bits"
	"math/rand/v2"
)

// stream is the second half of every seed.
const stream = 0x7466706172736521

// The multiplier and the increment of rand.PCG. Its documentation guarantees the sequence of a seed.
var (
	multiplier = uint128{2549297995355413924, 4865540595714422341}
	increment  = uint128{6364136223846793005, 1442695040888963407}
)

// At returns the sequence of a seed from element i on, in O(log i) steps.
func At(seed, i uint64) *rand.PCG {
	// Each element changes the state s to a*s + c. Two steps are one step with a*a and (a+1)*c.
	state, a, c := uint128{seed, stream}, multiplier, increment
	for ; i > 0; i >>= 1 {
		if i&1 != 0 {
			state = a.times(state).plus(c)
		}
		a, c = a.times(a), a.times(c).plus(c)
	}
	return rand.NewPCG(state.hi, state.lo)
}

// A uint128 is a number modulo 2^128.
type uint128 struct{ hi, lo uint64 }

func (x uint128) plus(y uint128) uint128 {
	lo, carry := bits.Add64(x.lo, y.lo, 0)
	hi, _ := bits.Add64(x.hi, y.hi, carry)
	return uint128{hi, lo}
}

func (x uint128) times(y uint128) uint128 {
	hi, lo := bits.Mul64(x.lo, y.lo)
	return uint128{hi + x.hi*y.lo + x.lo*y.hi, lo}
}

package numbers

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/tfparse/tfparse/internal/simd"
)

// sealInts looks at a chunk of integers.
func (n *Numbers) sealInts(v []int64, apart bool) {
	least, most, none := ends(v)
	n.lo, n.hi = min(n.lo, least), max(n.hi, most)
	n.Least, n.Most = float64(n.lo), float64(n.hi)
	var sums distances
	if apart || n.lossy != nil || !n.store.count(v, least, most, &sums) {
		var b block
		b, sums = packInts(v, least, most)
		n.store.add(b)
	}
	if !apart {
		n.spill()
	}
	n.sums.add(uint64(len(v)), least, &sums)
	n.Zeros += none
}

// zeros is how many of the integers are 0.
func zeros(v []int64) uint64 {
	some, i := uint64(0), 0
	for ; i+4 <= len(v); i += 4 {
		w := v[i : i+4 : i+4] // x or -x is negative, unless it is 0
		some += uint64(w[0]|-w[0])>>63 + uint64(w[1]|-w[1])>>63 + uint64(w[2]|-w[2])>>63 + uint64(w[3]|-w[3])>>63
	}
	for _, x := range v[i:] {
		some += uint64(x|-x) >> 63
	}
	return uint64(len(v)) - some
}

// ends returns the least and the largest of some integers, of which there is one, and how many
// are 0. Both are found early, most often: then it is one question for each of the others.
func ends(v []int64) (least, most int64, none uint64) {
	least, most, some, i := simd.Ends(v)
	if none = uint64(some); i == 0 {
		least, most = v[0], v[0]
	}
	rest, width := v[i:], uint64(most-least)
	for i = 0; i+4 <= len(rest); i += 4 {
		w := rest[i : i+4 : i+4]
		if uint64(w[0]-least) > width || uint64(w[1]-least) > width || uint64(w[2]-least) > width || uint64(w[3]-least) > width {
			least, most = min(least, w[0], w[1], w[2], w[3]), max(most, w[0], w[1], w[2], w[3])
			width = uint64(most - least)
		}
	}
	for _, x := range rest[i:] {
		least, most = min(least, x), max(most, x)
	}
	if least <= 0 && most >= 0 {
		none += zeros(rest)
	}
	return least, most, none
}

const signBit = 1 << 63

// intSums are count, sum and sum of squares of integers, exactly. They are of up to
// 2^64 values below 2^63: sum in 128 bits with a sign, square in 192.
type intSums struct {
	count  uint64
	sum    [2]uint64 // two's complement, least significant word first
	square [3]uint64
}

// distances are the sum of distances from some integer, and of their squares.
type distances struct {
	sum    [2]uint64 // least significant word first
	square [3]uint64
}

// add adds count integers of which the distances from base have such sums.
func (s *intSums) add(count uint64, base int64, d *distances) {
	s.count += count
	s.addSum(d.sum[0], d.sum[1])
	s.addSquare(d.square[0], d.square[1], d.square[2])
	if base == 0 {
		return
	}
	// With b+d for each the sum has count times b more, and that of squares count times
	// b², and twice b times the sum of d.
	b := uint64(base)
	if base < 0 {
		b = -b
	}
	hi, lo := bits.Mul64(count, b)
	upper, lower := bits.Mul64(b, b)
	top, mid := bits.Mul64(count, upper)
	carried, low := bits.Mul64(count, lower)
	mid, carry := bits.Add64(mid, carried, 0)
	s.addSquare(low, mid, top+carry)
	var twice [3]uint64
	carried, twice[0] = bits.Mul64(b, d.sum[0])
	twice[2], twice[1] = bits.Mul64(b, d.sum[1])
	twice[1], carry = bits.Add64(twice[1], carried, 0)
	twice[2] += carry
	twice[2], twice[1], twice[0] = twice[2]<<1|twice[1]>>63, twice[1]<<1|twice[0]>>63, twice[0]<<1
	if base < 0 {
		lo, carry = bits.Add64(^lo, 1, 0)
		hi = ^hi + carry
		twice[0], carry = bits.Add64(^twice[0], 1, 0)
		twice[1], carry = bits.Add64(^twice[1], 0, carry)
		twice[2] = ^twice[2] + carry
	}
	s.addSum(lo, hi)
	s.addSquare(twice[0], twice[1], twice[2])
}

func (s *intSums) addSum(lo, hi uint64) {
	var carry uint64
	s.sum[0], carry = bits.Add64(s.sum[0], lo, 0)
	s.sum[1], _ = bits.Add64(s.sum[1], hi, carry)
}

func (s *intSums) addSquare(lo, mid, hi uint64) {
	var carry uint64
	s.square[0], carry = bits.Add64(s.square[0], lo, 0)
	s.square[1], carry = bits.Add64(s.square[1], mid, carry)
	s.square[2], _ = bits.Add64(s.square[2], hi, carry)
}

func (s *intSums) merge(o *intSums) {
	s.count += o.count
	s.addSum(o.sum[0], o.sum[1])
	s.addSquare(o.square[0], o.square[1], o.square[2])
}

// meanDev returns mean and deviation, each rounded once.
func (s *intSums) meanDev() (mean, dev float64) {
	if s.count == 0 {
		return math.NaN(), 0
	}
	sum := whole(s.sum[:])
	if s.sum[1]>>63 != 0 {
		sum.Sub(sum, new(big.Int).Lsh(big.NewInt(1), 128))
	}
	n := new(big.Int).SetUint64(s.count)
	mean, _ = new(big.Rat).SetFrac(sum, n).Float64()
	// n² times the variance: n times the squares, less the square of the sum.
	d := new(big.Int).Mul(n, whole(s.square[:]))
	d.Sub(d, new(big.Int).Mul(sum, sum))
	if d.Sign() <= 0 {
		return mean, 0
	}
	root := new(big.Float).SetPrec(precision).SetInt(d)
	root.Sqrt(root)
	dev, _ = root.Quo(root, new(big.Float).SetPrec(precision).SetInt(n)).Float64()
	return mean, dev
}

const precision = 400 // of what is computed from sums, in bits

// whole is the number that words make up, the least significant first.
func whole(words []uint64) *big.Int {
	out := new(big.Int)
	for i := len(words) - 1; i >= 0; i-- {
		out.Lsh(out, 64)
		out.Or(out, new(big.Int).SetUint64(words[i]))
	}
	return out
}

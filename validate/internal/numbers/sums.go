package numbers

import (
	"math"
	"math/big"
	"math/bits"
)

// intSums holds the count, sum and sum of squares of integers, without rounding, so that they do not depend on the
// order. It has room for 2^64 integers: the sum takes 128 bits with a sign, the sum of squares 192 bits.
type intSums struct {
	count  uint64
	sum    [2]uint64 // two's complement, least significant word first
	square [3]uint64 // least significant word first
}

// addChunk adds integers, which are between least and most.
func (s *intSums) addChunk(v []int64, least, most int64) {
	s.count += uint64(len(v))
	const small = 1 << 25 // the squares of a chunk of these add up to less than 2^63
	if -small < least && most < small {
		sum, square := int64(0), uint64(0)
		for _, x := range v {
			sum += x
			square += uint64(x * x)
		}
		s.addSum(uint64(sum), uint64(sum>>63))
		s.addSquare(square, 0)
		return
	}
	var sumLow, sumHigh, low, high, top, carry uint64 // variables are twice as fast as arrays, which the compiler keeps in memory
	for _, x := range v {
		sumLow, carry = bits.Add64(sumLow, uint64(x), 0)
		sumHigh += uint64(x>>63) + carry
		abs := uint64((x ^ x>>63) - x>>63)
		squareHigh, squareLow := bits.Mul64(abs, abs)
		low, carry = bits.Add64(low, squareLow, 0)
		high, carry = bits.Add64(high, squareHigh, carry)
		top += carry
	}
	s.addSum(sumLow, sumHigh)
	s.addSquare(low, high)
	s.square[2] += top
}

func (s *intSums) addSum(lo, hi uint64) {
	var carry uint64
	s.sum[0], carry = bits.Add64(s.sum[0], lo, 0)
	s.sum[1], _ = bits.Add64(s.sum[1], hi, carry)
}

func (s *intSums) addSquare(lo, hi uint64) {
	var carry uint64
	s.square[0], carry = bits.Add64(s.square[0], lo, 0)
	s.square[1], carry = bits.Add64(s.square[1], hi, carry)
	s.square[2] += carry
}

func (s *intSums) mergeSums(o *intSums) {
	s.count += o.count
	s.addSum(o.sum[0], o.sum[1])
	s.addSquare(o.square[0], o.square[1])
	s.square[2] += o.square[2]
}

// meanDev returns the mean and the standard deviation, each rounded once.
func (s *intSums) meanDev() (mean, dev float64) {
	if s.count == 0 {
		return math.NaN(), 0
	}
	sum := bigFromWords(s.sum[:])
	if s.sum[1]>>63 != 0 {
		sum.Sub(sum, new(big.Int).Lsh(big.NewInt(1), 128))
	}
	n := new(big.Int).SetUint64(s.count)
	mean, _ = new(big.Rat).SetFrac(sum, n).Float64()
	// d is n² times the variance: n times the sum of squares, minus the square of the sum.
	d := new(big.Int).Mul(n, bigFromWords(s.square[:]))
	d.Sub(d, new(big.Int).Mul(sum, sum))
	if d.Sign() <= 0 {
		return mean, 0
	}
	root := new(big.Float).SetPrec(precision).SetInt(d)
	root.Sqrt(root)
	dev, _ = root.Quo(root, new(big.Float).SetPrec(precision).SetInt(n)).Float64()
	return mean, dev
}

const precision = 400 // precision of intermediate results, in bits

// bigFromWords returns the integer with the given words, the least significant first.
func bigFromWords(words []uint64) *big.Int {
	out := new(big.Int)
	for i := len(words) - 1; i >= 0; i-- {
		out.Lsh(out, 64)
		out.Or(out, new(big.Int).SetUint64(words[i]))
	}
	return out
}

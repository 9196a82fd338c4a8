package numbers

import (
	"math"
	"math/big"
	"math/bits"
)

// sealInts looks at a chunk of integers.
func (n *Numbers) sealInts(apart bool) {
	v := n.ints
	least, most := v[0], v[0]
	for _, x := range v {
		least, most = min(least, x), max(most, x)
	}
	if least <= 0 && most >= 0 {
		for _, x := range v {
			if x == 0 {
				n.Zeros++
			}
		}
	}
	n.Least, n.Most = min(n.Least, float64(least)), max(n.Most, float64(most))
	n.sums.add(v, max(most, ^least))
	if n.lossy != nil && !apart {
		var values [chunkSize]float64
		for i, x := range v {
			values[i] = float64(x)
		}
		n.lossy.AddAll(values[:len(v)])
		return
	}
	if !apart && n.store.count(v, least, most) {
		return
	}
	n.store.add(packInts(v, least, most))
}

const signBit = 1 << 63

// intSums are count, sum and sum of squares of integers, exactly. They are of up to
// 2^64 values below 2^63: sum in 128 bits with a sign, square in 192.
type intSums struct {
	count  uint64
	sum    [2]uint64 // two's complement, least significant word first
	square [3]uint64
}

// add adds a chunk of which no value is above largest, nor below its complement.
func (s *intSums) add(v []int64, largest int64) {
	s.count += uint64(len(v))
	if largest < 1<<26 {
		var sum, square int64 // of at most 2^12 values
		for _, x := range v {
			sum += x
			square += x * x
		}
		s.addSum(uint64(sum), uint64(sum>>63))
		s.addSquare(uint64(square), 0, 0)
		return
	}
	var lo, hi, square, upper, top, carry uint64
	for _, x := range v {
		lo, carry = bits.Add64(lo, uint64(x), 0)
		hi, _ = bits.Add64(hi, uint64(x>>63), carry)
		a := uint64((x ^ x>>63) - x>>63)
		h, l := bits.Mul64(a, a)
		square, carry = bits.Add64(square, l, 0)
		upper, carry = bits.Add64(upper, h, carry)
		top += carry
	}
	s.addSum(lo, hi)
	s.addSquare(square, upper, top)
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

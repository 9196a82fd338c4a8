package recordjson

import "math/bits"

// This file prints the shortest decimal of a float32. With strconv, tfparse cat takes 1.5 times as long on
// records of floats (1.46 to 1.48, for numbers with two decimals, with a normal distribution, and with
// random bits; Go 1.26). Of two equally near shortest decimals, strconv takes the upper one; numpy and
// this file take the even one: 0.00024414062. The algorithm is Schubfach, by Raffaello Giulietti ("The
// Schubfach way to render doubles", 2020), for 24 bits. TestAppendFloat32ReadsBack compares it with
// strconv, TestAppendFloat32AsPython with numpy.

// shortestDecimal returns the decimal d * 10^k with the fewest digits that reads back to a float32; of
// several, the nearest, and of two equally near, the even one. magnitude has the bits of a positive
// finite float32 without sign. d may end in zeros.
func shortestDecimal(magnitude uint32) (d uint32, k int) {
	fraction, exponent := magnitude&(1<<23-1), int(magnitude>>23)
	// The value is c * 2^q.
	c, q := fraction|1<<23, exponent-150
	if exponent == 0 {
		c, q = fraction, -149
	}
	// The value, and the limits within which decimals read back to it, in quarters of its last bit. The
	// lower neighbour of a power of two is nearer than the upper one.
	value := 4 * c
	lower, upper := value-2, value+2
	k = q * 1262611 >> 22 // floor(log10(2^q))
	if fraction == 0 && exponent > 1 {
		lower = value - 1
		k = (q*1262611 - 524031) >> 22 // floor(log10(3/4 * 2^q))
	}
	// The same three values times 10^-k, with one or two digits more than necessary. The lowest bit is
	// set if a fraction was cut off.
	g := pow10[-k-minPow10]
	shift := q + (-k*1741647)>>19 + 1 // floor(log2(10^-k))
	lower, value, upper = scaleUp(g, lower<<shift), scaleUp(g, value<<shift), scaleUp(g, upper<<shift)
	if c&1 != 0 { // the limits read back to even neighbours
		lower++
		upper--
	}
	s := value / 4
	if s >= 10 {
		tens := s / 10
		down, up := lower <= 40*tens, 40*tens+40 <= upper
		if down != up {
			if up {
				tens++
			}
			return tens, k + 1
		}
	}
	down, up := lower <= 4*s, 4*s+4 <= upper
	if down == up {
		middle := 4*s + 2
		up = value > middle || value == middle && s&1 != 0
	}
	if up {
		s++
	}
	return s, k
}

// scaleUp returns x * g / 2^64, with the lowest bit set if a fraction was cut off.
func scaleUp(g uint64, x uint32) uint32 {
	high, low := bits.Mul64(g, uint64(x))
	y := uint32(high)
	if low>>32 > 1 { // g is rounded up, so a smaller fraction means none
		y |= 1
	}
	return y
}

const minPow10 = -31

// pow10 has 10^k for k from minPow10 on, times a power of two so that it fills 64 bits, rounded up.
var pow10 = [...]uint64{
	0x81ceb32c4b43fcf5, 0xa2425ff75e14fc32, 0xcad2f7f5359a3b3f, 0xfd87b5f28300ca0e, 0x9e74d1b791e07e49,
	0xc612062576589ddb, 0xf79687aed3eec552, 0x9abe14cd44753b53, 0xc16d9a0095928a28, 0xf1c90080baf72cb2,
	0x971da05074da7bef, 0xbce5086492111aeb, 0xec1e4a7db69561a6, 0x9392ee8e921d5d08, 0xb877aa3236a4b44a,
	0xe69594bec44de15c, 0x901d7cf73ab0acda, 0xb424dc35095cd810, 0xe12e13424bb40e14, 0x8cbccc096f5088cc,
	0xafebff0bcb24aaff, 0xdbe6fecebdedd5bf, 0x89705f4136b4a598, 0xabcc77118461cefd, 0xd6bf94d5e57a42bd,
	0x8637bd05af6c69b6, 0xa7c5ac471b478424, 0xd1b71758e219652c, 0x83126e978d4fdf3c, 0xa3d70a3d70a3d70b,
	0xcccccccccccccccd, 0x8000000000000000, 0xa000000000000000, 0xc800000000000000, 0xfa00000000000000,
	0x9c40000000000000, 0xc350000000000000, 0xf424000000000000, 0x9896800000000000, 0xbebc200000000000,
	0xee6b280000000000, 0x9502f90000000000, 0xba43b74000000000, 0xe8d4a51000000000, 0x9184e72a00000000,
	0xb5e620f480000000, 0xe35fa931a0000000, 0x8e1bc9bf04000000, 0xb1a2bc2ec5000000, 0xde0b6b3a76400000,
	0x8ac7230489e80000, 0xad78ebc5ac620000, 0xd8d726b7177a8000, 0x878678326eac9000, 0xa968163f0a57b400,
	0xd3c21bcecceda100, 0x84595161401484a0, 0xa56fa5b99019a5c8, 0xcecb8f27f4200f3a, 0x813f3978f8940985,
	0xa18f07d736b90be6, 0xc9f2c9cd04674edf, 0xfc6f7c4045812297, 0x9dc5ada82b70b59e, 0xc5371912364ce306,
	0xf684df56c3e01bc7, 0x9a130b963a6c115d, 0xc097ce7bc90715b4, 0xf0bdc21abb48db21, 0x96769950b50d88f5,
	0xbc143fa4e250eb32, 0xeb194f8e1ae525fe, 0x92efd1b8d0cf37bf, 0xb7abc627050305ae, 0xe596b7b0c643c71a,
	0x8f7e32ce7bea5c70, 0xb35dbf821ae4f38c,
}

// appendShortest appends the value of magnitude, which is positive and
// finite, with a point or an exponent.
func appendShortest(dst []byte, magnitude uint32) []byte {
	d, k := shortestDecimal(magnitude)
	for d%10 == 0 {
		d /= 10
		k++
	}
	// The digits end at end, with space on both sides for zeros, point and exponent.
	const end = 16
	var field [40]byte
	first, last := end, end
	for d >= 100 {
		first -= 2
		field[first], field[first+1] = twoDigits[d%100*2], twoDigits[d%100*2+1]
		d /= 100
	}
	if d >= 10 {
		first -= 2
		field[first], field[first+1] = twoDigits[d*2], twoDigits[d*2+1]
	} else {
		first--
		field[first] = byte('0' + d)
	}
	n := end - first
	switch point := n + k; { // number of digits before the point
	case point > 16 || point < -3:
		if n > 1 {
			field[first-1], field[first] = field[first], '.'
			first--
		}
		exponent, sign := point-1, byte('+')
		if exponent < 0 {
			exponent, sign = -exponent, '-'
		}
		field[end], field[end+1] = 'e', sign
		field[end+2], field[end+3] = twoDigits[exponent*2], twoDigits[exponent*2+1]
		last += 4
	case point <= 0:
		for ; point < 0; point++ {
			first--
			field[first] = '0'
		}
		first -= 2
		field[first], field[first+1] = '0', '.'
	case point < n:
		first--
		for i := first; i < first+point; i++ {
			field[i] = field[i+1]
		}
		field[first+point] = '.'
	default:
		for ; n < point; n++ {
			field[last] = '0'
			last++
		}
		field[last], field[last+1] = '.', '0'
		last += 2
	}
	return append(dst, field[first:last]...)
}

const twoDigits = "00010203040506070809" +
	"10111213141516171819" +
	"20212223242526272829" +
	"30313233343536373839" +
	"40414243444546474849" +
	"50515253545556575859" +
	"60616263646566676869" +
	"70717273747576777879" +
	"80818283848586878889" +
	"90919293949596979899"

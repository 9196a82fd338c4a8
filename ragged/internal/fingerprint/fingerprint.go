// Package fingerprint computes the 64-bit hashes by which TensorFlow puts strings into
// buckets: FarmHash's fingerprint, MurmurHash64A and SipHash. It also combines fingerprints.
//
// Models and data sets contain the hashes, so they never change. Numbers in strings are
// little-endian; all arithmetic wraps around.
package fingerprint

import (
	"math/bits"
)

// The multipliers of FarmHash.
const (
	k0 = 0xc3a5c85c97cb3127
	k1 = 0xb492b66fbe98f273
	k2 = 0x9ae16a3b2f90404f
)

// Of returns the fingerprint of a string: Fingerprint64 of FarmHash, the hash of
// TensorFlow's to_hash_bucket_fast and cross_hashed.
func Of(s string) uint64 {
	n := len(s)
	switch {
	case n == 0:
		return k2
	case n <= 3:
		return of3(s)
	case n <= 7:
		return of7(s)
	case n <= 16:
		return of16(s)
	case n <= 32:
		return of32(s)
	case n <= 64:
		return of64(s)
	}
	return long(s)
}

// of3 is Of for 1 to 3 bytes.
func of3(s string) uint64 {
	n := len(s)
	y := uint64(s[0]) + uint64(s[n/2])<<8
	z := uint64(n) + uint64(s[n-1])<<2
	return shiftMix(y*k2^z*k0) * k2
}

// of7 is Of for 4 to 7 bytes.
func of7(s string) uint64 {
	n := uint64(len(s))
	return mix(n+fetch32(s, 0)<<3, fetch32(s, len(s)-4), k2+2*n)
}

// of16 is Of for 8 to 16 bytes.
func of16(s string) uint64 {
	mul := k2 + 2*uint64(len(s))
	a := fetch(s, 0) + k2
	b := fetch(s, len(s)-8)
	c := right(b, 37)*mul + a
	d := (right(a, 25) + b) * mul
	return mix(c, d, mul)
}

// of32 is Of for 17 to 32 bytes.
func of32(s string) uint64 {
	mul := k2 + 2*uint64(len(s))
	a := fetch(s, 0) * k1
	b := fetch(s, 8)
	c := fetch(s, len(s)-8) * mul
	d := fetch(s, len(s)-16) * k2
	return mix(right(a+b, 43)+right(c, 30)+d, a+right(b+k2, 18)+c, mul)
}

// of64 is Of for 33 to 64 bytes.
func of64(s string) uint64 {
	mul := k2 + 2*uint64(len(s))
	a := fetch(s, 0) * k2
	b := fetch(s, 8)
	c := fetch(s, len(s)-8) * mul
	d := fetch(s, len(s)-16) * k2
	y := right(a+b, 43) + right(c, 30) + d
	z := mix(y, a+right(b+k2, 18)+c, mul)
	e := fetch(s, 16) * mul
	f := fetch(s, 24)
	g := (y + fetch(s, len(s)-32)) * mul
	h := (z + fetch(s, len(s)-24)) * mul
	return mix(right(e+f, 43)+right(g, 30)+h, e+right(f+a, 18)+g, mul)
}

// long is Of for more than 64 bytes. It adds 64 bytes at a time to a state of seven numbers,
// and then the last 64 bytes again.
func long(s string) uint64 {
	n, seed := len(s), uint64(81) // not a constant, for which wrapping around is an error
	x, y := seed*k2+fetch(s, 0), seed*k1+113
	z := shiftMix(y*k2+113) * k2
	var v, w [2]uint64
	for i := range (n - 1) / 64 {
		at := 64 * i
		x = right(x+y+v[0]+fetch(s, at+8), 37) * k1
		y = right(y+v[1]+fetch(s, at+48), 42) * k1
		x ^= w[1]
		y += v[0] + fetch(s, at+40)
		z = right(z+w[0], 33) * k1
		v = weak(s, at, v[1]*k1, x+w[0])
		w = weak(s, at+32, z+w[1], y+fetch(s, at+16))
		z, x = x, z
	}
	mul := k1 + 2*(z&0xff)
	at := n - 64
	w[0] += uint64(n-1) & 63
	v[0] += w[0]
	w[0] += v[0]
	x = right(x+y+v[0]+fetch(s, at+8), 37) * mul
	y = right(y+v[1]+fetch(s, at+48), 42) * mul
	x ^= w[1] * 9
	y += v[0]*9 + fetch(s, at+40)
	z = right(z+w[0], 33) * mul
	v = weak(s, at, v[1]*mul, x+w[0])
	w = weak(s, at+32, z+w[1], y+fetch(s, at+16))
	z, x = x, z
	return mix(mix(v[0], w[0], mul)+shiftMix(y)*k0+z, mix(v[1], w[1], mul)+x, mul)
}

// Cat combines the fingerprint so far with the next one: TensorFlow's
// FingerprintCat64. The order matters.
func Cat(a, b uint64) uint64 {
	const mul = 0xc6a4a7935bd1e995
	r := a ^ mul
	r ^= shiftMix(b*mul) * mul
	r *= mul
	r = shiftMix(r) * mul
	return shiftMix(r)
}

// mix hashes two numbers.
func mix(u, v, mul uint64) uint64 {
	a := shiftMix((u ^ v) * mul)
	return shiftMix((v^a)*mul) * mul
}

// weak hashes 32 bytes.
func weak(s string, at int, a, b uint64) [2]uint64 {
	w, x, y, z := fetch(s, at), fetch(s, at+8), fetch(s, at+16), fetch(s, at+24)
	a += w
	b = right(b+a+z, 21)
	c := a
	a += x + y
	b += right(a, 44)
	return [2]uint64{a + z, b + c}
}

func shiftMix(v uint64) uint64 { return v ^ v>>47 }

func right(v uint64, n int) uint64 { return bits.RotateLeft64(v, -n) }

func fetch(s string, at int) uint64 {
	// The compiler makes one load of this.
	b := s[at : at+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

func fetch32(s string, at int) uint64 {
	b := s[at : at+4]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24
}

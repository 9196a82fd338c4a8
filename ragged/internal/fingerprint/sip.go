package fingerprint

import (
	"math/bits"
)

// Sip returns the keyed hash of TensorFlow's to_hash_bucket_strong: SipHash-2-4. Without the
// key it is not possible to choose strings with the same hash.
func Sip(key [2]uint64, s string) uint64 {
	v := sipState{key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261, key[1] ^ 0x7465646279746573}
	last := uint64(len(s)) << 56
	for ; len(s) >= 8; s = s[8:] {
		v.absorb(fetch(s, 0))
	}
	v.absorb(last | tail(s))
	v.c ^= 0xff
	for range 4 {
		v.round()
	}
	return v.a ^ v.b ^ v.c ^ v.d
}

// A sipState is the state of SipHash: its variables v0 to v3.
type sipState struct{ a, b, c, d uint64 }

// absorb hashes 8 bytes.
func (v *sipState) absorb(m uint64) {
	v.d ^= m
	v.round()
	v.round()
	v.a ^= m
}

func (v *sipState) round() {
	v.a += v.b
	v.c += v.d
	v.b = bits.RotateLeft64(v.b, 13) ^ v.a
	v.d = bits.RotateLeft64(v.d, 16) ^ v.c
	v.a = bits.RotateLeft64(v.a, 32)
	v.c += v.b
	v.a += v.d
	v.b = bits.RotateLeft64(v.b, 17) ^ v.c
	v.d = bits.RotateLeft64(v.d, 21) ^ v.a
	v.c = bits.RotateLeft64(v.c, 32)
}

// Murmur returns the hash of to_hash_bucket, TensorFlow's older function: MurmurHash64A with
// the seed 0xDECAFCAFFE.
func Murmur(s string) uint64 {
	const (
		seed = 0xdecafcaffe
		mul  = 0xc6a4a7935bd1e995
	)
	h := seed ^ uint64(len(s))*mul
	for ; len(s) >= 8; s = s[8:] {
		h = (h ^ shiftMix(fetch(s, 0)*mul)*mul) * mul
	}
	if len(s) > 0 {
		h = (h ^ tail(s)) * mul
	}
	return shiftMix(shiftMix(h) * mul)
}

// tail reads the little-endian number in the last bytes of a string, at most seven.
func tail(s string) uint64 {
	v := uint64(0)
	for i := range len(s) {
		v |= uint64(s[i]) << (8 * i)
	}
	return v
}

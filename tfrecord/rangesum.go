package tfrecord

import (
	"hash/crc32"
	"slices"

	"github.com/tfparse/tfparse/tfrecord/internal/castagnoli"
)

// sumStep is the distance of the places that rangeSums keeps.
const sumStep = 1 << 10

// rangeSums computes checksums of stretches of a stream in time that does not
// depend on their length, for stretches that overlap.
//
// In a damaged stream any place can be a header that claims a long payload,
// and a hostile one can have such a header every twelve bytes. To read each
// payload for its checksum would take time quadratic in the size of the
// stream. But a CRC is linear: with the checksums of [0, a) and [0, b) that of
// [a, b) follows. So those of every sumStep bytes are kept, and each byte is
// read for them once.
type rangeSums struct {
	start int64    // place in the stream of sums[0]
	sums  []uint32 // sums[i] is the CRC-32C of everything up to start + i*sumStep, from wherever sums began
}

// sum returns the CRC-32C of [a, b), which lies in the unread part of w. From
// call to call a must not go back.
func (t *rangeSums) sum(w *window, a, b int64) uint32 {
	data := func(lo, hi int64) []byte { return w.buf[lo-w.base : hi-w.base] }
	last := t.start + int64(len(t.sums)-1)*sumStep
	if len(t.sums) == 0 || a < t.start || a > last {
		t.start, t.sums, last = a, append(t.sums[:0], 0), a
	}
	for last+sumStep <= b {
		t.sums = append(t.sums, castagnoli.Update(t.sums[len(t.sums)-1], data(last, last+sumStep)))
		last += sumStep
	}
	i := int((a - t.start + sumStep - 1) / sumStep) // the first place kept at or after a
	at := t.start + int64(i)*sumStep
	if at > b {
		return castagnoli.Sum(data(a, b))
	}
	j := int((b - t.start) / sumStep) // the last at or before b
	head := castagnoli.Sum(data(a, at))
	whole := castagnoli.Update(t.sums[j], data(t.start+int64(j)*sumStep, b))
	// With s = [start, at) and t = [at, b): whole is the sum of s+t, and what
	// is wanted is the sum of head+t.
	sum := appendZeros(t.sums[i]^head, b-at) ^ whole
	if i > 1024 && i > len(t.sums)/2 {
		t.sums = slices.Delete(t.sums, 0, i)
		t.start = at
	}
	return sum
}

// appendZeros returns what the checksum crc of some bytes adds to the checksum
// of those bytes followed by n others: the CRC of a+b is
// appendZeros(CRC of a, len(b)) ^ CRC of b.
//
// In terms of polynomials over GF(2) that is crc times x^(8n) modulo the
// CRC-32C polynomial.
func appendZeros(crc uint32, n int64) uint32 {
	for k := 3; n > 0; n, k = n>>1, k+1 {
		if n&1 != 0 {
			crc = multiply(xToThe2k[k], crc)
		}
	}
	return crc
}

// xToThe2k[k] is x^(2^k) modulo the polynomial.
var xToThe2k = func() (t [67]uint32) {
	t[0] = 1 << 30 // x: bits are reflected, x^0 is the top one
	for k := 1; k < len(t); k++ {
		t[k] = multiply(t[k-1], t[k-1])
	}
	return t
}()

// multiply returns a times b modulo the polynomial.
func multiply(a, b uint32) uint32 {
	var p uint32
	for m := uint32(1) << 31; m != 0; m >>= 1 {
		if a&m != 0 {
			p ^= b
		}
		if b&1 != 0 {
			b = b>>1 ^ crc32.Castagnoli
		} else {
			b >>= 1
		}
	}
	return p
}

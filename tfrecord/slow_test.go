package tfrecord_test

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/tfparse/tfparse/tfrecord"
)

// This file is a simple implementation, which works bit by bit and copies everything. It shares only the names of
// the classes with the package.

func slowMaskedCRC(b []byte) uint32 {
	c := ^uint32(0)
	for _, x := range b {
		c ^= uint32(x)
		for range 8 {
			if c&1 != 0 {
				c = c>>1 ^ 0x82f63b78
			} else {
				c >>= 1
			}
		}
	}
	c = ^c
	return c>>15 + c<<17 + 0xa282ead8
}

func slowRecord(payload []byte) []byte {
	b := make([]byte, 12+len(payload)+4)
	binary.LittleEndian.PutUint64(b, uint64(len(payload)))
	binary.LittleEndian.PutUint32(b[8:], slowMaskedCRC(b[:8]))
	copy(b[12:], payload)
	binary.LittleEndian.PutUint32(b[12+len(payload):], slowMaskedCRC(payload))
	return b
}

func slowStream(payloads ...[]byte) []byte {
	var b []byte
	for _, p := range payloads {
		b = append(b, slowRecord(p)...)
	}
	return b
}

// slowHeader makes a header with a length and its correct checksum.
func slowHeader(n uint64) []byte {
	b := binary.LittleEndian.AppendUint64(nil, n)
	return binary.LittleEndian.AppendUint32(b, slowMaskedCRC(b))
}

// slowSound reports whether b[i:] begins with a valid header and b contains its record, and how long the payload
// is.
func slowSound(b []byte, i int, limit uint64) (int, bool) {
	if i+12 > len(b) || binary.LittleEndian.Uint32(b[i+8:]) != slowMaskedCRC(b[i:i+8]) {
		return 0, false
	}
	n := binary.LittleEndian.Uint64(b[i:])
	if n > limit || n > uint64(len(b)) || i+16+int(n) > len(b) {
		return 0, false
	}
	return int(n), true
}

func slowIntact(b []byte, i, n int) bool {
	return binary.LittleEndian.Uint32(b[i+12+n:]) == slowMaskedCRC(b[i+12:i+12+n])
}

// slowWalk reads records until the first error. Damaged payloads are skipped and counted in faults.
func slowWalk(b []byte, limit uint64) (payloads [][]byte, faults []int64, end tfrecord.Class, off int64) {
	i := 0
	for i < len(b) {
		left := b[i:]
		if len(left) < 12 {
			return payloads, faults, tfrecord.Truncated, int64(i)
		}
		if binary.LittleEndian.Uint32(left[8:]) != slowMaskedCRC(left[:8]) {
			return payloads, faults, tfrecord.LengthCRC, int64(i)
		}
		if binary.LittleEndian.Uint64(left) > limit {
			return payloads, faults, tfrecord.TooLong, int64(i)
		}
		n, ok := slowSound(b, i, limit)
		if !ok {
			return payloads, faults, tfrecord.Truncated, int64(i)
		}
		if slowIntact(b, i, n) {
			payloads = append(payloads, left[12:12+n])
		} else {
			faults = append(faults, int64(i))
		}
		i += 16 + n
	}
	return payloads, faults, 0, int64(i)
}

// slowTooLong reports whether b[i:] begins with a valid header of a record above the limit, but not above the
// largest length of any record, and where the record ends.
func slowTooLong(b []byte, i int, limit uint64) (end uint64, ok bool) {
	if i+12 > len(b) || binary.LittleEndian.Uint32(b[i+8:]) != slowMaskedCRC(b[i:i+8]) {
		return 0, false
	}
	n := binary.LittleEndian.Uint64(b[i:])
	return uint64(i) + 16 + n, n > limit && n <= 1<<31-1
}

// slowFollows reports whether b ends at i or a record begins there.
func slowFollows(b []byte, i int, limit uint64) bool {
	_, sound := slowSound(b, i, limit)
	_, long := slowTooLong(b, i, limit)
	return i == len(b) || sound || long
}

// slowRecover applies the rule of Recover at every byte.
func slowRecover(b []byte, limit uint64) (payloads [][]byte, lost [][2]int64) {
	i := 0
	for i < len(b) {
		if n, ok := slowSound(b, i, limit); ok {
			next := i + 16 + n
			if slowIntact(b, i, n) {
				payloads = append(payloads, b[i+12:i+12+n])
				i = next
				continue
			}
			if slowFollows(b, next, limit) {
				lost = append(lost, [2]int64{int64(i), int64(next)})
				i = next
				continue
			}
		}
		if next, ok := slowTooLong(b, i, limit); ok && next <= uint64(len(b)) && slowFollows(b, int(next), limit) {
			lost = append(lost, [2]int64{int64(i), int64(next)})
			i = int(next)
			continue
		}
		j := i + 1
		for ; j < len(b); j++ {
			if n, ok := slowSound(b, j, limit); ok && slowIntact(b, j, n) {
				break
			}
		}
		lost = append(lost, [2]int64{int64(i), int64(j)})
		i = j
	}
	return payloads, lost
}

// somePayloads are payloads of sizes that reach every path: empty, a few bytes, and larger than a small buffer.
func somePayloads(seed uint64, n int) [][]byte {
	rnd := rand.New(rand.NewPCG(seed, 1))
	out := make([][]byte, n)
	for i := range out {
		size := rnd.IntN(40)
		if rnd.IntN(8) == 0 {
			size = rnd.IntN(3000)
		}
		out[i] = make([]byte, size)
		for k := range out[i] {
			out[i][k] = "\x00\x01aeiou label"[rnd.IntN(13)]
		}
	}
	return out
}

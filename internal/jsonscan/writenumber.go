package jsonscan

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strconv"
)

// Integers are written eight digits at a time, straight into the text. strconv.AppendInt writes two digits at a
// time, in a loop that is mispredicted at the end of most numbers, and copies them: with it a list of numbers takes
// 1.7 to 2.3 times as long (numbers below 100: the same time), tfparse cat 1.17 times, and tfparse cat --spec
// --batch 1.3 times (Go 1.26, the ads of bench). TestAppendInt compares the two, BenchmarkAppendInts times them.

// maxInt is the length of the longest int64. putInt writes nothing after this length.
const maxInt = len("-9223372036854775808")

// AppendInt appends an integer.
func AppendInt(dst []byte, v int64) []byte {
	dst = slices.Grow(dst, maxInt)
	n := len(dst)
	return dst[:n+putInt((*[maxInt]byte)(dst[n:n+maxInt]), v)]
}

// AppendInts appends integers with commas between them.
func AppendInts[T int | int64](dst []byte, v []T) []byte {
	const batch = 256 // integers per call of slices.Grow
	for len(v) > 0 {
		some := v[:min(len(v), batch)]
		v = v[len(some):]
		dst = slices.Grow(dst, len(some)*(maxInt+1))
		text, n := dst[:cap(dst)], len(dst)
		for _, x := range some {
			n += putInt((*[maxInt]byte)(text[n:n+maxInt]), int64(x))
			text[n] = ','
			n++
		}
		if dst = text[:n]; len(v) == 0 {
			dst = dst[:n-1]
		}
	}
	return dst
}

// putInt writes an integer to the start of b, and returns its length. The bytes of b after it mean nothing.
func putInt(b *[maxInt]byte, v int64) (n int) {
	u := uint64(v)
	if v < 0 {
		b[0], n, u = '-', 1, -u
	}
	first, middle, last := u, uint64(0), uint64(0) // eight digits each
	if u >= 1e8 {
		first, last = u/1e8, u%1e8
		if u >= 1e16 {
			first, middle = first/1e8, first%1e8
		}
	}
	x := eightText(first)
	zeros := bits.TrailingZeros64(x&0x0f0f0f0f0f0f0f0f|1<<56) &^ 7 // bits of the leading zeros; the last digit stays
	binary.LittleEndian.PutUint64(b[n:n+8], x>>uint(zeros))
	n += 8 - zeros/8
	if u >= 1e8 {
		if u >= 1e16 {
			binary.LittleEndian.PutUint64(b[n:n+8], eightText(middle))
			n += 8
		}
		binary.LittleEndian.PutUint64(b[n:n+8], eightText(last))
		n += 8
	}
	return n
}

// eightText returns the eight digits of v, which is below 10^8, as text: the first one in the
// lowest byte. It divides two numbers of four digits at a time, then four of two digits; each
// factor is the divisor's inverse, rounded up, which is exact for numbers that are so small.
func eightText(v uint64) uint64 {
	x := v/1e4 | v%1e4<<32
	hundreds := x * 10486 >> 20 & 0x0000007f0000007f
	x = hundreds | (x-hundreds*100)<<16
	tens := x * 103 >> 10 & 0x000f000f000f000f
	x = tens | (x-tens*10)<<8
	return x | 0x3030303030303030
}

// AppendFloat appends the shortest decimal that reads back as a finite float of size bits, 32 or 64. It always has a point or an
// exponent, so that no reader takes it for an integer. Magnitudes from 1e-4 to below 1e16 have no exponent, as Python writes them.
func AppendFloat(dst []byte, v float64, size int) []byte {
	begin := len(dst)
	form := byte('g')
	if a := math.Abs(v); a >= 1e-4 && a < 1e16 || a == 0 {
		form = 'f'
	}
	dst = strconv.AppendFloat(dst, v, form, -1, size)
	if bytes.ContainsAny(dst[begin:], ".e") {
		return dst
	}
	return append(dst, '.', '0')
}

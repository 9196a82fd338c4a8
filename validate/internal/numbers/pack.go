package numbers

import (
	"encoding/binary"
	"math/bits"

	"github.com/tfparse/tfparse/internal/simd"
)

// How blocks are made: one look at each number, which adds it up, too, where that is
// wanted. Distances of up to four bytes are written two at a time, all with eight bytes
// of which the next ones overwrite some.

// newBlock returns a block without its data.
func newBlock(least, most uint64, count int) block {
	width := widthOf(most - least)
	b := block{least: least, most: most, count: int32(count), width: int32(width)}
	if width > 0 {
		b.data = make([]byte, width*count)
	}
	return b
}

// packInts makes a block of a chunk of integers, and adds up their distances from the
// least.
func packInts(v []int64, least, most int64) (b block, d distances) {
	b = newBlock(uint64(least)^signBit, uint64(most)^signBit, len(v))
	width := int(b.width)
	if width == 0 {
		return b, d
	}
	done := packBulk(b.data, width, v, least, &d)
	switch {
	case done > 0:
	case width <= 3:
		done = packShort(b.data, width, v, least, &d)
	case width == 4:
		done = packHalf(b.data, v, least, &d)
	case width <= 6:
		done = packLong(b.data, width, v, least, &d)
	default:
		done = packWhole(b.data, width, v, least, &d)
	}
	for i, x := range v[done:] {
		x := uint64(x - least)
		put(b.data[(done+i)*width:(done+i+1)*width], x)
		d.add(x)
	}
	return b, d
}

// packBulk packs and adds up what a kernel takes. It returns how many those are.
func packBulk(data []byte, width int, v []int64, least int64, d *distances) (done int) {
	var s simd.Sums
	if done = simd.PackDistances(data, v, least, width, &s); done == 0 {
		return 0
	}
	var carry uint64
	d.sum[0], carry = bits.Add64(s.Low, s.High<<32, 0)
	d.sum[1] = s.High>>32 + carry
	for _, part := range []struct {
		x     uint64
		shift int
	}{{s.LowLow[0], 0}, {s.LowLow[1], 52}, {s.LowHigh[0], 33}, {s.LowHigh[1], 52 + 33}, {s.HighHigh[0], 64}, {s.HighHigh[1], 52 + 64}} {
		var words [4]uint64
		word, shift := part.shift/64, part.shift%64
		words[word], words[word+1] = part.x<<shift, part.x>>(64-shift)
		d.square[0], carry = bits.Add64(d.square[0], words[0], 0)
		d.square[1], carry = bits.Add64(d.square[1], words[1], carry)
		d.square[2] += words[2] + carry
	}
	return done
}

// packShort packs and adds up what has room for eight bytes, in three bytes or less each: the
// square of such a distance has 48 bits, and there are 2^12. It returns how many those are.
func packShort(data []byte, width int, v []int64, least int64, d *distances) (i int) {
	var sum, square uint64
	shift, at, next := 8*width&63, 0, 2*width
	for ; i+4 <= len(v) && at+next+8 <= len(data); i += 4 {
		w := v[i : i+4 : i+4]
		x, y := uint64(w[0]-least), uint64(w[1]-least)
		binary.LittleEndian.PutUint64(data[at:at+8], x|y<<shift)
		at += next
		sum += x + y
		square += x*x + y*y
		x, y = uint64(w[2]-least), uint64(w[3]-least)
		binary.LittleEndian.PutUint64(data[at:at+8], x|y<<shift)
		at += next
		sum += x + y
		square += x*x + y*y
	}
	d.sum[0], d.square[0] = sum, square
	return i
}

// packHalf is packShort for four bytes each, whose squares have 64 bits.
func packHalf(data []byte, v []int64, least int64, d *distances) (i int) {
	var sum, lower, upper uint64
	for at := 0; i+2 <= len(v) && at+8 <= len(data); at += 8 {
		w := v[i : i+2 : i+2]
		x, y := uint64(w[0]-least), uint64(w[1]-least)
		binary.LittleEndian.PutUint64(data[at:at+8], x|y<<32)
		sum += x + y
		x *= x
		y *= y
		lower += uint64(uint32(x)) + uint64(uint32(y))
		upper += x>>32 + y>>32
		i += 2
	}
	d.sum[0] = sum
	d.addSquare(lower, 0)
	d.addSquare(upper<<32, upper>>32)
	return i
}

// packLong is packShort for five and six bytes each, whose squares add up to 108 bits.
func packLong(data []byte, width int, v []int64, least int64, d *distances) (i int) {
	var sum, lower, upper, carry uint64
	for at := 0; i+2 <= len(v) && at+width+8 <= len(data); i += 2 {
		w := v[i : i+2 : i+2]
		x, y := uint64(w[0]-least), uint64(w[1]-least)
		binary.LittleEndian.PutUint64(data[at:at+8], x)
		at += width
		binary.LittleEndian.PutUint64(data[at:at+8], y)
		at += width
		sum += x + y
		h, l := bits.Mul64(x, x)
		lower, carry = bits.Add64(lower, l, 0)
		upper, _ = bits.Add64(upper, h, carry)
		h, l = bits.Mul64(y, y)
		lower, carry = bits.Add64(lower, l, 0)
		upper, _ = bits.Add64(upper, h, carry)
	}
	d.sum[0] = sum
	d.addSquare(lower, upper)
	return i
}

// packWhole is packShort for seven and eight bytes each.
func packWhole(data []byte, width int, v []int64, least int64, d *distances) (i int) {
	var low, high, lower, middle, upper, carry uint64
	for at := 0; i < len(v) && at+8 <= len(data); i++ {
		x := uint64(v[i] - least)
		binary.LittleEndian.PutUint64(data[at:at+8], x)
		at += width
		low, carry = bits.Add64(low, x, 0)
		high += carry
		h, l := bits.Mul64(x, x)
		lower, carry = bits.Add64(lower, l, 0)
		middle, carry = bits.Add64(middle, h, carry)
		upper += carry
	}
	d.sum = [2]uint64{low, high}
	d.square = [3]uint64{lower, middle, upper}
	return i
}

// put writes a distance as all the bytes there are.
func put(data []byte, x uint64) {
	for k := range data {
		data[k] = byte(x >> (8 * k))
	}
}

// add adds a distance.
func (d *distances) add(x uint64) {
	var carry uint64
	d.sum[0], carry = bits.Add64(d.sum[0], x, 0)
	d.sum[1] += carry
	h, l := bits.Mul64(x, x)
	d.addSquare(l, h)
}

func (d *distances) addSquare(lo, hi uint64) {
	var carry uint64
	d.square[0], carry = bits.Add64(d.square[0], lo, 0)
	d.square[1], carry = bits.Add64(d.square[1], hi, carry)
	d.square[2] += carry
}

// pack makes a block of the keys of floats, of which least and most are the ends.
func pack(keys []uint32, least, most uint32) block {
	b := newBlock(uint64(least), uint64(most), len(keys))
	data, width := b.data, int(b.width)
	if width == 0 {
		return b
	}
	i, shift := 0, 8*width&63
	for at := 0; i+2 <= len(keys) && at+8 <= len(data); at += 2 * width {
		k := keys[i : i+2 : i+2]
		binary.LittleEndian.PutUint64(data[at:at+8], uint64(k[0]-least)|uint64(k[1]-least)<<shift)
		i += 2
	}
	for ; i < len(keys); i++ {
		put(data[i*width:(i+1)*width], uint64(keys[i]-least))
	}
	return b
}

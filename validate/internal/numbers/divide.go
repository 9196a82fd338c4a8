package numbers

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/tfparse/tfparse/internal/simd"
)

// A division says which bucket a key from least to least+width is in: by equal parts of the
// keys, or of what they stand for.
type division struct {
	least, width uint64
	shift        int
	all          bool // there are no other numbers
	linear       bool // of floats only: bucket (x-lo)*scale, cut at most
	lo, scale    float64
	most         int
}

const (
	bucketBits = 13
	mostFound  = 1 << 22 // numbers whose buckets are kept
)

// newDivision returns a division by equal parts for n keys.
func newDivision(least, most, n uint64) division {
	size := min(max(bits.Len64(n)-4, 8), bucketBits)
	return division{least: least, width: most - least, shift: max(0, bits.Len64(most-least)-size)}
}

// whole has all keys in one bucket.
func (d division) whole() division { return division{least: d.least, width: d.width, shift: 64} }

// of returns the bucket of a key.
func (d *division) of(key uint64) int {
	if d.linear {
		return d.place(float64(floatOf(uint32(key))))
	}
	return int((key - d.least) >> d.shift)
}

func (d *division) place(x float64) int { return min(int((x-d.lo)*d.scale), d.most) }

// buckets is how many there are.
func (d *division) buckets() int {
	if d.linear {
		return d.most + 1
	}
	return int(d.width>>d.shift) + 1
}

// one reports whether a bucket has room for one integer only, and its key as that of a
// float.
func (d *division) one(bucket int, only *uint64) bool {
	first := d.least + uint64(bucket)<<d.shift
	x := math.Ceil(fromOrdered(first))
	*only = orderedFloat(x)
	return *only-first < 1<<d.shift && orderedFloat(x+1)-first >= 1<<d.shift
}

// divide returns the division of all numbers of the store, of which keys are from least
// to most: that of some which puts the fewest of a sample of numbers into one bucket with
// another. If f.float becomes true it is of the keys that integers have as floats. These, and
// those of floats, put the same number of buckets between 1 and 2 as between 2 and 4: that suits
// numbers of all sizes, and equal parts of what they are those that lie near each other.
func (f *finder) divide(least, most uint64) division {
	d := newDivision(least, most, f.total)
	d.all = true
	if f.store.float {
		if d.shift == 0 || f.total <= fewKeys || least <= keyNegative || most >= keyPositive {
			return d
		}
		other, sample := d, f.sample()
		other.linear, other.most = true, 1<<bucketBits-1
		other.lo = float64(floatOf(uint32(least)))
		other.scale = float64(other.most+1) / (float64(floatOf(uint32(most))) - other.lo)
		if 2*other.meet(sample) < d.meet(sample) {
			return other
		}
		return d
	}
	const exact = 1 << 53 // a float64 is every integer up to here
	other := newDivision(orderedInt(least), orderedInt(most), f.total)
	other.all = true
	if least >= signBit-exact && most <= signBit+exact {
		if d.shift == 0 || f.total <= fewKeys {
			return d
		}
		sample := f.sample()
		met := d.meet(sample)
		if met <= len(sample)/16 {
			return d
		}
		for i, k := range sample {
			sample[i] = orderedInt(k)
		}
		if 2*other.meet(sample) > met {
			return d
		}
	}
	f.float = true
	return other
}

// sample returns the keys of some numbers in blocks.
func (f *finder) sample() []uint64 {
	const size = 512
	keys := make([]uint64, 0, size)
	for i := range size {
		b := &f.blocks[i*len(f.blocks)/size]
		keys = append(keys, b.key(int(uint32(i)*2654435761%uint32(b.count))))
	}
	return keys
}

// meet is how many of the keys are in a bucket that another one before is in.
func (d *division) meet(keys []uint64) (n int) {
	var met [1 << bucketBits]bool
	for _, k := range keys {
		i := d.of(k) & (1<<bucketBits - 1)
		if met[i] {
			n++
		}
		met[i] = true
	}
	return n
}

// countAll counts all numbers in buckets. It keeps the buckets of those in blocks, if they
// are not too many.
func (f *finder) countAll(d *division) []uint64 {
	counts := make([]uint64, d.buckets())
	inBlocks := 0
	for i := range f.blocks {
		inBlocks += int(f.blocks[i].count)
	}
	f.found = f.found[:0]
	keep := inBlocks <= mostFound
	if keep && cap(f.found) < inBlocks {
		f.found = make([]uint16, 0, inBlocks)
	}
	var fast [1 << bucketBits]uint32 // of the numbers since counts was added to
	added := 0
	flush := func() {
		for i, n := range fast[:len(counts)] {
			counts[i] += uint64(n)
		}
		clear(fast[:])
		added = 0
	}
	for i := range f.blocks {
		b := &f.blocks[i]
		buckets := f.bucket[:b.count]
		if keep {
			f.found = f.found[:len(f.found)+int(b.count)]
			buckets = f.found[len(f.found)-int(b.count):]
		}
		f.place(b, d, buckets)
		for _, k := range buckets {
			fast[k&(1<<bucketBits-1)]++
		}
		if added += chunkSize; added > math.MaxInt32-chunkSize {
			flush()
		}
	}
	flush()
	f.countPages(d, counts)
	return counts
}

// place finds the buckets of the numbers of a block.
func (f *finder) place(b *block, d *division, out []uint16) {
	switch {
	case b.width == 0:
		k := uint16(d.of(f.key(b.least)))
		for i := range out {
			out[i] = k
		}
	case f.float:
		b.ordered(d, out)
	case d.linear:
		keys := b.keys(&f.memory)
		lo, scale, most := d.lo, d.scale, d.most
		for i, k := range keys[:len(out)] {
			out[i] = uint16(min(int((float64(floatOf(uint32(k)))-lo)*scale), most))
		}
	default:
		b.shifted(b.least-d.least, d.shift, out)
	}
}

// shifted writes, for each key, the sum of its distance and add, without its lowest bits.
func (b *block) shifted(add uint64, shift int, out []uint16) {
	data, width := b.data, int(b.width)
	mask, half := uint64(1)<<(8*width&63)-1, 8*width&63
	if width == 8 {
		mask = math.MaxUint64
	}
	shift &= 63
	i := simd.Buckets(out, data, width, add, shift)
	at := width * i
	if width <= 4 {
		for ; i+4 <= len(out) && at+2*width+8 <= len(data); i += 4 {
			o := out[i : i+4 : i+4]
			x := binary.LittleEndian.Uint64(data[at : at+8])
			at += 2 * width
			y := binary.LittleEndian.Uint64(data[at : at+8])
			at += 2 * width
			o[0] = uint16((x&mask + add) >> shift)
			o[1] = uint16((x>>half&mask + add) >> shift)
			o[2] = uint16((y&mask + add) >> shift)
			o[3] = uint16((y>>half&mask + add) >> shift)
		}
	}
	for ; i+2 <= len(out) && at+width+8 <= len(data); i += 2 {
		o := out[i : i+2 : i+2]
		x := binary.LittleEndian.Uint64(data[at : at+8])
		at += width
		y := binary.LittleEndian.Uint64(data[at : at+8])
		at += width
		o[0] = uint16((x&mask + add) >> shift)
		o[1] = uint16((y&mask + add) >> shift)
	}
	for ; i < len(out); i++ {
		out[i] = uint16((b.key(i) - b.least + add) >> shift)
	}
}

// ordered finds the buckets of a block of integers by what they are as floats.
func (b *block) ordered(d *division, out []uint16) {
	data, width := b.data, int(b.width)
	mask := uint64(math.MaxUint64) >> (64 - 8*width)
	base, least, shift := int64(b.least^signBit), d.least, d.shift&63
	i := simd.OrderedBuckets(out, data, width, base, orderedZero, least, shift)
	at := width * i
	if base > 0 { // orderedInt without signs, and without 0
		add := signBit - orderedZero - least
		for ; i < len(out) && at+8 <= len(data); i++ {
			x := int64(binary.LittleEndian.Uint64(data[at:at+8])&mask) + base
			at += width
			out[i] = uint16((math.Float64bits(float64(x)) + add) >> shift)
		}
	} else {
		for ; i < len(out) && at+8 <= len(data); i++ {
			x := int64(binary.LittleEndian.Uint64(data[at:at+8])&mask) + base
			at += width
			sign := x >> 63
			k := max(int64(math.Float64bits(float64(x))&^signBit)-orderedZero, 0)
			out[i] = uint16((uint64((k^sign)-sign) ^ signBit - least) >> shift)
		}
	}
	for ; i < len(out); i++ {
		out[i] = uint16((orderedInt(b.key(i)) - least) >> shift)
	}
}

// collect appends the keys in blocks that are in those buckets that are in.
func (f *finder) collect(d *division, in []uint8, keys []uint64) []uint64 {
	if !d.all {
		f.scan(d.least, d.least+d.width, func(found []uint64) {
			for _, k := range found {
				if k-d.least <= d.width && in[d.of(k)] != 0 {
					keys = append(keys, k)
				}
			}
		})
		return keys
	}
	var marks [1 << bucketBits]uint8
	copy(marks[:], in)
	found := f.found
	var hits []uint16 // of a block, and then their keys: fetches that do not wait for each other
	for i := range f.blocks {
		b := &f.blocks[i]
		buckets := f.bucket[:b.count]
		if len(f.found) > 0 {
			buckets, found = found[:b.count], found[b.count:]
		} else {
			f.place(b, d, buckets)
		}
		hits = hits[:0]
		k := 0
		for ; k+8 <= len(buckets); k += 8 {
			w := buckets[k : k+8 : k+8]
			const last = 1<<bucketBits - 1
			if marks[w[0]&last]|marks[w[1]&last]|marks[w[2]&last]|marks[w[3]&last]|
				marks[w[4]&last]|marks[w[5]&last]|marks[w[6]&last]|marks[w[7]&last] == 0 {
				continue
			}
			for j, x := range w {
				if marks[x&last] != 0 {
					hits = append(hits, uint16(k+j))
				}
			}
		}
		for ; k < len(buckets); k++ {
			if in[buckets[k]] != 0 {
				hits = append(hits, uint16(k))
			}
		}
		for _, k := range hits {
			keys = append(keys, f.key(b.key(int(k))))
		}
	}
	return keys
}

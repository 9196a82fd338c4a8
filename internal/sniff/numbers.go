package sniff

import (
	"encoding/binary"
	"math"
)

// Numbers collects evidence about the dtype of raw arrays, little endian, as NumPy's tobytes writes them. The zero value has
// none. A dtype fits if every array reads as numbers of a common size, and if the bytes of its first and second halves have
// different distributions: those of smaller numbers, such as int16 read as int32, have the same in both. No guess is better
// than a wrong one.
type Numbers struct {
	arrays  int                   // number of arrays
	misfits [len(candidates)]bool // by dtype: an array does not fit, or has too few values
	nonzero [len(candidates)]int  // by dtype: values other than 0, which are the evidence

	// bytes counts the bytes by their offset in groups of 8; nil without arrays. Copies of a Numbers share it: one owner adds.
	bytes *[8][256]uint32

	lowWords, highWords int // first and second halves of 8 bytes that are not 0: int64 and float64 have many zeros in one

	steps, shiftedSteps float64 // sums of the distances of adjacent 16 bits, as they are and read one byte further
	stepSquares         float64 // sum of the squares of these distances
	sum, squares        float64 // of the numbers of 16 bits
	samples             int     // number of these numbers
	nans                int     // of these: NaN as float16, which are huge as bfloat16, but not the usual NaN
	negatives           int     // of these: negative
}

// candidates are the dtypes of Numbers, in the order of preference: small int64 are also pairs of int32, and pairs of float32
// are also float64.
var candidates = [...]struct {
	dtype  string
	size   int
	common func(b []byte) (ok, nonzero bool) // whether the value b is of a common size
}{
	{"int64", 8, func(b []byte) (ok, nonzero bool) {
		v := int64(binary.LittleEndian.Uint64(b))
		return v == int64(int32(v)), v != 0
	}},
	{"float32", 4, func(b []byte) (ok, nonzero bool) {
		return commonFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
	}},
	{"float64", 8, func(b []byte) (ok, nonzero bool) {
		return commonFloat(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}},
	{"int32", 4, func(b []byte) (ok, nonzero bool) {
		v := int32(binary.LittleEndian.Uint32(b))
		return v > -1<<20 && v < 1<<20, v != 0
	}},
}

// commonFloat reports whether a float is one that people store: 0, or between 1e-12 and 1e12.
func commonFloat(v float64) (ok, nonzero bool) {
	a := math.Abs(v)
	return a == 0 || a >= 1e-12 && a <= 1e12, a != 0
}

// maxInspected is the number of bytes of an array that Add reads.
const maxInspected = 1 << 12

// Add adds an array.
func (n *Numbers) Add(v []byte) {
	n.arrays++
	head := v[:min(len(v), maxInspected)]
	for k, c := range candidates {
		if len(v)%c.size != 0 || len(v) < minBytes {
			n.misfits[k] = true
		}
		for i := 0; i+c.size <= len(head) && !n.misfits[k]; i += c.size {
			ok, nonzero := c.common(head[i:])
			if n.misfits[k] = !ok; nonzero {
				n.nonzero[k]++
			}
		}
	}
	if n.bytes == nil {
		n.bytes = new([8][256]uint32)
	}
	for i, b := range head {
		n.bytes[i%8][b]++
	}
	for i := 0; i+8 <= len(head); i += 8 {
		if binary.LittleEndian.Uint32(head[i:]) != 0 {
			n.lowWords++
		}
		if binary.LittleEndian.Uint32(head[i+4:]) != 0 {
			n.highWords++
		}
	}
	n.addSteps(head, len(v)%2 != 0)
}

// addSteps adds the numbers of 16 bits in the head of an array.
func (n *Numbers) addSteps(head []byte, odd bool) {
	if odd {
		n.steps = math.Inf(1)
	}
	at := func(i int) float64 { return float64(int16(binary.LittleEndian.Uint16(head[i:]))) }
	for i := 0; i+5 <= len(head); i += 2 {
		v, step := at(i), at(i+2)-at(i)
		n.steps += math.Abs(step)
		n.stepSquares += step * step
		n.shiftedSteps += math.Abs(at(i+3) - at(i+1))
		n.sum += v
		n.squares += v * v
		if bits := binary.LittleEndian.Uint16(head[i:]); bits&0x7fff > 0x7c00 && bits&0x7fff != 0x7e00 {
			n.nans++
		}
		if v < 0 {
			n.negatives++
		}
		n.samples++
	}
}

// Merge adds the arrays of o.
func (n *Numbers) Merge(o *Numbers) {
	n.arrays += o.arrays
	for k := range candidates {
		n.misfits[k] = n.misfits[k] || o.misfits[k]
		n.nonzero[k] += o.nonzero[k]
	}
	if o.bytes != nil {
		if n.bytes == nil {
			n.bytes = new([8][256]uint32)
		}
		for i := range o.bytes {
			for b, count := range o.bytes[i] {
				n.bytes[i][b] += count
			}
		}
	}
	n.lowWords += o.lowWords
	n.highWords += o.highWords
	n.steps += o.steps
	n.shiftedSteps += o.shiftedSteps
	n.stepSquares += o.stepSquares
	n.sum += o.sum
	n.squares += o.squares
	n.samples += o.samples
	n.nans += o.nans
	n.negatives += o.negatives
}

// The evidence that DType wants.
const (
	minArrays   = 2  // arrays
	minBytes    = 16 // bytes of each array: the columns of a short row differ for other reasons than their dtype
	minNonzero  = 10 // values other than 0
	minDistinct = 2  // different bytes other than 0 in one place: one-hot rows of bytes have one
	minSteps    = 64 // adjacent numbers of 16 bits
	minHighs    = 8  // different second bytes of 16 bits: grey with alpha has few
)

// DType returns the dtype that fits all arrays, and the size of an element in bytes; "" without good evidence. An integer
// dtype without negative values may also be the unsigned one, with the same values.
func (n *Numbers) DType() (dtype string, size int) {
	if n.arrays < minArrays || n.bytes == nil {
		return "", 0
	}
	for k, c := range candidates {
		padded := c.size == 4 && (8*n.highWords < n.lowWords || 8*n.lowWords < n.highWords) // zeros of int64 and float64
		if !n.misfits[k] && n.nonzero[k] >= minNonzero && !padded && n.halvesDiffer(c.size) {
			return c.dtype, c.size
		}
	}
	if n.isSignal() {
		if n.negatives > 0 {
			return "int16", 2
		}
		return "uint16", 2
	}
	return "", 0
}

// DTypeOfSize returns the dtype of elements of size bytes that fits all arrays, where something else says the size; "" if none does.
func (n *Numbers) DTypeOfSize(size int) string {
	for k, c := range candidates {
		if c.size == size && n.arrays >= minArrays && !n.misfits[k] && n.nonzero[k] >= minNonzero {
			return c.dtype
		}
	}
	return ""
}

// halvesDiffer reports whether the bytes of the first and second halves of values have different distributions.
func (n *Numbers) halvesDiffer(size int) bool {
	places := make([][256]uint32, size)
	for i := range n.bytes {
		for b, count := range n.bytes[i] {
			places[i%size][b] += count
		}
	}
	differ, varied := false, false
	for i := range size / 2 {
		var lows, highs [16]uint32 // numbers of bytes other than 0, by their first four bits: all 256 have too few each
		for b := 1; b < 256; b++ {
			lows[b>>4] += places[i][b]
			highs[b>>4] += places[i+size/2][b]
		}
		var low, high, both uint32
		for b := range lows {
			low, high, both = low+lows[b], high+highs[b], both+min(lows[b], highs[b])
		}
		all := float64(max(low, high))
		differ = differ || all >= minNonzero && 2*float64(both)+2.5*math.Sqrt(all) < all // less than half, and not by chance
	}
	for _, counts := range places {
		varied = varied || distinct(counts[1:]) >= minDistinct
	}
	return differ && varied
}

// distinct returns the number of counts that are not 0.
func distinct(counts []uint32) (n int) {
	for _, count := range counts {
		if count > 0 {
			n++
		}
	}
	return n
}

// isSignal reports whether the arrays are signals of 16 bits. A signal moves in small steps, compared with its own range, and
// in large ones if it is read one byte further. Some of its values are NaN as float16: signals of float16 move in small steps too.
// Negative values alone are uint16 as well.
func (n *Numbers) isSignal() bool {
	if n.samples < minSteps || n.steps == 0 || 4*n.steps >= n.shiftedSteps || 64*n.nans < n.samples || n.negatives == n.samples {
		return false
	}
	var highs [256]uint32
	for i := 1; i < len(n.bytes); i += 2 {
		for b, count := range n.bytes[i] {
			highs[b] += count
		}
	}
	return distinct(highs[:]) >= minHighs && 16*n.stepSquares < n.squares-n.sum*n.sum/float64(n.samples)
}

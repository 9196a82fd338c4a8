package sniff

import (
	"encoding/binary"
	"math"
)

// Numbers collects evidence about the dtype of raw arrays, little endian, as NumPy's tobytes writes them. The zero value has
// none. A dtype fits if every array reads as numbers of a common size: a float of another dtype has an absurd exponent, an
// integer large values. It does not fit if the arrays read as well one byte further, as bytes of images do.
type Numbers struct {
	arrays   int                   // number of arrays
	misfits  [len(candidates)]bool // by dtype: an array does not fit
	nonzero  [len(candidates)]int  // by dtype: values other than 0, which are the evidence
	shifted  [len(candidates)]bool // by dtype: read one byte further, a value is of no common size
	lowWords int                   // first halves of 8 bytes that are not 0: float64 of round numbers has none, float32 has

	steps, shiftedSteps float64 // sums of the distances of adjacent int16, as they are and read one byte further
	samples             int     // number of these distances
	negative            bool    // an int16 is negative
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
		return v > -1<<23 && v < 1<<23, v != 0
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
		if len(v)%c.size != 0 {
			n.misfits[k] = true
		}
		for i := 0; i+c.size <= len(head) && !n.misfits[k]; i += c.size {
			ok, nonzero := c.common(head[i:])
			if n.misfits[k] = !ok; nonzero {
				n.nonzero[k]++
			}
			if i+1+c.size <= len(head) && !n.shifted[k] {
				ok, _ := c.common(head[i+1:])
				n.shifted[k] = !ok
			}
		}
	}
	for i := 0; i+8 <= len(head); i += 8 {
		if binary.LittleEndian.Uint32(head[i:]) != 0 {
			n.lowWords++
		}
	}
	if len(v)%2 != 0 {
		n.steps = math.Inf(1)
	}
	for i := 0; i+5 <= len(head); i += 2 {
		at := func(i int) float64 { return float64(int16(binary.LittleEndian.Uint16(head[i:]))) }
		n.steps += math.Abs(at(i+2) - at(i))
		n.shiftedSteps += math.Abs(at(i+3) - at(i+1))
		n.negative = n.negative || at(i) < 0
		n.samples++
	}
}

// Merge adds the arrays of o.
func (n *Numbers) Merge(o *Numbers) {
	n.arrays += o.arrays
	for k := range candidates {
		n.misfits[k] = n.misfits[k] || o.misfits[k]
		n.nonzero[k] += o.nonzero[k]
		n.shifted[k] = n.shifted[k] || o.shifted[k]
	}
	n.lowWords += o.lowWords
	n.steps += o.steps
	n.shiftedSteps += o.shiftedSteps
	n.samples += o.samples
	n.negative = n.negative || o.negative
}

// The evidence that DType wants.
const (
	minArrays  = 2  // arrays
	minNonzero = 8  // values other than 0
	minSteps   = 64 // adjacent int16
)

// DType returns the dtype that fits all arrays, and the size of an element in bytes; "" without good evidence. A signal of 16
// bits moves in small steps, and in large ones if it is read one byte further.
func (n *Numbers) DType() (dtype string, size int) {
	if n.arrays < minArrays {
		return "", 0
	}
	for k, c := range candidates {
		halves := c.dtype == "float32" && n.lowWords == 0 && !n.misfits[k+1] // of round float64
		if !n.misfits[k] && n.nonzero[k] >= minNonzero && n.shifted[k] && !halves {
			return c.dtype, c.size
		}
	}
	if n.samples >= minSteps && n.steps > 0 && 4*n.steps < n.shiftedSteps {
		if n.negative {
			return "int16", 2
		}
		return "uint16", 2
	}
	return "", 0
}

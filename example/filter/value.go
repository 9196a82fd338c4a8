package filter

import (
	"bytes"
	"cmp"
	"math"
)

// A valueKind is the kind of one value.
type valueKind uint8

const (
	kindNone valueKind = iota // there is no value
	kindInt
	kindFloat
	kindBytes
)

// A value is a constant, a length or one value of a feature.
type value struct {
	kind    valueKind
	literal bool // a float literal, which is rounded before it is compared with float32 values
	i       int64
	f       float64
	b       []byte
}

// An operator is what a comparison asks of the order of two values.
type operator struct{ less, equal, greater, unordered bool }

var operators = map[string]operator{
	"==": {equal: true},
	"!=": {less: true, greater: true, unordered: true},
	"<":  {less: true},
	"<=": {less: true, equal: true},
	">":  {greater: true},
	">=": {greater: true, equal: true},
}

// of applies the operator to the order of two values; ordered is false if one is a NaN or
// is not there.
func (o operator) of(order int, ordered bool) bool {
	switch {
	case !ordered:
		return o.unordered
	case order < 0:
		return o.less
	case order > 0:
		return o.greater
	}
	return o.equal
}

// order compares two values: numbers with numbers, bytes with bytes. same is false if they are
// of different kinds.
func order(v, w value) (c int, ordered, same bool) {
	switch {
	case v.kind == kindNone || w.kind == kindNone:
		return 0, false, true
	case (v.kind == kindBytes) != (w.kind == kindBytes):
		return 0, false, false
	case v.kind == kindBytes:
		return bytes.Compare(v.b, w.b), true, true
	case v.kind == kindInt && w.kind == kindInt:
		return cmp.Compare(v.i, w.i), true, true
	case v.kind == kindInt:
		c, ordered = orderIntFloat(v.i, w.f)
		return c, ordered, true
	case w.kind == kindInt:
		c, ordered = orderIntFloat(w.i, v.f)
		return -c, ordered, true
	}
	if v.literal {
		v.f = float64(float32(v.f))
	}
	if w.literal {
		w.f = float64(float32(w.f))
	}
	if math.IsNaN(v.f) || math.IsNaN(w.f) {
		return 0, false, true
	}
	return cmp.Compare(v.f, w.f), true, true
}

// orderIntFloat compares without rounding: float64(i) may be another number than i.
func orderIntFloat(i int64, f float64) (c int, ordered bool) {
	switch whole := math.Trunc(f); {
	case math.IsNaN(f):
		return 0, false
	case f >= 1<<63:
		return -1, true
	case f < -1<<63:
		return 1, true
	case i != int64(whole):
		return cmp.Compare(i, int64(whole)), true
	default:
		return cmp.Compare(whole, f), true
	}
}

// A vector is the values of one feature.
type vector struct {
	kind   valueKind // kindNone: there are none
	ints   []int64
	floats []float32
	bytes  [][]byte
}

func (v vector) len() int { return len(v.ints) + len(v.floats) + len(v.bytes) }

func (v vector) at(i int) value {
	switch v.kind {
	case kindInt:
		return value{kind: kindInt, i: v.ints[i]}
	case kindFloat:
		return value{kind: kindFloat, f: float64(v.floats[i])}
	}
	return value{kind: kindBytes, b: v.bytes[i]}
}

// one returns the vector of the value at an index, which may count from the end.
func (v vector) one(at int64) vector {
	n := int64(v.len())
	if at < 0 {
		at += n
	}
	if at < 0 || at >= n {
		return vector{}
	}
	switch v.kind {
	case kindInt:
		v.ints = v.ints[at : at+1]
	case kindFloat:
		v.floats = v.floats[at : at+1]
	default:
		v.bytes = v.bytes[at : at+1]
	}
	return v
}

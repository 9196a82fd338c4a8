package expr

import (
	"bytes"
	"cmp"
	"math"
	"strconv"
)

// A valueKind is the kind of one value.
type valueKind uint8

const (
	kindNone valueKind = iota // there is no value
	kindInt
	kindFloat
	kindBytes
)

// A value is the result of evaluating an expression, or one value of a feature.
type value struct {
	kind    valueKind // which of integer, float and bytes is set
	literal bool      // a float literal, which is rounded before it is compared with float32 values
	single  bool      // a float32 value
	integer int64     // for kindInt
	float   float64   // for kindFloat
	bytes   []byte    // for kindBytes; may alias the record
}

// toFloat returns a number as float64.
func (v value) toFloat() float64 {
	if v.kind == kindInt {
		return float64(v.integer)
	}
	return v.float
}

// String returns a value as a message shows it.
func (v value) String() string {
	switch {
	case v.kind == kindNone:
		return "none"
	case v.kind == kindInt:
		return strconv.FormatInt(v.integer, 10)
	case v.single:
		return strconv.FormatFloat(v.float, 'g', -1, 32)
	case v.kind == kindFloat:
		return formatNumber(v.float)
	case len(v.bytes) > longText:
		return strconv.Quote(string(v.bytes[:longText])) + "…"
	}
	return strconv.Quote(string(v.bytes))
}

const longText = 80 // bytes of a string that a finding shows

// negate returns -v.
func (v value) negate() value {
	if v.kind == kindInt && v.integer == math.MinInt64 {
		return value{kind: kindFloat, float: 1 << 63}
	}
	v.integer, v.float = -v.integer, -v.float
	return v
}

// calculate returns the result of an operation: +, - and * of integers are exact within int64,
// other results are float64. If an operand has no value, the result has none.
func calculate(op string, v, w value) value {
	if v.kind == kindNone || w.kind == kindNone {
		return value{}
	}
	if v.kind == kindInt && w.kind == kindInt {
		a, b := v.integer, w.integer
		switch c := a + b; {
		case op == "+" && (c > a) == (b > 0):
			return value{kind: kindInt, integer: c}
		case op == "-" && (a-b < a) == (b > 0):
			return value{kind: kindInt, integer: a - b}
		case op == "*" && (a == 0 || a*b/a == b && !(a == -1 && b == math.MinInt64)):
			return value{kind: kindInt, integer: a * b}
		}
	}
	x, y := v.toFloat(), w.toFloat()
	switch op {
	case "+":
		x += y
	case "-":
		x -= y
	case "*":
		x *= y
	default:
		x /= y
	}
	return value{kind: kindFloat, float: x}
}

// An operator is a comparison: the orders of two values for which it is true.
type operator struct{ less, equal, greater, unordered bool }

var operators = map[string]operator{
	"==": {equal: true},
	"!=": {less: true, greater: true, unordered: true},
	"<":  {less: true},
	"<=": {less: true, equal: true},
	">":  {greater: true},
	">=": {greater: true, equal: true},
}

// mirrored maps an operator to the operator for exchanged sides: a < b is b > a.
var mirrored = map[string]string{"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// holdsBetween reports whether a comparison of values of one kind holds.
func (o operator) holdsBetween(v, w value) bool {
	c, ordered, _ := compareOrder(&v, &w)
	return o.applies(c, ordered)
}

// applies reports whether the operator is true for the order of two values; ordered is false if
// one is NaN or missing.
func (o operator) applies(order int, ordered bool) bool {
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

// compareOrder compares two values: numbers with numbers, bytes with bytes. same is false if they are
// of different kinds.
func compareOrder(v, w *value) (c int, ordered, same bool) {
	switch {
	case v.kind == kindNone || w.kind == kindNone:
		return 0, false, true
	case (v.kind == kindBytes) != (w.kind == kindBytes):
		return 0, false, false
	case v.kind == kindBytes:
		return bytes.Compare(v.bytes, w.bytes), true, true
	case v.kind == kindInt && w.kind == kindInt:
		return cmp.Compare(v.integer, w.integer), true, true
	case v.kind == kindInt:
		c, ordered = orderIntFloat(v.integer, w.float)
		return c, ordered, true
	case w.kind == kindInt:
		c, ordered = orderIntFloat(w.integer, v.float)
		return -c, ordered, true
	}
	a, b := v.float, w.float
	switch {
	case v.literal && w.single:
		a = float64(float32(a))
	case w.literal && v.single:
		b = float64(float32(b))
	}
	if math.IsNaN(a) || math.IsNaN(b) {
		return 0, false, true
	}
	return cmp.Compare(a, b), true, true
}

// testAll reports whether the operator holds between w and every value, or if all is false between w
// and any value. Without values the result is all. It is a fast path for values of the same kind as w,
// and takes a fraction of the time of compareOrder; done is false for other kinds.
func (o operator) testAll(values *vector, w *value, all bool) (result, done bool) {
	switch {
	case values.kind == kindInt && w.kind == kindInt:
		for _, v := range values.ints {
			if ok := o.less && v < w.integer || o.equal && v == w.integer || o.greater && v > w.integer; ok != all {
				return ok, true
			}
		}
		return all, true
	case values.kind == kindFloat && len(values.doubles) == 0 && (w.kind == kindFloat || w.kind == kindInt && w.integer>>53 == w.integer>>63): // integers up to 2^53 are exact as float64
		f := w.toFloat()
		if w.literal {
			f = float64(float32(f))
		}
		for _, v := range values.floats {
			v := float64(v)
			if ok := o.less && v < f || o.equal && v == f || o.greater && v > f || o.unordered && (v != v || f != f); ok != all {
				return ok, true
			}
		}
		return all, true
	case values.kind == kindBytes && w.kind == kindBytes:
		for _, v := range values.bytes {
			if ok := o.applies(bytes.Compare(v, w.bytes), true); ok != all {
				return ok, true
			}
		}
		return all, true
	}
	return false, false
}

// orderIntFloat compares without rounding: float64(i) may differ from i.
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

// constantSet is a set of constants of one kind.
type constantSet struct {
	all    []value
	ints   map[int64]bool
	texts  map[string]bool
	floats []value
}

// addConstant adds a constant, which has the same kind as the other constants.
func (s *constantSet) addConstant(v value) {
	if s.all = append(s.all, v); len(s.all) == 1 {
		s.ints, s.texts = map[int64]bool{}, map[string]bool{}
	}
	switch v.kind {
	case kindInt:
		s.ints[v.integer] = true
	case kindFloat:
		s.floats = append(s.floats, v)
	default:
		s.texts[string(v.bytes)] = true
	}
}

// contains reports whether a value is one of the constants; same is false if strings are compared
// with numbers.
func (s *constantSet) contains(v *value) (ok, same bool) {
	if v.kind == kindNone {
		return false, true
	}
	if (v.kind == kindBytes) != (s.all[0].kind == kindBytes) {
		return false, false
	}
	equal := s.floats
	switch v.kind {
	case kindBytes:
		return s.texts[string(v.bytes)], true
	case kindInt:
		if s.ints[v.integer] {
			return true, true
		}
	default:
		equal = s.all
	}
	for i := range equal {
		if c, ordered, _ := compareOrder(v, &equal[i]); ordered && c == 0 {
			return true, true
		}
	}
	return false, true
}

// A vector is the values of one feature.
type vector struct {
	kind    valueKind // which field has the values; kindNone: the feature has none
	ints    []int64   // for kindInt
	floats  []float32 // for kindFloat
	doubles []float64 // for kindFloat, instead of floats: fields of type double
	bytes   [][]byte  // for kindBytes; views of the record
}

func (v vector) length() int { return len(v.ints) + len(v.floats) + len(v.doubles) + len(v.bytes) }

func (v vector) valueAt(i int) value {
	switch v.kind {
	case kindInt:
		return value{kind: kindInt, integer: v.ints[i]}
	case kindFloat:
		if len(v.doubles) > 0 {
			return value{kind: kindFloat, float: v.doubles[i]}
		}
		return value{kind: kindFloat, float: float64(v.floats[i]), single: true}
	}
	return value{kind: kindBytes, bytes: v.bytes[i]}
}

// oneValue returns a vector of the value at an index; a negative index counts from the end.
func (v vector) oneValue(at int64) vector {
	n := int64(v.length())
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
		if len(v.doubles) > 0 {
			v.doubles = v.doubles[at : at+1]
			break
		}
		v.floats = v.floats[at : at+1]
	default:
		v.bytes = v.bytes[at : at+1]
	}
	return v
}

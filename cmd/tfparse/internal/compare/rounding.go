package compare

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/tfparse/tfparse/example"
)

// A rounding rounds floats to some digits behind the point, as TensorFlow Data Validation does
// (float_round_ndigits): the exact value to the nearest decimal, halves to the even digit, and that to a
// float32. But what is rounded to -0 is 0 here. The zero value rounds nothing.
type rounding struct {
	given  bool
	digits int
}

func (r rounding) round(v float32) float32 {
	f := float64(v)
	if !r.given || math.IsInf(f, 0) || math.IsNaN(f) {
		return v
	}
	var text [64]byte
	f, _ = strconv.ParseFloat(string(strconv.AppendFloat(text[:0], f, 'f', r.digits, 64)), 64)
	if f == 0 {
		return 0
	}
	return float32(f)
}

// appendKey appends the rounded values of a feature of floats. No other kind begins with the same byte.
func (r rounding) appendKey(key []byte, f example.Feature) ([]byte, error) {
	values, err := f.AppendFloats(nil)
	key = append(key, 0xff)
	for _, v := range values {
		key = binary.LittleEndian.AppendUint32(key, math.Float32bits(r.round(v)))
	}
	return key, err
}

// A closeness says which values count as the same.
type closeness struct {
	rounding
	within bool // a tolerance is given, which may be 0; otherwise floats are compared by their bits
	// Of floats: absolute, and by the larger of the two; either is enough.
	tolerance, relative float64
}

// sameValues reports whether two features that have values have the same ones. They are in the one form, buf
// is memory.
func (c closeness) sameValues(a, b example.Feature, buf *[2][]float32) (same bool, err error) {
	if bytes.Equal(a.Raw(), b.Raw()) {
		return true, nil
	}
	if a.Kind() != example.FloatList || b.Kind() != example.FloatList || !c.given && !c.within {
		return false, nil
	}
	for i, f := range [2]example.Feature{a, b} {
		if buf[i], err = f.AppendFloats(buf[i][:0]); err != nil {
			return false, err
		}
	}
	if len(buf[0]) != len(buf[1]) {
		return false, nil
	}
	for i, v := range buf[0] {
		if !c.near(v, buf[1][i]) {
			return false, nil
		}
	}
	return true, nil
}

// near reports whether two floats count as the same: within the larger tolerance, as Python's math.isclose has it, so that an
// infinity is near itself alone. But all NaNs are one value then; 0 and -0 are, too.
func (c closeness) near(v, w float32) bool {
	v, w = c.round(v), c.round(w)
	switch {
	case math.Float32bits(v) == math.Float32bits(w):
		return true
	case !c.within:
		return false
	case v != v || w != w:
		return v != v && w != w
	}
	x, y := float64(v), float64(w)
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		return x == y
	}
	return v == w || math.Abs(x-y) <= max(c.tolerance, c.relative*max(math.Abs(x), math.Abs(y)))
}

// sameSteps reports whether two feature lists have the same steps.
func (c closeness) sameSteps(a, b example.FeatureList, buf *[2][]float32) (same bool, err error) {
	if bytes.Equal(a.Raw(), b.Raw()) {
		return true, nil
	}
	sa, sb := a.Scan(), b.Scan()
	for {
		inA, inB := sa.Next(), sb.Next()
		if inA != inB || !inA {
			return inA == inB, nil
		}
		if same, err := c.sameValues(sa.Feature(), sb.Feature(), buf); !same || err != nil {
			return false, err
		}
	}
}

// hasNoValues reports whether a feature in the one form has no values.
func hasNoValues(f example.Feature) bool {
	if f.Kind() == example.Unset {
		return true
	}
	return len(f.Raw()) <= 2 // a tag and the length 0
}

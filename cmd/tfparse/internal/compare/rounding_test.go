package compare

import (
	"math"
	"testing"
)

// TestCloseness compares tolerances with math.isclose of Python 3.12 on the same float32s.
func TestCloseness(t *testing.T) {
	inf, negativeZero := float32(math.Inf(1)), float32(math.Copysign(0, -1))
	for _, c := range []struct {
		a, b               float32
		relative, absolute float64
		want               bool
	}{
		{100, 101, 0.01, 0, true}, {100, 101, 0.0099, 0, false}, {-100, -101, 0.01, 0, true}, {100, -100, 1, 0, false}, {100, -100, 2, 0, true},
		{0, 1e-9, 0.5, 0, false}, {0, 1e-9, 0, 1e-8, true}, {1, 1.5, 0.1, 0.5, true}, {1, 1.5, 0.1, 0.4, false},
		{inf, 1e38, 1, 0, false}, {inf, inf, 0.1, 0, true}, {-inf, inf, 1, 1, false}, {inf, 5, 1, math.Inf(1), false}, {0, negativeZero, 0.1, 0, true}, {0, negativeZero, 0, 0, true}, {1, 1, 0, 0, true}, {1, 1.0000001, 0, 0, false},
	} {
		for _, pair := range [2][2]float32{{c.a, c.b}, {c.b, c.a}} {
			if got := (equality{hasTolerance: true, tolerance: c.absolute, relative: c.relative}).equalFloats(pair[0], pair[1]); got != c.want {
				t.Errorf("%v and %v within %v of the larger one, or %v: %t", pair[0], pair[1], c.relative, c.absolute, got)
			}
		}
	}
	nan := float32(math.NaN())
	if !(equality{hasTolerance: true, relative: 0.1}).equalFloats(nan, -nan) || (equality{hasTolerance: true, relative: 0.1}).equalFloats(nan, 1) {
		t.Error("NaN is within a tolerance of NaN only")
	}
}

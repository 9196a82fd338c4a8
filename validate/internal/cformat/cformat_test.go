package cformat_test

import (
	"math"
	"testing"

	"github.com/tfparse/tfparse/validate/internal/cformat"
)

func TestSix(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", math.Copysign(0, -1): "-0", 100000: "100000", 1e6: "1e+06", 123456.7: "123457", 0.0001: "0.0001", 0.00001: "1e-05", 0.1: "0.1",
		1. / 3: "0.333333", 12.5: "12.5", math.Inf(1): "inf", math.Inf(-1): "-inf", 999999.5: "1e+06", 1e100: "1e+100",
	} {
		if got := cformat.Six(f); got != want {
			t.Errorf("%v: %s, wanted %s", f, got, want)
		}
	}
	if got := cformat.Six(math.NaN()); got != "nan" {
		t.Error(got)
	}
}

func TestInt64(t *testing.T) {
	for _, c := range []struct {
		f         float64
		cut, near int64
	}{
		{1.9, 1, 1}, {-1.9, -1, -1}, {1 << 63, math.MinInt64, math.MaxInt64}, {-1 << 63, math.MinInt64, math.MinInt64}, {math.NaN(), math.MinInt64, 0},
		{math.Inf(1), math.MinInt64, math.MaxInt64}, {math.Inf(-1), math.MinInt64, math.MinInt64},
	} {
		if cut, near := cformat.Int64(c.f), cformat.Int64Near(c.f); cut != c.cut || near != c.near {
			t.Errorf("%v: %d, %d, wanted %d, %d", c.f, cut, near, c.cut, c.near)
		}
	}
}

// TestParse checks the syntax of absl::SimpleAtoi and SimpleAtof, with which TensorFlow Data Validation parses labels.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		s          string
		int, float bool
	}{
		{"5", true, true}, {" +5\n", true, true}, {"-9223372036854775808", true, true}, {"9223372036854775808", false, true}, {"", false, false}, {"1_000", false, false},
		{"0x10", false, false}, {"0x1p3", false, false}, {"1e5", false, true}, {"1e999", false, true}, {".5", false, true}, {"5.", false, true}, {".", false, false}, {"e5", false, false},
		{"inf", false, true}, {"-Infinity", false, true}, {"NaN", false, true}, {"nan(x1)", false, true}, {"nan(", false, false}, {"+-1", false, false}, {"infin", false, false}, {"1 2", false, false},
	} {
		_, i := cformat.ParseInt(c.s)
		_, f := cformat.ParseFloat(c.s)
		if i != c.int || f != c.float {
			t.Errorf("%q: int %t, float %t, wanted %t, %t", c.s, i, f, c.int, c.float)
		}
	}
}

func TestEscape(t *testing.T) {
	if got, want := cformat.Escape("a\n\"'\\\x01\x7f\u00e9"), `a\n\"\'\\\001\177é`; got != want {
		t.Errorf("%s, wanted %s", got, want)
	}
}

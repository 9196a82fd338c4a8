package text_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/fingerprint"
	"github.com/tfparse/tfparse/ragged/text"
)

// TestBucketsOfMany compares the buckets that several goroutines compute, by multiplication instead
// of division, with single hashes modulo the number of buckets.
func TestBucketsOfMany(t *testing.T) {
	values := make([]string, 1<<17+3)
	for i := range values {
		values[i] = fmt.Sprint("word", i*i)
	}
	for _, n := range []int64{1, 2, 3, 10, 1000, 1024, 1<<31 - 1, 1 << 32, 1 << 62, math.MaxInt64 - 1, math.MaxInt64} {
		got := must(text.HashBucketFast(ragged.Vector(values...), n))(t).Values()
		for i, s := range values {
			if want := int64(fingerprint.Of(s) % uint64(n)); got[i] != want {
				t.Fatalf("%q in %d buckets: want %d, got %d", s, n, want, got[i])
			}
		}
	}
}

// TestFormat compares with texts of TensorFlow 2.21.0.
func TestFormat(t *testing.T) {
	for _, c := range []struct {
		v    float32
		o    text.FormatOptions
		want string
	}{
		{1.5, text.FormatOptions{Fill: '0', Width: 12}, "00001.500000"},
		{float32(math.Inf(1)), text.FormatOptions{Fill: '0', Width: 6}, "   inf"},
		{float32(math.Inf(-1)), text.FormatOptions{Fill: '+', Width: 6}, "  -inf"},
		{1.5, text.FormatOptions{Fill: '#', Precision: -1}, "2."},
		{1.5, text.FormatOptions{Fill: '#', Notation: text.Shortest}, "1.50000"},
		{1.5, text.FormatOptions{Fill: '-', Width: 12}, "1.500000    "},
		{1.5, text.FormatOptions{Fill: ' '}, " 1.500000"},
		{1e5, text.FormatOptions{Notation: text.Shortest}, "100000"},
		{1e6, text.FormatOptions{Notation: text.Shortest}, "1e+06"},
		{123456789, text.FormatOptions{Notation: text.Shortest}, "1.23457e+08"},
		{0.1, text.FormatOptions{Notation: text.Shortest, Precision: 12}, "0.10000000149"},
		{2.5, text.FormatOptions{Precision: -1}, "2"},
	} {
		if got := must(text.AsString(ragged.Scalar(c.v), &c.o))(t).Item(); got != c.want {
			t.Errorf("%v with %+v: want %q, got %q", c.v, c.o, c.want, got)
		}
	}
}

// TestNumbers compares with numbers that TensorFlow 2.21.0 reads.
func TestNumbers(t *testing.T) {
	for s, want := range map[string]float64{
		"infinity": math.Inf(1), "-INF": math.Inf(-1), "0x1.8p3": 12, "-0x10": -16, "0x.8": 0.5, "0x1.": 1, ".5": 0.5, "5.": 5,
		"1e400": math.Inf(1), "1e-400": 0, "\v4\f\r": 4, "0x1p-1074": 5e-324, "1E5": 1e5,
	} {
		if got := must(text.ToNumber[float64](ragged.Scalar(s)))(t).Item(); got != want {
			t.Errorf("%q: want %v, got %v", s, want, got)
		}
	}
	for _, s := range []string{"nan", "+nan", "-NaN", "nan(1)"} {
		if got := must(text.ToNumber[float32](ragged.Scalar(s)))(t).Item(); got == got {
			t.Errorf("%q: got %v", s, got)
		}
	}
	for _, s := range []string{"", "  ", "0x", "1_0", "0x1_0", ".", "1e", "4 x", "+-5", "- 5", "--5", "5f", "\u00a05", "4\x00", "0b1", "0x1p", "in", "+"} {
		_, err := text.ToNumber[float64](ragged.Scalar(s))
		var value *ragged.ValueError
		if !errors.As(err, &value) || !errors.Is(err, ragged.ErrValue) {
			t.Errorf("%q: got error %v", s, err)
		}
	}
}

// TestCases compares with results of TensorFlow 2.21.0, whose lower case of sigma depends on the end
// of the word.
func TestCases(t *testing.T) {
	for _, c := range [][2]string{{"Σ ΑΣ ΑΣ.Α", "σ ας ασ.α"}, {"İ", "i̇"}, {"A\xc3", "a\ufffd"}, {"ẞ", "ß"}, {"A\x00B", "a\x00b"}} {
		if got := text.Lower(ragged.Scalar(c[0]), text.UnicodeCase).Item(); got != c[1] {
			t.Errorf("lower case of %q: want %q, got %q", c[0], c[1], got)
		}
	}
	if got := text.Upper(ragged.Scalar("göäß ﬁ"), text.UnicodeCase).Item(); got != "GÖÄSS FI" {
		t.Errorf("got %q", got)
	}
}

// TestReduceJoinKept checks that partitions above and below a kept axis stay.
func TestReduceJoinKept(t *testing.T) {
	p, q := must(ragged.Uniform(2, 2))(t), must(ragged.FromRowLengths([]int64{2, 0, 1, 1}))(t)
	x := must(ragged.New([]string{"a", "b", "c", "d"}, nil, p, q))(t)
	got := must(text.ReduceJoin(x, "|", &text.ReduceJoinOptions{Axes: []int{0, 1}, KeepDims: true}))(t)
	one := must(ragged.Uniform(1, 1))(t)
	if want := must(ragged.New([]string{"a|c|d", "b"}, nil, one, must(ragged.FromRowLengths([]int64{2}))(t)))(t); !ragged.Equal(got, want) || got.RaggedRank() != 2 {
		t.Errorf("got %v of shape %v, want %v of shape %v", got, got.Shape(), want, want.Shape())
	}
}

// TestSubstrNegative uses lengths below 0, which TensorFlow accepts except for characters that are
// counted from the end.
func TestSubstrNegative(t *testing.T) {
	x := ragged.Vector("\u00e9ab")
	for _, c := range []struct {
		pos  int64
		unit text.Unit
		want string
	}{{1, text.Chars, ""}, {2, text.Bytes, "ab"}, {-2, text.Bytes, "ab"}} {
		if got := must(text.Substr(x, ragged.Scalar[int64](c.pos), ragged.Scalar[int64](-1), c.unit))(t); got.Values()[0] != c.want {
			t.Errorf("%d, %v: got %q, want %q", c.pos, c.unit, got.Values()[0], c.want)
		}
	}
	_, err := text.Substr(x, ragged.Scalar[int64](-2), ragged.Scalar[int64](-1), text.Chars)
	var fault *ragged.ValueError
	if !errors.As(err, &fault) || fault.Got != "-1" {
		t.Errorf("got %v, want an error about the length -1", err)
	}
}

// FuzzNoPanic gives any bytes to the operations that parse bytes.
func FuzzNoPanic(f *testing.F) {
	f.Add("a b", "x*", int64(1))
	f.Add("\xe2\x82x", "(", int64(-1))
	f.Fuzz(func(t *testing.T, s, arg string, n int64) {
		x := ragged.Vector(s, arg)
		text.Split(x, arg, int(n))
		for _, u := range []text.Unit{text.Bytes, text.Chars} {
			_, _ = text.Substr(x, ragged.Scalar[int64](n), ragged.Scalar[int64](n/2), u)
		}
		_, _ = text.RegexReplace(x, arg, s, n%2 == 0)
		_, _ = text.DecodeBase64(x)
		_, _ = text.ToNumber[float32](x)
		_, _ = text.HashBucketStrong(x, n, [2]uint64{1, 2})
		for _, e := range []text.Encoding{text.UTF8, text.UTF16BE, text.UTF32BE, text.UTF16LE, text.UTF32LE, text.UTF16, text.UTF32, text.Windows1252} {
			_, offsets, err := text.DecodeOffsets(x, e, nil)
			if err != nil || offsets.Validate() != nil {
				t.Fatal(err)
			}
		}
		back := must(text.DecodeBase64(text.EncodeBase64(x, n%2 == 0)))(t)
		if !ragged.Equal(back, x) {
			t.Fatal("base64 does not come back")
		}
		text.Lower(x, text.UnicodeCase)
		text.Upper(x, text.UnicodeCase)
	})
}

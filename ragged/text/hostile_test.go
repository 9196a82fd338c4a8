package text_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/text"
)

func second[T any](_ T, err error) error { return err }

// TestControls compares the treatment of controls with TensorFlow 2.21.0: all operations except
// Transcode replace them, even with Strict.
func TestControls(t *testing.T) {
	x := ragged.Vector("a\x00b\tc", "d\x7f")
	for _, c := range []struct {
		policy           text.ErrorPolicy
		runes, transcode string
	}{
		{text.Replace, "a?b?c", "a?b?c"},
		{text.Ignore, "abc", "abc"},
		{text.Strict, "a?b?c", ""},
	} {
		opts := &text.UnicodeOptions{Errors: c.policy, Replacement: '?', ReplaceControls: true}
		if got := string(must(text.Decode(x, text.UTF8, opts))(t).Row(0).Values()); got != c.runes {
			t.Errorf("decode, %d: got %q, want %q", c.policy, got, c.runes)
		}
		if got := strings.Join(must(text.SplitUnicode(x, text.UTF8, opts))(t).Row(0).Values(), ""); got != c.runes {
			t.Errorf("split, %d: got %q, want %q", c.policy, got, c.runes)
		}
		got, err := text.Transcode(x, text.UTF8, text.UTF8, opts)
		if c.transcode == "" {
			var bad *ragged.ValueError
			if !errors.As(err, &bad) || bad.At[0] != 0 || !strings.Contains(bad.Want, "byte 1") {
				t.Errorf("transcode, %d: %v", c.policy, err)
			}
		} else if err != nil || got.Row(0).Item() != c.transcode || got.Row(1).Item() != "d\x7f" {
			t.Errorf("transcode, %d: got %v, %v, want %q", c.policy, got, err, c.transcode)
		}
	}
}

// TestClaims gives operations small operands and huge numbers.
func TestClaims(t *testing.T) {
	x := must(ragged.FromSlices[string]([][]string{{"a", "b"}, {}, {"c"}}))(t)
	long := strings.Repeat("x", 1<<20)
	many := ragged.Vector(make([]string, 1<<13)...)
	for name, err := range map[string]error{
		"ngrams":              second(text.NGrams(x, " ", &text.NGramOptions{Pad: true}, math.MaxInt)),
		"wide ngrams":         second(text.NGrams(x, " ", &text.NGramOptions{Pad: true, Left: "<"}, 1<<20)),
		"ngrams of nothing":   second(text.NGrams(x, "", &text.NGramOptions{Pad: true}, 1<<20)),
		"dense ngrams":        second(text.NGrams(many, "", &text.NGramOptions{Pad: true}, 1<<24)),
		"short rows":          second(text.NGrams(x, "", &text.NGramOptions{Pad: true, PadWidth: math.MaxInt / 4, KeepShort: true}, 5)),
		"many widths":         second(text.NGrams(x, "", &text.NGramOptions{Pad: true}, 1<<14, 1<<14, 1<<14, 1<<14, 1<<14, 1<<14, 1<<14, 1<<14)),
		"a long separator":    second(text.ReduceJoin(many, long, nil)),
		"long separators":     second(text.Join(long, many, many)),
		"long operands":       second(text.Join("", many, ragged.Scalar(long))),
		"rows of no strings":  second(text.ReduceJoin(must(ragged.Dense[string](nil, 0, 1<<27-1))(t), "", &text.ReduceJoinOptions{Axes: []int{0}})),
		"items of no strings": second(text.ReduceJoin(must(ragged.New[string](nil, []int{1 << 26}, must(ragged.FromRowLengths([]int64{0, 0, 0}))(t)))(t), "", &text.ReduceJoinOptions{Axes: []int{1}})),
		"strings of no runes": second(text.Encode(must(ragged.Dense[int32](nil, ragged.MaxEmptyRows, 0))(t), text.UTF8, nil)),
		"no buckets":          second(text.HashBucketFast(x, 0)),
		"negative buckets":    second(text.HashBucketStrong(x, math.MinInt64, [2]uint64{})),
		"a width":             second(text.AsString(ragged.Vector(1), &text.FormatOptions{Width: math.MaxInt})),
		"a precision":         second(text.AsString(ragged.Vector(1.5), &text.FormatOptions{Precision: math.MaxInt})),
		"a position":          second(text.Substr(x, ragged.Scalar[int64](math.MinInt64), ragged.Scalar[int64](1), text.Bytes)),
		"a character":         second(text.Substr(x, ragged.Scalar[int64](math.MinInt64), ragged.Scalar[int64](1), text.Chars)),
		"a position beyond":   second(text.Substr(x, ragged.Scalar[int64](math.MaxInt64), ragged.Scalar[int64](1), text.Chars)),
		"an axis":             second(text.ReduceJoin(x, "", &text.ReduceJoinOptions{Axes: []int{math.MinInt}})),
		"a pattern":           second(text.RegexReplace(x, "(a{1000}){1000}", "", false)),
		"a replacement":       second(text.Decode(x, text.UTF8, &text.UnicodeOptions{Replacement: math.MaxInt32})),
		"an encoding":         second(text.Decode(x, "EBCDIC", nil)),
	} {
		if err == nil {
			t.Errorf("%s: accepted", name)
		} else if s := err.Error(); strings.Contains(s, "\n") || len(s) > 300 {
			t.Errorf("%s: %q", name, s)
		}
	}
	// Any length beyond the end means the rest of the string.
	for _, n := range []int64{math.MaxInt64, math.MinInt64} {
		if got := must(text.Substr(x, ragged.Scalar[int64](0), ragged.Scalar[int64](n), text.Bytes))(t); got.Values()[0] != "a" {
			t.Errorf("a length of %d: %v", n, got)
		}
	}
	// A long row may have many n-grams, in proportion to its values.
	if got := must(text.NGrams(many, "", nil, 1<<10))(t); got.Len() != 1<<13-1<<10+1 {
		t.Errorf("%d n-grams", got.Len())
	}
}

// TestNothing gives every operation tensors without strings. No operation may panic, and every result
// is valid.
func TestNothing(t *testing.T) {
	for name, x := range map[string]ragged.Tensor[string]{
		"no rows":         must(ragged.FromSlices[string]([][]string{}))(t),
		"empty rows":      must(ragged.FromSlices[string]([][]string{{}, {}, {}}))(t),
		"uniform rows":    must(ragged.New[string](nil, nil, must(ragged.Uniform(0, 3))(t)))(t),
		"empty items":     must(ragged.New[string](nil, []int{2, 0}, must(ragged.FromRowLengths([]int64{2, 0, 1}))(t)))(t),
		"uniform of none": must(ragged.New[string](nil, nil, must(ragged.Uniform(4, 0))(t)))(t),
		"dense":           must(ragged.Dense[string](nil, 3, 0))(t),
		"dense, no rows":  must(ragged.Dense[string](nil, 0, 3))(t),
		"zero value":      {},
		"levels": must(ragged.New[string](nil, nil, must(ragged.Uniform(2, 1))(t), must(ragged.FromRowLengths([]int64{0, 3}))(t), must(ragged.Uniform(0, 3))(t),
			must(ragged.Uniform(1, 0))(t), must(ragged.FromRowSplits([]int64{0}))(t)))(t),
	} {
		fine := func(op string, y ragged.Tensor[string], err error) {
			t.Helper()
			if err != nil || y.Validate() != nil {
				t.Errorf("%s: %s: %v, %v", name, op, y, err)
			}
		}
		fine("lower", text.Lower(x, text.UnicodeCase), nil)
		fine("strip", text.Strip(x), nil)
		fine("split", text.Split(x, ",", -1), nil)
		fine("blanks", text.Split(x, "", math.MinInt), nil)
		fine("bytes", text.SplitBytes(x), nil)
		fine("base64", text.EncodeBase64(x, true), nil)
		y, err := text.DecodeBase64(x)
		fine("from base64", y, err)
		y, err = text.Join("", x, x)
		fine("join", y, err)
		y, err = text.RegexReplace(x, ".*", "x", false)
		fine("replace", y, err)
		y, err = text.Transcode(x, text.UTF8, text.UTF16BE, nil)
		fine("transcode", y, err)
		y, err = text.Substr(x, ragged.Scalar[int64](1), ragged.Scalar[int64](2), text.Chars)
		fine("substr", y, err)
		y, err = text.SplitUnicode(x, text.UTF8, nil)
		fine("split unicode", y, err)
		runes, offsets, err := text.DecodeOffsets(x, text.UTF8, nil)
		if err != nil || runes.Validate() != nil || offsets.Validate() != nil {
			t.Errorf("%s: decode: %v, %v", name, runes, err)
		}
		y, err = text.Encode(runes, text.UTF8, nil)
		fine("encode", y, err)
		if !ragged.SameShape(x, y) && x.RaggedRank() > 0 && len(x.InnerShape()) == 0 {
			t.Errorf("%s: encode: shape %v", name, y.Shape())
		}
		if z, err := text.HashBucket(x, 3); err != nil || !ragged.SameShape(x, z) {
			t.Errorf("%s: hash: %v, %v", name, z, err)
		}
		if z, err := text.ToNumber[float32](x); err != nil || !ragged.SameShape(x, z) {
			t.Errorf("%s: numbers: %v, %v", name, z, err)
		}
		y, err = text.ReduceJoin(x, "-", nil)
		fine("reduce all", y, err)
		for axis := range x.Rank() {
			y, err = text.ReduceJoin(x, "-", &text.ReduceJoinOptions{Axes: []int{axis}, KeepDims: true})
			fine("reduce", y, err)
		}
		if len(x.InnerShape()) == 0 || x.RaggedRank() == 0 {
			y, err = text.NGrams(x, " ", &text.NGramOptions{Pad: true, KeepShort: true}, 2, 3)
			fine("ngrams", y, err)
		}
	}
}

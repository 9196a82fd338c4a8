package text_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/num"
	"github.com/tfparse/tfparse/ragged/text"
)

// checkInverses checks that operations which divide strings lose no bytes: joining the parts gives
// the strings again. The rows have any strings.
func checkInverses(t *testing.T, rows [][]string, sep string, cuts int) {
	x := must(ragged.FromSlices[string](rows))(t)
	last := func(sep string, pieces ragged.Tensor[string]) ragged.Tensor[string] {
		return must(text.ReduceJoin(pieces, sep, &text.ReduceJoinOptions{Axes: []int{-1}}))(t)
	}
	same := func(name string, got, want ragged.Tensor[string]) {
		t.Helper()
		if !ragged.Equal(got, want) {
			t.Errorf("%s, separator %q, %d cuts: want %v, got %v", name, sep, cuts, want, got)
		}
	}
	pieces := text.Split(x, sep, cuts)
	for i, s := range x.Values() {
		if want, got := naiveSplit(s, sep, cuts), pieces.Items().Row(i).Values(); !slices.Equal(got, want) {
			t.Errorf("split %q at %q, %d cuts: want %q, got %q", s, sep, cuts, want, got)
		}
	}
	if sep != "" {
		same("split and joined", last(sep, pieces), x)
	}
	same("bytes joined", last("", text.SplitBytes(x)), x)
	same("base64", must(text.DecodeBase64(text.EncodeBase64(x, cuts%2 == 0)))(t), x)
	same("stripped", text.Strip(x), ragged.Map(x, func(s string) string { return strings.Trim(s, blanks) }))

	// Decode replaces malformed bytes by U+FFFD, and so does Transcode.
	runes, offsets, err := text.DecodeOffsets(x, text.UTF8, nil)
	if err != nil {
		t.Fatal(err)
	}
	sound := must(text.Encode(runes, text.UTF8, nil))(t)
	same("transcoded", must(text.Transcode(x, text.UTF8, text.UTF8, nil))(t), sound)
	same("characters joined", last("", must(text.SplitUnicode(x, text.UTF8, nil))(t)), sound)
	for _, e := range []text.Encoding{text.UTF16BE, text.UTF32BE} {
		wide := must(text.Transcode(sound, text.UTF8, e, nil))(t)
		same(string(e)+" and back", must(text.Transcode(wide, e, text.UTF8, nil))(t), sound)
		same(string(e)+" joined", last("", must(text.SplitUnicode(wide, e, nil))(t)), wide)
	}
	for i, s := range x.Values() {
		if !utf8.ValidString(s) {
			if utf8.ValidString(sound.Values()[i]) {
				continue
			}
			t.Errorf("%q becomes %q", s, sound.Values()[i])
		}
		want, at := []rune(s), []int64{}
		for j := range s {
			at = append(at, int64(j))
		}
		if r, o := runes.Items().Row(i).Values(), offsets.Items().Row(i).Values(); !slices.Equal(r, want) || !slices.Equal(o, at) || sound.Values()[i] != s {
			t.Errorf("%q: want %d at %d, got %d at %d, and back %q", s, want, at, r, o, sound.Values()[i])
		}
	}
}

const blanks = "\t\n\v\f\r "

// naiveSplit is Split of one string.
func naiveSplit(s, sep string, cuts int) []string {
	if sep != "" {
		if cuts < 0 {
			return strings.Split(s, sep)
		}
		return strings.SplitN(s, sep, cuts+1)
	}
	if cuts == 0 {
		return []string{s}
	}
	var pieces []string
	for s = strings.TrimLeft(s, blanks); s != "" && len(pieces) != cuts; s = strings.TrimLeft(s, blanks) {
		n := strings.IndexAny(s, blanks)
		if n < 0 {
			n = len(s)
		}
		pieces, s = append(pieces, s[:n]), s[n:]
	}
	if cuts >= 0 && len(pieces) == cuts {
		pieces = append(pieces, s) // even if it is empty
	}
	return pieces
}

// checkSubstr compares Substr with slices of bytes and of runes.
func checkSubstr(t *testing.T, rows [][]string, pos, length int) {
	x := must(ragged.FromSlices[string](rows))(t)
	for _, unit := range []text.Unit{text.Bytes, text.Chars} {
		var want []string
		fails := -1
		for i, s := range x.Values() {
			if unit == text.Chars && !utf8.ValidString(s) {
				return
			}
			part, ok := naiveSubstr(s, pos, length, unit)
			if !ok && fails < 0 {
				fails = i
			}
			want = append(want, part)
		}
		got, err := text.Substr(x, ragged.Scalar(int64(pos)), ragged.Scalar(int64(length)), unit)
		if fails >= 0 {
			if e, ok := errors.AsType[*ragged.ValueError](err); !ok || e.At[0] != fails {
				t.Errorf("%d %vs from %d of %q: want an error at %d, got %v", length, unit, pos, rows, fails, err)
			}
			continue
		}
		if err != nil || !slices.Equal(got.Values(), want) || !ragged.SameShape(got, x) {
			t.Errorf("%d %vs from %d of %q: want %q, got %v, %v", length, unit, pos, rows, want, got, err)
		}
		each, err := text.Substr(x, num.FilledLike(x.Flat(), int64(pos)), num.FilledLike(x.Flat(), int64(length)), unit)
		if err != nil || !ragged.Equal(each, got) {
			t.Errorf("each with %d from %d: want %v, got %v, %v", length, pos, got, each, err)
		}
	}
}

// naiveSubstr is Substr of one string.
func naiveSubstr(s string, pos, length int, unit text.Unit) (string, bool) {
	var units []string
	if unit == text.Chars && pos < 0 && length < 0 {
		return "", false
	}
	if unit == text.Chars {
		units = strings.Split(s, "")
	} else {
		for i := range len(s) {
			units = append(units, s[i:i+1])
		}
	}
	if pos < 0 {
		pos += len(units)
	}
	if pos < 0 || pos > len(units) {
		return "", false
	}
	if length < 0 {
		if length = 0; unit == text.Bytes {
			length = len(units)
		}
	}
	return strings.Join(units[pos:min(pos+length, len(units))], ""), true
}

// checkNGrams compares NGrams with loops over nested slices.
func checkNGrams(t *testing.T, rows [][]string, opts text.NGramOptions, widths ...int) {
	x := must(ragged.FromSlices[string](rows))(t)
	want := make([][]string, len(rows))
	for i, row := range rows {
		if x.Size() == 0 {
			break // nothing is padded then
		}
		for _, width := range widths {
			padded := row
			if opts.Pad {
				n := width - 1
				if opts.PadWidth > 0 {
					n = min(n, opts.PadWidth)
				}
				padded = slices.Concat(slices.Repeat([]string{opts.Left}, n), row, slices.Repeat([]string{opts.Right}, n))
			}
			for j := 0; j+width <= len(padded); j++ {
				want[i] = append(want[i], strings.Join(padded[j:j+width], "|"))
			}
		}
		if opts.KeepShort && len(row) > 0 && len(want[i]) == 0 {
			pad := 0
			if opts.Pad {
				pad = opts.PadWidth
			}
			want[i] = []string{strings.Join(slices.Concat(slices.Repeat([]string{opts.Left}, pad), row, slices.Repeat([]string{opts.Right}, pad)), "|")}
		}
	}
	got, err := text.NGrams(x, "|", &opts, widths...)
	if err != nil {
		t.Fatal(err)
	}
	if w := must(ragged.FromSlices[string](want))(t); !ragged.Equal(got, w) {
		t.Errorf("%+v, widths %d of %q: want %q, got %v", opts, widths, rows, want, got)
	}
}

// TestProperties runs all checks with rows of every kind of string.
func TestProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	words := []string{"", "a", "b", "ab", " ", "a b", "  a\tb \n", ",", "a,b", ",,", "é", "😊", "äö", "\xff", "\xe2\x82", "a\xf0\x9f\x98b", "\xed\xa0\x80", "\x00", "long words, and longer ones"}
	for range 400 {
		rows := make([][]string, r.IntN(4))
		for i := range rows {
			for range r.IntN(4) {
				word := words[r.IntN(len(words))]
				if r.IntN(3) == 0 {
					word += words[r.IntN(len(words))]
				}
				rows[i] = append(rows[i], word)
			}
		}
		checkInverses(t, rows, []string{"", ",", "a", "ab", " ", ",,", "\xff"}[r.IntN(7)], r.IntN(4)-1)
		checkSubstr(t, rows, r.IntN(7)-3, r.IntN(6)-1)
		opts := text.NGramOptions{Pad: r.IntN(2) == 0, Left: "<", Right: ">", KeepShort: r.IntN(2) == 0}
		if opts.Pad {
			opts.PadWidth = r.IntN(3)
		}
		widths := make([]int, 1+r.IntN(3))
		for i := range widths {
			widths[i] = 1 + r.IntN(4)
		}
		checkNGrams(t, rows, opts, widths...)
		if t.Failed() {
			return
		}
	}
}

// FuzzProperties runs all checks with any strings.
func FuzzProperties(f *testing.F) {
	f.Add("a,b,,c", ",", int8(-1), int8(2))
	f.Add(" a  b\t", "", int8(1), int8(3))
	f.Add("\xe2\x82x😊", "x", int8(2), int8(-1))
	f.Fuzz(func(t *testing.T, s, sep string, n, m int8) {
		half := len(s) / 2
		rows := [][]string{{s, sep}, {}, {s[:half]}, {s[half:], "", s + sep + s}}
		checkInverses(t, rows, sep, int(n))
		checkSubstr(t, rows, int(n), int(m))
		opts := text.NGramOptions{Pad: n&1 == 0, Left: sep, Right: "<", KeepShort: m&1 == 0}
		if opts.Pad {
			opts.PadWidth = int(n & 2)
		}
		checkNGrams(t, rows, opts, 1+int(uint8(m)%5), 1+int(uint8(n)%3))
	})
}

package text

import (
	"fmt"
	"unicode/utf8"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
	"github.com/tfparse/tfparse/ragged/text/internal/charset"
)

// Decode returns the code points of every string. The result has one axis more, with a row
// for every string. TensorFlow calls it unicode_decode.
func Decode(t ragged.Tensor[string], from Encoding, opts *UnicodeOptions) (ragged.Tensor[int32], error) {
	out, _, err := decode("decode", t, from, opts, false)
	return out, err
}

// DecodeOffsets is Decode with the offset of every code point in the bytes of its
// string. TensorFlow calls it unicode_decode_with_offsets.
func DecodeOffsets(t ragged.Tensor[string], from Encoding, opts *UnicodeOptions) (ragged.Tensor[int32], ragged.Tensor[int64], error) {
	return decode("decode", t, from, opts, true)
}

func decode(op string, t ragged.Tensor[string], from Encoding, opts *UnicodeOptions, withOffsets bool) (ragged.Tensor[int32], ragged.Tensor[int64], error) {
	values := t.Values()
	n := bytesIn(values)
	runes, limits := make([]int32, 0, n), make([]int64, 0, len(values))
	var offsets []int64
	if withOffsets {
		offsets = make([]int64, 0, n)
	}
	err := eachRune(op, values, from, opts, func(_ string, r rune, at int) {
		runes = append(runes, r)
		if withOffsets {
			offsets = append(offsets, int64(at))
		}
	}, func() { limits = append(limits, int64(len(runes))) })
	if err != nil {
		return ragged.Tensor[int32]{}, ragged.Tensor[int64]{}, err
	}
	out := withRows(t, runes, limits)
	if !withOffsets {
		return out, ragged.Tensor[int64]{}, nil
	}
	return out, must(operand.Like(out, offsets)), nil
}

// SplitUnicode splits every string into its code points, each a string in the same encoding,
// which must be one that Encode writes. The result has one axis more. Strings are views,
// except for replacements. TensorFlow calls it unicode_split.
func SplitUnicode(t ragged.Tensor[string], enc Encoding, opts *UnicodeOptions) (ragged.Tensor[string], error) {
	out, _, err := splitUnicode(t, enc, opts, false)
	return out, err
}

// SplitUnicodeOffsets is SplitUnicode with the offset of every code point in the
// bytes of its string. TensorFlow calls it unicode_split_with_offsets.
func SplitUnicodeOffsets(t ragged.Tensor[string], enc Encoding, opts *UnicodeOptions) (ragged.Tensor[string], ragged.Tensor[int64], error) {
	return splitUnicode(t, enc, opts, true)
}

func splitUnicode(t ragged.Tensor[string], enc Encoding, opts *UnicodeOptions, withOffsets bool) (ragged.Tensor[string], ragged.Tensor[int64], error) {
	const op = "split unicode"
	var noStrings ragged.Tensor[string]
	var noOffsets ragged.Tensor[int64]
	put, err := enc.encoder(op)
	if err != nil {
		return noStrings, noOffsets, err
	}
	o, err := opts.resolve(op)
	if err != nil {
		return noStrings, noOffsets, err
	}
	if !utf8.ValidRune(o.Replacement) {
		o.Replacement = utf8.RuneError
	}
	replacement := string(put(nil, o.Replacement))
	values := t.Values()
	n := bytesIn(values)
	pieces, limits := make([]string, 0, n), make([]int64, 0, len(values))
	var offsets []int64
	if withOffsets {
		offsets = make([]int64, 0, n)
	}
	err = eachRune(op, values, enc, opts, func(piece string, _ rune, at int) {
		if piece == "" {
			piece = replacement
		}
		pieces = append(pieces, piece)
		if withOffsets {
			offsets = append(offsets, int64(at))
		}
	}, func() { limits = append(limits, int64(len(pieces))) })
	if err != nil {
		return noStrings, noOffsets, err
	}
	out := withRows(t, pieces, limits)
	if !withOffsets {
		return out, noOffsets, nil
	}
	return out, must(operand.Like(out, offsets)), nil
}

// eachRune calls take for every code point of every string, with its bytes in the string
// (none for a replacement) and their offset, and end after every string.
func eachRune(op string, values []string, from Encoding, opts *UnicodeOptions, take func(piece string, r rune, at int), end func()) error {
	o, err := opts.resolve(op)
	if err != nil {
		return err
	}
	begin := charset.Reader(string(from))
	if begin == nil {
		return argumentErrorf(op, "cannot read the encoding %q", string(from))
	}
	for i, s := range values {
		next, mark := begin(s)
		for at := mark; at < len(s); {
			r, size, ok := next(s[at:])
			if at == mark { // the byte order mark belongs to the first code point
				at, size = 0, size+mark
			}
			switch {
			case !ok && o.Errors == Strict:
				return &ragged.ValueError{Err: ragged.ErrValue, Op: op, At: []int{i}, Want: fmt.Sprintf("%s at byte %d", from, at), Got: quoted(s)}
			case ok && (r > 0x1f || !o.ReplaceControls):
				take(s[at:at+size], r, at)
			case o.Errors != Ignore:
				take("", o.Replacement, at)
			}
			at += size
		}
		end()
	}
	return nil
}

func hex(r rune) string {
	if r < 0 {
		return fmt.Sprint(r)
	}
	return fmt.Sprintf("%#x", r)
}

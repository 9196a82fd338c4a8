package text

import (
	"cmp"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tfparse/tfparse/ragged"
)

// An Encoding is how code points are written as bytes.
type Encoding string

// The encodings that operations read and write. A byte order mark is a code point
// like any other.
const (
	UTF8    Encoding = "UTF-8"
	UTF16BE Encoding = "UTF-16-BE"
	UTF32BE Encoding = "UTF-32-BE"
)

// The encodings that operations read only. TensorFlow knows some hundred more.
const (
	UTF16LE Encoding = "UTF-16-LE"
	UTF32LE Encoding = "UTF-32-LE"
	Latin1  Encoding = "ISO-8859-1"
	ASCII   Encoding = "US-ASCII"
)

// An ErrorPolicy says what becomes of what is malformed.
type ErrorPolicy uint8

const (
	Replace ErrorPolicy = iota // put the replacement in its place
	Ignore                     // leave it out
	Strict                     // fail with a ValueError
)

// UnicodeOptions says how to treat what is malformed. Nil means defaults.
//
// In UTF-8 every maximal part of a code point is malformed by itself, as Unicode
// recommends: of E2 82 78 the first two bytes together, of ED A0 80, which is a
// surrogate, each byte. In the other encodings it is a unit, or what is left of one
// at the end.
type UnicodeOptions struct {
	Errors ErrorPolicy

	// Replacement is the code point to put in the place of what is malformed. 0
	// stands for U+FFFD. If it is a surrogate, U+FFFD is written.
	Replacement rune

	// ReplaceControls treats U+0000 to U+001F, tab and line feed included, as if
	// they were malformed. With Strict, Transcode fails for them, as in TensorFlow, but
	// the other operations replace them.
	ReplaceControls bool
}

func (o *UnicodeOptions) resolve(op string) (UnicodeOptions, error) {
	out := UnicodeOptions{}
	if o != nil {
		out = *o
	}
	if out.Replacement == 0 {
		out.Replacement = utf8.RuneError
	}
	if out.Replacement < 0 || out.Replacement > utf8.MaxRune {
		return out, argumentErrorf(op, "the replacement %#x is no code point", out.Replacement)
	}
	if out.Errors > Strict {
		return out, argumentErrorf(op, "unknown error policy %d", out.Errors)
	}
	return out, nil
}

// A decoder reads a code point at the start of a string that is not empty: how many
// bytes it takes, and whether it is well formed.
type decoder func(s string) (r rune, size int, ok bool)

func (e Encoding) decoder(op string) (decoder, error) {
	switch e {
	case UTF8:
		return decodeUTF8, nil
	case UTF16BE:
		return func(s string) (rune, int, bool) { return decodeUTF16(s, 0) }, nil
	case UTF16LE:
		return func(s string) (rune, int, bool) { return decodeUTF16(s, 1) }, nil
	case UTF32BE:
		return func(s string) (rune, int, bool) { return decodeUTF32(s, 0) }, nil
	case UTF32LE:
		return func(s string) (rune, int, bool) { return decodeUTF32(s, 3) }, nil
	case Latin1:
		return func(s string) (rune, int, bool) { return rune(s[0]), 1, true }, nil
	case ASCII:
		return func(s string) (rune, int, bool) { return rune(s[0]), 1, s[0] < utf8.RuneSelf }, nil
	}
	return nil, argumentErrorf(op, "cannot read the encoding %q", string(e))
}

func (e Encoding) encoder(op string) (func([]byte, rune) []byte, error) {
	switch e {
	case UTF8:
		return utf8.AppendRune, nil
	case UTF16BE:
		return appendUTF16, nil
	case UTF32BE:
		return appendUTF32, nil
	}
	return nil, argumentErrorf(op, "cannot write the encoding %q", string(e))
}

func decodeUTF8(s string) (rune, int, bool) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1, true
	}
	r, size := utf8.DecodeRuneInString(s)
	if r != utf8.RuneError || size == 3 {
		return r, size, true
	}
	return r, malformed(s), false
}

// malformed returns the length of the maximal part of a code point in UTF-8 that s
// begins with, or 1 if it begins with none.
func malformed(s string) int {
	// The range of the second byte depends on the first, that of others does not.
	lo, hi, size := byte(0x80), byte(0xbf), 0
	switch c := s[0]; {
	case c < 0xc2 || c > 0xf4:
		return 1
	case c < 0xe0:
		size = 2
	case c < 0xf0:
		size = 3
	default:
		size = 4
	}
	switch s[0] {
	case 0xe0:
		lo = 0xa0
	case 0xed:
		hi = 0x9f
	case 0xf0:
		lo = 0x90
	case 0xf4:
		hi = 0x8f
	}
	n := 1
	for n < min(size, len(s)) && lo <= s[n] && s[n] <= hi {
		lo, hi = 0x80, 0xbf
		n++
	}
	return n
}

// decodeUTF16 reads one unit or two. The higher byte of a unit is at the place high.
func decodeUTF16(s string, high int) (rune, int, bool) {
	if len(s) < 2 {
		return utf8.RuneError, len(s), false
	}
	unit := func(at int) rune { return rune(s[at+high])<<8 | rune(s[at+1-high]) }
	r := unit(0)
	switch {
	case !utf16.IsSurrogate(r):
		return r, 2, true
	case r < 0xdc00 && len(s) < 4:
		return utf8.RuneError, len(s), false // cut in the middle of a pair
	case r < 0xdc00:
		if pair := utf16.DecodeRune(r, unit(2)); pair != utf8.RuneError {
			return pair, 4, true
		}
	}
	return utf8.RuneError, 2, false
}

// decodeUTF32 reads a unit. Its highest byte is at the place high, 0 or 3.
func decodeUTF32(s string, high int) (rune, int, bool) {
	if len(s) < 4 {
		return utf8.RuneError, len(s), false
	}
	v := uint32(0)
	for i := range 4 {
		v = v<<8 | uint32(s[i^high])
	}
	if v > utf8.MaxRune || !utf8.ValidRune(rune(v)) {
		return utf8.RuneError, 4, false
	}
	return rune(v), 4, true
}

func appendUTF16(dst []byte, r rune) []byte {
	if r < 0x10000 {
		return append(dst, byte(r>>8), byte(r))
	}
	hi, lo := utf16.EncodeRune(r)
	return append(dst, byte(hi>>8), byte(hi), byte(lo>>8), byte(lo))
}

func appendUTF32(dst []byte, r rune) []byte {
	return append(dst, byte(r>>24), byte(r>>16), byte(r>>8), byte(r))
}

// Encode writes the code points of every row of the last axis as a string, which
// takes the axis away. A surrogate, and what is no code point, is malformed; controls
// are not looked at. TensorFlow calls it unicode_encode.
func Encode(t ragged.Tensor[int32], to Encoding, opts *UnicodeOptions) (ragged.Tensor[string], error) {
	const op = "encode"
	var none ragged.Tensor[string]
	o, err := opts.resolve(op)
	if err != nil {
		return none, err
	}
	put, err := to.encoder(op)
	if err != nil {
		return none, err
	}
	if t.Rank() == 0 {
		return none, shapeErrorf(op, "a scalar has no rows")
	}
	if !utf8.ValidRune(o.Replacement) {
		o.Replacement = utf8.RuneError
	}
	values := t.Values()
	a := newArena(0, len(values))
	var scratch []byte
	row := func(lo, hi int) error {
		scratch = scratch[:0]
		for i, r := range values[lo:hi] {
			switch {
			case utf8.ValidRune(r):
				scratch = put(scratch, r)
			case o.Errors == Replace:
				scratch = put(scratch, o.Replacement)
			case o.Errors == Strict:
				return &ValueError{Op: op, Index: lo + i, Want: "a code point that is no surrogate", Got: hex(r)}
			}
		}
		a.writeBytes(scratch)
		a.end()
		return nil
	}
	if inner := t.InnerShape(); len(inner) > 0 || t.RaggedRank() == 0 {
		shape := t.Flat().Shape()
		last := len(shape) - 1
		rows, err := ragged.SizeOf(shape[:last])
		if err != nil {
			return none, within(op, err)
		}
		if err := room[[2]string](op, len(values), rows); err != nil { // a string and its end
			return none, err
		}
		n := shape[last]
		for r := range rows {
			if err := row(r*n, (r+1)*n); err != nil {
				return none, err
			}
		}
		if t.RaggedRank() == 0 {
			return ragged.Dense(a.strings(), shape[:last]...)
		}
		return ragged.New(a.strings(), inner[:len(inner)-1], t.Partitions()...)
	}
	parts := t.Partitions()
	p := parts[len(parts)-1]
	for r := range p.NumRows() {
		if err := row(p.Bounds(r)); err != nil {
			return none, err
		}
	}
	return ragged.New(a.strings(), nil, parts[:len(parts)-1]...)
}

// Transcode writes every string in another encoding: the shape and the partitions are
// those of t, the values new. What is malformed, and controls, are what the options say
// of them; an encoding that cannot be read, or written, is an error that wraps
// ErrArgument. TensorFlow calls it unicode_transcode.
func Transcode(t ragged.Tensor[string], from, to Encoding, opts *UnicodeOptions) (ragged.Tensor[string], error) {
	const op = "transcode"
	var none ragged.Tensor[string]
	put, err := to.encoder(op)
	if err != nil {
		return none, err
	}
	values := t.Values()
	a := newArena(len(values), bytesIn(values))
	var scratch []byte
	var control error // the first that Strict refuses
	err = eachRune(op, values, from, opts, func(piece string, r rune, at int) {
		if piece == "" && opts != nil && opts.Errors == Strict && control == nil {
			control = &ValueError{Op: op, Index: len(a.ends), Want: fmt.Sprintf("no control, which there is at byte %d", at), Got: quoted(values[len(a.ends)])}
		}
		if !utf8.ValidRune(r) {
			r = utf8.RuneError
		}
		scratch = put(scratch, r)
	}, func() {
		a.writeBytes(scratch)
		a.end()
		scratch = scratch[:0]
	})
	if err = cmp.Or(err, control); err != nil {
		return none, err
	}
	return ragged.Like(t, a.strings())
}

package text

import (
	"cmp"
	"fmt"
	"unicode/utf8"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
	"github.com/tfparse/tfparse/ragged/text/internal/charset"
)

// An Encoding is a Unicode encoding.
type Encoding string

// The encodings that operations read and write. In them a byte order mark is a code point
// like any other.
const (
	UTF8    Encoding = "UTF-8"
	UTF16BE Encoding = "UTF-16-BE"
	UTF32BE Encoding = "UTF-32-BE"
)

// The encodings that operations read only. TensorFlow knows some hundred more.
//
// UTF16 and UTF32 are big-endian unless a string begins with the byte order mark of
// little-endian. A byte order mark belongs to the first code point, which has offset 0. A
// mark alone has no code points; TensorFlow reads U+FFFF. In Windows1252 unused bytes
// such as 0x81 are controls.
const (
	UTF16       Encoding = "UTF-16"
	UTF32       Encoding = "UTF-32"
	UTF16LE     Encoding = "UTF-16-LE"
	UTF32LE     Encoding = "UTF-32-LE"
	Latin1      Encoding = "ISO-8859-1"
	Windows1252 Encoding = "windows-1252"
	ASCII       Encoding = "US-ASCII"
)

// An ErrorPolicy selects the treatment of malformed bytes and code points.
type ErrorPolicy uint8

const (
	Replace ErrorPolicy = iota // write UnicodeOptions.Replacement
	Ignore                     // leave out what is malformed
	Strict                     // fail with a ragged.ValueError
)

// UnicodeOptions select the treatment of malformed bytes. Nil means defaults.
//
// In UTF-8 each maximal part of a code point is one error, as Unicode recommends: in
// E2 82 78 the first two bytes, in ED A0 80, a surrogate, each byte. In other encodings an
// error is one unit, or a part of a unit at the end of the string.
type UnicodeOptions struct {
	Errors ErrorPolicy

	// Replacement is the code point for Replace. 0 means U+FFFD. A surrogate is written as
	// U+FFFD.
	Replacement rune

	// ReplaceControls treats the controls U+0000 to U+001F, with tab and line feed, as malformed.
	// With Strict, Transcode fails for controls; other operations replace them, as in TensorFlow.
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
		return out, argumentErrorf(op, "the replacement %#x is not a code point", out.Replacement)
	}
	if out.Errors > Strict {
		return out, argumentErrorf(op, "unknown error policy %d", out.Errors)
	}
	return out, nil
}

func (e Encoding) encoder(op string) (func([]byte, rune) []byte, error) {
	if put := charset.Writer(string(e)); put != nil {
		return put, nil
	}
	return nil, argumentErrorf(op, "cannot write the encoding %q", string(e))
}

// Encode makes a string from the code points of every row of the last axis, which the result
// does not have. Surrogates and other numbers that are not code points are malformed;
// controls are not. TensorFlow calls it unicode_encode.
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
		return none, operand.Shapef(op, "a scalar has no rows")
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
				return &ragged.ValueError{Err: ragged.ErrValue, Op: op, At: []int{lo + i}, Want: "a code point other than a surrogate", Got: hex(r)}
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
			return none, operand.Within(op, err)
		}
		if err := operand.TooMany[[2]string](op, len(values), rows); err != nil { // a string and its end
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

// Transcode converts every string to another encoding. The result has the shape and the
// partitions of t, the values are new. The options apply to malformed bytes and controls. An
// encoding that cannot be read or written is an error that wraps ErrArgument. TensorFlow
// calls it unicode_transcode.
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
	var control error // error about the first control, with Strict
	err = eachRune(op, values, from, opts, func(piece string, r rune, at int) {
		if piece == "" && opts != nil && opts.Errors == Strict && control == nil {
			control = &ragged.ValueError{Err: ragged.ErrValue, Op: op, At: []int{len(a.ends)}, Want: fmt.Sprintf("no control character at byte %d", at), Got: quoted(values[len(a.ends)])}
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
	return operand.Like(t, a.strings())
}

package text

import (
	"cmp"
	"fmt"
	"unicode/utf8"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/operand"
	"github.com/tfparse/tfparse/ragged/text/internal/charset"
)

// An Encoding is how code points are written as bytes.
type Encoding string

// The encodings that operations read and write. A byte order mark is a code point
// like any other in them.
const (
	UTF8    Encoding = "UTF-8"
	UTF16BE Encoding = "UTF-16-BE"
	UTF32BE Encoding = "UTF-32-BE"
)

// The encodings that operations read only. TensorFlow knows some hundred more.
//
// UTF16 and UTF32 have the highest byte first unless a string begins with the byte order
// mark of the other order. A mark of either order is no code point, but part of the first
// one: that has the offset 0. Of a mark alone nothing is read, where TensorFlow reads
// U+FFFF. In Windows1252 the bytes that stand for nothing, such as 0x81, are controls.
const (
	UTF16       Encoding = "UTF-16"
	UTF32       Encoding = "UTF-32"
	UTF16LE     Encoding = "UTF-16-LE"
	UTF32LE     Encoding = "UTF-32-LE"
	Latin1      Encoding = "ISO-8859-1"
	Windows1252 Encoding = "windows-1252"
	ASCII       Encoding = "US-ASCII"
)

// An ErrorPolicy says what becomes of what is malformed.
type ErrorPolicy uint8

const (
	Replace ErrorPolicy = iota // put the replacement in its place
	Ignore                     // leave it out
	Strict                     // fail with a ragged.ValueError
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

func (e Encoding) encoder(op string) (func([]byte, rune) []byte, error) {
	if put := charset.Writer(string(e)); put != nil {
		return put, nil
	}
	return nil, argumentErrorf(op, "cannot write the encoding %q", string(e))
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
				return &ragged.ValueError{Err: ragged.ErrValue, Op: op, At: []int{lo + i}, Want: "a code point that is no surrogate", Got: hex(r)}
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
			control = &ragged.ValueError{Err: ragged.ErrValue, Op: op, At: []int{len(a.ends)}, Want: fmt.Sprintf("no control, which there is at byte %d", at), Got: quoted(values[len(a.ends)])}
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

package text

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/internal/dtype"
	"github.com/tfparse/tfparse/ragged/internal/operand"
)

// Formatted are the types that AsString accepts.
type Formatted interface {
	int | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | bool | string
}

// A Notation is a format of floats for AsString. Each has a default precision.
type Notation uint8

const (
	Fixed      Notation = iota // 12.500000: six decimals
	Scientific                 // 1.250000e+01: six decimals
	Shortest                   // 12.5 or 1e+20, the shorter one: six digits
)

// FormatOptions are the options of AsString. Nil means defaults.
type FormatOptions struct {
	Notation Notation // notation of floats

	// Precision is the number of decimals, or of digits for Shortest. 0 means 6, and -1
	// means 0. It is for floats only.
	Precision int

	// Width is the least number of bytes: blanks are put before shorter texts. Bools
	// ignore it.
	Width int

	// Fill is a flag of C's printf: '0' fills with zeros, '-' puts blanks after the text,
	// '+' writes the sign of positive numbers, ' ' a blank in place of it, and '#' the
	// point of a float even without decimals. 0 means no flag.
	Fill byte
}

// AsString converts every value to text in C's format: decimal numbers, true and false for
// bools; strings stay. TensorFlow calls it as_string.
func AsString[T Formatted](t ragged.Tensor[T], opts *FormatOptions) (ragged.Tensor[string], error) {
	const op = "as string"
	var none ragged.Tensor[string]
	f := formatter{}
	if opts != nil {
		f.FormatOptions = *opts
	}
	if f.Notation > Shortest || f.Precision < -1 || f.Precision > math.MaxInt16 || f.Width < 0 || f.Width > math.MaxInt16 {
		return none, argumentErrorf(op, "notation %d, precision %d or width %d is out of range", f.Notation, f.Precision, f.Width)
	}
	switch f.Fill {
	case 0, ' ', '+', '-', '0', '#':
	default:
		return none, argumentErrorf(op, "cannot fill with %q", f.Fill)
	}
	a := newArena(t.Size(), 8*t.Size())
	isFloat, isString := false, false
	switch values := any(t.Values()).(type) {
	case []float32:
		isFloat = true
		each(a, values, func(v float32) []byte { return f.float(float64(v)) })
	case []float64:
		isFloat = true
		each(a, values, f.float)
	case []bool:
		each(a, values, func(v bool) []byte { return strconv.AppendBool(f.scratch[:0], v) })
	case []string:
		isString = true
		if f.Width == 0 {
			return operand.Like(t, values)
		}
		if f.Fill != '-' {
			f.Fill = 0
		}
		each(a, values, func(s string) []byte { return f.pad(append(f.scratch[:0], s...)) })
	case []int:
		each(a, values, func(v int) []byte { return f.int(int64(v)) })
	case []int8:
		each(a, values, func(v int8) []byte { return f.int(int64(v)) })
	case []int16:
		each(a, values, func(v int16) []byte { return f.int(int64(v)) })
	case []int32:
		each(a, values, func(v int32) []byte { return f.int(int64(v)) })
	case []int64:
		each(a, values, f.int)
	case []uint8:
		each(a, values, func(v uint8) []byte { return f.uint(uint64(v)) })
	case []uint16:
		each(a, values, func(v uint16) []byte { return f.uint(uint64(v)) })
	case []uint32:
		each(a, values, func(v uint32) []byte { return f.uint(uint64(v)) })
	case []uint64:
		each(a, values, f.uint)
	}
	if !isFloat && !isString && (f.Precision != 0 || f.Notation != Fixed) {
		return none, argumentErrorf(op, "notation and precision are for floats, got dtype %s", dtype.Name[T]())
	}
	return operand.Like(t, a.strings())
}

func each[T any](a *arena, values []T, text func(T) []byte) {
	for _, v := range values {
		a.writeBytes(text(v))
		a.end()
	}
}

// A formatter formats one value after the other.
type formatter struct {
	FormatOptions
	scratch []byte // text of the last value; its memory is used again
}

func (f *formatter) int(v int64) []byte {
	b := f.scratch[:0]
	if v >= 0 {
		b = f.sign(b)
	}
	return f.pad(strconv.AppendInt(b, v, 10))
}

func (f *formatter) uint(v uint64) []byte { return f.pad(strconv.AppendUint(f.scratch[:0], v, 10)) }

func (f *formatter) sign(b []byte) []byte {
	if f.Fill == '+' || f.Fill == ' ' {
		return append(b, f.Fill)
	}
	return b
}

func (f *formatter) float(v float64) []byte {
	b := f.scratch[:0]
	if math.Signbit(v) {
		b = append(b, '-')
		v = math.Copysign(v, 1)
	} else {
		b = f.sign(b)
	}
	precision := f.Precision
	switch precision {
	case 0:
		precision = 6
	case -1:
		precision = 0
	}
	verb := [...]byte{Fixed: 'f', Scientific: 'e', Shortest: 'g'}[f.Notation]
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		word := "inf"
		if v != v {
			word = "nan"
		}
		g := *f
		if g.Fill == '0' {
			g.Fill = 0
		}
		b = g.pad(append(b, word...))
		f.scratch = g.scratch
		return b
	case f.Fill == '#':
		b = fmt.Appendf(b, "%#.*"+string(verb), precision, v)
	case verb == 'g':
		b = strconv.AppendFloat(b, v, 'g', max(precision, 1), 64)
	default:
		b = strconv.AppendFloat(b, v, verb, precision, 64)
	}
	return f.pad(b)
}

// pad fills b to the width.
func (f *formatter) pad(b []byte) []byte {
	if n := f.Width - len(b); n > 0 {
		switch f.Fill {
		case '-':
			b = append(b, slices.Repeat([]byte{' '}, n)...)
		case '0':
			at := 0
			if b[0] == '-' {
				at = 1
			}
			b = slices.Insert(b, at, slices.Repeat([]byte{'0'}, n)...)
		default:
			b = slices.Insert(b, 0, slices.Repeat([]byte{' '}, n)...)
		}
	}
	f.scratch = b
	return b
}

// Number are the types of ToNumber.
type Number interface {
	int32 | int64 | uint32 | uint64 | float32 | float64
}

// ToNumber parses every string as a number; blanks at its ends are ignored. Integers are
// decimal. Floats may be hexadecimal, with or without an exponent, and inf, infinity or nan
// in upper or lower case; too large floats become infinite, too small floats 0. Any other
// string, and an integer out of range, is a ragged.ValueError. TensorFlow calls it
// strings.to_number.
func ToNumber[T Number](t ragged.Tensor[string]) (ragged.Tensor[T], error) {
	values := t.Values()
	out := make([]T, len(values))
	i := -1
	switch out := any(out).(type) {
	case []int32:
		i = parseAll(out, values, func(s string) (int32, error) { n, err := strconv.ParseInt(s, 10, 32); return int32(n), err })
	case []int64:
		i = parseAll(out, values, func(s string) (int64, error) { return strconv.ParseInt(s, 10, 64) })
	case []uint32:
		i = parseAll(out, values, func(s string) (uint32, error) { n, err := parseUint(s, 32); return uint32(n), err })
	case []uint64:
		i = parseAll(out, values, func(s string) (uint64, error) { return parseUint(s, 64) })
	case []float32:
		i = parseAll(out, values, func(s string) (float32, error) { f, err := parseFloat(s, 32); return float32(f), err })
	case []float64:
		i = parseAll(out, values, func(s string) (float64, error) { return parseFloat(s, 64) })
	}
	if i >= 0 {
		return ragged.Tensor[T]{}, &ragged.ValueError{Err: ragged.ErrValue, Op: "to number", At: []int{i}, Want: "a number of dtype " + dtype.Name[T](), Got: quoted(values[i])}
	}
	return operand.Like(t, out)
}

// parseAll parses strings. It returns the index of the first string that is not a number, or
// -1.
func parseAll[T any](out []T, values []string, parse func(string) (T, error)) int {
	for i, s := range values {
		s = trimLeft(s)
		for s != "" && isBlank(s[len(s)-1]) {
			s = s[:len(s)-1]
		}
		var err error
		if out[i], err = parse(s); err != nil {
			return i
		}
	}
	return -1
}

func parseUint(s string, bits int) (uint64, error) {
	if len(s) > 1 && s[0] == '+' {
		s = s[1:]
	}
	return strconv.ParseUint(s, 10, bits)
}

// parseFloat parses a float in the syntax of C++, which differs from Go's in a few cases.
func parseFloat(s string, bits int) (float64, error) {
	if len(s) > 0 {
		// A fast path for most numbers.
		if c := s[len(s)-1]; c >= '0' && c <= '9' && len(s) < 16 && !strings.ContainsAny(s, "xX_") {
			return inRange(strconv.ParseFloat(s, bits))
		}
	}
	if strings.Contains(s, "_") {
		return 0, strconv.ErrSyntax
	}
	digits := strings.TrimLeft(s, "+-")
	if len(s)-len(digits) > 1 {
		return 0, strconv.ErrSyntax
	}
	if len(digits) >= 3 && strings.EqualFold(digits[:3], "nan") {
		if payload := digits[3:]; payload != "" && !isPayload(payload) {
			return 0, strconv.ErrSyntax
		}
		return math.NaN(), nil
	}
	if len(digits) > 1 && digits[0] == '0' && digits[1]|0x20 == 'x' && !strings.ContainsAny(digits, "pP") {
		s += "p0"
	}
	return inRange(strconv.ParseFloat(s, bits))
}

// inRange accepts floats out of range: infinities and 0.
func inRange(f float64, err error) (float64, error) {
	if errors.Is(err, strconv.ErrRange) {
		return f, nil
	}
	return f, err
}

// isPayload reports whether a string is the payload of a NaN, such as (1) in nan(1).
func isPayload(s string) bool {
	if len(s) < 2 || s[0] != '(' || s[len(s)-1] != ')' {
		return false
	}
	for _, c := range []byte(s[1 : len(s)-1]) {
		if !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z') {
			return false
		}
	}
	return true
}

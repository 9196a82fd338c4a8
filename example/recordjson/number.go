package recordjson

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/internal/namelist"
)

// Errors of values, found with errors.Is.
var (
	ErrNotFinite = errors.New("value is not a finite number")
	ErrNotUTF8   = errors.New("value is not UTF-8")
)

// AppendInt64 appends v as a number or as a string.
func AppendInt64(dst []byte, v int64, mode Int64Mode) []byte {
	if mode == Int64String {
		dst = append(dst, '"')
		dst = jsonscan.AppendInt(dst, v)
		return append(dst, '"')
	}
	return jsonscan.AppendInt(dst, v)
}

// AppendFloat32 appends the shortest decimal that reads back as v. It always
// has a point or an exponent, so that it is never taken for an integer: 1.0,
// 0.1, 3e+20, -0.0. Magnitudes from 1e-4 to below 1e16 are written with a
// point, others with an exponent, as Python writes a float. NaN and the
// infinities follow mode; the error is ErrNotFinite.
func AppendFloat32(dst []byte, v float32, mode NaNMode) ([]byte, error) {
	abs := math.Float32bits(v) &^ (1 << 31)
	if abs >= 0x7f800000 {
		return appendNotFinite(dst, v, mode)
	}
	if abs != math.Float32bits(v) {
		dst = append(dst, '-')
	}
	if mag := math.Float32frombits(abs); mag < 1<<24 && mag == float32(int32(mag)) {
		dst = jsonscan.AppendInt(dst, int64(mag))
		return append(dst, '.', '0'), nil
	}
	return appendShortest(dst, abs), nil
}

// AppendFloat64 is AppendFloat32 for a float64, which tensors have and features do not.
func AppendFloat64(dst []byte, v float64, mode NaNMode) ([]byte, error) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return appendNotFinite(dst, float32(v), mode)
	}
	return jsonscan.AppendFloat(dst, v, 64), nil
}

func appendNotFinite(dst []byte, v float32, mode NaNMode) ([]byte, error) {
	switch mode {
	case NaNNull:
		return append(dst, "null"...), nil
	case NaNError:
		return dst, ErrNotFinite
	}
	switch {
	case v > 0:
		return append(dst, `"Infinity"`...), nil
	case v < 0:
		return append(dst, `"-Infinity"`...), nil
	}
	return append(dst, `"NaN"`...), nil
}

// appendBytes appends a byte string as mode says. The error is ErrNotUTF8.
func appendBytes(dst, v []byte, mode BytesMode) ([]byte, error) {
	switch mode {
	case BytesBase64:
		return jsonscan.AppendBase64(dst, v), nil
	case BytesHex:
		return jsonscan.AppendHex(dst, v), nil
	case BytesLen:
		return strconv.AppendInt(dst, int64(len(v)), 10), nil
	}
	if jsonscan.IsPlain(v) {
		return jsonscan.AppendPlain(dst, v), nil
	}
	if utf8.Valid(v) {
		return jsonscan.AppendString(dst, v), nil
	}
	if mode == BytesUTF8 {
		return dst, ErrNotUTF8
	}
	return jsonscan.AppendBase64(dst, v), nil
}

// AppendText appends a byte string as mode says. The error is ErrNotUTF8.
func AppendText(dst []byte, v string, mode BytesMode) ([]byte, error) {
	n := len(dst)
	dst = append(dst, '"')
	dst = append(dst, v...)
	text := dst[n+1:]
	if mode <= BytesUTF8 && jsonscan.IsPlain(text) {
		return append(dst, '"'), nil
	}
	// dst ends with the byte string. Its printed form is appended after it, and then moved to its place.
	out, err := appendBytes(dst, text, mode)
	if err != nil {
		return out[:n], err
	}
	form := out[len(dst):]
	return append(out[:n], form...), nil
}

// A BytesMode says how a byte string prints. Its text form is a word.
type BytesMode uint8

const (
	BytesAuto   BytesMode = iota // a JSON string if valid UTF-8, otherwise {"b64": "…"}
	BytesUTF8                    // a JSON string; for other bytes than UTF-8 the error is ErrNotUTF8
	BytesBase64                  // always {"b64": "…"}
	BytesHex                     // always {"hex": "…"}
	BytesLen                     // the number of bytes
)

// An Int64Mode says how an int64 prints. Its text form is a word.
type Int64Mode uint8

const (
	Int64Number Int64Mode = iota // 17
	Int64String                  // "17", for readers that keep numbers as float64
)

// A NaNMode says how a float32 that is not finite prints. Its text form
// is a word.
type NaNMode uint8

const (
	NaNString NaNMode = iota // "NaN", "Infinity", "-Infinity"
	NaNNull                  // null
	NaNError                 // an error that is ErrNotFinite
)

var (
	bytesNames = []string{"auto", "utf8", "base64", "hex", "len"}
	int64Names = []string{"number", "string"}
	nanNames   = []string{"string", "null", "error"}
)

// MarshalText returns the text form of the mode.
func (m BytesMode) MarshalText() ([]byte, error) { return []byte(modeName(bytesNames, m)), nil }

// MarshalText returns the text form of the mode.
func (m Int64Mode) MarshalText() ([]byte, error) { return []byte(modeName(int64Names, m)), nil }

// MarshalText returns the text form of the mode.
func (m NaNMode) MarshalText() ([]byte, error) { return []byte(modeName(nanNames, m)), nil }

// UnmarshalText sets the mode from its text form.
func (m *BytesMode) UnmarshalText(text []byte) error { return setMode(m, bytesNames, text) }

// UnmarshalText sets the mode from its text form.
func (m *Int64Mode) UnmarshalText(text []byte) error { return setMode(m, int64Names, text) }

// UnmarshalText sets the mode from its text form.
func (m *NaNMode) UnmarshalText(text []byte) error { return setMode(m, nanNames, text) }

func modeName[T ~uint8](names []string, v T) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("invalid(%d)", v)
}

func setMode[T ~uint8](v *T, names []string, text []byte) error {
	for i, name := range names {
		if name == string(text) {
			*v = T(i)
			return nil
		}
	}
	return fmt.Errorf("want one of %s, got %q", strings.Join(names, ", "), text)
}

// Options say how a Printer prints. The zero value is the default: the untyped
// form of every feature, nothing added.
type Options struct {
	Bytes BytesMode // how byte strings print
	Int64 Int64Mode // how int64 values print
	NaN   NaNMode   // how NaN and infinities print
	Typed bool      // print the typed form, which loses nothing

	// Select names the features that are printed, as they are printed ("b64:…" included); nil: all. * in a name is any text
	// and ? any character, and a name after a - is left out: "image/*", "-image/encoded".
	Select []string

	Position bool // begin every line with "_file", "_record", "_offset"
}

// Validate reports options that contradict each other: the typed form loses nothing, so it cannot be combined with
// modes that do.
func (o *Options) Validate() error {
	switch {
	case o.Typed && o.Bytes == BytesLen:
		return errors.New("bytes as len cannot be combined with the typed form")
	case o.Typed && o.NaN == NaNNull:
		return errors.New("nan as null cannot be combined with the typed form")
	}
	_, err := namelist.Parse(o.Select)
	return err
}

package recordjson

import (
	"bytes"
	"errors"
	"math"
	"strconv"
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
		dst = strconv.AppendInt(dst, v, 10)
		return append(dst, '"')
	}
	return strconv.AppendInt(dst, v, 10)
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
		dst = strconv.AppendInt(dst, int64(mag), 10)
		return append(dst, '.', '0'), nil
	}
	return appendShortest(dst, abs), nil
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

// canonicalNaN is the NaN that "NaN" stands for; others print with their bits
// in the typed form.
const canonicalNaN = 0x7fc00000

func isNaN(bits uint32) bool { return bits&^(1<<31) > 0x7f800000 }

// notFinite reads "NaN", "Infinity" and "-Infinity".
func notFinite(text []byte) (bits uint32, ok bool) {
	switch string(text) {
	case "NaN":
		return canonicalNaN, true
	case "Infinity":
		return 0x7f800000, true
	case "-Infinity":
		return 0xff800000, true
	}
	return 0, false
}

// parseInt64 reads a JSON integer. -0 is refused: it is a float that some
// other program wrote without its point.
func parseInt64(text []byte) (int64, error) {
	if string(text) == "-0" {
		return 0, errors.New("-0 is no int64; a float is written -0.0")
	}
	v, err := strconv.ParseInt(string(text), 10, 64)
	switch {
	case err == nil:
		return v, nil
	case errors.Is(err, strconv.ErrRange):
		return 0, errors.New("number is out of the range of int64")
	}
	return 0, errors.New("want an integer without point and exponent")
}

// parseInt64String reads an int64 that was printed as a string: no sign but
// the minus, no zeros in front.
func parseInt64String(text []byte) (int64, error) {
	v, err := parseInt64(text)
	if err != nil {
		return 0, err
	}
	var buf [20]byte
	if !bytes.Equal(strconv.AppendInt(buf[:0], v, 10), text) {
		return 0, errors.New("want the decimal digits of an int64")
	}
	return v, nil
}

// parseFloat32 reads a JSON number, rounded to the nearest float32. One that is
// not zero and would round to zero is an error, as one that would be infinite.
func parseFloat32(text []byte) (float32, error) {
	v, err := strconv.ParseFloat(string(text), 32)
	if err != nil {
		return 0, errors.New("number is out of the range of float32")
	}
	if v == 0 && !isZero(text) {
		return 0, errors.New("number is too small for float32, which would make it 0")
	}
	return float32(v), nil
}

// isZero reports whether all digits of a JSON number before its exponent are 0.
func isZero(text []byte) bool {
	for _, c := range text {
		switch {
		case c == 'e' || c == 'E':
			return true
		case '1' <= c && c <= '9':
			return false
		}
	}
	return true
}

package jsonscan

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strconv"
)

// IsNaN reports whether these are the bits of a float32 NaN.
func IsNaN(bits uint32) bool { return bits&^(1<<31) > 0x7f800000 }

// CanonicalNaN has the bits of the NaN that "NaN" means. Other NaNs print with their bits in the typed form.
const CanonicalNaN = 0x7fc00000

// NotFinite reads "NaN", "Infinity" and "-Infinity".
func NotFinite(text []byte) (bits uint32, ok bool) {
	switch string(text) {
	case "NaN":
		return CanonicalNaN, true
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
		return 0, errors.New("-0 is not an int64; write a float as -0.0")
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

// ParseInt64String reads an int64 that was printed as a string: without a plus sign or leading zeros.
func ParseInt64String(text []byte) (int64, error) {
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

// ParseFloat32 reads a JSON number, rounded to the nearest float32. A number that would round to infinity is an
// error, and so is a number other than zero that would round to zero.
func ParseFloat32(text []byte) (float32, error) {
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

// ParseNaNBits reads the eight digits of {"nan": "7fc00001"}.
func ParseNaNBits(text []byte) (uint32, error) {
	b, err := decodeHex(nil, text)
	if err != nil || len(b) != 4 || !IsNaN(binary.BigEndian.Uint32(b)) {
		return 0, errors.New("want the eight hexadecimal digits of a float32 NaN")
	}
	return binary.BigEndian.Uint32(b), nil
}

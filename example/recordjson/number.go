package recordjson

import (
	"errors"
	"math"

	"github.com/tfparse/tfparse/internal/jsonscan"
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

// AppendFloat64 is AppendFloat32 for a float64, which no feature has, but tensors do.
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

package recordcsv

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// class is the class of the content of a cell. The order is that of TensorFlow Data Validation: a column has the
// largest class of its cells.
type class uint8

const (
	empty  class = iota
	whole        // an integer of 64 bits
	number       // a number that is not an integer
	long         // an integer of more than 64 bits, so the values of the column are strings
	text
)

// space is the white space that Python's int and float ignore around a number.
const space = " \t\n\v\f\r"

// classify returns the class of a cell.
func classify(cell string) class {
	if cell == "" {
		return empty
	}
	_, is := parseInt(cell)
	if is != text {
		return is
	}
	if isNumber(cell) {
		return number
	}
	return text
}

// isNumber reports whether parseFloat accepts a cell.
func isNumber(s string) bool {
	s = strings.Trim(s, space)
	if decimal, _ := isDecimal(s); decimal {
		return true
	}
	_, ok := special(s)
	return ok
}

// parseInt parses an integer like Python's int: with spaces around it, a sign, leading zeros and single underscores between
// digits. The class is whole, long for more than 64 bits, or text.
func parseInt(s string) (int64, class) {
	s = strings.Trim(s, space)
	negative := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		negative, s = s[0] == '-', s[1:]
	}
	if s == "" {
		return 0, text
	}
	is := whole
	n := uint64(0)
	digit := false // the previous byte is a digit
	for i := range len(s) {
		c := s[i]
		switch {
		case '0' <= c && c <= '9':
			if n > (math.MaxUint64-9)/10 {
				is = long
			} else {
				n = n*10 + uint64(c-'0')
			}
			digit = true
		case c == '_' && digit:
			digit = false
		default:
			return 0, text
		}
	}
	switch {
	case !digit:
		return 0, text
	case is == long || n > math.MaxInt64 && !(negative && n == 1<<63):
		return 0, long
	case negative:
		return int64(-n), whole
	}
	return int64(n), whole
}

// isPadded reports whether a number has leading zeros, which indicate a code such as a postcode.
func isPadded(s string) bool {
	s = strings.TrimLeft(strings.TrimLeft(s, space), "+-")
	return len(s) > 1 && s[0] == '0' && (s[1] == '_' || '0' <= s[1] && s[1] <= '9')
}

// parseWhole parses a 64-bit integer in decimal notation, such as 23.0 or 1.5e3. The result is exact, because it is not converted
// to a float.
func parseWhole(s string) (int64, bool) {
	s = strings.Trim(s, space)
	decimal, _ := isDecimal(s)
	if !decimal {
		return 0, false
	}
	s = strings.ReplaceAll(s, "_", "")
	sign := ""
	if s[0] == '-' || s[0] == '+' {
		sign, s = s[:1], s[1:]
	}
	point := 0 // number of digits before the decimal point
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		var err error
		if point, err = strconv.Atoi(s[i+1:]); err != nil {
			return 0, false
		}
		s = s[:i]
	}
	front, decimals, _ := strings.Cut(s, ".")
	digits := strings.TrimRight(strings.TrimLeft(front+decimals, "0"), "0")
	if digits == "" {
		return 0, true
	}
	const maxDigits = 19 // digits of the largest 64-bit integer
	zeros := len(front+decimals) - len(strings.TrimLeft(front+decimals, "0"))
	if point += len(front) - zeros; point < len(digits) || point > maxDigits {
		return 0, false
	}
	n, err := strconv.ParseInt(sign+digits+strings.Repeat("0", point-len(digits)), 10, 64)
	return n, err == nil
}

// parseFloat parses a number like Python's float: like [strconv.ParseFloat], but with spaces around it, a sign of NaN, and single
// underscores between digits, and without hexadecimal numbers. Numbers beyond float64 become infinite.
func parseFloat(s string) (v float64, ok bool) {
	s = strings.Trim(s, space)
	switch decimal, underscores := isDecimal(s); {
	case decimal && underscores:
		s = strings.ReplaceAll(s, "_", "")
	case decimal:
	default:
		return special(s)
	}
	v, _ = strconv.ParseFloat(s, 64) // the only error is a number beyond float64
	return v, true
}

// isDecimal reports whether s is a decimal number.
func isDecimal(s string) (ok, underscores bool) {
	i := 0
	sign := func() {
		if i < len(s) && (s[i] == '-' || s[i] == '+') {
			i++
		}
	}
	digits := func() (n int) {
		for i < len(s) {
			switch c := s[i]; {
			case '0' <= c && c <= '9':
				n++
			case c == '_' && n > 0 && s[i-1] != '_' && i+1 < len(s) && '0' <= s[i+1] && s[i+1] <= '9':
				underscores = true
			default:
				return n
			}
			i++
		}
		return n
	}
	sign()
	n := digits()
	if i < len(s) && s[i] == '.' {
		i++
		n += digits()
	}
	if n == 0 {
		return false, false
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		sign()
		if digits() == 0 {
			return false, false
		}
	}
	return i == len(s), underscores
}

// special parses NaN and infinities.
func special(s string) (float64, bool) {
	sign := 1.0
	if s != "" && (s[0] == '-' || s[0] == '+') {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	var lower [8]byte
	if len(s) > len(lower) {
		return 0, false
	}
	switch string(bytes.ToLower(append(lower[:0], s...))) {
	case "nan":
		return math.Copysign(math.NaN(), sign), true
	case "inf", "infinity":
		return sign * math.Inf(1), true
	}
	return 0, false
}

// isInfinite reports whether a number is written as infinity, not just too large.
func isInfinite(s string) bool {
	_, ok := special(strings.Trim(s, space))
	return ok
}

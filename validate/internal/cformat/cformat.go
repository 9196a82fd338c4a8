// Package cformat parses and formats numbers and strings as TensorFlow Data Validation does in C++: tests compare messages
// word for word, and the numbers that C++ accepts decide the domain of a string.
package cformat

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Six formats a number with six significant digits, as C's %g does: 0.1, 1e+06, nan, -inf.
func Six(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	return strconv.FormatFloat(f, 'g', 6, 64)
}

// Fixed formats a number with six digits after the decimal point.
func Fixed(f float64) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Six(f)
	}
	return strconv.FormatFloat(f, 'f', 6, 64)
}

// Int64 converts a number to int64 and truncates it. NaN and numbers out of range become the least int64, as on x86,
// where TensorFlow runs.
func Int64(f float64) int64 {
	if !(f >= math.MinInt64 && f < -math.MinInt64) {
		return math.MinInt64
	}
	return int64(f)
}

// Int64Near is Int64 with another rule for numbers out of range: they become the nearest int64, and NaN becomes 0.
func Int64Near(f float64) int64 {
	switch {
	case math.IsNaN(f):
		return 0
	case f >= -math.MinInt64:
		return math.MaxInt64
	}
	return Int64(f)
}

// space is the white space of C.
const space = " \t\n\v\f\r"

// ParseInt parses a decimal int64 with an optional sign and surrounding white space.
func ParseInt(s string) (int64, bool) {
	s = strings.Trim(s, space)
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// ParseFloat parses a decimal number, an infinity or a NaN, with optional surrounding white space. A number that is too
// large becomes an infinity.
func ParseFloat(s string) (float32, bool) {
	s = strings.Trim(s, space)
	digits := strings.TrimLeft(s, "+-")
	if len(s)-len(digits) > 1 {
		return 0, false
	}
	switch l := strings.ToLower(digits); {
	case l == "inf" || l == "infinity" || l == "nan":
	case strings.HasPrefix(l, "nan(") && strings.HasSuffix(l, ")") && !strings.ContainsFunc(l[4:len(l)-1], notWord):
		return float32(math.NaN()), true
	case strings.Trim(digits, "0123456789.eE+-") != "":
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 32)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return float32(f), true
}

// notWord reports whether r is neither a letter, a digit nor an underscore of ASCII.
func notWord(r rune) bool {
	return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
}

// Escape escapes quotes, backslashes and ASCII control characters as C does. Other bytes are unchanged.
func Escape(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '"' || c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

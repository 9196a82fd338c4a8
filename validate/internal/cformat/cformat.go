// Package cformat reads and writes numbers and strings as TensorFlow Data Validation
// does: its messages are compared word for word, and what it takes for a number
// decides what a string domain is.
package cformat

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Six writes a number with six significant digits: 0.1, 1e+06, nan, -inf.
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

// Fixed writes a number with six digits after the point.
func Fixed(f float64) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Six(f)
	}
	return strconv.FormatFloat(f, 'f', 6, 64)
}

// Int64 makes an int64 of a number by cutting it off. What does not fit is the least
// int64, as on the machines that TensorFlow runs on.
func Int64(f float64) int64 {
	if !(f >= math.MinInt64 && f < -math.MinInt64) {
		return math.MinInt64
	}
	return int64(f)
}

// Int64Near is Int64, but what does not fit is the nearest int64, and NaN is 0.
func Int64Near(f float64) int64 {
	switch {
	case math.IsNaN(f):
		return 0
	case f >= -math.MinInt64:
		return math.MaxInt64
	}
	return Int64(f)
}

const space = " \t\n\v\f\r"

// ParseInt reads a decimal int64 with an optional sign, and with space around it.
func ParseInt(s string) (int64, bool) {
	s = strings.Trim(s, space)
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// ParseFloat reads a decimal number, an infinity or a NaN, with space around it. A
// number that is too large is an infinity.
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

func notWord(r rune) bool {
	return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
}

// Escape writes a string with the escapes of C for what is ASCII and does not print,
// and for quotes and backslashes. Other bytes stay.
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

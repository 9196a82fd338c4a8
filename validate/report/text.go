package report

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// How many characters of a name or a value are shown.
const (
	nameRoom  = 96
	valueRoom = 120
)

// shown returns a string without characters that mislead a reader: one with
// characters that cannot be seen, or that turn the text round, or with bytes that
// are not UTF-8, becomes a quoted string of Go.
func shown(s string) string {
	plain := s != "" && s[0] != '"' && s[0] != ' ' && s[len(s)-1] != ' ' && utf8.ValidString(s)
	if plain && strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) < 0 {
		return s
	}
	return strconv.Quote(s)
}

// cut returns at most limit characters of s, and says how many bytes there were.
func cut(s string, limit int) string {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return shown(s)
	}
	end := 0
	for range limit {
		_, n := utf8.DecodeRuneInString(s[end:])
		end += n
	}
	return shown(s[:end]) + "… (" + count(float64(len(s))) + " bytes)"
}

// clip is cut for text that is made for the page, such as its title. Its length in bytes would
// say nothing of the data.
func clip(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return cut(s, limit)
	}
	return shown(string([]rune(s)[:limit-1])) + "…"
}

const none = "–"

// count writes how many there are, with commas between thousands.
func count(v float64) string {
	if v != math.Trunc(v) || math.Abs(v) >= 1e15 {
		return number(v)
	}
	s := strconv.FormatFloat(math.Abs(v), 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if v < 0 {
		s = "-" + s
	}
	return s
}

// number writes a value with six digits, or as a whole number.
func number(v float64) string {
	a := math.Abs(v)
	switch {
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "-∞"
	case v == 0:
		return "0" // not -0
	case a < 1e15 && (v == math.Trunc(v) || a >= 1e5):
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// share writes a part of a whole. It never says 0% or 100% of what is not none or
// all.
func share(part, whole float64) string {
	v := part / whole
	switch {
	case !(whole > 0) || math.IsNaN(v):
		return none
	case v == 0 || v == 1:
	case v < 0.001:
		return "<0.1%"
	case v > 0.999 && v < 1:
		return ">99.9%"
	}
	return strconv.FormatFloat(math.Round(v*1000)/10, 'f', 1, 64) + "%"
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(float64(n)) + " " + one + "s"
}

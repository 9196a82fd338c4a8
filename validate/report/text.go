package report

import (
	"crypto/sha256"
	"fmt"
	"html/template"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/internal/sniff"
)

// Maximum number of characters to show.
const (
	maxNameChars  = 96
	maxValueChars = 120
)

// safeText returns a string that cannot mislead a reader. It quotes strings with invisible
// characters, characters that change the direction of text, or invalid UTF-8, as Go does.
func safeText(s string) string {
	plain := s != "" && s[0] != '"' && s[0] != ' ' && s[len(s)-1] != ' ' && utf8.ValidString(s)
	if plain && strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) < 0 {
		return s
	}
	return strconv.Quote(s)
}

// cutText returns at most limit characters of s, with the length in bytes if s was longer.
func cutText(s string, limit int) string {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return safeText(s)
	}
	end := 0
	for range limit {
		_, n := utf8.DecodeRuneInString(s[end:])
		end += n
	}
	return safeText(s[:end]) + "… (" + count(float64(len(s))) + " bytes)"
}

// clipText is cutText without the length, for text that is not data, such as the title.
func clipText(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return cutText(s, limit)
	}
	return safeText(string([]rune(s)[:limit-1])) + "…"
}

// breakable escapes a text and adds where a line may break in long names: after underscores and slashes, and before escape sequences. A
// browser breaks words nowhere else, unless a word alone is longer than a line.
func breakable(s string) template.HTML {
	text := wordBreaks.Replace(template.HTMLEscapeString(s))
	return template.HTML(escapeSequence.ReplaceAllString(text, `<wbr><span class="escape">$0</span>`))
}

// escapeSequence matches what Go's quoting writes for one byte or character that cannot be printed. A line never breaks inside it.
var escapeSequence = regexp.MustCompile(`\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[abfnrtv\\])`)

var wordBreaks = strings.NewReplacer("_", "_<wbr>", "/", "/<wbr>")

// bytesLabel matches the label of a value that is not UTF-8, as package stats writes it: what the value is, its size and a digest.
var bytesLabel = regexp.MustCompile(`^(.*) \((\d+) bytes, sha256 ([0-9a-f]{32})\)$`)

// imageSize matches the size of an image in such a label; the last number is that of the channels.
var imageSize = regexp.MustCompile(`^(JPEG|PNG|GIF|BMP|WebP) (\d+x\d+)x\d\b`)

// unnamedBytes are the labels that TensorFlow Data Validation gives to all values that are not UTF-8, and to all long ones.
var unnamedBytes = map[string]string{"__BYTES_VALUE__": "bytes, not text", "__LARGE_BYTES__": "a long value"}

// labelName returns what the page calls a label. A value that is not text is named by its content and size, with the beginning of its digest,
// which tells values of the same size apart: JPEG 96x96, 1.8 kB and 0f3a12cd.
func labelName(label string) (name, digest string) {
	if m := bytesLabel.FindStringSubmatch(label); m != nil {
		size, _ := strconv.ParseFloat(m[2], 64)
		return contentName(m[1], size), m[3][:8]
	}
	if text := sniff.DescribeBytes(label); text != "" { // bytes that happen to be UTF-8 are their own label
		sum := sha256.Sum256([]byte(label))
		return contentName(text, float64(len(label))), fmt.Sprintf("%x", sum[:4])
	}
	return cutText(label, maxValueChars), ""
}

// contentName returns the name of a byte string by its content and size.
func contentName(content string, size float64) string {
	return safeText(imageSize.ReplaceAllString(content, "$1 $2")) + ", " + byteSize(size)
}

// byteSize formats a number of bytes with two or three digits.
func byteSize(n float64) string {
	if n < 1000 {
		return plural(int(n), "byte")
	}
	for _, unit := range []string{"kB", "MB", "GB"} {
		if n /= 1000; n < 999.5 || unit == "GB" {
			if n < 9.95 {
				return fmt.Sprintf("%.1f %s", n, unit)
			}
			return fmt.Sprintf("%.0f %s", n, unit)
		}
	}
	return ""
}

const noValue = "–"

// count formats a count, with commas between thousands.
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

// number formats a value with six digits, or as an integer.
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

// share formats a fraction as a percentage. It is 0% or 100% only for exactly none or all.
func share(part, whole float64) string {
	v := part / whole
	switch {
	case !(whole > 0) || math.IsNaN(v):
		return noValue
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

// valueOf returns the value that has a label. ok is false if the label does not have the whole value.
func valueOf(label string) (value string, ok bool) {
	m := bytesLabel.FindStringSubmatch(label)
	if m == nil {
		return label, unnamedBytes[label] == ""
	}
	value, err := strconv.Unquote(`"` + m[1] + `"`)
	return value, err == nil && strconv.Itoa(len(value)) == m[2]
}

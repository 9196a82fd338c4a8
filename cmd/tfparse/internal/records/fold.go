package records

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/internal/sniff"
)

// Limits of the values that are printed on a terminal without --full. A shorter string takes no more of the screen than its
// replacement, and a list of 20 numbers fits in two lines.
const (
	maxWholeString = 80 // longest string that is printed whole, in bytes
	shownRunes     = 60 // characters printed of longer text
	maxWholeList   = 20 // longest list that is printed whole, in values
	shownValues    = 8  // values printed of a longer list
)

// foldString shortens the string at the start of rest, if it is long: to the first characters, or to a description such as its
// image format. Otherwise it returns false and changes nothing.
func (v *styledJSON) foldString() bool {
	if !v.fold || v.rest[0] != '"' {
		return false
	}
	n := stringEnd(v.rest)
	if n <= maxWholeString+2 {
		return false
	}
	var text string
	if json.Unmarshal(v.rest[:n], &text) != nil || len(text) <= maxWholeString {
		return false
	}
	v.appendFolded([]byte(text), n)
	return true
}

// byteEncodings are the JSON encodings of byte strings that are not UTF-8, such as {"b64":"…"}.
var byteEncodings = []struct {
	begin  string
	decode func(string) ([]byte, error)
}{
	{`"b64":`, base64.StdEncoding.DecodeString},
	{`"hex":`, hex.DecodeString},
}

// longMember decodes the member at the start of text, if it is a long byte string in one of byteEncodings. end is the length of
// the member. Otherwise b is nil.
func longMember(text []byte) (b []byte, end int) {
	for _, e := range byteEncodings {
		value, ok := bytes.CutPrefix(text, []byte(e.begin))
		if !ok || len(value) == 0 || value[0] != '"' {
			continue
		}
		n := stringEnd(value)
		if b, err := e.decode(string(value[1:max(n-1, 1)])); err == nil && len(b) > maxWholeString {
			return b, len(e.begin) + n
		}
	}
	return nil, 0
}

// foldObject shortens the object at the start of rest, if it encodes a long byte string. Otherwise it returns false and changes
// nothing.
func (v *styledJSON) foldObject() bool {
	if !v.fold || v.rest[0] != '{' {
		return false
	}
	b, end := longMember(v.rest[1:])
	if b == nil || !bytes.HasPrefix(v.rest[1+end:], []byte("}")) {
		return false
	}
	v.appendFolded(b, end+2)
	return true
}

// foldRecord shortens the member at the start of rest, if it is a long raw record after its position. Otherwise it returns false
// and changes nothing.
func (v *styledJSON) foldRecord(depth int) bool {
	if !v.fold || depth > 0 {
		return false
	}
	b, end := longMember(v.rest)
	if b == nil {
		return false
	}
	size := len(v.rest)
	v.rewriteKey(depth)
	v.appendFolded(b, end-(size-len(v.rest)))
	return true
}

// appendFolded appends the short form of a byte string, and skips the n bytes of its JSON in rest.
func (v *styledJSON) appendFolded(b []byte, n int) {
	v.rest = v.rest[n:]
	if v.color {
		v.dst = append(v.dst, colorString...)
	}
	v.dst = append(v.dst, bytesText(b)...)
	if v.color {
		v.dst = append(v.dst, cli.ColorOff...)
	}
}

// bytesText returns the short form of a long byte string: <jpeg 96x96, 1.8 kB>, or the first characters of text with its size.
func bytesText(b []byte) string {
	content := sniff.Detect(b)
	switch {
	case content.Format == sniff.Text:
		end := 0
		for range shownRunes {
			_, size := utf8.DecodeRune(b[end:])
			end += size
		}
		return fmt.Sprintf(`"%s…" <text, %s>`, console.OneLine(string(b[:end])), sizeText(len(b)))
	case content.Image.Format != sniff.Raw:
		return fmt.Sprintf("<%s, %s>", strings.ToLower(content.String()), sizeText(len(b)))
	}
	return fmt.Sprintf("<%s, %s>", content, sizeText(len(b)))
}

// sizeText returns a size for display: 812 B, 1.8 kB, 24 MB.
func sizeText(n int) string {
	size, unit := float64(n), 0
	units := [...]string{"B", "kB", "MB", "GB"}
	for size >= 999.5 && unit < len(units)-1 {
		size /= 1000
		unit++
	}
	if unit > 0 && size < 9.95 {
		return fmt.Sprintf("%.1f %s", size, units[unit])
	}
	return fmt.Sprintf("%.0f %s", size, units[unit])
}

// foldList replaces the remaining values of a long list by the total number of values. shown values were printed; rest begins
// with the next one.
func (v *styledJSON) foldList(shown int) {
	left, kind := 0, "value"
	for rest := v.rest; len(rest) > 0 && rest[0] != ']'; left++ {
		if rest[0] == ',' {
			rest = rest[1:]
		}
		if rest[0] == '[' {
			kind = "list"
		}
		rest = rest[valueEnd(rest):]
		v.rest = rest
	}
	v.dst = fmt.Appendf(v.dst, ", … %s %ss", thousands(shown+left), kind)
}

// listLength returns the number of values of the list at the start of text.
func listLength(text []byte) (n int) {
	for text = text[1:]; len(text) > 0 && text[0] != ']'; n++ {
		if text[0] == ',' {
			text = text[1:]
		}
		text = text[valueEnd(text):]
	}
	return n
}

// valueEnd returns the length of the value at the start of text, in bytes.
func valueEnd(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i += stringEnd(text[i:]) - 1
			if depth == 0 {
				return i + 1
			}
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth <= 0 {
				return i + 1 + depth // exclude the bracket if it ends the list around a number
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// thousands returns a number with commas, as 4,000.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

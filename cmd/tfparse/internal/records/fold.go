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

// Limits of what a terminal shows of a record without --full. A string within them is not longer on the screen than what
// would replace it, and a list of 20 numbers fits in two lines.
const (
	wholeString = 80 // bytes of a string that is printed whole
	shownRunes  = 60 // of a longer text
	wholeList   = 20 // values of a list that is printed whole
	shownValues = 8  // of a longer list
)

// foldString rewrites the string that rest begins with: a long one as the beginning of the text, or as what it holds. It
// reports false for others, and leaves them to the caller.
func (v *styledJSON) foldString() bool {
	if !v.fold || v.rest[0] != '"' {
		return false
	}
	n := stringEnd(v.rest)
	if n <= wholeString+2 {
		return false
	}
	var text string
	if json.Unmarshal(v.rest[:n], &text) != nil || len(text) <= wholeString {
		return false
	}
	v.foldedBytes([]byte(text), n)
	return true
}

// encodings decode the byte strings that are not UTF-8, by the member that holds them: {"b64":"…"}.
var encodings = []struct {
	begin  string
	decode func(string) ([]byte, error)
}{
	{`"b64":`, base64.StdEncoding.DecodeString},
	{`"hex":`, hex.DecodeString},
}

// longMember returns the bytes of the member that text begins with and where it ends, if it is a long byte string in one of
// the encodings, else nil.
func longMember(text []byte) (b []byte, end int) {
	for _, e := range encodings {
		value, ok := bytes.CutPrefix(text, []byte(e.begin))
		if !ok || len(value) == 0 || value[0] != '"' {
			continue
		}
		n := stringEnd(value)
		if b, err := e.decode(string(value[1:max(n-1, 1)])); err == nil && len(b) > wholeString {
			return b, len(e.begin) + n
		}
	}
	return nil, 0
}

// foldObject rewrites the object that rest begins with, if it is a long byte string. It reports false for others.
func (v *styledJSON) foldObject() bool {
	if !v.fold || v.rest[0] != '{' {
		return false
	}
	b, end := longMember(v.rest[1:])
	if b == nil || !bytes.HasPrefix(v.rest[1+end:], []byte("}")) {
		return false
	}
	v.foldedBytes(b, end+2)
	return true
}

// foldRecord rewrites the member that rest begins with, if it is a whole record of type raw after its position.
func (v *styledJSON) foldRecord(depth int) bool {
	if !v.fold || depth > 0 {
		return false
	}
	b, end := longMember(v.rest)
	if b == nil {
		return false
	}
	size := len(v.rest)
	v.key(depth)
	v.foldedBytes(b, end-(size-len(v.rest)))
	return true
}

// foldedBytes writes what a terminal shows of a long byte string, and leaves out the n bytes of JSON that hold it.
func (v *styledJSON) foldedBytes(b []byte, n int) {
	v.rest = v.rest[n:]
	if v.color {
		v.dst = append(v.dst, colorString...)
	}
	v.dst = append(v.dst, bytesText(b)...)
	if v.color {
		v.dst = append(v.dst, cli.ColorOff...)
	}
}

// bytesText is a long byte string as a terminal shows it: <jpeg 96x96, 1.8 kB>, or the beginning of a text and its size.
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

// sizeText is a number of bytes for a person: 812 B, 1.8 kB, 24 MB.
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

// foldList leaves out the values that follow the first ones of a long list, and says how many there are in all. rest
// begins with the value after the first shown ones of the list.
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

// listLength counts the values of the list that text begins with.
func listLength(text []byte) (n int) {
	for text = text[1:]; len(text) > 0 && text[0] != ']'; n++ {
		if text[0] == ',' {
			text = text[1:]
		}
		text = text[valueEnd(text):]
	}
	return n
}

// valueEnd returns the length of the value that text begins with.
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
				return i + 1 + depth // without the end of the list around a number
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// thousands prints a number with a comma before each three digits, as 4,000.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

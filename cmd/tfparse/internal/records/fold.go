package records

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/internal/jsonscan"
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

// foldBytes shortens the byte string at the cursor, if it is long: to the first characters of text, or to a description such as its
// image format. Otherwise it returns false and changes nothing.
func (v *styledJSON) foldBytes() bool {
	if !v.fold {
		return false
	}
	c := v.Cursor
	b, _, err := c.Bytes(nil)
	if err != nil || len(b) <= maxWholeString {
		return false
	}
	v.Cursor = c
	v.appendColored(colorString, []byte(bytesText(b)))
	return true
}

// foldRecord shortens the member at the cursor, if it is a long raw record after its position. Otherwise it returns false and
// changes nothing.
func (v *styledJSON) foldRecord(depth int) bool {
	c := v.Cursor
	name, _ := c.Name()
	if !v.fold || depth > 0 || string(name) != jsonscan.Base64Member && string(name) != jsonscan.HexMember {
		return false
	}
	b, err := c.Decode(nil, string(name))
	if err != nil || len(b) <= maxWholeString {
		return false
	}
	v.rewriteKey(depth)
	v.Cursor = c
	v.appendColored(colorString, []byte(bytesText(b)))
	return true
}

// bytesText returns the short form of a long byte string: <jpeg 96x96, 1.8 kB>, or the first characters of text with its size.
func bytesText(b []byte) string {
	content := sniff.Detect(b)
	switch {
	case content.Format == sniff.Text:
		return fmt.Sprintf(`"%s…" <text, %s>`, console.OneLine(string(b[:prefixLength(b, shownRunes)])), sizeText(len(b)))
	case content.Image.Format != sniff.Raw:
		return fmt.Sprintf("<%s, %s>", strings.ToLower(content.String()), sizeText(len(b)))
	}
	return fmt.Sprintf("<%s, %s>", content, sizeText(len(b)))
}

// prefixLength returns the length in bytes of the first characters of text.
func prefixLength(text []byte, runes int) (end int) {
	for range runes {
		_, size := utf8.DecodeRune(text[end:])
		end += size
	}
	return end
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

// listLength returns the number of values of the list at the cursor.
func listLength(c jsonscan.Cursor) (n int) {
	for c.Open(); c.More(']'); n++ {
		c.Skip()
	}
	return n
}

// thousands returns a number with commas, as 4,000.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

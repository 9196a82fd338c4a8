package stats

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// shownBytes is how many bytes of a value that is not text its label has.
const shownBytes = 16

// labelText is the label of a value in a message, which has no room for bytes: text is its own label. Of other values it has the first
// bytes, as in a string literal of Go, the length and the first half of the SHA-256, as \x89PNG\r\n… (70122 bytes, sha256
// 0f3a…): equal labels mean equal values, and images do not fill the statistics.
func labelText(value string) string {
	if utf8.ValidString(value) {
		return value
	}
	more := ""
	if len(value) > shownBytes {
		more = "…"
	}
	quoted := strconv.QuoteToASCII(value[:min(len(value), shownBytes)])
	digest := sha256.Sum256([]byte(value))
	return fmt.Sprintf("%s%s (%d bytes, sha256 %x)", quoted[1:len(quoted)-1], more, len(value), digest[:len(digest)/2])
}

// Package charset reads and writes code points in the encodings of package text. Encodings
// have TensorFlow's names.
package charset

import (
	"unicode/utf16"
	"unicode/utf8"
)

// A Decoder reads the code point at the start of a string that is not empty. It returns the
// code point, the number of its bytes, and whether these are well formed.
type Decoder func(s string) (r rune, size int, ok bool)

// Reader returns a function that gives, for a string in an encoding, its decoder and the
// length of its byte order mark. It returns nil for an unknown encoding.
func Reader(name string) func(s string) (next Decoder, mark int) {
	always := func(d Decoder) func(string) (Decoder, int) {
		return func(string) (Decoder, int) { return d, 0 }
	}
	switch name {
	case "UTF-8":
		return always(DecodeUTF8)
	case "UTF-16-BE":
		return always(decodeUTF16BE)
	case "UTF-16-LE":
		return always(decodeUTF16LE)
	case "UTF-32-BE":
		return always(decodeUTF32BE)
	case "UTF-32-LE":
		return always(decodeUTF32LE)
	case "UTF-16":
		return withMark("\xfe\xff", "\xff\xfe", decodeUTF16BE, decodeUTF16LE)
	case "UTF-32":
		return withMark("\x00\x00\xfe\xff", "\xff\xfe\x00\x00", decodeUTF32BE, decodeUTF32LE)
	case "ISO-8859-1":
		return always(func(s string) (rune, int, bool) { return rune(s[0]), 1, true })
	case "windows-1252":
		return always(decodeWindows1252)
	case "US-ASCII":
		return always(func(s string) (rune, int, bool) { return rune(s[0]), 1, s[0] < utf8.RuneSelf })
	}
	return nil
}

// Writer returns a function that appends a code point, not a surrogate, in an encoding. It
// returns nil for an encoding that cannot be written.
func Writer(name string) func(dst []byte, r rune) []byte {
	switch name {
	case "UTF-8":
		return utf8.AppendRune
	case "UTF-16-BE":
		return appendUTF16
	case "UTF-32-BE":
		return appendUTF32
	}
	return nil
}

// withMark is the Reader of an encoding with an optional byte order mark.
func withMark(bigMark, littleMark string, big, little Decoder) func(s string) (Decoder, int) {
	return func(s string) (Decoder, int) {
		switch n := len(bigMark); {
		case len(s) < n:
			return big, 0
		case s[:n] == bigMark:
			return big, n
		case s[:n] == littleMark:
			return little, n
		}
		return big, 0
	}
}

// DecodeUTF8 is the decoder of UTF-8.
func DecodeUTF8(s string) (rune, int, bool) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1, true
	}
	r, size := utf8.DecodeRuneInString(s)
	if r != utf8.RuneError || size == 3 {
		return r, size, true
	}
	return r, malformed(s), false
}

// malformed returns the length of the longest beginning of s that can begin a code point in
// UTF-8, at least 1.
func malformed(s string) int {
	// The range of the second byte depends on the first byte; all later bytes have one range.
	lo, hi, size := byte(0x80), byte(0xbf), 0
	switch c := s[0]; {
	case c < 0xc2 || c > 0xf4:
		return 1
	case c < 0xe0:
		size = 2
	case c < 0xf0:
		size = 3
	default:
		size = 4
	}
	switch s[0] {
	case 0xe0:
		lo = 0xa0
	case 0xed:
		hi = 0x9f
	case 0xf0:
		lo = 0x90
	case 0xf4:
		hi = 0x8f
	}
	n := 1
	for n < min(size, len(s)) && lo <= s[n] && s[n] <= hi {
		lo, hi = 0x80, 0xbf
		n++
	}
	return n
}

// decodeUTF16 reads one unit or two. The index of the higher byte in a unit is high: 0 or 1.
func decodeUTF16(s string, high int) (rune, int, bool) {
	if len(s) < 2 {
		return utf8.RuneError, len(s), false
	}
	unit := func(at int) rune { return rune(s[at+high])<<8 | rune(s[at+1-high]) }
	r := unit(0)
	switch {
	case !utf16.IsSurrogate(r):
		return r, 2, true
	case r < 0xdc00 && len(s) < 4:
		return utf8.RuneError, len(s), false // cut in the middle of a pair
	case r < 0xdc00:
		if pair := utf16.DecodeRune(r, unit(2)); pair != utf8.RuneError {
			return pair, 4, true
		}
	}
	return utf8.RuneError, 2, false
}

// decodeUTF32 reads a unit. The index of the highest byte in it is high: 0 or 3.
func decodeUTF32(s string, high int) (rune, int, bool) {
	if len(s) < 4 {
		return utf8.RuneError, len(s), false
	}
	v := uint32(0)
	for i := range 4 {
		v = v<<8 | uint32(s[i^high])
	}
	if v > utf8.MaxRune || !utf8.ValidRune(rune(v)) {
		return utf8.RuneError, 4, false
	}
	return rune(v), 4, true
}

func decodeUTF16BE(s string) (rune, int, bool) { return decodeUTF16(s, 0) }
func decodeUTF16LE(s string) (rune, int, bool) { return decodeUTF16(s, 1) }
func decodeUTF32BE(s string) (rune, int, bool) { return decodeUTF32(s, 0) }
func decodeUTF32LE(s string) (rune, int, bool) { return decodeUTF32(s, 3) }

// windows1252 has the code points of the bytes from 0x80 to 0x9f; other bytes are as in
// Latin1.
var windows1252 = [32]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8d, 'Ž', 0x8f,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9d, 'ž', 'Ÿ',
}

func decodeWindows1252(s string) (rune, int, bool) {
	if c := s[0]; c < 0x80 || c >= 0xa0 {
		return rune(c), 1, true
	}
	return windows1252[s[0]-0x80], 1, true
}

func appendUTF16(dst []byte, r rune) []byte {
	if r < 0x10000 {
		return append(dst, byte(r>>8), byte(r))
	}
	hi, lo := utf16.EncodeRune(r)
	return append(dst, byte(hi>>8), byte(hi), byte(lo>>8), byte(lo))
}

func appendUTF32(dst []byte, r rune) []byte {
	return append(dst, byte(r>>24), byte(r>>16), byte(r>>8), byte(r))
}

package text

import (
	"encoding/base64"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tfparse/tfparse/ragged"
	"github.com/tfparse/tfparse/ragged/text/internal/charset"
)

// A Case selects the letters that Lower and Upper change.
type Case uint8

const (
	ASCIICase   Case = iota // letters of ASCII
	UnicodeCase             // letters of Unicode; strings are UTF-8, and malformed bytes become U+FFFD
)

// Lower converts every string to lower case. The values are new. With UnicodeCase a sigma
// at the end of a word becomes a final sigma, and İ becomes two code points. Letters that are
// newer than TensorFlow's tables (of Unicode 13) change too, and a zero byte does not end the
// string, as it does in TensorFlow. TensorFlow calls it strings.lower; its encoding 'utf-8'
// is UnicodeCase.
func Lower(t ragged.Tensor[string], letters Case) ragged.Tensor[string] {
	if letters == UnicodeCase {
		return must(mapStrings(t, appendLower))
	}
	return must(mapStrings(t, func(dst []byte, s string) []byte {
		at := len(dst)
		dst = append(dst, s...)
		for i, c := range dst[at:] {
			if 'A' <= c && c <= 'Z' {
				dst[at+i] = c + 'a' - 'A'
			}
		}
		return dst
	}))
}

// Upper converts every string to upper case. The values are new. With UnicodeCase a letter
// may become several, such as SS for ß; newer letters change as in Lower. TensorFlow calls it
// strings.upper; its encoding 'utf-8' is UnicodeCase.
func Upper(t ragged.Tensor[string], letters Case) ragged.Tensor[string] {
	if letters == UnicodeCase {
		return must(mapStrings(t, appendUpper))
	}
	return must(mapStrings(t, func(dst []byte, s string) []byte {
		at := len(dst)
		dst = append(dst, s...)
		for i, c := range dst[at:] {
			if 'a' <= c && c <= 'z' {
				dst[at+i] = c - 'a' + 'A'
			}
		}
		return dst
	}))
}

func appendLower(dst []byte, s string) []byte {
	cased := false // the last letter has a case: a sigma would not begin a word
	for at := 0; at < len(s); {
		if c := s[at]; c < utf8.RuneSelf && (isLetter(c) || c == ' ') {
			// A fast path for the most frequent characters.
			if cased = c != ' '; 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
			at++
			continue
		}
		r, size, _ := charset.DecodeUTF8(s[at:])
		at += size
		switch r {
		case 'Σ':
			if r = 'σ'; cased && !beginsCased(s[at:]) {
				r = 'ς'
			}
			dst = utf8.AppendRune(dst, r)
			cased = true
			continue
		case 'İ':
			dst = append(dst, "i\u0307"...)
			cased = true
			continue
		}
		if !ignorable(r) {
			cased = isCased(r)
		}
		dst = utf8.AppendRune(dst, unicode.ToLower(r))
	}
	return dst
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// beginsCased reports whether the first code point that is not ignorable has a case.
func beginsCased(s string) bool {
	for at := 0; at < len(s); {
		r, size, _ := charset.DecodeUTF8(s[at:])
		if !ignorable(r) {
			return isCased(r)
		}
		at += size
	}
	return false
}

func isCased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

// ignorable reports whether the rule for a final sigma skips a code point.
func ignorable(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) ||
		strings.ContainsRune("'.:·\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a", r)
}

func appendUpper(dst []byte, s string) []byte {
	for at := 0; at < len(s); {
		r, size, _ := charset.DecodeUTF8(s[at:])
		at += size
		if r >= 0xdf {
			if several, ok := upperSeveral[r]; ok {
				dst = append(dst, several...)
				continue
			}
		}
		dst = utf8.AppendRune(dst, unicode.ToUpper(r))
	}
	return dst
}

// upperSeveral are the code points whose upper case has several code points, from Unicode's
// SpecialCasing.txt.
var upperSeveral = map[rune]string{
	0xdf: "SS", 0x149: "\u02bcN", 0x1f0: "J\u030c", 0x390: "\u0399\u0308\u0301",
	0x3b0: "\u03a5\u0308\u0301", 0x587: "\u0535\u0552", 0x1e96: "H\u0331", 0x1e97: "T\u0308",
	0x1e98: "W\u030a", 0x1e99: "Y\u030a", 0x1e9a: "A\u02be", 0x1f50: "\u03a5\u0313",
	0x1f52: "\u03a5\u0313\u0300", 0x1f54: "\u03a5\u0313\u0301", 0x1f56: "\u03a5\u0313\u0342",
	0x1f80: "\u1f08\u0399", 0x1f81: "\u1f09\u0399", 0x1f82: "\u1f0a\u0399", 0x1f83: "\u1f0b\u0399",
	0x1f84: "\u1f0c\u0399", 0x1f85: "\u1f0d\u0399", 0x1f86: "\u1f0e\u0399", 0x1f87: "\u1f0f\u0399",
	0x1f88: "\u1f08\u0399", 0x1f89: "\u1f09\u0399", 0x1f8a: "\u1f0a\u0399", 0x1f8b: "\u1f0b\u0399",
	0x1f8c: "\u1f0c\u0399", 0x1f8d: "\u1f0d\u0399", 0x1f8e: "\u1f0e\u0399", 0x1f8f: "\u1f0f\u0399",
	0x1f90: "\u1f28\u0399", 0x1f91: "\u1f29\u0399", 0x1f92: "\u1f2a\u0399", 0x1f93: "\u1f2b\u0399",
	0x1f94: "\u1f2c\u0399", 0x1f95: "\u1f2d\u0399", 0x1f96: "\u1f2e\u0399", 0x1f97: "\u1f2f\u0399",
	0x1f98: "\u1f28\u0399", 0x1f99: "\u1f29\u0399", 0x1f9a: "\u1f2a\u0399", 0x1f9b: "\u1f2b\u0399",
	0x1f9c: "\u1f2c\u0399", 0x1f9d: "\u1f2d\u0399", 0x1f9e: "\u1f2e\u0399", 0x1f9f: "\u1f2f\u0399",
	0x1fa0: "\u1f68\u0399", 0x1fa1: "\u1f69\u0399", 0x1fa2: "\u1f6a\u0399", 0x1fa3: "\u1f6b\u0399",
	0x1fa4: "\u1f6c\u0399", 0x1fa5: "\u1f6d\u0399", 0x1fa6: "\u1f6e\u0399", 0x1fa7: "\u1f6f\u0399",
	0x1fa8: "\u1f68\u0399", 0x1fa9: "\u1f69\u0399", 0x1faa: "\u1f6a\u0399", 0x1fab: "\u1f6b\u0399",
	0x1fac: "\u1f6c\u0399", 0x1fad: "\u1f6d\u0399", 0x1fae: "\u1f6e\u0399", 0x1faf: "\u1f6f\u0399",
	0x1fb2: "\u1fba\u0399", 0x1fb3: "\u0391\u0399", 0x1fb4: "\u0386\u0399", 0x1fb6: "\u0391\u0342",
	0x1fb7: "\u0391\u0342\u0399", 0x1fbc: "\u0391\u0399", 0x1fc2: "\u1fca\u0399",
	0x1fc3: "\u0397\u0399", 0x1fc4: "\u0389\u0399", 0x1fc6: "\u0397\u0342",
	0x1fc7: "\u0397\u0342\u0399", 0x1fcc: "\u0397\u0399", 0x1fd2: "\u0399\u0308\u0300",
	0x1fd3: "\u0399\u0308\u0301", 0x1fd6: "\u0399\u0342", 0x1fd7: "\u0399\u0308\u0342",
	0x1fe2: "\u03a5\u0308\u0300", 0x1fe3: "\u03a5\u0308\u0301", 0x1fe4: "\u03a1\u0313",
	0x1fe6: "\u03a5\u0342", 0x1fe7: "\u03a5\u0308\u0342", 0x1ff2: "\u1ffa\u0399",
	0x1ff3: "\u03a9\u0399", 0x1ff4: "\u038f\u0399", 0x1ff6: "\u03a9\u0342",
	0x1ff7: "\u03a9\u0342\u0399", 0x1ffc: "\u03a9\u0399", 0xfb00: "FF", 0xfb01: "FI", 0xfb02: "FL",
	0xfb03: "FFI", 0xfb04: "FFL", 0xfb05: "ST", 0xfb06: "ST", 0xfb13: "\u0544\u0546",
	0xfb14: "\u0544\u0535", 0xfb15: "\u0544\u053b", 0xfb16: "\u054e\u0546", 0xfb17: "\u0544\u053d",
}

// Strip removes the blanks at both ends of every string. The results are views.
// TensorFlow calls it strings.strip.
func Strip(t ragged.Tensor[string]) ragged.Tensor[string] {
	return ragged.Map(t, func(s string) string {
		s = trimLeft(s)
		for s != "" && isBlank(s[len(s)-1]) {
			s = s[:len(s)-1]
		}
		return s
	})
}

// EncodeBase64 encodes every string in the URL-safe alphabet of Base64, with "=" at the end
// if pad is set. TensorFlow calls it encode_base64.
func EncodeBase64(t ragged.Tensor[string], pad bool) ragged.Tensor[string] {
	e := base64.RawURLEncoding
	if pad {
		e = base64.URLEncoding
	}
	return must(mapStrings(t, func(dst []byte, s string) []byte {
		n := len(dst)
		dst = append(dst, make([]byte, e.EncodedLen(len(s)))...)
		e.Encode(dst[n:], []byte(s))
		return dst
	}))
}

// DecodeBase64 decodes strings of EncodeBase64, padded or not; bits after the last byte are
// ignored. Any other string is a ragged.ValueError. TensorFlow calls it decode_base64.
func DecodeBase64(t ragged.Tensor[string]) (ragged.Tensor[string], error) {
	var err error
	i := -1
	out, likeErr := mapStrings(t, func(dst []byte, s string) []byte {
		i++
		if err != nil {
			return dst
		}
		e := base64.RawURLEncoding
		if len(s)%4 == 0 && len(s) > 0 && s[len(s)-1] == '=' {
			e = base64.URLEncoding
		}
		for k := range len(s) {
			// Package base64 would skip line ends.
			if s[k] == '\n' || s[k] == '\r' {
				err = notBase64(i, s)
				return dst
			}
		}
		n := len(dst)
		dst = append(dst, make([]byte, e.DecodedLen(len(s)))...)
		m, wrong := e.Decode(dst[n:], []byte(s))
		if wrong != nil {
			err = notBase64(i, s)
		}
		return dst[:n+m]
	})
	if err != nil {
		return ragged.Tensor[string]{}, err
	}
	return out, likeErr
}

func notBase64(i int, s string) error {
	return &ragged.ValueError{Err: ragged.ErrValue, Op: "decode base64", At: []int{i}, Want: "URL-safe Base64", Got: quoted(s)}
}

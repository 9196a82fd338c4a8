package recordjson

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// namePrefix begins a feature name that is printed as base64.
const namePrefix = "b64:"

// AppendBytes appends a byte string as mode says. The error is ErrNotUTF8.
func AppendBytes(dst, v []byte, mode BytesMode) ([]byte, error) {
	switch mode {
	case BytesBase64:
		return appendBase64(dst, v), nil
	case BytesHex:
		return appendHex(dst, v), nil
	case BytesLen:
		return strconv.AppendInt(dst, int64(len(v)), 10), nil
	}
	if isPlain(v) {
		return appendPlain(dst, v), nil
	}
	if utf8.Valid(v) {
		return AppendString(dst, v), nil
	}
	if mode == BytesUTF8 {
		return dst, ErrNotUTF8
	}
	return appendBase64(dst, v), nil
}

// AppendText is AppendBytes for a string.
func AppendText(dst []byte, v string, mode BytesMode) ([]byte, error) {
	n := len(dst)
	dst = append(dst, '"')
	dst = append(dst, v...)
	text := dst[n+1:]
	if mode <= BytesUTF8 && isPlain(text) {
		return append(dst, '"'), nil
	}
	// What was appended is the byte string. Its form goes behind it, and then to
	// its place.
	out, err := AppendBytes(dst, text, mode)
	if err != nil {
		return out[:n], err
	}
	form := out[len(dst):]
	return append(out[:n], form...), nil
}

func appendBase64(dst, v []byte) []byte {
	return append(appendBase64Member(append(dst, '{'), v), '}')
}

func appendBase64Member(dst, v []byte) []byte {
	dst = append(dst, `"b64":"`...)
	return append(base64.StdEncoding.AppendEncode(dst, v), '"')
}

func appendHex(dst, v []byte) []byte {
	return append(appendHexMember(append(dst, '{'), v), '}')
}

func appendHexMember(dst, v []byte) []byte {
	dst = append(dst, `"hex":"`...)
	return append(hex.AppendEncode(dst, v), '"')
}

// AppendString appends a JSON string. The bytes must be valid UTF-8. Only
// what JSON asks for is escaped: quote, backslash, and control characters.
func AppendString(dst, v []byte) []byte {
	dst = append(dst, '"')
	for {
		n := plainPrefix(v)
		dst = append(dst, v[:n]...)
		if n == len(v) {
			return append(dst, '"')
		}
		dst = appendEscape(dst, v[n])
		v = v[n+1:]
	}
}

func appendPlain(dst, v []byte) []byte {
	dst = append(dst, '"')
	dst = append(dst, v...)
	return append(dst, '"')
}

// isPlain reports whether v is ASCII that needs no escape, as most names and
// many values are: this saves the two looks that other text needs.
func isPlain(v []byte) bool {
	const highs = 0x8080808080808080
	var odd uint64
	switch n := len(v); {
	case n >= 8:
		for w := v; len(w) > 8; w = w[8:] {
			x := binary.LittleEndian.Uint64(w)
			odd |= x | escapes(x)
		}
		x := binary.LittleEndian.Uint64(v[n-8:])
		odd |= x | escapes(x)
	case n >= 4:
		x := uint64(binary.LittleEndian.Uint32(v)) | uint64(binary.LittleEndian.Uint32(v[n-4:]))<<32
		odd = x | escapes(x)
	default:
		for _, c := range v {
			if c < 0x20 || c == '"' || c == '\\' || c >= 0x80 {
				return false
			}
		}
	}
	return odd&highs == 0
}

// escapes sets the high bit of every byte of x that needs an escape, and now
// and then of a byte above such a one. Other bits mean nothing.
func escapes(x uint64) uint64 {
	const ones = 0x0101010101010101
	quote, slash := x^('"'*ones), x^('\\'*ones)
	return (x-0x20*ones)&^x | (quote-ones)&^quote | (slash-ones)&^slash
}

// plainPrefix returns how many bytes at the start of v need no escape.
func plainPrefix(v []byte) int {
	const highs = 0x8080808080808080
	i := 0
	for len(v)-i >= 8 && escapes(binary.LittleEndian.Uint64(v[i:]))&highs == 0 {
		i += 8
	}
	for ; i < len(v); i++ {
		if c := v[i]; c < 0x20 || c == '"' || c == '\\' {
			break
		}
	}
	return i
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
}

// AppendName appends a feature name as a JSON string. A name that is not
// UTF-8, or begins with "b64:", prints as "b64:" and its base64.
func AppendName(dst, name []byte) []byte {
	switch {
	case len(name) >= len(namePrefix) && string(name[:len(namePrefix)]) == namePrefix:
		return appendEncodedName(dst, name)
	case isPlain(name):
		return appendPlain(dst, name)
	case !utf8.Valid(name):
		return appendEncodedName(dst, name)
	}
	return AppendString(dst, name)
}

// A Name is a string that is any bytes, as the name of a file, in a report that
// encoding/json prints: it prints as AppendName does.
type Name string

// MarshalJSON implements [encoding/json.Marshaler].
func (n Name) MarshalJSON() ([]byte, error) { return AppendName(nil, []byte(n)), nil }

// AppendTopName is AppendName for the top of a line, where the names of position
// members are taken: those print as "b64:" and their base64 too.
func AppendTopName(dst, name []byte) []byte {
	if IsPosition(name) {
		return appendEncodedName(dst, name)
	}
	return AppendName(dst, name)
}

func appendEncodedName(dst, name []byte) []byte {
	dst = append(dst, '"')
	dst = append(dst, namePrefix...)
	dst = base64.StdEncoding.AppendEncode(dst, name)
	return append(dst, '"')
}

// ParseName turns a printed feature name, as it stands in a line or is typed
// for a flag, into the name in the message.
func ParseName(printed string) (string, error) {
	name, err := DecodeName(nil, []byte(printed))
	return string(name), err
}

// DecodeName is ParseName for bytes: it returns printed itself, or what its "b64:"
// stands for appended to dst.
func DecodeName(dst, printed []byte) ([]byte, error) {
	text, ok := bytes.CutPrefix(printed, []byte(namePrefix))
	if !ok {
		return printed, nil
	}
	dst, err := decodeBase64(dst, text)
	if err != nil {
		return nil, fmt.Errorf("name %q: %w", printed, err)
	}
	return dst, nil
}

// decodeBase64 appends what text stands for. Only the standard alphabet with
// padding is read, without line breaks.
func decodeBase64(dst, text []byte) ([]byte, error) {
	if bytes.ContainsAny(text, "\r\n") {
		return dst, errors.New("line break in base64")
	}
	out, err := base64.StdEncoding.Strict().AppendDecode(dst, text)
	if err != nil {
		return dst, errors.New("not base64 in the standard alphabet with padding")
	}
	return out, nil
}

func decodeHex(dst, text []byte) ([]byte, error) {
	out, err := hex.AppendDecode(dst, text)
	if err != nil {
		return dst, errors.New("not an even number of hexadecimal digits")
	}
	return out, nil
}

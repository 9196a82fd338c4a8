package jsonscan

import "encoding/binary"

// escapes sets the high bit of every byte of x that needs an escape. It may also set it in a byte above such a
// byte. Other bits mean nothing.
func escapes(x uint64) uint64 {
	const ones = 0x0101010101010101
	quote, slash := x^('"'*ones), x^('\\'*ones)
	return (x-0x20*ones)&^x | (quote-ones)&^quote | (slash-ones)&^slash
}

// IsPlain reports whether v is ASCII that needs no escape, as most names and many values are. Such text need not be
// validated as UTF-8 or searched for escapes.
func IsPlain(v []byte) bool {
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

// plainPrefix returns the number of bytes at the start of v that need no escape.
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

// AppendString appends a JSON string. The bytes must be valid UTF-8. It escapes only what JSON requires: quote,
// backslash, and control characters.
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

// AppendPlain is AppendString for text that IsPlain.
func AppendPlain(dst, v []byte) []byte {
	dst = append(dst, '"')
	dst = append(dst, v...)
	return append(dst, '"')
}

package jsonscan

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
)

// DecodeBase64 appends the bytes that text encodes in base64, with the standard alphabet and padding, without line
// breaks.
func DecodeBase64(dst, text []byte) ([]byte, error) {
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

// AppendBase64 appends {"b64": "…"}.
func AppendBase64(dst, v []byte) []byte {
	return append(AppendBase64Member(append(dst, '{'), v), '}')
}

// AppendBase64Member appends the member of that object: "b64": "…".
func AppendBase64Member(dst, v []byte) []byte {
	dst = append(dst, `"b64":"`...)
	return append(base64.StdEncoding.AppendEncode(dst, v), '"')
}

// AppendHex appends {"hex": "…"}.
func AppendHex(dst, v []byte) []byte {
	return append(AppendHexMember(append(dst, '{'), v), '}')
}

// AppendHexMember appends the member of that object: "hex": "…".
func AppendHexMember(dst, v []byte) []byte {
	dst = append(dst, `"hex":"`...)
	return append(hex.AppendEncode(dst, v), '"')
}

package recordjson

import (
	"strconv"
	"unicode/utf8"

	"github.com/tfparse/tfparse/internal/jsonscan"
)

// appendBytes appends a byte string as mode says. The error is ErrNotUTF8.
func appendBytes(dst, v []byte, mode BytesMode) ([]byte, error) {
	switch mode {
	case BytesBase64:
		return jsonscan.AppendBase64(dst, v), nil
	case BytesHex:
		return jsonscan.AppendHex(dst, v), nil
	case BytesLen:
		return strconv.AppendInt(dst, int64(len(v)), 10), nil
	}
	if jsonscan.IsPlain(v) {
		return jsonscan.AppendPlain(dst, v), nil
	}
	if utf8.Valid(v) {
		return jsonscan.AppendString(dst, v), nil
	}
	if mode == BytesUTF8 {
		return dst, ErrNotUTF8
	}
	return jsonscan.AppendBase64(dst, v), nil
}

// AppendText appends a byte string as mode says. The error is ErrNotUTF8.
func AppendText(dst []byte, v string, mode BytesMode) ([]byte, error) {
	n := len(dst)
	dst = append(dst, '"')
	dst = append(dst, v...)
	text := dst[n+1:]
	if mode <= BytesUTF8 && jsonscan.IsPlain(text) {
		return append(dst, '"'), nil
	}
	// What was appended is the byte string. Its form goes behind it, and then to
	// its place.
	out, err := appendBytes(dst, text, mode)
	if err != nil {
		return out[:n], err
	}
	form := out[len(dst):]
	return append(out[:n], form...), nil
}

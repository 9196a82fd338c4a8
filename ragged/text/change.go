package text

import (
	"encoding/base64"

	"github.com/tfparse/tfparse/ragged"
)

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
			// The decoder skips line ends.
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

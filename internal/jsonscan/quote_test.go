package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestUnquote(t *testing.T) {
	for raw, want := range map[string]string{
		``:                       "",
		`abc`:                    "abc",
		`\"\\\/\b\f\n\r\t`:       "\"\\/\b\f\n\r\t",
		`x\u0041y`:               "xAy",
		`\u00e9\u20AC`:           "é€",
		`\ud83d\ude42`:           "🙂",
		`\uD83D\uDE42 and \\u00`: "🙂 and \\u00",
		`\ufffd`:                 "\ufffd",
		`\u0000`:                 "\x00",
	} {
		dst := []byte("kept")
		c := NewCursor([]byte(`"` + raw + `"`))
		text, grown, err := c.Text(dst)
		if !c.Done() || err != nil || string(text) != want || !bytes.HasPrefix(grown, dst) {
			t.Errorf("%s: got %q, %v; want %q", raw, text, err, want)
		}
	}
	for _, raw := range []string{`\ud800`, `\ud800x`, `\udc00`, `\ud800\u0041`, `\udc00\ud800`, `\ud800\n12345`, `a\ud83d\ud83d\ude42`} {
		c := NewCursor([]byte(`"` + raw + `"`))
		if text, grown, err := c.Text([]byte("kept")); !c.Done() || !errors.Is(err, ErrSurrogate) || string(grown) != "kept" {
			t.Errorf("%s: got %q, %q, %v", raw, text, grown, err)
		}
	}
}

// encoding/json reads back every string, for an escape at any position.
func TestAppendStringAgainstStandard(t *testing.T) {
	for c := rune(0); c < 0x3000; c++ {
		for _, n := range []int{0, 1, 6, 7, 8, 9, 15} {
			want := strings.Repeat("a", n) + string(c) + "!z"
			line := AppendString(nil, []byte(want))
			var got string
			if err := json.Unmarshal(line, &got); err != nil || got != want {
				t.Fatalf("%q prints %s, which reads as %q, %v", want, line, got, err)
			}
			if escaped := bytes.IndexByte(line, '\\') >= 0; escaped != (c < 0x20 || c == '"' || c == '\\') {
				t.Fatalf("%q prints %s", want, line)
			}
		}
	}
}

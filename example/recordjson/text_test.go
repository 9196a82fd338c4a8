package recordjson

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

func TestAppendBytes(t *testing.T) {
	for _, c := range []struct {
		v    string
		mode BytesMode
		want string
	}{
		{"", BytesAuto, `""`},
		{"plain", BytesAuto, `"plain"`},
		{"a\"b\\c/d", BytesAuto, `"a\"b\\c/d"`},
		{"\x00\x01\b\t\n\v\f\r\x1f\x7f", BytesAuto, `"\u0000\u0001\b\t\n\u000b\f\r\u001f` + "\x7f" + `"`},
		{"<a href='x'>&amp;</a>", BytesAuto, `"<a href='x'>&amp;</a>"`},
		{"grüße \u2028 \u2029 日本 🙂", BytesAuto, "\"grüße \u2028 \u2029 日本 🙂\""},
		{"\xff\x00", BytesAuto, `{"b64":"/wA="}`},
		{"\xed\xa0\x80", BytesAuto, `{"b64":"7aCA"}`}, // a surrogate is not UTF-8
		{"\xc0\x80", BytesAuto, `{"b64":"wIA="}`},     // an overlong zero is not UTF-8 either
		{"plain", BytesUTF8, `"plain"`},
		{"plain", BytesBase64, `{"b64":"cGxhaW4="}`},
		{"plain", BytesHex, `{"hex":"706c61696e"}`},
		{"grüße", BytesLen, `7`},
		{"NaN", BytesAuto, `"NaN"`},
	} {
		got, err := appendBytes([]byte("x"), []byte(c.v), c.mode)
		if err != nil || string(got) != "x"+c.want {
			t.Errorf("%q as %v: got %s, %v; want x%s", c.v, c.mode, got, err, c.want)
		}
	}
	got, err := appendBytes([]byte("x"), []byte("a\xff"), BytesUTF8)
	if !errors.Is(err, ErrNotUTF8) || string(got) != "x" {
		t.Errorf("not UTF-8 as utf8: got %s, %v", got, err)
	}
}

// A byte that is not UTF-8 is detected at any position.
func TestAppendBytesNotUTF8(t *testing.T) {
	for n := 1; n < 40; n++ {
		for at := range n {
			v := bytes.Repeat([]byte{'a'}, n)
			v[at] = 0x80
			got, err := appendBytes(nil, v, BytesAuto)
			if want := `{"b64":"` + base64.StdEncoding.EncodeToString(v) + `"}`; err != nil || string(got) != want {
				t.Errorf("%q: got %s, %v", v, got, err)
			}
			if name := jsonscan.AppendName(nil, v); !bytes.HasPrefix(name, []byte(`"b64:`)) {
				t.Errorf("%q as a name: got %s", v, name)
			}
		}
	}
}

// A string prints like its bytes, for any capacity of the destination.
func TestAppendText(t *testing.T) {
	texts := []string{"", "plain", "a\"b\\c\x00", "grüße 日本", "\xff\x00", strings.Repeat("ü\n", 100), strings.Repeat("\xff", 100)}
	for _, v := range texts {
		for mode := BytesAuto; mode <= BytesLen; mode++ {
			for _, room := range []int{0, 1, 10, 1000} {
				dst := append(make([]byte, 0, 1+room), 'x')
				got, err := AppendText(dst, v, mode)
				want, wantErr := appendBytes([]byte("x"), []byte(v), mode)
				if err != wantErr || string(got) != string(want) {
					t.Errorf("%q as %v with room for %d: got %s, %v; want %s, %v", v, mode, room, got, err, want, wantErr)
				}
			}
		}
	}
}

// The names of position members are reserved only at the top level of a line.
func TestAppendTopName(t *testing.T) {
	for name, want := range map[string]string{"_file": `"b64:X2ZpbGU="`, "_files": `"_files"`, "a": `"a"`} {
		if got := jsonscan.AppendTopName(nil, []byte(name)); string(got) != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	if got := jsonscan.AppendName(nil, []byte("_file")); string(got) != `"_file"` {
		t.Errorf("_file, not at the top: got %s", got)
	}
}

func TestModesAsText(t *testing.T) {
	for _, c := range []struct {
		mode interface {
			UnmarshalText([]byte) error
			MarshalText() ([]byte, error)
		}
		names []string
	}{
		{new(BytesMode), []string{"auto", "utf8", "base64", "hex", "len"}},
		{new(Int64Mode), []string{"number", "string"}},
		{new(NaNMode), []string{"string", "null", "error"}},
		{new(example.MessageType), []string{"auto", "example", "sequence", "elwc", "raw"}},
	} {
		for _, name := range c.names {
			if err := c.mode.UnmarshalText([]byte(name)); err != nil {
				t.Errorf("%T %s: %v", c.mode, name, err)
			}
			if text, err := c.mode.MarshalText(); err != nil || string(text) != name {
				t.Errorf("%T: %s turned into %s, %v", c.mode, name, text, err)
			}
		}
		if err := c.mode.UnmarshalText([]byte("other")); err == nil {
			t.Errorf("%T took another name", c.mode)
		}
	}
}

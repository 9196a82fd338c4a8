package jsonscan

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"":           `""`,
		"age":        `"age"`,
		"a\"b":       `"a\"b"`,
		"ключ":       `"ключ"`,
		"b64":        `"b64"`,
		"B64:":       `"B64:"`,
		"b64:":       `"b64:YjY0Og=="`,
		"b64:eA==":   `"b64:YjY0OmVBPT0="`,
		"\xff":       `"b64:/w=="`,
		"ok\xc3":     `"b64:b2vD"`,
		"_file":      `"_file"`,
		"back\\lash": `"back\\lash"`,
	} {
		line := AppendName(nil, []byte(name))
		if string(line) != want {
			t.Errorf("%q prints %s, want %s", name, line, want)
		}
		var printed string
		if err := json.Unmarshal(line, &printed); err != nil || !utf8.ValidString(printed) {
			t.Fatal(printed, err)
		}
		if back, err := ParseName(printed); err != nil || back != name {
			t.Errorf("%q prints %s, which reads back as %q, %v", name, line, back, err)
		}
		var back Name
		if err := json.Unmarshal(line, &back); err != nil || string(back) != name {
			t.Errorf("%q prints %s, which encoding/json reads as %q, %v", name, line, back, err)
		}
	}
	for _, printed := range []string{"b64:*", "b64:YQ", "b64:YQ=", "b64:YR==", "b64:Y\nQ==", "b64:YQ==\n", "b64:_w=="} {
		if name, err := ParseName(printed); err == nil {
			t.Errorf("%q reads as %q", printed, name)
		}
		text, _ := json.Marshal(printed)
		if err := json.Unmarshal(text, new(Name)); err == nil {
			t.Errorf("encoding/json reads %s", text)
		}
	}
}

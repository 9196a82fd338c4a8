package records

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"
)

// TestFold checks that values in lines of JSON are shortened only beyond the limits.
func TestFold(t *testing.T) {
	header := "IHDR\x00\x00\x00\x20\x00\x00\x00\x10\x08\x02\x00\x00\x00" // 32x16
	sum := string(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(header))))
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\r" + header + sum + strings.Repeat("\xfe", 1775)
	b64 := base64.StdEncoding.EncodeToString([]byte(png))
	numbers := func(n int) string {
		return strings.TrimSuffix(strings.Repeat("7,", n), ",")
	}
	words := strings.Repeat("crème ", 30)
	for _, c := range []struct{ proves, line, want string }{
		{"short values", `{"a":[1,2.5],"b":["x",{"b64":"/w=="}],"c":null}`, `{"a":[1,2.5],"b":["x",{"b64":"/w=="}],"c":null}`},
		{"a list within the limit", `{"a":[` + numbers(maxWholeList) + `]}`, `{"a":[` + numbers(maxWholeList) + `]}`},
		{"a long list", `{"a":[` + numbers(4000) + `]}`, `{"a":[7,7,7,7,7,7,7,7, … 4,000 values]}`},
		{"a list of a million", `{"a":[` + numbers(1_234_567) + `],"b":[1]}`, `{"a":[7,7,7,7,7,7,7,7, … 1,234,567 values],"b":[1]}`},
		{"lists in a list", `{"a":[[1,2],[` + numbers(30) + `]]}`, `{"a":[[1,2],[7,7,7,7,7,7,7,7, … 30 values]]}`},
		{"a list of many lists", `{"a":[` + strings.Repeat(`[1],`, 29) + `[]]}`, `{"a":[[1],[1],[1],[1],[1],[1],[1],[1], … 30 lists]}`},
		{"brackets and commas in strings", `{"a":[` + strings.Repeat(`"],[\\",`, 29) + `"\""]}`, `{"a":[` + strings.Repeat(`"],[\\",`, 7) + `"],[\\", … 30 values]}`},
		{"the kind of a long list", `{"a":{"int64":[` + numbers(21) + `]}}`, `{"a":{"int64":[7,7,7,7,7,7,7,7, … 21 values]}}`},
		{"an image", `{"a":[{"b64":"` + b64 + `"}]}`, `{"a":[<png 32x16x3 (cut), 1.8 kB>]}`},
		{"an image in hexadecimal", `{"a":[{"hex":"` + hex.EncodeToString([]byte(png)) + `"}]}`, `{"a":[<png 32x16x3 (cut), 1.8 kB>]}`},
		{"a scalar of a spec", `{"a":{"b64":"` + b64 + `"}}`, `{"a":<png 32x16x3 (cut), 1.8 kB>}`},
		{"a long text", `{"a":["` + words + `"]}`, `{"a":["` + strings.Repeat("crème ", 10) + `…" <text, 210 B>]}`},
		{"escapes in a long text", `{"a":["` + strings.Repeat(`\n\u0009`, 50) + `"]}`, `{"a":["` + strings.Repeat(`\n\t`, 30) + `…" <text, 100 B>]}`},
		{"other bytes", `{"a":["` + strings.Repeat(`\u0000`, 90) + `"]}`, `{"a":[<raw, 90 B>]}`},
		{"a raw record", `{"b64":"` + b64 + `"}`, `<png 32x16x3 (cut), 1.8 kB>`},
		{"a raw record and its position", `{"_file":"f","_record":3,"_offset":9,"b64":"` + b64 + `"}`, `{"_file":"f","_record":3,"_offset":9,"b64":<png 32x16x3 (cut), 1.8 kB>}`},
	} {
		if got := string((style{fold: true}).appendStyled(nil, []byte(c.line+"\n"))); got != c.want+"\n" {
			t.Errorf("%s:\ngot  %s\nwant %s", c.proves, got, c.want)
		}
		if got := string((style{}).appendStyled(nil, []byte(c.line+"\n"))); got != c.line+"\n" {
			t.Errorf("%s: without folding: got %s", c.proves, got)
		}
	}
	for n, want := range map[int]string{0: "0 B", 812: "812 B", 999: "999 B", 1000: "1.0 kB", 9949: "9.9 kB", 9950: "10 kB", 999_499: "999 kB", 999_500: "1.0 MB", 24_000_000: "24 MB"} {
		if got := sizeText(n); got != want {
			t.Errorf("%d bytes: got %s, want %s", n, got, want)
		}
	}
	if got := fmt.Sprintln(thousands(7), thousands(999), thousands(1000), thousands(1234567)); got != "7 999 1,000 1,234,567\n" {
		t.Errorf("got %s", got)
	}
}

package rules

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTexts checks that rules report exactly the names in texts.txt, and that each text is complete.
func TestTexts(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	code := ""
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "_test.go") {
			code += string(b)
		}
	}
	for name, text := range texts() {
		if !strings.Contains(code, `"`+name+`"`) {
			t.Errorf("no rule reports %q", name)
		}
		if text.kind == 0 || text.short == "" || text.want == "" || text.got == "" || text.long == "" && text.native == "" && name != "unknownDomain" {
			t.Errorf("%s is %+v", name, *text)
		}
	}
	for _, m := range regexp.MustCompile(`(?:report|reason)\("(\w+)"`).FindAllStringSubmatch(code, -1) {
		if texts()[m[1]] == nil {
			t.Errorf("unknown text %q", m[1])
		}
	}
}

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/jsonscan"
)

// The name of a file is any bytes. In JSON all of them come back, the same way
// in every verb; in text a name stays on its line.
func TestFileNames(t *testing.T) {
	b, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, base := range []string{"a\xffb", "two\nlines", "b64:x", "\u2028 <&>", "plain"} {
		name := filepath.Join(dir, base)
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Logf("skipping %q, which is no name here: %v", base, err)
			continue
		}
		_, line, _ := runWith(t, nil, "cat", "--with-position", "--limit", "1", name)
		named := 0
		for _, c := range allVerbs(t) {
			formats, _ := c.has("format")
			if c.inputs != nil || c.records || !slices.Contains(formats, "json") { // reports of outputs name those
				continue
			}
			verb := c.verb
			code, stdout, stderr := runWith(t, nil, c.line(t.TempDir(), name, sampleRecords, "--format", "json")...)
			var report struct {
				File  string
				Files []struct{ File string }
			}
			if err := json.NewDecoder(strings.NewReader(stdout)).Decode(&report); code != 0 || err != nil {
				t.Fatalf("%s %q: exit code %d, %v; stderr: %s", verb, base, code, err, stderr)
			}
			got := report.File
			if len(report.Files) > 0 {
				got = report.Files[0].File
			}
			if got == "" {
				continue // it names no file
			}
			named++
			if back, err := jsonscan.ParseName(got); err != nil || back != name {
				t.Errorf("%s %q: prints %q, which stands for %q, %v", verb, base, got, back, err)
			}
			var position struct {
				File string `json:"_file"`
			}
			if err := json.Unmarshal([]byte(line), &position); err != nil || position.File != got {
				t.Errorf("%s %q: prints %q, and cat %q", verb, base, got, position.File)
			}
		}
		if named < 6 {
			t.Errorf("%q: %d verbs name it, want count, verify, info, digest, du and explain", base, named)
		}
		for _, verb := range []string{"count", "verify"} {
			if code, stdout, stderr := runWith(t, nil, verb, name); code != 0 || strings.Count(stdout, "\n") != 1 || strings.Contains(stdout, "\xff") || strings.Contains(stdout, "\u2028") {
				t.Errorf("%s %q: exit code %d, stdout %q, stderr %s", verb, base, code, stdout, stderr)
			}
		}
	}
}

package main

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// For every verb -o - is what it prints without -o, and nothing is no name of a file.
func TestStandardOutput(t *testing.T) {
	for _, c := range allVerbs(t) {
		if _, ok := c.has("output"); !ok || slices.Contains(c.args, "--part") {
			continue
		}
		dir := t.TempDir()
		line := func(output ...string) []string { return c.lineTo(dir, sample, sampleRecords, output...) }
		var plain, named bytes.Buffer
		if c.output == "" {
			if code := runCommand(line(), strings.NewReader(verbInput), &plain, io.Discard); code != 0 {
				t.Errorf("%s: exit code %d", c.verb, code)
			}
		}
		to := "-"
		if c.verb == "split" || c.verb == "index" || c.verb == "extract" { // they write several files
			to = filepath.Join(dir, "out")
		}
		code := runCommand(line("-o", to), strings.NewReader(verbInput), &named, io.Discard)
		if code != 0 || named.Len() == 0 || plain.Len() > 0 && named.String() != plain.String() {
			t.Errorf("%s -o -: exit code %d, %q; without it %q", c.verb, code, &named, &plain)
		}
		if code, _, stderr := runWith(t, nil, line("-o", "")...); code != 2 || !strings.Contains(stderr, "standard output") {
			t.Errorf("%s -o '': exit code %d, %s", c.verb, code, stderr)
		}
	}
}

package main

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/tfrecord"
)

// Every codec has an extension that promises it.
func TestCodecExtensions(t *testing.T) {
	named := map[tfrecord.Compression]bool{tfrecord.None: true} // all other extensions
	for _, c := range codecOf {
		named[c] = true
	}
	for _, c := range tfrecord.Compressions() {
		if !named[c] {
			t.Errorf("no name of an output promises %v", c)
		}
	}
}

// For every verb -o - is what it prints without -o, and nothing is no name of a file.
func TestStandardOutput(t *testing.T) {
	const line = `{"title":["x"]}` + "\n"
	for _, c := range commands() {
		if c.flagSet().Lookup("output") == nil {
			continue
		}
		args := verbInput(t, c.name)
		var plain, named bytes.Buffer
		at := slices.Index(args, "-o")
		if at < 0 {
			if code := run(invocation(c.name, args...), strings.NewReader(line), &plain, io.Discard); code != 0 {
				t.Errorf("%s: exit code %d", c.name, code)
			}
			args, at = append(args, "-o", "-"), len(args)
		}
		code := run(invocation(c.name, args...), strings.NewReader(line), &named, io.Discard)
		if code != 0 || named.Len() == 0 || plain.Len() > 0 && named.String() != plain.String() {
			t.Errorf("%s -o -: exit code %d, %q; without it %q", c.name, code, &named, &plain)
		}
		args[at+1] = ""
		if code, _, stderr := runWith(t, nil, invocation(c.name, args...)...); code != 2 || !strings.Contains(stderr, "standard output") {
			t.Errorf("%s -o '': exit code %d, %s", c.name, code, stderr)
		}
	}
}

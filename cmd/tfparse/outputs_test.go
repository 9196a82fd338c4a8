package main

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/command"
)

// For every verb -o - is what it prints without -o, and nothing is no name of a file.
func TestStandardOutput(t *testing.T) {
	const line = `{"title":["x"]}` + "\n"
	for _, c := range command.Program().Commands() {
		if c.FlagSet().Lookup("output") == nil {
			continue
		}
		args := verbInput(t, c.Name)
		var plain, named bytes.Buffer
		at := slices.Index(args, "-o")
		if at < 0 {
			if code := runCommand(invocation(c.Name, args...), strings.NewReader(line), &plain, io.Discard); code != 0 {
				t.Errorf("%s: exit code %d", c.Name, code)
			}
			args, at = append(args, "-o", "-"), len(args)
		}
		code := runCommand(invocation(c.Name, args...), strings.NewReader(line), &named, io.Discard)
		if code != 0 || named.Len() == 0 || plain.Len() > 0 && named.String() != plain.String() {
			t.Errorf("%s -o -: exit code %d, %q; without it %q", c.Name, code, &named, &plain)
		}
		args[at+1] = ""
		if code, _, stderr := runWith(t, nil, invocation(c.Name, args...)...); code != 2 || !strings.Contains(stderr, "standard output") {
			t.Errorf("%s -o '': exit code %d, %s", c.Name, code, stderr)
		}
	}
}

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/cmd/tfparse/command"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
)

// verbArgs are the arguments with which a verb prints something; a verb that
// is not here gets a sample file.
var verbArgs = map[string][]string{
	"cat":        {"--spec", "../../testdata/recipes.spec.json", "--batch", "5", sample},
	"head":       {"--spec", "../../testdata/recipes.spec.json", "--batch", "5", sample},
	"encode":     {"-o", "-"},
	"convert":    {"-o", "-", sample},
	"recover":    {"-o", "-", sample},
	"get":        {"--spec", "../../testdata/recipes.spec.json", "--batch", "5", sample + "#0"},
	"tail":       {"--spec", "../../testdata/recipes.spec.json", "--batch", "5", sample},
	"sample":     {"--spec", "../../testdata/recipes.spec.json", "--batch", "5", sample},
	"explain":    {"--spec", "../../testdata/recipes.spec.json", sample},
	"validate":   {"--schema", "../../testdata/recipes.schema.pbtxt", sample},
	"diff":       {sample, sample},
	"drift":      {sample, sample},
	"skew":       {"--by", "title", sample, sample},
	"model":      {"../../testdata/models/nested_dict"},
	"request":    {"--spec", "../../testdata/recipes.spec.json", "../../testdata/models/recipes", sample},
	"warmup":     {"-o", "-", "--spec", "../../testdata/recipes.spec.json", "../../testdata/models/recipes", sample},
	"completion": {"bash"},
	"help":       {"cat"},
	"version":    {},
	"man":        {"cat"},
}

// rewriteArgs are those of verbs that write files and print a report of them.
var rewriteArgs = map[string][]string{
	"index":   {sample},
	"merge":   {sample},
	"split":   {"--records-per-shard", "5", sample},
	"filter":  {"has(title)", sample},
	"project": {"--select", "title", sample},
	"rename":  {"--name", "title=name", sample},
	"set":     {"--value", "x=1", sample},
	"sort":    {"--by", "title", sample},
	"shuffle": {sample},
	"extract": {"--feature", "title", sample},
	"dedup":   {sample},
}

// invocation is a command line of a verb, whose name may be of two words.
func invocation(verb string, args ...string) []string {
	return append(strings.Fields(verb), args...)
}

// verbInput returns the arguments with which a verb prints something. Those of
// merge behind a verb are made: a part that the verb wrote.
func verbInput(t *testing.T, verb string) []string {
	t.Helper()
	if of, ok := strings.CutSuffix(verb, " merge"); ok {
		part, args := filepath.Join(t.TempDir(), "part"), verbInput(t, of)
		if code := runCommand(slices.Concat([]string{of, "--partial", part}, args), strings.NewReader(""), io.Discard, io.Discard); code != 0 {
			t.Fatalf("%s --partial: exit code %d", of, code)
		}
		return append(args[:len(args)-1:len(args)-1], part)
	}
	if args, ok := rewriteArgs[verb]; ok {
		return append([]string{"-o", filepath.Join(t.TempDir(), "out")}, args...)
	}
	if args, ok := verbArgs[verb]; ok {
		return slices.Clone(args)
	}
	return []string{sample}
}

// invocations returns the command lines that try every verb, once for each
// format that it has.
func invocations(t *testing.T) [][]string {
	all := [][]string{{"cat", sample}, {"head", sample}} // without a format
	for _, c := range command.Program().Commands() {
		args := verbInput(t, c.Name)
		all = append(all, invocation(c.Name, "--help"))
		f := c.FlagSet().Lookup("format")
		if f == nil {
			all = append(all, invocation(c.Name, args...))
			continue
		}
		for _, format := range f.Annotations[cli.ValuesNote] {
			all = append(all, append(invocation(c.Name, "--format", format), args...))
		}
	}
	return all
}

// Output that cannot be written is exit code 4 in every verb and every format,
// whoever notices it: each is run with a disk that holds less and less of its output.
func TestNoRoom(t *testing.T) {
	line := `{"title":["x"]}` + "\n"
	for _, args := range invocations(t) {
		var whole bytes.Buffer
		if code := runCommand(args, strings.NewReader(line), &whole, io.Discard); code != 0 || whole.Len() == 0 {
			t.Errorf("%v: exit code %d with %d bytes of output; verbArgs needs arguments with which it prints something", args, code, whole.Len())
			continue
		}
		for _, space := range []int{0, 1, whole.Len() / 2, whole.Len() - 1} {
			var stderr bytes.Buffer
			w := &disk{space: space}
			if code := runCommand(args, strings.NewReader(line), w, &stderr); code != 4 || lastLine(&stderr) != "tfparse: standard output: cannot write: disk is full" {
				t.Errorf("%v, space for %d of %d bytes: exit code %d, want 4; stderr: %s", args, space, whole.Len(), code, &stderr)
			}
			if w.after {
				t.Errorf("%v, space for %d of %d bytes: it writes on after the error", args, space, whole.Len())
			}
		}
	}
}

// A disk takes space bytes and then fails once: what is written later would
// go through, with a gap before it.
type disk struct {
	space         int
	failed, after bool
}

func (d *disk) Write(p []byte) (int, error) {
	if d.failed {
		d.after = true
		return len(p), nil
	}
	if len(p) <= d.space {
		d.space -= len(p)
		return len(p), nil
	}
	d.failed = true
	return d.space, errors.New("disk is full")
}

// lastLine is the last line of what went to standard error: schema prints its
// table there first.
func lastLine(stderr *bytes.Buffer) string {
	text := strings.TrimSuffix(stderr.String(), "\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// The same with the real thing.
func TestFullDevice(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no device that is always full: ", err)
	}
	defer full.Close()
	for _, args := range invocations(t) {
		var stderr bytes.Buffer
		code := runCommand(args, strings.NewReader(`{"title":["x"]}`+"\n"), full, &stderr)
		if code != 4 || !strings.HasPrefix(lastLine(&stderr), "tfparse: standard output: cannot write: ") {
			t.Errorf("%v: exit code %d, want 4; stderr: %s", args, code, &stderr)
		}
	}
	for _, verb := range []string{"cat", "head", "convert"} {
		if code, _, stderr := runWith(t, nil, verb, sample, "-o", "/dev/full"); code != 4 || !strings.HasPrefix(stderr, "tfparse: /dev/full: cannot write: ") {
			t.Errorf("%s -o /dev/full: exit code %d, want 4; stderr: %s", verb, code, stderr)
		}
	}
}

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

// printingLines returns command lines that print something, of every verb: its help, and a case in each of its formats. If a
// verb prints nothing while it writes a file, that is standard output.
func printingLines(t *testing.T) [][]string {
	all := [][]string{{"cat", sample}, {"head", sample}} // without a format
	for _, c := range allVerbs(t) {
		all = append(all, append(strings.Fields(c.verb), "--help"))
		formats, ok := c.has("format")
		if !ok {
			formats = []string{""}
		}
		for _, format := range formats {
			var flags []string
			if format != "" {
				flags = []string{"--format", format}
			}
			dir := t.TempDir()
			line := c.line(dir, sample, sampleRecords, flags...)
			var out bytes.Buffer
			if runCommand(line, strings.NewReader(verbInput), &out, io.Discard); out.Len() == 0 && c.output != "" {
				line = c.lineTo(dir, sample, sampleRecords, append(flags, "-o", "-")...)
			}
			all = append(all, line)
		}
	}
	return all
}

// Output that cannot be written is exit code 4 in every verb and every format,
// whoever notices it: each is run with a disk that holds less and less of its output.
func TestNoRoom(t *testing.T) {
	for _, args := range printingLines(t) {
		var whole bytes.Buffer
		if code := runCommand(args, strings.NewReader(verbInput), &whole, io.Discard); code != 0 || whole.Len() == 0 {
			t.Errorf("%v: exit code %d with %d bytes of output; verbCases needs arguments with which it prints something", args, code, whole.Len())
			continue
		}
		for _, space := range []int{0, 1, whole.Len() / 2, whole.Len() - 1} {
			var stderr bytes.Buffer
			w := &disk{space: space}
			if code := runCommand(args, strings.NewReader(verbInput), w, &stderr); code != 4 || lastLine(&stderr) != "tfparse: standard output: cannot write: disk is full" {
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
	for _, args := range printingLines(t) {
		var stderr bytes.Buffer
		code := runCommand(args, strings.NewReader(verbInput), full, &stderr)
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

package contract

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A command is a built tfparse.
type command string

var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "contract")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "tfparse")
	cmd := exec.Command("go", "build", "-o", name, "./cmd/tfparse")
	cmd.Dir = "../../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		return dir, fmt.Errorf("%w: %s", err, out)
	}
	return dir, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, _ := built(); dir != "" {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// build builds the command, once.
func build(t *testing.T) command {
	t.Helper()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return command(filepath.Join(dir, "tfparse"))
}

// text returns what a command line prints that must succeed.
func (c command) text(t *testing.T, args ...string) string {
	t.Helper()
	code, out, report := c.run(t, ".", args, nil)
	if code != 0 {
		t.Fatalf("tfparse %s: exit code %d: %s", strings.Join(args, " "), code, report)
	}
	return string(out)
}

func (c command) run(t *testing.T, dir string, args []string, stdin io.Reader) (code int, out, report []byte) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(string(c), args...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, stdin, &stdout, &stderr
	if err := cmd.Run(); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			t.Fatal(err)
		}
		code = exit.ExitCode()
	}
	return code, stdout.Bytes(), stderr.Bytes()
}

// TestOutputs runs the command lines of testdata/commands.txt and holds that every JSON output
// fits its schema, that each file of a line "check SCHEMA FILE" does, that every form of docs/json.md
// is among them, and that every member of every schema is printed by one of them.
func TestOutputs(t *testing.T) {
	tfparse, all, compiled := build(t), forms(t), schemas(t)
	seen := members{}
	dir := t.TempDir()
	root, err := filepath.Abs("../../..")
	must(t, err)
	must(t, os.Symlink(filepath.Join(root, "testdata"), filepath.Join(dir, "testdata")))
	text, err := os.ReadFile("testdata/commands.txt")
	must(t, err)
	check := func(at, name string, output []byte) { validate(t, at, compiled[name], output, seen) }
	number, outputs := 0, 0
	for line := range strings.Lines(string(text)) {
		number++
		words := split(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		at := fmt.Sprintf("commands.txt:%d: %s", number, strings.TrimSpace(line))
		if made, err := prepare(dir, words); made {
			if err != nil {
				t.Fatalf("%s: %v", at, err)
			}
			continue
		}
		if words[0] == "check" {
			b, err := os.ReadFile(filepath.Join(dir, words[2]))
			must(t, err)
			check(at, words[1]+".schema.json", b)
			continue
		}
		want, err := strconv.Atoi(words[0])
		must(t, err)
		words = words[1:]
		var stdin io.Reader
		if n := len(words) - 1; strings.HasPrefix(words[n], "<") {
			b, err := os.ReadFile(filepath.Join(dir, words[n][1:]))
			must(t, err)
			stdin, words = bytes.NewReader(b), words[:n]
		}
		code, out, report := tfparse.run(t, dir, words, stdin)
		if code != want {
			t.Errorf("%s: exit code %d: %s", at, code, report)
			continue
		}
		found := [][]byte{out}
		_, flags := arguments(words)
		for _, flag := range []string{"-o", "--report"} {
			if filepath.Ext(flags[flag]) == ".json" {
				b, err := os.ReadFile(filepath.Join(dir, flags[flag]))
				must(t, err)
				found = append(found, b)
			}
		}
		for _, output := range found {
			if decode(output) == nil {
				continue
			}
			outputs++
			f := match(all, words)
			if f == nil {
				t.Errorf("%s: an output in JSON without a line in docs/json.md", at)
				continue
			}
			f.seen = true
			check(at, f.schema, output)
		}
	}
	for _, f := range all {
		if !f.seen {
			t.Errorf("commands.txt has no output of %s", f.text)
		}
	}
	visited := map[*jsonschema.Schema]bool{}
	for _, name := range slices.Sorted(maps.Keys(compiled)) {
		if foreign[name] {
			continue
		}
		for _, member := range seen.unseen(compiled[name], visited) {
			if reason := rare[member]; reason != "" {
				t.Logf("no output has %s: %s", member, reason)
				continue
			}
			t.Errorf("no output of commands.txt has %s", member)
		}
	}
	t.Logf("%d outputs", outputs)
}

// validate holds that an output fits its schema, and notes its members.
func validate(t *testing.T, at string, schema *jsonschema.Schema, output []byte, seen members) {
	t.Helper()
	values := decode(output)
	if values == nil {
		t.Errorf("%s: no JSON: %.200s", at, output)
	}
	for _, v := range values {
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v\n%.2000s", at, err, output)
			return
		}
		seen.add(schema, v)
	}
}

// foreign are the schemas of messages that are not ours: some fields are never set, or only
// in the files of others.
var foreign = map[string]bool{"stats.schema.json": true, "prediction-log.schema.json": true, "event.schema.json": true, "tensor.schema.json": true}

// rare are members that no output here has, and why.
var rare = map[string]string{
	"model.schema.json#/$defs/tensor/properties/components/items/properties/optional": "no model in testdata has inputs with defaults",
}

// decode returns the values of an output, one for each line or one for all, or nil if it is
// not JSON.
func decode(output []byte) (values []any) {
	if trimmed := bytes.TrimSpace(output); len(trimmed) == 0 || trimmed[0] != '{' && trimmed[0] != '[' {
		return nil
	}
	if v, err := jsonschema.UnmarshalJSON(bytes.NewReader(output)); err == nil {
		return []any{v}
	}
	for line := range bytes.Lines(output) {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		if err != nil {
			return nil
		}
		values = append(values, v)
	}
	return values
}

// prepare makes a file, if a line does that:
//
//	write FILE TEXT...  the texts as lines
//	repeat FILE N TEXT  the text N times, on lines; %d in it is the number of the line
//	cut FILE SIZE NEW   the first bytes of a file
//	flip FILE AT NEW    a file with one byte inverted; AT counts from the end if it is negative
//	copy FILE NEW       the same bytes
func prepare(dir string, words []string) (made bool, err error) {
	file := func(i int) string { return filepath.Join(dir, words[i]) }
	switch words[0] {
	case "write":
		return true, errors.Join(os.MkdirAll(filepath.Dir(file(1)), 0o777), os.WriteFile(file(1), []byte(strings.Join(words[2:], "\n")+"\n"), 0o666))
	case "repeat":
		n, err := strconv.Atoi(words[2])
		var b []byte
		for i := range n {
			b = append(b, strings.ReplaceAll(words[3], "%d", strconv.Itoa(i))+"\n"...)
		}
		return true, errors.Join(err, os.WriteFile(file(1), b, 0o666))
	case "copy":
		b, err := os.ReadFile(file(1))
		return true, errors.Join(err, os.MkdirAll(filepath.Dir(file(2)), 0o777), os.WriteFile(file(2), b, 0o666))
	case "cut", "flip":
		b, err := os.ReadFile(file(1))
		if err != nil {
			return true, err
		}
		n, err := strconv.Atoi(words[2])
		if err != nil {
			return true, err
		}
		if words[0] == "cut" {
			b = b[:n]
		} else if n < 0 {
			b[len(b)+n] ^= 0xff
		} else {
			b[n] ^= 0xff
		}
		return true, os.WriteFile(file(3), b, 0o666)
	}
	return false, nil
}

// split divides a line at spaces. Text in single quotes is one word.
func split(line string) (words []string) {
	line = strings.TrimSpace(line)
	for line != "" {
		word := ""
		for line != "" && line[0] != ' ' {
			if line[0] == '\'' {
				inner, rest, _ := strings.Cut(line[1:], "'")
				word, line = word+inner, rest
				continue
			}
			word, line = word+line[:1], line[1:]
		}
		words, line = append(words, word), strings.TrimLeft(line, " ")
	}
	return words
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

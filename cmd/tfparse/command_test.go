package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tfparse/tfparse/cmd/tfparse/command"
	"github.com/tfparse/tfparse/expr"
)

// Every example in every help text works when it is pasted at the root of the
// project, and says nothing on standard error, but for schema, which says there what
// it found.
func TestHelpExamples(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("the examples are for a POSIX shell, and there is none: ", err)
	}
	samples := sampleFiles(t)
	for _, c := range command.Program().Commands() {
		if n := len(c.Examples); n < 2 || n > 3 {
			t.Errorf("%s: %d examples, want two or three", c.Name, n)
		}
		for _, example := range c.Examples {
			t.Run(c.Name, func(t *testing.T) {
				dir := t.TempDir()
				if err := copyFiles(filepath.Join(dir, "testdata"), samples); err != nil {
					t.Fatal(err)
				}
				if err := copyModels(filepath.Join(dir, "testdata")); err != nil {
					t.Fatal(err)
				}
				var stdout, stderr bytes.Buffer
				cmd := exec.Command(sh, "-c", "set -e; "+example)
				cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
				reports := c.Name == "schema" && !strings.Contains(example, "--explain") // why, on standard error
				if err := cmd.Run(); err != nil || (stderr.Len() > 0) != reports {
					t.Errorf("%s\n%v\nstdout: %s\nstderr: %s", example, err, &stdout, &stderr)
				}
				if stdout.Len() == 0 {
					made, _ := filepath.Glob(filepath.Join(dir, "*"))
					if len(made) < 2 { // testdata is one
						t.Errorf("%s\nprints nothing and makes no file", example)
					}
				}
			})
		}
	}
}

// The rules that the help of validate shows are rules.
func TestHelpRules(t *testing.T) {
	_, help, _ := runWith(t, nil, "validate", "--help")
	var rules []string
	for line := range strings.Lines(help) {
		if strings.HasPrefix(line, "  ") && len(rules) < 6 { // flags and examples are further down
			rules = append(rules, line)
		}
	}
	if !strings.Contains(rules[5], "warning: ") {
		t.Errorf("the last rule is %q", rules[5])
	}
	if _, err := expr.ParseRules(strings.Join(rules, "")); err != nil {
		t.Error(err)
	}
}

// Every verb has what help and completion need, and no flag changes its
// meaning from verb to verb without its name.
func TestCommands(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range command.Program().Commands() {
		if seen[c.Name] {
			t.Errorf("%s is there twice", c.Name)
		}
		seen[c.Name] = true
		if c.Short == "" || strings.TrimSpace(c.Long) == "" || c.Run == nil {
			t.Errorf("%s lacks a text or what it runs", c.Name)
		}
		help := c.Help(c.FlagSet())
		for line := range strings.Lines(c.Long) {
			if strings.HasPrefix(line, " ") && !strings.Contains(help, "\n"+line) {
				t.Errorf("%s: the help has no line %q", c.Name, line)
			}
		}
		for _, line := range strings.Split(help, "\n") {
			if n := utf8.RuneCountInString(line); n > 80 {
				t.Errorf("%s: help line of %d columns: %s", c.Name, n, line)
			}
		}
	}
	_, overview, _ := runWith(t, nil, "--help")
	for line := range strings.Lines(overview) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("line of %d columns in the help: %s", n, line)
		}
	}
}

// bash offers what the flags take.
func TestBashCompletion(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash to try the completion with: ", err)
	}
	script := filepath.Join(t.TempDir(), "tfparse.bash")
	if err := os.WriteFile(script, []byte(completionScript(t, "bash")), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		words string // of the line, the last being completed; "_" is an empty one
		want  string // some of the offers; "" for none
	}{
		{"tfparse co", "completion convert count"},
		{"tfparse count --fo", "--format"},
		{"tfparse count --format _", "json text"},
		{"tfparse count --format = j", "json"},
		{"tfparse count --compression = _", "auto gzip none snappy zlib zstd"},
		{"tfparse convert --compression _", "gzip none snappy zlib zstd"},
		{"tfparse completion _", "bash fish zsh"},
		{"tfparse cat --limit _", ""},
		{"tfparse cat _", ""},
		{"tfparse h", "head help"},
		{"tfparse help inf", "info"},
		{"tfparse help stats _", "merge"},
		{"tfparse help ma", "man"},
		{"tfparse man sc", "schema"},
		{"tfparse stats _", "merge tfparse.bash"},
		{"tfparse stats --top _", ""},
		{"tfparse stats merge --pa", "--partial"},
		{"tfparse stats merge --to", ""},
		{"tfparse stats --to", "--top"},
		{"tfparse stats merge --format _", "json text"},
	} {
		var b strings.Builder
		b.WriteString(`source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _tfparse; printf '%s\n' "${COMPREPLY[@]}" | sort`)
		args := []string{"-c", b.String(), "bash", script}
		for _, w := range strings.Fields(c.words) {
			args = append(args, strings.TrimPrefix(w, "_"))
		}
		cmd := exec.Command(bash, args...)
		cmd.Dir = filepath.Dir(script)
		out, err := cmd.Output()
		if got := strings.Join(strings.Fields(string(out)), " "); err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", c.words, got, err, c.want)
		}
	}
}

// The other shells read their scripts.
func TestCompletionSyntax(t *testing.T) {
	for shell, script := range map[string]string{
		"bash": completionScript(t, "bash"),
		"zsh":  completionScript(t, "zsh"),
		"fish": completionScript(t, "fish"),
	} {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skip("not installed: ", err)
			}
			cmd := exec.Command(path, "-n")
			cmd.Stdin = strings.NewReader(script)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// runWith runs the command in this process.
func runWith(t testing.TB, stdin io.Reader, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	if stdin == nil {
		stdin = strings.NewReader("")
	}
	var out, errs bytes.Buffer
	code = runCommand(args, stdin, &out, &errs)
	return code, out.String(), errs.String()
}

// runCommand runs a command line in this process.
func runCommand(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return command.Program().Run(context.Background(), args, stdin, stdout, stderr)
}

// completionScript returns what completes command lines in a shell.
func completionScript(t *testing.T, shell string) string {
	t.Helper()
	code, script, stderr := runWith(t, nil, "completion", shell)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	return script
}

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
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
	for _, c := range commands() {
		if n := len(c.examples); n < 2 || n > 3 {
			t.Errorf("%s: %d examples, want two or three", c.name, n)
		}
		for _, example := range c.examples {
			t.Run(c.name, func(t *testing.T) {
				dir := t.TempDir()
				if err := copyFiles(filepath.Join(dir, "testdata"), samples); err != nil {
					t.Fatal(err)
				}
				var stdout, stderr bytes.Buffer
				cmd := exec.Command(sh, "-c", "set -e; "+example)
				cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
				reports := c.name == "schema" && !strings.Contains(example, "--explain") // why, on standard error
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

// Every verb has what help and completion need, and no flag changes its
// meaning from verb to verb without its name.
func TestCommands(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range commands() {
		if seen[c.name] {
			t.Errorf("%s is there twice", c.name)
		}
		seen[c.name] = true
		if c.short == "" || strings.TrimSpace(c.long) == "" || c.run == nil {
			t.Errorf("%s lacks a text or what it runs", c.name)
		}
		for _, line := range strings.Split(c.help(c.flagSet()), "\n") {
			if n := utf8.RuneCountInString(line); n > helpWidth {
				t.Errorf("%s: help line of %d columns: %s", c.name, n, line)
			}
		}
	}
	for line := range strings.Lines(overview()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > helpWidth {
			t.Errorf("line of %d columns in the help: %s", n, line)
		}
	}
}

// Text is wrapped, columns stay, and command lines go on for the shell.
func TestWrapped(t *testing.T) {
	got := wrapped("\none two\nthree four five\n\nname   of columns that stay\n\nsix", 10)
	if want := "one two\nthree four\nfive\n\nname   of columns that stay\n\nsix\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	got = continued("echo 'a b c -d e f' | cmd --flag value - --other", 30)
	if want := "  echo 'a b c -d e f' | cmd \\\n      --flag value - --other\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A size prints as it is typed.
func TestSize(t *testing.T) {
	for text, want := range map[string]string{
		"2147483647": "2GiB-1", "2GiB-1": "2GiB-1", "64M": "64MiB", "1GB": "1000000000", "1048575": "1MiB-1", "1023": "1023", "1536KiB-1": "1572863",
		"4095KiB": "4095KiB",
	} {
		var s size
		if err := s.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, _ := s.MarshalText(); string(got) != want {
			t.Errorf("%s: prints %s, want %s", text, got, want)
		}
		if err := s.UnmarshalText([]byte(want)); err != nil {
			t.Errorf("%s: %v", want, err)
		}
	}
	for _, text := range []string{"", "-1", "1-1", "0", "0-1", "2GiB-2", "2GiB--1", "GiB", "9999999T"} {
		var s size
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is %d", text, s)
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
	if err := os.WriteFile(script, []byte(bashCompletion(commands())), 0o666); err != nil {
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
		"bash": bashCompletion(commands()),
		"zsh":  zshCompletion(commands()),
		"fish": fishCompletion(commands()),
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
	code = run(args, stdin, &out, &errs)
	return code, out.String(), errs.String()
}

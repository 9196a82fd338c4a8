package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/command"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/expr"
	"github.com/tfparse/tfparse/internal/test/testkit"
)

// helpTexts returns the help of every verb and topic by its name; "" is that of the program.
func helpTexts(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	names := []string{"", "files", "csv", "messages", "expressions", "rules"}
	for _, c := range command.Program().Commands() {
		names = append(names, c.Name)
	}
	for _, name := range names {
		code, text, stderr := runWith(t, nil, append([]string{"help"}, strings.Fields(name)...)...)
		if code != 0 || stderr != "" {
			t.Fatalf("help %s: exit code %d, %s", name, code, stderr)
		}
		texts[name] = text
	}
	return texts
}

// helpExamples returns the examples in the help of a verb, each as it is typed, which may take several lines.
func helpExamples(help string) (examples []string) {
	_, help, _ = strings.Cut(help, "\nExamples:\n")
	help, _, _ = strings.Cut(help, "\n\n")
	for line := range strings.Lines(help) {
		line = strings.TrimPrefix(line, "  ")
		if strings.HasPrefix(line, " ") {
			examples[len(examples)-1] += line
			continue
		}
		examples = append(examples, line)
	}
	return examples
}

// Every example in every help text works when it is pasted at the root of the
// project, and says nothing on standard error, but for schema, which says there what
// it found.
func TestHelpExamples(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("the examples are for a POSIX shell, and there is none: ", err)
	}
	samples := sampleFiles(t)
	texts := helpTexts(t)
	for _, c := range command.Program().Commands() {
		examples := helpExamples(texts[c.Name])
		if n := len(examples); n < 2 || n > 3 {
			t.Errorf("%s: %d examples, want two or three", c.Name, n)
		}
		for _, example := range examples {
			t.Run(c.Name, func(t *testing.T) {
				dir := t.TempDir()
				if err := copyFiles(filepath.Join(dir, "testdata"), samples); err != nil {
					t.Fatal(err)
				}
				if strings.Contains(example, "testdata/models") {
					if err := copyModels(filepath.Join(dir, "testdata")); err != nil {
						t.Fatal(err)
					}
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

// codeBlock returns the indented lines of a help text after a line that begins with some words.
func codeBlock(t *testing.T, help, after string) (lines []string) {
	t.Helper()
	_, rest, ok := strings.Cut(help, after)
	_, rest, _ = strings.Cut(rest, "\n\n")
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, "  ") {
			break
		}
		lines = append(lines, line)
	}
	if !ok || len(lines) == 0 {
		t.Fatalf("no lines of code after %q", after)
	}
	return lines
}

// The rules that the help shows are rules, and its expressions are expressions.
func TestHelpRules(t *testing.T) {
	texts := helpTexts(t)
	rules := strings.Join(codeBlock(t, texts["rules"], "A rule is one line"), "")
	if _, err := expr.ParseRules(rules); err != nil {
		t.Errorf("%v\n%s", err, rules)
	}
	for _, line := range codeBlock(t, texts["expressions"], "An expression compares") {
		forms := strings.TrimSpace(line[2:41])
		if strings.HasPrefix(forms, "!A") {
			forms = "!has(a), has(a) && has(b), has(a) || has(b), (has(a))"
		}
		depth, begin := 0, 0
		for i, c := range forms + "," {
			switch {
			case c == '(' || c == '[':
				depth++
			case c == ')' || c == ']':
				depth--
			case c == ',' && depth == 0:
				if _, err := expr.Compile(forms[begin:i]); err != nil {
					t.Errorf("%s: %v", forms[begin:i], err)
				}
				begin = i + 1
			}
		}
	}
}

// Every command line in docs/commands.md names a verb, and flags that it has.
func TestDocumentedCommandLines(t *testing.T) {
	page, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	verbs := map[string]*cli.Command{}
	for _, c := range command.Program().Commands() {
		verbs[c.Name] = c
	}
	lines := 0
	text := strings.ReplaceAll(string(page), "\\\n", " ")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "$ "))
		if !strings.HasPrefix(line, "tfparse ") {
			continue
		}
		for _, part := range regexp.MustCompile(`(?:^|[|;&(] *)tfparse ([^|;]*)`).FindAllStringSubmatch(line, -1) {
			words := regexp.MustCompile(`'[^']*'|[^\s']+`).FindAllString(part[1], -1)
			c := verbs[words[0]]
			if len(words) > 1 && verbs[words[0]+" "+words[1]] != nil {
				c = verbs[words[0]+" "+words[1]]
			}
			if c == nil {
				t.Errorf("%s: no verb %s", line, words[0])
				continue
			}
			fs := c.FlagSet()
			for _, word := range words {
				name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
				if strings.HasPrefix(word, "--") && name != "help" && fs.Lookup(name) == nil {
					t.Errorf("%s: %s has no flag %s", line, c.Name, word)
				}
			}
			lines++
		}
	}
	if lines < 50 {
		t.Errorf("%d command lines, want more", lines)
	}
}

// Every verb has what help needs, and its help fits a screen.
func TestCommands(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range command.Program().Commands() {
		if seen[c.Name] {
			t.Errorf("%s is there twice", c.Name)
		}
		seen[c.Name] = true
		c.FlagSet().VisitAll(func(f *pflag.Flag) {
			if kind, _ := pflag.UnquoteUsage(f); f.Value.Type() != "bool" && kind != strings.ToUpper(kind) && !strings.Contains(kind, "=") {
				t.Errorf("%s: the value of --%s has no name: %s", c.Name, f.Name, f.Usage)
			}
		})
	}
	for name, help := range helpTexts(t) {
		lines := strings.Split(strings.TrimSuffix(help, "\n"), "\n")
		if len(lines) > 60 {
			t.Errorf("%s: help of %d lines, want 60 at most", name, len(lines))
		}
		if len(lines) < 5 {
			t.Errorf("%s: there is no help: %s", name, help)
		}
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n > 80 {
				t.Errorf("%s: help line of %d columns: %s", name, n, line)
			}
		}
	}
	if files, err := filepath.Glob("command/help/*.txt"); err != nil || len(files) != len(helpTexts(t)) {
		t.Errorf("%d files of help, %v, for %d verbs and topics", len(files), err, len(helpTexts(t)))
	}
}

// flagPlaces are the verbs where a flag of several meanings means something else. All other flags mean one thing in all verbs.
func TestFlagsMeanOneThing(t *testing.T) {
	type place struct{ value, verb string }
	places := map[string][]place{}
	for _, c := range command.Program().Commands() {
		c.FlagSet().VisitAll(func(f *pflag.Flag) {
			value, _ := pflag.UnquoteUsage(f)
			places[f.Name] = append(places[f.Name], place{value, c.Name})
		})
	}
	different := map[string]bool{"fail-above": true, "fail-on": true, "format": true, "output": true, "to": true} // their values differ
	for name, all := range places {
		for _, p := range all {
			if p.value != all[0].value && !different[name] {
				t.Errorf("--%s takes %q in %s and %q in %s", name, all[0].value, all[0].verb, p.value, p.verb)
			}
		}
	}
}

// The program says what a shell may offer. The cases are all words of a line, the last being completed.
func TestCompletion(t *testing.T) {
	t.Chdir("../..")
	const recipes = "testdata/recipes.tfrecord"
	for _, c := range []struct {
		words []string
		want  string // the offers without descriptions, and the directive
	}{
		{[]string{"co"}, "completion convert count :4"},
		{[]string{"h"}, "head help :4"},
		{[]string{"count", "--fo"}, "--format :4"},
		{[]string{"count", "--format", ""}, "text json :4"},
		{[]string{"count", "--format=j"}, "json :4"},
		{[]string{"count", "--compression", ""}, "auto none gzip zlib snappy zstd :4"},
		{[]string{"convert", "--to", ""}, "none gzip zlib snappy zstd :4"},
		{[]string{"completion", ""}, "bash zsh fish powershell :4"},
		{[]string{"cat", "--limit", ""}, ":4"},
		{[]string{"cat", ""}, ":0"},
		{[]string{"cat", "--spec", ""}, ":0"},
		{[]string{"help", "inf"}, "info :4"},
		{[]string{"help", "stats", ""}, "merge :4"},
		{[]string{"help", "expr"}, "expressions :4"},
		{[]string{"man", "sc"}, "schema :4"},
		{[]string{"stats", ""}, "merge :0"},
		{[]string{"stats", "recip"}, ":0"},
		{[]string{"stats", "merge", "--pa"}, "--partial :4"},
		{[]string{"stats", "merge", "--to"}, ":4"},
		{[]string{"cat", recipes, "--select", "mi"}, "minutes :6"},
		{[]string{"cat", recipes, "--select", "title,mi"}, "title,minutes :6"},
		{[]string{"cat", recipes + "#5", "--select", "rating,rat"}, ":6"},
		{[]string{"cat", "testdata/sessions.tfrecord", "--select", ""}, "country page query seconds start user :6"},
		{[]string{"cat", "nothing", "--select", ""}, ":6"},
		{[]string{"sort", recipes, "--by", "ser"}, "servings :6"},
		{[]string{"project", recipes, "--drop=ser"}, "servings :6"},
		{[]string{"filter", "rating > 3", recipes, "--on-error", ""}, "stop skip :4"},
		{[]string{"nothing", ""}, ":4"},
	} {
		code, stdout, _ := runWith(t, nil, append([]string{"__complete"}, c.words...)...)
		var got []string
		for line := range strings.Lines(stdout) {
			offer, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			if slices.Contains(got, offer) {
				t.Errorf("%q: %s is offered twice", c.words, offer)
			}
			if got = append(got, offer); strings.Contains(line, "`") {
				t.Errorf("%q: %s", c.words, line)
			}
		}
		if got := strings.Join(got, " "); code != 0 || got != c.want {
			t.Errorf("%q: %q, exit code %d; want %q", c.words, got, code, c.want)
		}
	}
}

// The script works in bash, with and without the package bash-completion.
func TestBashCompletion(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash to try the completion with: ", err)
	}
	dir := t.TempDir()
	code, script, stderr := runWith(t, nil, "completion", "bash")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for name, text := range map[string]string{"tfparse.bash": script, "data.txt": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const packaged = "/usr/share/bash-completion/bash_completion"
	for _, source := range []string{"", packaged} {
		if _, err := os.Stat(source); source != "" && err != nil {
			t.Log("bash-completion is not installed: ", err)
			continue
		}
		for words, want := range map[string]string{"co": "completion convert count", "count --format j": "json", "stats dat": "data.txt"} {
			line := `[ -z "$2" ] || source "$2"
source "$1"; shift 2; COMP_WORDS=(tfparse "$@"); COMP_CWORD=$#; COMP_LINE="tfparse $*"; COMP_POINT=${#COMP_LINE}
compopt() { :; }; __start_tfparse; [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "${!#}")); printf '%s\n' "${COMPREPLY[@]%% *}"`
			cmd := exec.Command(bash, slices.Concat([]string{"-c", line, "bash", "tfparse.bash", source}, strings.Fields(words))...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if got := strings.Join(strings.Fields(string(out)), " "); err != nil || got != want {
				t.Errorf("%s, with %q: %q, %v; want %q", words, source, got, err, want)
			}
		}
	}
}

// The shells that are installed read their scripts.
func TestCompletionSyntax(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skip("not installed: ", err)
			}
			_, script, _ := runWith(t, nil, "completion", shell)
			cmd := exec.Command(path, "-n")
			cmd.Stdin = strings.NewReader(script)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// No message of a library reaches the user: the message has the flag, its value and what is allowed.
func TestBadFlagValues(t *testing.T) {
	t.Chdir(t.TempDir()) // -o writes there
	every, seen := testkit.Long(t, "all values of flags that another verb has too: those get one"), map[string]bool{}
	for _, c := range command.Program().Commands() {
		c.FlagSet().VisitAll(func(f *pflag.Flag) {
			values := []string{"x", "", "-1", "1e999", "99999999999999999999"}
			if seen[f.Name] && !every {
				values = values[:1]
			}
			seen[f.Name] = true
			for _, value := range values {
				code, _, stderr := runWith(t, nil, append(strings.Fields(c.Name), "--"+f.Name+"="+value, "nowhere")...)
				for _, library := range []string{"strconv", "parsing", "invalid syntax", "invalid argument", "ParseFloat", "unmarshal", "pflag"} {
					if strings.Contains(stderr, library) {
						t.Errorf("%s --%s=%s: %s", c.Name, f.Name, value, stderr)
					}
				}
				if code == 0 && f.Name != "partial" && f.Name != "output" {
					t.Errorf("%s --%s=%s: exit code 0", c.Name, f.Name, value)
				}
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

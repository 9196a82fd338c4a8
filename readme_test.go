package tfparse_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tfparse/tfparse/tfrecord"
)

// A block is one fenced part of a document.
type block struct {
	line int // of the text's first line
	lang string
	text string
}

func blocks(t *testing.T, name string) []block {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var all []block
	var open *block
	number := 0
	for line := range strings.Lines(string(b)) {
		number++
		switch lang, fence := strings.CutPrefix(line, "```"); {
		case !fence && open != nil:
			open.text += line
		case fence && open == nil:
			open = &block{line: number + 1, lang: strings.TrimSpace(lang)}
		case fence:
			all = append(all, *open)
			open = nil
		}
	}
	if open != nil {
		t.Fatalf("%s: the block at line %d has no end", name, open.line)
	}
	return all
}

// TestReadmeProgram holds that the program in the README is Example of
// example_test.go, which runs, so that it compiles and prints what the README
// says.
func TestReadmeProgram(t *testing.T) {
	var program, output string
	for _, b := range blocks(t, "README.md") {
		switch b.lang {
		case "go":
			program = b.text
		case "text":
			output = b.text
		}
	}
	want, prints := exampleAsProgram(t, "example_test.go")
	if diff := cmp.Diff(want, program); diff != "" {
		t.Errorf("the README's program is not Example of example_test.go (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(prints, output); diff != "" {
		t.Errorf("the README's output is not that of Example (-want +got):\n%s", diff)
	}
}

// TestReadmeBeam holds that the code in the README of the module beam is that of an example of the module beam, which its tests run:
// each paragraph stands there, whatever its indentation.
func TestReadmeBeam(t *testing.T) {
	const example = "beam/tfexample/example_test.go"
	b, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	indent := regexp.MustCompile(`(?m)^\t+`)
	code := indent.ReplaceAllString(string(b), "")
	found := 0
	for _, b := range blocks(t, "beam/README.md") {
		if b.lang != "go" || !strings.Contains(b.text, "beam.") {
			continue
		}
		for paragraph := range strings.SplitSeq(indent.ReplaceAllString(b.text, ""), "\n\n") {
			if found++; !strings.Contains(code, strings.TrimSpace(paragraph)) {
				t.Errorf("line %d: %s has no paragraph\n%s", b.line, example, paragraph)
			}
		}
	}
	if found == 0 {
		t.Error("beam/README.md has no code for Beam")
	}
}

// TestPackageDoc holds that the package comment of doc.go lists the packages as the README does.
func TestPackageDoc(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(strings.ReplaceAll(string(doc), "//", " ")), " ")
	link := regexp.MustCompile("\\[`[^`]*`\\]\\(([^)]*)\\)")
	_, table, _ := strings.Cut(string(readme), "| package | for |\n| --- | --- |\n")
	rows := 0
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if len(cells) != 2 {
			break
		}
		rows++
		want := "- " + link.ReplaceAllString(cells[0]+": "+cells[1], "[github.com/tfparse/tfparse/$1]")
		if !strings.Contains(text, want) {
			t.Errorf("doc.go has no %s", want)
		}
	}
	if rows < 6 {
		t.Errorf("%d rows in the README's table of packages", rows)
	}
}

// TestReplaceLines holds that the replace lines for programs in the READMEs of nested modules are those of their go.mod, and that of
// the module.
func TestReplaceLines(t *testing.T) {
	for _, module := range []string{"beam", "store"} {
		mod, err := os.ReadFile(filepath.Join(module, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		line := regexp.MustCompile(`(?m)^(?:replace)?\s+(\S+) => (\S+)$`)
		want := map[string]string{"github.com/tfparse/tfparse/" + module: "../tfparse/" + module}
		for _, m := range line.FindAllStringSubmatch(string(mod), -1) {
			want[m[1]] = filepath.ToSlash(filepath.Join("../tfparse", module, m[2]))
		}
		got := map[string]string{}
		for _, b := range blocks(t, filepath.Join(module, "README.md")) {
			for _, m := range line.FindAllStringSubmatch(b.text, -1) {
				got[m[1]] = m[2]
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s/README.md (-go.mod +README):\n%s", module, diff)
		}
	}
}

// exampleAsProgram returns func Example of a test file as the func main of a program, and the output that it asserts.
func exampleAsProgram(t *testing.T, name string) (program, output string) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(b), "\nfunc Example() {\n")
	code, comment, ok := strings.Cut(code, "\n\n\t// Output:\n")
	if !ok {
		t.Fatalf("%s: Example asserts no output", name)
	}
	for line := range strings.Lines(comment) {
		text, ok := strings.CutPrefix(line, "\t// ")
		if !ok {
			break
		}
		output += text
	}
	return "func main() {\n" + code + "\n}\n", output
}

// TestCommands runs the command lines of the README and of the pages in docs, those of
// a page in order, and compares what they print; see matches for what "…" stands for.
func TestCommands(t *testing.T) {
	tfparse := build(t, t.TempDir())
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, page := range append(pages, "README.md") {
		dir := t.TempDir()
		if err := os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS("testdata")); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "README.md"), text, 0o666); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if args, ok := strings.CutPrefix(line, "    go run ./cmd/tfparse "); ok {
				if _, err := pipeline(tfparse, dir, "tfparse "+strings.TrimSpace(args)); err != nil {
					t.Errorf("%s: %s: %v", page, strings.TrimSpace(line), err)
				}
			}
		}
		for _, b := range blocks(t, page) {
			if b.lang != "console" {
				continue
			}
			for i, part := range strings.Split("\n"+b.text, "\n$ ")[1:] {
				line, want, _ := strings.Cut(strings.TrimSuffix(part, "\n"), "\n")
				ran++
				t.Run(fmt.Sprintf("%s/line%d/%d", page, b.line, i), func(t *testing.T) {
					got, err := pipeline(tfparse, dir, line)
					if err != nil {
						t.Fatalf("%s: %v", line, err)
					}
					got = strings.TrimSuffix(got, "\n")
					if !matches(strings.Split(want, "\n"), strings.Split(got, "\n")) {
						t.Errorf("%s (-want +got):\n%s", line, cmp.Diff(want, got))
					}
				})
			}
		}
	}
	if ran < 20 {
		t.Errorf("%d command lines are found: the test looks at too little", ran)
	}
}

// TestTFDV runs the command of each row of docs/tfdv.md, one after the other: none fails.
func TestTFDV(t *testing.T) {
	dir := t.TempDir()
	tfparse := build(t, dir)
	if err := os.CopyFS(filepath.Join(dir, "testdata"), os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "data.csv"), []byte("city,fare\nOslo,3.5\nRome,4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("docs/tfdv.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, " | "); len(cells) != 2 || !strings.Contains(cells[0], "`") {
			continue
		}
		command := regexp.MustCompile("`(tfparse [^`]*)` \\|\n$").FindStringSubmatch(line)
		if command == nil {
			t.Errorf("no command: %s", line)
			continue
		}
		if _, err := pipeline(tfparse, dir, command[1]); err != nil {
			t.Errorf("%s: %v", command[1], err)
		}
		rows++
	}
	if rows < 15 {
		t.Errorf("%d rows are found: the test looks at too little", rows)
	}
}

// build builds the command into dir. It looks at every folder first: go test
// remembers what a test has looked at, and runs it again when that has changed.
func build(t *testing.T, dir string) (tfparse string) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.Name() == ".git" {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	tfparse = filepath.Join(dir, "tfparse")
	if runtime.GOOS == "windows" {
		tfparse += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", tfparse, "./cmd/tfparse").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return tfparse
}

// pipeline runs commands joined by " | ", each of them tfparse with plain
// words, and returns what they print. With "; echo $?" at its end the last one
// may fail, and its exit code is printed; otherwise none may.
func pipeline(tfparse, dir, line string) (string, error) {
	line, echo := strings.CutSuffix(line, "; echo $?")
	var stdin, stdout, stderr bytes.Buffer
	for _, one := range strings.Split(line, " | ") {
		args, ok := strings.CutPrefix(one, "tfparse ")
		if !ok {
			return "", fmt.Errorf("%q is not our command", one)
		}
		stdin, stdout = stdout, bytes.Buffer{}
		c := exec.Command(tfparse, words(args)...)
		c.Dir, c.Stdin, c.Stdout, c.Stderr = dir, &stdin, &stdout, &stderr
		err := c.Run()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && echo {
			return fmt.Sprintf("%s%s%d\n", &stdout, &stderr, exit.ExitCode()), nil
		}
		if err != nil {
			return "", fmt.Errorf("%w: %s", err, &stderr)
		}
	}
	if echo {
		fmt.Fprintln(&stderr, 0)
	}
	return stdout.String() + stderr.String(), nil
}

// words divides a line at spaces, except between single quotes.
func words(line string) (all []string) {
	for _, w := range regexp.MustCompile(`(?:'[^']*'|[^\s'])+`).FindAllString(line, -1) {
		all = append(all, strings.ReplaceAll(w, "'", ""))
	}
	return all
}

// matches reports whether the lines of got are those of want, where a line "…"
// of want stands for any lines, and a line that ends in "…" for any line that
// begins like it.
func matches(want, got []string) bool {
	for i, w := range want {
		if w == "…" {
			rest := want[i+1:]
			return len(got)-i >= len(rest) && matches(rest, got[len(got)-len(rest):])
		}
		if i >= len(got) {
			return false
		}
		begin, cut := strings.CutSuffix(w, "…")
		if !strings.HasPrefix(got[i], begin) || !cut && got[i] != w {
			return false
		}
	}
	return len(got) == len(want)
}

// TestReadmeCodecs holds that the README's row of supported files names every codec.
func TestReadmeCodecs(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, row, ok := strings.Cut(string(readme), "\n| files | ")
	if !ok {
		t.Fatal("the README has no row of supported files")
	}
	row, _, _ = strings.Cut(row, "\n")
	for _, c := range tfrecord.Compressions() {
		name := c.String()
		if c == tfrecord.None {
			name = "uncompressed"
		}
		if !strings.Contains(strings.ToLower(row), name) {
			t.Errorf("the README's row of supported files does not name %s", name)
		}
	}
}

// TestLinks holds that the files and folders exist that the documents link to, and those that
// they name in backquotes by a path from the root or from the document.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)
	named := regexp.MustCompile("`([\\w.-]+/[\\w./-]*)`")
	program := regexp.MustCompile("(?s)\n```.*?\n```") // its brackets are no links
	links, names := 0, 0
	for _, doc := range documents(t) {
		b, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		text := program.ReplaceAllString(string(b), "")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(doc), filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s: %v", doc, err)
			}
		}
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			top, _, _ := strings.Cut(m[1], "/")
			if info, err := os.Stat(top); err != nil || !info.IsDir() || strings.Contains(m[1], "NAME") || strings.HasPrefix(m[1], "testdata/fuzz") {
				continue // not a path of this repository, or one of many packages
			}
			names++
			name := filepath.FromSlash(m[1])
			if _, err := os.Stat(name); err == nil {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(doc), name)); err != nil {
				t.Errorf("%s: `%s`: %v", doc, m[1], err)
			}
		}
	}
	if links < 20 || names < 50 {
		t.Errorf("%d links and %d paths are found: the test looks at too little", links, names)
	}
}

// documents returns the Markdown files of the repository.
func documents(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case d != nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && name != ".":
			return fs.SkipDir
		case filepath.Ext(name) == ".md":
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		want, got string
		ok        bool
	}{
		{"a b", "a b", true},
		{"a b", "a", false},
		{"a", "a b", false},
		{"a", "ab", false},
		{"a…", "ab", true},
		{"a…", "b", false},
		{"a … d", "a b c d", true},
		{"a … d", "a d", true},
		{"a … d", "a b", false},
		{"a …", "a", true},
		{"… d", "a d d", true},
	} {
		if got := matches(strings.Fields(c.want), strings.Fields(c.got)); got != c.ok {
			t.Errorf("matches(%q, %q) = %v", c.want, c.got, got)
		}
	}
}

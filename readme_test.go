package tfparse_test

import (
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

// TestDocumentPrograms holds that the Go in the documents is that of examples, which the tests run: each paragraph of a block of Go is in a test
// file to which its page links, whatever its indentation, and in docs each block of text after it
// is an output there.
func TestDocumentPrograms(t *testing.T) {
	linked := regexp.MustCompile(`\]\(([^)]*_test\.go)\)`)
	indent := regexp.MustCompile(`(?m)^\t+`)
	comment := regexp.MustCompile(`(?m)^\t// ?`)
	pages := append(pages(t), "beam/README.md", "serving/README.md", "CONTRIBUTING.md")
	paragraphs := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		var code, output strings.Builder
		for _, m := range linked.FindAllStringSubmatch(string(text), -1) {
			b, err := os.ReadFile(filepath.Join(filepath.Dir(page), m[1]))
			if err != nil {
				t.Errorf("%s: %v", page, err)
			}
			code.WriteString(indent.ReplaceAllString(string(b), ""))
			output.WriteString(comment.ReplaceAllString(string(b), ""))
		}
		last := ""
		for _, b := range blocks(t, page) {
			switch {
			case b.lang == "go":
				for paragraph := range strings.SplitSeq(indent.ReplaceAllString(b.text, ""), "\n\n") {
					if paragraphs++; !strings.Contains(code.String(), strings.TrimSpace(paragraph)) {
						t.Errorf("%s: line %d: no test file that the page links to has\n%s", page, b.line, paragraph)
					}
				}
			case b.lang == "text" && last == "go" && strings.HasPrefix(page, "docs/") && !strings.Contains(output.String(), b.text):
				t.Errorf("%s: line %d: no test file that the page links to has the output\n%s", page, b.line, b.text)
			}
			last = b.lang
		}
	}
	if paragraphs < 40 {
		t.Errorf("%d paragraphs of Go are found: the test looks at too little", paragraphs)
	}
}

// pages are the pages of docs.
func pages(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("docs/*.md")
	if err != nil || len(names) == 0 {
		t.Fatalf("no pages in docs: %v", err)
	}
	for i := range names {
		names[i] = filepath.ToSlash(names[i])
	}
	return names
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

// reference begins the part of docs/commands.md that is written from the help of the verbs, whose examples other tests run.
const reference = "\n# Reference\n"

// TestShellBlocks runs every shell block of the README and of the pages in docs, those of a page in order, in a directory that has testdata
// and nothing else.
//
// A line "$ COMMAND" of a console block prints what follows it; see matches for "…". Other blocks must end with exit code 0. A block that begins
// with "#!" is a script, which later blocks run: it is written to the file that its second line names.
func TestShellBlocks(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("skipped: there is no sh:", err)
	}
	bin := t.TempDir()
	build(t, bin)
	t.Run("docs/tfdv.md", func(t *testing.T) { testTFDV(t, sh, bin) })
	ran := 0
	for _, page := range append(pages(t), "README.md") {
		dir := t.TempDir()
		copyTestdata(t, dir)
		for _, b := range blocks(t, page) {
			name := fmt.Sprintf("%s/line%d", page, b.line)
			switch first, _, _ := strings.Cut(b.text, "\n"); {
			case b.lang != "console" && b.lang != "sh" && b.lang != "bash":
			case strings.HasPrefix(first, "#!"):
				_, second, _ := strings.Cut(b.text, "\n# ")
				file := regexp.MustCompile(`^[\w.-]+\w`).FindString(second)
				if err := os.WriteFile(filepath.Join(dir, file), []byte(b.text), 0o600); err != nil {
					t.Errorf("%s: the second line names no file: %v", name, err)
				}
			case b.lang != "console":
				program, err := exec.LookPath(b.lang)
				if err != nil {
					t.Logf("%s: skipped: %v", name, err)
					continue
				}
				if out, err := run(dir, bin, program, "-e", "-c", b.text); err != nil {
					t.Errorf("%s: %v: %s", name, err, out)
				}
				ran++
			default:
				for part := range strings.SplitSeq(strings.TrimPrefix("\n"+b.text, "\n$ "), "\n$ ") {
					command, want, _ := strings.Cut(strings.TrimSuffix(part, "\n"), "\n")
					got, err := run(dir, bin, sh, "-c", command)
					got = strings.TrimSuffix(got, "\n")
					if err != nil {
						t.Errorf("%s: %s: %v: %s", name, command, err, got)
					} else if !matches(strings.Split(want, "\n"), strings.Split(got, "\n")) {
						t.Errorf("%s: %s (-want +got):\n%s", name, command, cmp.Diff(want, got))
					}
					ran++
				}
			}
		}
		for _, line := range unfenced(t, page) {
			args, ok := strings.CutPrefix(line, "go run ./cmd/tfparse ")
			if !ok {
				t.Errorf("%s: a command outside of a shell block: %s", page, line)
			} else if out, err := run(dir, bin, sh, "-c", "tfparse "+args); err != nil {
				t.Errorf("%s: %s: %v: %s", page, line, err, out)
			}
		}
	}
	if ran < 60 {
		t.Errorf("%d command lines are found: the test looks at too little", ran)
	}
}

// copyTestdata copies testdata into dir, without the vectors, which no command line reads.
func copyTestdata(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir("testdata", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "vectors" || d.Name() == "make"):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(dir, name), 0o777)
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, name), b, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// unfenced returns the lines of a page that are commands of ours, but in no fenced block.
func unfenced(t *testing.T, page string) (lines []string) {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(b), reference)
	text = regexp.MustCompile("(?s)\n```.*?\n```").ReplaceAllString(text, "")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "tfparse ") || strings.HasPrefix(line, "go run ./cmd/") {
			lines = append(lines, line)
		}
	}
	return lines
}

// testTFDV runs the command of each row of docs/tfdv.md, one after the other: none fails.
func testTFDV(t *testing.T, sh, bin string) {
	dir := t.TempDir()
	copyTestdata(t, dir)
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
		if out, err := run(dir, bin, sh, "-c", command[1]); err != nil {
			t.Errorf("%s: %v: %s", command[1], err, out)
		}
		rows++
	}
	if rows < 15 {
		t.Errorf("%d rows are found: the test looks at too little", rows)
	}
}

// build builds the command into dir. It looks at every folder first: go test
// remembers what a test has looked at, and runs it again when that has changed.
func build(t *testing.T, dir string) {
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
	tfparse := filepath.Join(dir, "tfparse")
	if runtime.GOOS == "windows" {
		tfparse += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", tfparse, "./cmd/tfparse").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
}

// run runs a program in dir, with bin as the first folder of PATH, and returns what it prints.
func run(dir, bin, program string, args ...string) (string, error) {
	c := exec.Command(program, args...)
	c.Dir, c.Env = dir, append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, err := c.CombinedOutput()
	return string(out), err
}

// matches reports whether the lines of got are those of want, where a line "…" of want is any number of lines, and a line that ends in "…" is
// any line with that beginning.
func matches(want, got []string) bool {
	for i, w := range want {
		if w == "…" {
			for j := i; j <= len(got); j++ {
				if matches(want[i+1:], got[j:]) {
					return true
				}
			}
			return false
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
	program := regexp.MustCompile("(?s)\n```.*?\n```") // its brackets are not links
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
		{"… b … d", "a b c d", true},
		{"… b … d", "a d c b", false},
	} {
		if got := matches(strings.Fields(c.want), strings.Fields(c.got)); got != c.ok {
			t.Errorf("matches(%q, %q) = %v", c.want, c.got, got)
		}
	}
}

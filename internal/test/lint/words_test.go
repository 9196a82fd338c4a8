package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

// wordsFile has the patterns of words and names that are not used, and how many hits each folder still has.
const wordsFile = "internal/test/lint/words.txt"

// A wordPattern is a line of wordsFile: a habit that readers stumble over.
type wordPattern struct {
	kind          string // "text", or "type" and "func" for names in declarations
	pattern       *regexp.Regexp
	before, after string // an example of the habit, and a better text
}

// A wordHit is a place where a pattern matches.
type wordHit struct{ file, text string }

// readWords reads wordsFile. Allowed is the number of hits by folder.
func readWords(b []byte) (patterns []wordPattern, allowed map[string]int, err error) {
	allowed = map[string]int{}
	for i, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		f := strings.Split(line, "\t")
		switch {
		case strings.HasPrefix(line, "#"):
		case len(f) == 3 && f[0] == "allow":
			if allowed[f[1]], err = strconv.Atoi(f[2]); err != nil {
				return nil, nil, fmt.Errorf("%s: line %d: %w", wordsFile, i+1, err)
			}
		case len(f) == 4 && slices.Contains([]string{"text", "type", "func"}, f[0]):
			p, err := regexp.Compile(f[1])
			if err != nil {
				return nil, nil, fmt.Errorf("%s: line %d: %w", wordsFile, i+1, err)
			}
			patterns = append(patterns, wordPattern{f[0], p, f[2], f[3]})
		default:
			return nil, nil, fmt.Errorf("%s: line %d: want a pattern or a folder: %q", wordsFile, i+1, line)
		}
	}
	return patterns, allowed, nil
}

// find returns the hits in a text of one kind, each with some words around it.
func (p *wordPattern) find(kind, text string) (hits []string) {
	if kind != p.kind {
		return nil
	}
	ok := p.pattern.SubexpIndex("ok")
	for _, m := range p.pattern.FindAllStringSubmatchIndex(text, -1) {
		if ok > 0 && m[2*ok] >= 0 && m[2*ok] < m[2*ok+1] {
			continue
		}
		from, to := max(0, m[0]-40), min(len(text), m[1]+40)
		hits = append(hits, strings.ToValidUTF8(text[from:m[0]]+"["+text[m[0]:m[1]]+"]"+text[m[1]:to], ""))
	}
	return hits
}

// tag matches the tag of a field.
var tag = regexp.MustCompile("^`\\w+:\"")

var fencedBlock = regexp.MustCompile("(?ms)^```.*?^```")

// words calls f for every text that the patterns are about: comments and declared names of Go, messages of Go that is not a test, documents and
// help.
func (r tree) words(f func(file, kind, text string)) {
	for _, file := range r.goFiles() {
		if file.generated {
			continue
		}
		for _, c := range file.ast.Comments {
			f(file.name, "text", strings.Join(strings.Fields(c.Text()), " "))
		}
		if file.test {
			continue
		}
		ast.Inspect(file.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.TypeSpec:
				f(file.name, "type", n.Name.Name)
			case *ast.FuncDecl:
				f(file.name, "func", n.Name.Name)
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && strings.Contains(text, " ") && !tag.MatchString(n.Value) {
					f(file.name, "text", text)
				}
			}
			return true
		})
	}
	for _, name := range r.names {
		help := path.Ext(name) == ".txt" && (path.Base(path.Dir(name)) == "help" || path.Base(name) == "help.txt")
		if (path.Ext(name) != ".md" && !help) || slices.Contains(strings.Split(name, "/"), "testdata") || name == "CHANGELOG.md" {
			continue
		}
		for paragraph := range strings.SplitSeq(fencedBlock.ReplaceAllString(string(r.read(name)), ""), "\n\n") {
			f(name, "text", strings.Join(strings.Fields(paragraph), " "))
		}
	}
}

// wordHits returns the hits of each folder that has a line in wordsFile.
func (r tree) wordHits(patterns []wordPattern, allowed map[string]int) (hits map[string][]wordHit) {
	hits = map[string][]wordHit{}
	r.words(func(file, kind, text string) {
		for _, p := range patterns {
			for _, hit := range p.find(kind, text) {
				folder, _, _ := entry(allowed, path.Dir(file))
				hits[folder] = append(hits[folder], wordHit{file, hit})
			}
		}
	})
	return hits
}

// ruleWords refuses hits above the number that is allowed for a folder.
func ruleWords(r tree) (faults []string) {
	if !r.has(wordsFile) {
		return nil
	}
	patterns, allowed, err := readWords(r.read(wordsFile))
	if err != nil {
		return []string{err.Error()}
	}
	for folder, hits := range r.wordHits(patterns, allowed) {
		if len(hits) <= allowed[folder] {
			continue
		}
		fault := fmt.Sprintf("%q has %d hits of %s, %d are allowed; write them as its examples do:", folder, len(hits), wordsFile, allowed[folder])
		for _, h := range hits[:min(len(hits), 200)] {
			fault += fmt.Sprintf("\n%s: %s", h.file, h.text)
		}
		faults = append(faults, fault)
	}
	return faults
}

// TestWordPatterns holds that each pattern finds its example, and that no pattern finds the text that replaces one.
func TestWordPatterns(t *testing.T) {
	patterns, _, err := readWords(repository(t).read(wordsFile))
	if err != nil {
		t.Fatal(err)
	}
	word := regexp.MustCompile(`^(?:type |func (?:\([^)]*\) )?)(\w+)`)
	name := func(text string) string {
		if m := word.FindStringSubmatch(text); m != nil {
			return m[1]
		}
		return text
	}
	for _, p := range patterns {
		if p.find(p.kind, name(p.before)) == nil {
			t.Errorf("%v does not find %q", p.pattern, p.before)
		}
		for _, other := range patterns {
			if hits := p.find(other.kind, name(other.after)); hits != nil {
				t.Errorf("%v finds %q in what replaces %q", p.pattern, hits, other.before)
			}
		}
	}
	if len(patterns) < 15 {
		t.Errorf("%d patterns are read", len(patterns))
	}
}

// TestWordsFile lowers the numbers of wordsFile to the hits that there are, with -update.
func TestWordsFile(t *testing.T) {
	if !*update {
		t.Skip("only with -update")
	}
	r := repository(t)
	patterns, allowed, err := readWords(r.read(wordsFile))
	if err != nil {
		t.Fatal(err)
	}
	hits := r.wordHits(patterns, allowed)
	text := string(r.read(wordsFile))
	for folder, n := range allowed {
		text = strings.Replace(text, fmt.Sprintf("\nallow\t%s\t%d\n", folder, n), fmt.Sprintf("\nallow\t%s\t%d\n", folder, min(n, len(hits[folder]))), 1)
	}
	root, err := testkit.Root()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(wordsFile)), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

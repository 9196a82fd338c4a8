package lint

import (
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// maxMessageWords is the number of words of a message, without its place and the values in it.
const maxMessageWords = 12

var listFolder = flag.String("messages", "", "print the messages of the Go files in this `folder` and below, as feature")

// reporters matches the names of functions that take a message.
var reporters = regexp.MustCompile(`^(New|Print|Printf)$|(?i)(err|error|usage|fail|warn|fault)f?$`)

// A message is a text that a program gives to its users, with the verbs of package fmt.
type message struct {
	file string
	line int
	text string
}

// verb matches a word that is a value, as %d or "%s,".
var verb = regexp.MustCompile(`^[(\[]*%[\[\]0-9.#+]*[a-zA-Z][)\],.;:%]*$`)

// words returns the number of words that are neither a value nor in the place before the first colon.
func (m message) words() (n int) {
	text := m.text
	if place, rest, ok := strings.Cut(text, ": "); ok && len(strings.Fields(place)) <= 3 {
		text = rest
	}
	for _, word := range strings.Fields(text) {
		if !verb.MatchString(word) {
			n++
		}
	}
	return n
}

// messages returns the literal texts that reporters are called with, except in tests.
func (r tree) messages() (all []message) {
	for _, file := range r.goFiles() {
		if file.test || file.generated || strings.HasPrefix(file.name, "internal/test/") {
			continue
		}
		ast.Inspect(file.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !reporters.MatchString(calledName(call)) {
				return true
			}
			for _, arg := range call.Args {
				if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					if text, err := strconv.Unquote(lit.Value); err == nil && strings.Contains(text, " ") {
						all = append(all, message{file.name, file.fset.Position(lit.Pos()).Line, text})
					}
				}
			}
			return true
		})
	}
	return all
}

// calledName returns the name of a called function or method without its package or receiver, or "".
func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// ruleMessages refuses messages of more than maxMessageWords words.
func ruleMessages(r tree) (faults []string) {
	for _, m := range r.messages() {
		if n := m.words(); n > maxMessageWords {
			faults = append(faults, fmt.Sprintf("%s:%d: a message of %d words, at most %d: %s", m.file, m.line, n, maxMessageWords, m.text))
		}
	}
	return faults
}

// TestMessageList prints the messages of a folder, to be read through: go test ./internal/test/lint -run MessageList -v -messages feature
func TestMessageList(t *testing.T) {
	all := repository(t).messages()
	if len(all) < 1000 {
		t.Errorf("%d messages are found", len(all))
	}
	if *listFolder == "" {
		return
	}
	for _, m := range all {
		if below(path.Dir(m.file), *listFolder) {
			fmt.Printf("%s:%d: %s\n", m.file, m.line, m.text)
		}
	}
}

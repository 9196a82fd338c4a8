package encode

import (
	"fmt"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// A kindTable knows which kind each feature of the lines has, and finds those that
// have several: TensorFlow parses a feature as one kind, and fails at a record
// with another, which may be in the middle of a training.
type kindTable struct {
	first map[kindKey]firstKind
	mixed int // features with several kinds
}

type kindKey struct{ part, name string }

// A firstKind is the first kind of a feature, and where it has it.
type firstKind struct {
	kind  example.Kind
	named bool // the line names it
	file  string
	line  int64
	mixed bool // a warning was made
}

const (
	maxKinds        = 1 << 14 // features that are compared
	maxKindWarnings = 20      // that are printed
)

// add takes a kind that a feature has in a line, in order. It returns what is wrong
// if a line before has another, once for each feature, otherwise "".
func (t *kindTable) add(file string, line int64, s *recordjson.NewKind) string {
	key := kindKey{s.Part, s.Name}
	first, ok := t.first[key]
	switch {
	case !ok && len(t.first) < maxKinds:
		if t.first == nil {
			t.first = map[kindKey]firstKind{}
		}
		t.first[key] = firstKind{s.Kind, s.Named, file, line, false}
		return ""
	case !ok || first.mixed || first.kind == s.Kind:
		return ""
	}
	first.mixed = true
	t.first[key] = first
	t.mixed++
	where := fmt.Sprintf("line %d", first.line)
	if first.file != file {
		where = first.file + ": " + where
	}
	name := string(jsonscan.AppendName(nil, []byte(s.Name)))
	text := fmt.Sprintf("feature %s is %s here and %s in %s, and TensorFlow parses a feature as one kind", name, recordjson.KindName(s.Kind), recordjson.KindName(first.kind), where)
	if s.Part != "" {
		text = s.Part + ": " + text
	}
	if s.Named || first.named {
		return text
	}
	option := func(k example.Kind) string {
		return "--kind " + cli.ShellQuoted(strings.Trim(name, `"`)+"="+recordjson.KindName(k))
	}
	switch {
	case s.Kind == example.BytesList:
		return fmt.Sprintf("%s; if the strings are numbers, set %s", text, option(first.kind))
	case first.kind == example.BytesList:
		return fmt.Sprintf("%s; if the strings are numbers, set %s", text, option(s.Kind))
	}
	return fmt.Sprintf("%s; set %s", text, option(example.FloatList))
}

// printHidden prints how many warnings were not printed.
func (t *kindTable) printHidden(print func(string)) {
	if n := t.mixed - maxKindWarnings; n > 0 {
		print(fmt.Sprintf("%d more features have several kinds", n))
	}
}

// names are the features that lines have.
func (t *kindTable) names() (all []string) {
	for key := range t.first {
		all = append(all, key.name)
	}
	return all
}

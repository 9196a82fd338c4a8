package encode

import (
	"fmt"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
)

// A kindTable knows which kind each feature of the lines has, and finds those that
// have several: TensorFlow parses a feature as one kind, and fails at a record
// with another, which may be in the middle of a training.
type kindTable struct {
	first map[kindKey]firstKind
	told  int // features with several kinds
}

type kindKey struct{ part, name string }

// A firstKind is the first kind of a feature, and where it has it.
type firstKind struct {
	kind  example.Kind
	named bool // the line names it
	file  string
	line  int64
	told  bool
}

const (
	maxKinds     = 1 << 14 // so many features are compared
	maxKindsTold = 20      // and so many warnings printed
)

// add takes a kind that a feature has in a line, in order. It returns what is wrong
// if a line before has another, once for each feature, otherwise "".
func (t *kindTable) add(file string, line int64, s *recordjson.Sighting) string {
	key := kindKey{s.Part, s.Name}
	first, ok := t.first[key]
	switch {
	case !ok && len(t.first) < maxKinds:
		if t.first == nil {
			t.first = map[kindKey]firstKind{}
		}
		t.first[key] = firstKind{s.Kind, s.Named, file, line, false}
		return ""
	case !ok || first.told || first.kind == s.Kind:
		return ""
	}
	first.told = true
	t.first[key] = first
	t.told++
	where := fmt.Sprintf("line %d", first.line)
	if first.file != file {
		where = first.file + ": " + where
	}
	name := string(recordjson.AppendName(nil, []byte(s.Name)))
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
		return fmt.Sprintf("%s; if the strings stand for numbers, %s settles it", text, option(first.kind))
	case first.kind == example.BytesList:
		return fmt.Sprintf("%s; if the strings stand for numbers, %s settles it", text, option(s.Kind))
	}
	return fmt.Sprintf("%s; %s settles it", text, option(example.FloatList))
}

// rest prints how many warnings were not printed.
func (t *kindTable) rest(print func(string)) {
	if n := t.told - maxKindsTold; n > 0 {
		print(fmt.Sprintf("%d more features have several kinds", n))
	}
}

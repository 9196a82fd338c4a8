package encode

import (
	"fmt"
	"strings"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/example/recordjson"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// A kindTable records the kind of each feature and finds features with several kinds. TensorFlow parses a feature as one kind and
// fails at a record with another, possibly after hours of training.
type kindTable struct {
	first         map[kindKey]firstKind
	mixedFeatures int // number of features with several kinds
}

// A kindKey identifies a feature in a kindTable.
type kindKey struct{ part, name string }

// A firstKind is the first kind of a feature and its position.
type firstKind struct {
	kind     example.Kind
	explicit bool // the line states the kind
	file     string
	line     int64
	warned   bool // addKind returned a warning for the feature
}

const (
	maxKinds        = 1 << 14 // maximum number of features in a kindTable
	maxKindWarnings = 20      // maximum number of printed warnings
)

// addKind adds the kind of a feature in a line; lines must be in order. If an earlier line has another kind, it returns a warning,
// once for each feature; otherwise "".
func (t *kindTable) addKind(file string, line int64, s *recordjson.NewKind) string {
	key := kindKey{s.Part, s.Name}
	first, ok := t.first[key]
	switch {
	case !ok && len(t.first) < maxKinds:
		if t.first == nil {
			t.first = map[kindKey]firstKind{}
		}
		t.first[key] = firstKind{s.Kind, s.Named, file, line, false}
		return ""
	case !ok || first.warned || first.kind == s.Kind:
		return ""
	}
	first.warned = true
	t.first[key] = first
	t.mixedFeatures++
	where := fmt.Sprintf("line %d", first.line)
	if first.file != file {
		where = first.file + ": " + where
	}
	name := string(jsonscan.AppendName(nil, []byte(s.Name)))
	text := fmt.Sprintf("feature %s is %s here and %s in %s; TensorFlow parses one kind", name, recordjson.KindName(s.Kind), recordjson.KindName(first.kind), where)
	if s.Part != "" {
		text = s.Part + ": " + text
	}
	if s.Named || first.explicit {
		return text
	}
	inFlag := s.Name
	if base64 := strings.Trim(name, `"`); strings.HasPrefix(base64, "b64:") { // also a name that is not UTF-8
		inFlag = base64
	}
	option := func(k example.Kind) string { return "--kind " + cli.ShellQuoted(inFlag+"="+recordjson.KindName(k)) }
	switch {
	case s.Kind == example.BytesList:
		return fmt.Sprintf("%s; if the strings are numbers, set %s", text, option(first.kind))
	case first.kind == example.BytesList:
		return fmt.Sprintf("%s; if the strings are numbers, set %s", text, option(s.Kind))
	}
	return fmt.Sprintf("%s; set %s", text, option(example.FloatList))
}

// printUnlisted prints the number of warnings beyond maxKindWarnings.
func (t *kindTable) printUnlisted(print func(string)) {
	if n := t.mixedFeatures - maxKindWarnings; n > 0 {
		print(fmt.Sprintf("%d more features have several kinds", n))
	}
}

// featureNames returns the names of all features in the table.
func (t *kindTable) featureNames() (all []string) {
	for key := range t.first {
		all = append(all, key.name)
	}
	return all
}

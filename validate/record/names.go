package record

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/tfparse/tfparse/validate/internal/view"
)

// inRecords is the inverse of view.Step: the name that records have. What stands for no name
// is one itself.
func inRecords(step string) string {
	digits, ok := strings.CutPrefix(step, view.Encoded)
	if !ok {
		return step
	}
	name, err := base64.StdEncoding.Strict().DecodeString(digits)
	if err != nil || utf8.Valid(name) {
		return step
	}
	return string(name)
}

// declare adds the entry of a feature of the schema. Its name is a step: records may
// have what it stands for, and the step itself, which statistics do not tell apart.
func (t *table) declare(e entry) {
	declared := e.name
	e.name = inRecords(declared)
	i := t.add(e)
	if _, ok := t.index[declared]; !ok {
		t.index[declared] = i
	}
}

// declared finds the entry of a name that stands in the schema, or makes one.
func (t *table) declared(name string) int {
	if i, ok := t.index[name]; ok {
		return i
	}
	return t.key(inRecords(name))
}

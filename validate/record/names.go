package record

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// encoded begins the step of a path whose name is not UTF-8.
const encoded = "b64:"

// step is the name of a feature as a step of a path, as statistics and schemas have it:
// one that is not UTF-8 becomes "b64:" and its base64.
func step(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return encoded + base64.StdEncoding.EncodeToString([]byte(name))
}

// inRecords is the inverse of step: the name that records have. What stands for no name
// is one itself.
func inRecords(step string) string {
	digits, ok := strings.CutPrefix(step, encoded)
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

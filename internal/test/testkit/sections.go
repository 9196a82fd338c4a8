package testkit

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Sections are the values that a parse gives: under "columns" for an Example,
// under "context", "sequence" and "lengths" for a SequenceExample.
type Sections map[string]map[string]Value

// ParseMembers are the members of a case of the family parse. What TensorFlow
// does without validation is information.
var ParseMembers = []string{"spec", "records", "tf_validate_false"}

// CheckParse compares the outcome of parsing with what the case requires. An error must be
// of the class that the case asks for.
func CheckParse(c *Case, classes []Class, got Sections, err error) error {
	w := c.Want()
	switch {
	case w.Fail && err == nil:
		return fmt.Errorf("want an error, got %s", got.format())
	case w.Fail:
		return CheckClass(c, classes, err)
	case err != nil:
		return fmt.Errorf("unexpected error: %w", err)
	}
	var raw map[string]map[string]json.RawMessage
	if err := json.Unmarshal(w.Expect, &raw); err != nil {
		return Fault(err)
	}
	want := Sections{}
	for section, columns := range raw {
		want[section] = map[string]Value{}
		for name, r := range columns {
			v, err := ParseValue(r)
			if err != nil {
				return fmt.Errorf("%s %q: %w", section, name, err)
			}
			want[section][name] = v
		}
	}
	if d := RuleOf(c).Dicts(want.dicts(), got.dicts()); d != "" {
		return errors.New(d)
	}
	return nil
}

func (s Sections) dicts() map[string]Value {
	out := map[string]Value{}
	for name, columns := range s {
		out[name] = Dict(columns)
	}
	return out
}

func (s Sections) format() string { return Format(Dict(s.dicts())) }

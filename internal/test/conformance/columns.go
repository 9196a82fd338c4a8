package conformance

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tfparse/tfparse/internal/test/testkit"
)

// sections are the values that a parse gives: under "columns" for an Example,
// under "context", "sequence" and "lengths" for a SequenceExample.
type sections map[string]map[string]testkit.Value

// parseMembers are the members of a case of the family parse. What TensorFlow
// does without validation is information.
var parseMembers = []string{"spec", "records", "tf_validate_false"}

// checkParse compares the outcome of parsing with what the case requires.
func checkParse(c *testkit.Case, got sections, err error) error {
	w := c.Want()
	switch {
	case w.Fail && err == nil:
		return fmt.Errorf("want an error, got %s", got.format())
	case w.Fail:
		return nil
	case err != nil:
		return fmt.Errorf("unexpected error: %w", err)
	}
	var raw map[string]map[string]json.RawMessage
	if err := json.Unmarshal(w.Expect, &raw); err != nil {
		return testkit.Fault(err)
	}
	want := sections{}
	for section, columns := range raw {
		want[section] = map[string]testkit.Value{}
		for name, r := range columns {
			v, err := testkit.ParseValue(r)
			if err != nil {
				return fmt.Errorf("%s %q: %w", section, name, err)
			}
			want[section][name] = v
		}
	}
	if d := testkit.RuleOf(c).Dicts(want.dicts(), got.dicts()); d != "" {
		return errors.New(d)
	}
	return nil
}

func (s sections) dicts() map[string]testkit.Value {
	out := map[string]testkit.Value{}
	for name, columns := range s {
		out[name] = testkit.Dict(columns)
	}
	return out
}

func (s sections) format() string { return testkit.Format(testkit.Dict(s.dicts())) }

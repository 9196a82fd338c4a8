package stats

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// An OptionError says which option two accumulators have different values of; it is
// [ErrOptions]. Of several it is the first by name.
type OptionError struct {
	Option string // as it is called in JSON: "top_values"
	// Have is the value of the Accumulator that was to be added to, Got that of the
	// other, in JSON. One that is not set is "", and both are for the "schema", which is not shown.
	Have, Got string
}

// Error gives the option, and both values where they are known.
func (e *OptionError) Error() string {
	if e.Have == "" && e.Got == "" {
		return fmt.Sprintf("%v: the accumulators have a different %s", ErrOptions, e.Option)
	}
	shown := func(v string) string {
		if v == "" {
			return "not set"
		}
		return v
	}
	return fmt.Sprintf("%v: the accumulators have a different %s: %s and %s", ErrOptions, e.Option, shown(e.Have), shown(e.Got))
}

// Unwrap returns ErrOptions.
func (e *OptionError) Unwrap() error { return ErrOptions }

// differing makes an OptionError of the options of two accumulators, as encode writes
// them.
func differing(have, got []byte) error {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(have, &a) != nil || json.Unmarshal(got, &b) != nil {
		return ErrOptions // not what encode writes
	}
	all := maps.Clone(a)
	maps.Copy(all, b)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if string(a[name]) == string(b[name]) {
			continue
		}
		if name == "schema" {
			return &OptionError{Option: name}
		}
		return &OptionError{Option: name, Have: string(a[name]), Got: string(b[name])}
	}
	return ErrOptions
}

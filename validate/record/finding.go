package record

import (
	"strconv"

	"github.com/tfparse/tfparse/feature/infer"
)

// Rules that are no types of anomalies in TensorFlow Data Validation.
const (
	BadRecord = "BAD_RECORD"       // the bytes are not sound
	Ragged    = "RAGGED_STRUCTURE" // partitions and values do not fit together
)

// A Finding is one thing that is wrong with a record: one rule and one feature. Of
// several values that break the rule it has the first one, and how many there are.
type Finding struct {
	Rule    string `json:"rule"`           // the type of the anomaly, as TensorFlow Data Validation names it, or one of ours
	Feature string `json:"feature"`        // the path as text, like the keys of anomalies: 'a.b' is one step; empty for the whole record
	Example int    `json:"example"`        // of an ExampleListWithContext, from 0; else -1
	Step    int    `json:"step"`           // in a feature list, from 0; else -1
	Value   int    `json:"value"`          // in the list of values, from 0; -1 if the finding is not about values
	Count   int    `json:"count"`          // how many values break the rule, at least 1
	Offset  int    `json:"offset"`         // of the feature in the record; -1 if it is not there
	Want    string `json:"want,omitempty"` // what was expected
	Got     string `json:"got,omitempty"`  // what was found
	Warning bool   `json:"warning"`        // it is about undeclared structure
	Err     error  `json:"-"`              // for BadRecord: an *example.Error with the place

	// Pair is one of Options.Pairs that does not hold; nil if the finding is not of such.
	// It is lent by the Checker. infer.Report.Declare gives the spec that declares it.
	Pair *infer.Pair `json:"-"`
}

// Error is String: a Finding can stand for an error.
func (f Finding) Error() string { return f.String() }

// Unwrap returns f.Err.
func (f Finding) Unwrap() error { return f.Err }

// String gives one line: where, the rule, and what was wanted and found.
func (f Finding) String() string {
	var b []byte
	if f.Feature != "" {
		b = append(strconv.AppendQuote(append(b, "feature "...), f.Feature), ": "...)
	}
	if f.Example >= 0 {
		b = append(strconv.AppendInt(append(b, "example "...), int64(f.Example), 10), ": "...)
	}
	if f.Step >= 0 {
		b = append(strconv.AppendInt(append(b, "step "...), int64(f.Step), 10), ": "...)
	}
	if f.Value >= 0 {
		b = append(strconv.AppendInt(append(b, "value "...), int64(f.Value), 10), ": "...)
	}
	b = append(b, f.Rule...)
	if f.Err != nil {
		return string(append(append(b, ": "...), f.Err.Error()...))
	}
	if f.Want != "" {
		b = append(append(b, ": want "...), f.Want...)
	}
	if f.Got != "" {
		b = append(append(b, ", got "...), f.Got...)
	}
	if f.Count > 1 {
		b = append(strconv.AppendInt(append(b, " and "...), int64(f.Count-1), 10), " more"...)
	}
	return string(b)
}

package record

import (
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/feature/infer"
)

// Rules that are no types of anomalies in TensorFlow Data Validation.
const (
	BadRecord    = "BAD_RECORD"       // the bytes are not sound
	Ragged       = "RAGGED_STRUCTURE" // partitions and values do not fit together
	MoreFindings = "MORE_FINDINGS"    // Options.MaxFindings was reached; Count is the number of further findings
)

// A Finding is one thing that is wrong with a record: one rule and one feature. Of
// several values that break the rule it has the first one, and how many there are.
type Finding struct {
	Rule       string `json:"rule"`        // the type of the anomaly, as TensorFlow Data Validation names it, or one of ours
	Feature    string `json:"feature"`     // the path as text, like the keys of anomalies: 'a.b' is one step; empty for the whole record
	Example    int    `json:"example"`     // of an ExampleListWithContext, from 0; else -1
	Step       int    `json:"step"`        // in a feature list, from 0; else -1
	ValueIndex int    `json:"value_index"` // in the flat list of values of the feature or step, from 0; -1 if the finding is not about one value
	Count      int    `json:"count"`       // number of values that break the rule, at least 1; for MoreFindings, number of findings
	Offset     int    `json:"offset"`      // of the feature in the record; -1 if it is not there
	Expected   string `json:"expected,omitempty"`
	Observed   string `json:"observed,omitempty"`
	Warning    bool   `json:"warning"` // it is about undeclared structure, or of a rule that says so
	Err        error  `json:"-"`       // for BadRecord: an *example.Error with the place

	// RowPath is where the value is in the rows of a ragged feature: the index of the
	// outermost row, of the row in that row, and so on; the last one is the index in the
	// innermost row. It is nil where no row partition is known or the partitions are invalid.
	RowPath []int64 `json:"row_path,omitempty"`

	// Pair is one of Options.Pairs that does not hold; nil if the finding is not of such.
	// It is lent by the Checker. infer.Report.Declare gives the spec that declares it.
	Pair *infer.Pair `json:"-"`
}

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
	if f.ValueIndex >= 0 {
		b = append(strconv.AppendInt(append(b, "value "...), int64(f.ValueIndex), 10), ": "...)
	}
	b = append(b, f.Rule...)
	if f.Err != nil {
		return string(append(append(b, ": "...), f.Err.Error()...))
	}
	if f.Expected != "" {
		b = append(append(b, ": want "...), f.Expected...)
	}
	if f.Observed != "" {
		b = append(append(b, ", got "...), f.Observed...)
	}
	if f.Count > 1 && f.Rule != MoreFindings {
		b = append(strconv.AppendInt(append(b, " and "...), int64(f.Count-1), 10), " more"...)
	}
	return string(b)
}

// A collector keeps the first findings about a record, and counts the others.
type collector struct {
	max     int      // findings that are kept
	ignore  []string // rules that make no findings
	found   []Finding
	left    int  // number of findings beyond max
	serious bool // some of these are not warnings
}

// add adds a finding.
func (c *collector) add(f Finding) {
	switch {
	case f.Rule != BadRecord && slices.Contains(c.ignore, f.Rule):
	case f.Rule == BadRecord || len(c.found) < c.max:
		c.found = append(c.found, f)
	default:
		c.left++
		c.serious = c.serious || !f.Warning
	}
}

// fail puts a finding about the whole record in the place of all others.
func (c *collector) fail(err error) {
	c.found, c.left = []Finding{{Rule: BadRecord, Example: -1, Step: -1, ValueIndex: -1, Count: 1, Offset: -1, Err: err}}, 0
}

// all returns the findings, with the one that counts the others.
func (c *collector) all() []Finding {
	if c.left == 0 {
		return c.found
	}
	return append(c.found, Finding{Rule: MoreFindings, Example: -1, Step: -1, ValueIndex: -1, Count: c.left, Offset: -1, Warning: !c.serious,
		Expected: "at most " + strconv.Itoa(c.max) + " findings in a record", Observed: strconv.Itoa(c.left) + " more"})
}

func hasBadRecord(found []Finding) bool {
	return slices.ContainsFunc(found, func(f Finding) bool { return f.Rule == BadRecord })
}

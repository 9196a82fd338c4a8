package record

import (
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/feature/infer"
)

// Rules of this package. All other rules are types of anomalies of TensorFlow Data Validation.
const (
	BadRecord    = "BAD_RECORD"       // the bytes are not a valid message
	Ragged       = "RAGGED_STRUCTURE" // partitions and values do not fit together
	MoreFindings = "MORE_FINDINGS"    // Options.MaxFindings was reached; Count is the number of further findings
)

// A Finding reports that a feature of a record breaks a rule. If several values break the
// rule, it describes the first such value, and Count is the number of such values.
type Finding struct {
	Rule       string `json:"rule"`        // a type of anomaly of TensorFlow Data Validation, or a rule of this package
	Feature    string `json:"feature"`     // the path as text, as in the keys of anomalies: 'a.b' is one step; empty for the whole record
	Example    int    `json:"example"`     // index of the example in an ExampleListWithContext; else -1
	Step       int    `json:"step"`        // index of the step in a feature list; else -1
	ValueIndex int    `json:"value_index"` // index in the flat values of the feature or step; -1 if the finding is not about one value
	Count      int    `json:"count"`       // number of values that break the rule, at least 1; for MoreFindings, number of findings
	Offset     int    `json:"offset"`      // byte offset of the feature in the record; -1 if the feature is missing
	Expected   string `json:"expected,omitempty"`
	Observed   string `json:"observed,omitempty"`
	Warning    bool   `json:"warning"` // a warning, not an error: for Options.Pairs and for rules declared as warnings
	Err        error  `json:"-"`       // for BadRecord: an *example.Error with the position

	// RowPath is the position of the value in a ragged feature: the index of the outermost
	// row, then of the row within that row, and so on; last, the index in the innermost
	// row. It is nil if no row partition is known or the partitions are invalid.
	RowPath []int64 `json:"row_path,omitempty"`

	// Pair is the pair of Options.Pairs that does not hold in this record; nil for other
	// findings. The Checker owns it. infer.Report.Declare returns the spec that declares it.
	Pair *infer.Pair `json:"-"`
}

// String returns one line: the position, the rule, and the expected and observed values.
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

// A collector keeps the first findings about a record and counts the other findings.
type collector struct {
	max          int       // number of findings to keep
	ignore       []string  // rules whose findings are not even counted
	findings     []Finding // kept findings, in the order of the checks
	dropped      int       // number of findings beyond max
	droppedError bool      // one of the dropped findings is an error
}

// addFinding keeps or counts f, unless its rule is ignored.
func (c *collector) addFinding(f Finding) {
	switch {
	case f.Rule != BadRecord && slices.Contains(c.ignore, f.Rule):
	case f.Rule == BadRecord || len(c.findings) < c.max:
		c.findings = append(c.findings, f)
	default:
		c.dropped++
		c.droppedError = c.droppedError || !f.Warning
	}
}

// setBadRecord replaces all findings by one finding about the whole record.
func (c *collector) setBadRecord(err error) {
	c.findings, c.dropped = []Finding{{Rule: BadRecord, Example: -1, Step: -1, ValueIndex: -1, Count: 1, Offset: -1, Err: err}}, 0
}

// listFindings returns the kept findings and, if findings were dropped, one with the rule MoreFindings.
func (c *collector) listFindings() []Finding {
	if c.dropped == 0 {
		return c.findings
	}
	return append(c.findings, Finding{Rule: MoreFindings, Example: -1, Step: -1, ValueIndex: -1, Count: c.dropped, Offset: -1, Warning: !c.droppedError,
		Expected: "at most " + strconv.Itoa(c.max) + " findings in a record", Observed: strconv.Itoa(c.dropped) + " more"})
}

func hasBadRecord(found []Finding) bool {
	return slices.ContainsFunc(found, func(f Finding) bool { return f.Rule == BadRecord })
}

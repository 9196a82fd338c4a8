package quality

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/validate/record"
)

// counts has the exact numbers of findings by slice, feature and rule, including findings that are not printed. Its
// memory is bounded, since records may have any number of features that the schema lacks: keys beyond maxPairs, or with
// names beyond maxNames bytes in all, share one count.
type counts struct {
	pairs map[countKey]*findingCount // at most maxPairs
	names int                        // size of the names in pairs, in bytes
	other findingCount               // the count of all keys beyond the limits
	all   findingCount               // of all findings about records
}

const (
	// maxPairs is the maximum number of keys that are counted separately.
	maxPairs = record.MaxPairs
	// maxNames is the maximum size of their names in bytes.
	maxNames = 8 << 20
)

// A countKey identifies a count. Slice and feature may be "": the whole data set, or the record.
type countKey struct{ slice, feature, rule string }

// A findingCount counts the findings of a countKey.
type findingCount struct {
	Slice         string // "": all examples
	Feature, Rule string // Feature may be "", as in countKey
	Severity      string // the highest severity of the findings
	findingTotal
	key     string // path of the feature, with its slice, for HTML reports
	ofData  uint64 // number of findings about the data set or slice
	printed uint64 // number of findings about records that are printed
}

// A findingTotal counts findings about records; findings about the data set if there are no others.
type findingTotal struct {
	Findings uint64 `json:"findings"`
	Values   uint64 `json:"values"`  // number of invalid values in records
	Records  uint64 `json:"records"` // number of records with findings
}

// countOf returns the count of a key, which may be the shared count, and raises its severity.
func (c *counts) countOf(p countKey, severity string) *findingCount {
	n := c.pairs[p]
	if n == nil {
		if n = &c.other; len(c.pairs) < maxPairs && c.names+len(p.feature)+len(p.slice) <= maxNames {
			if c.pairs == nil {
				c.pairs = map[countKey]*findingCount{}
			}
			n = &findingCount{Slice: p.slice, Feature: p.feature, Rule: p.rule, key: p.feature}
			c.pairs[p] = n
			c.names += len(p.feature) + len(p.slice)
		}
	}
	n.raise(severity)
	return n
}

// raise sets the severity of a count to that of a finding, if that is higher.
func (n *findingCount) raise(severity string) {
	if severity == "error" || n.Severity == "" {
		n.Severity = severity
	}
}

// rows returns the separate counts, by descending number of findings.
func (c *counts) rows() []*findingCount {
	all := slices.Collect(maps.Values(c.pairs))
	slices.SortFunc(all, func(a, b *findingCount) int {
		return cmp.Or(cmp.Compare(b.sum().Findings, a.sum().Findings), cmp.Compare(a.Slice, b.Slice), cmp.Compare(a.Feature, b.Feature), cmp.Compare(a.Rule, b.Rule))
	})
	return all
}

// sum returns the total of a count.
func (n *findingCount) sum() findingTotal {
	t := n.findingTotal
	if t.Findings == 0 {
		t.Findings = n.ofData
	}
	return t
}

// sum returns the total of all counts.
func (c *counts) sum() findingTotal {
	t := c.all.findingTotal
	t.Findings = c.other.sum().Findings
	for _, n := range c.pairs {
		t.Findings += n.sum().Findings
	}
	return t
}

// MarshalJSON writes a count with its total. Numbers of values and records are left out for findings about the data
// set.
func (n *findingCount) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Slice    string  `json:"slice,omitempty"`
		Feature  string  `json:"feature"`
		Rule     string  `json:"rule"`
		Severity string  `json:"severity"`
		Findings uint64  `json:"findings"`
		Values   *uint64 `json:"values,omitempty"`
		Records  *uint64 `json:"records,omitempty"`
	}{n.Slice, n.Feature, n.Rule, n.Severity, n.sum().Findings, cli.Known(n.Values, n.Findings > 0), cli.Known(n.Records, n.Findings > 0)})
}

// repeat reports whether a count has more than one finding.
func (c *counts) repeat() bool {
	for _, n := range c.pairs {
		if n.Findings > 1 {
			return true
		}
	}
	return c.other.Findings > 0
}

// maxTableRows is the number of rows in the table of the text format.
const maxTableRows = 100

// table appends a table with a row per count and a last row for all. examined is the number of examined records.
func (c *counts) table(dst []byte, examined uint64) []byte {
	var t cli.Table
	t.Row("feature", "rule", "findings", "records")
	rows, all := c.rows(), c.sum()
	rest := all.Findings
	for _, n := range rows[:min(len(rows), maxTableRows)] {
		records := "-" // findings about the data set
		if n.Findings > 0 {
			records = strconv.FormatUint(n.Records, 10)
		}
		t.Row(n.name(), n.Rule, n.sum().Findings, records)
		rest -= n.sum().Findings
	}
	if rest > 0 {
		more := cli.Plural(int64(len(rows)-min(len(rows), maxTableRows)), "more row")
		if c.other.Findings > 0 {
			more = fmt.Sprintf("more than %d other pairs", len(rows)-maxTableRows)
		}
		t.Row("("+more+")", "", rest, "")
	}
	t.Row("total", "", all.Findings, fmt.Sprintf("%d of %d", all.Records, examined))
	return t.AppendTo(dst)
}

// name returns the feature for messages, with its slice.
func (n *findingCount) name() string {
	switch {
	case n.Feature != "":
		return placeOf(n.Slice) + n.Feature
	case n.Slice != "":
		return placeOf(n.Slice) + "(slice)"
	case n.Records > 0:
		return "(record)"
	}
	return "(data set)"
}

// text returns the number of findings, and of records with findings.
func (t findingTotal) text() string {
	text := cli.Plural(int64(t.Findings), "finding")
	if t.Records > 0 {
		text += " in " + cli.Plural(int64(t.Records), "record")
	}
	return text
}

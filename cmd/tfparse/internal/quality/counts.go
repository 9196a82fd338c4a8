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

// counts are exact numbers of findings by feature and rule, whatever part of the findings is
// printed. Memory is bounded: records may have any number of features that the schema does not
// have, so that pairs beyond maxPairs, or with names beyond maxNames, are counted together.
type counts struct {
	pairs map[pair]*count
	names int   // bytes of the features of pairs
	other count // of the pairs beyond the limits
	all   count
}

const (
	maxPairs = record.MaxPairs
	maxNames = 8 << 20
)

type pair struct{ slice, feature, rule string }

// A count is how many findings a pair of a feature, in a slice or in all of the data, and a rule has.
type count struct {
	Slice         string
	Feature, Rule string
	Severity      string // the highest
	total
	key     string // of the feature, in its slice, for pages
	ofData  uint64 // findings about the data set
	printed uint64 // findings about records that are kept to be printed
}

// A total is how many findings there are about records; where there are none, about the
// data set.
type total struct {
	Findings uint64 `json:"findings"`
	Values   uint64 `json:"values"`  // that break the rule, in records
	Records  uint64 `json:"records"` // that have such a finding
}

// at returns the count of a pair, or of all those beyond the limits.
func (c *counts) at(p pair, severity string) *count {
	n := c.pairs[p]
	if n == nil {
		if n = &c.other; len(c.pairs) < maxPairs && c.names+len(p.feature)+len(p.slice) <= maxNames {
			if c.pairs == nil {
				c.pairs = map[pair]*count{}
			}
			n = &count{Slice: p.slice, Feature: p.feature, Rule: p.rule, key: p.feature}
			c.pairs[p] = n
			c.names += len(p.feature) + len(p.slice)
		}
	}
	n.raise(severity)
	return n
}

// raise notes the severity of a finding.
func (n *count) raise(severity string) {
	if severity == "error" || n.Severity == "" {
		n.Severity = severity
	}
}

// rows are the counts of all pairs: most findings first.
func (c *counts) rows() []*count {
	all := slices.Collect(maps.Values(c.pairs))
	slices.SortFunc(all, func(a, b *count) int {
		return cmp.Or(cmp.Compare(b.sum().Findings, a.sum().Findings), cmp.Compare(a.Slice, b.Slice), cmp.Compare(a.Feature, b.Feature), cmp.Compare(a.Rule, b.Rule))
	})
	return all
}

// sum is the total of a row.
func (n *count) sum() total {
	t := n.total
	if t.Findings == 0 {
		t.Findings = n.ofData
	}
	return t
}

// sum is the total of all rows.
func (c *counts) sum() total {
	t := c.all.total
	t.Findings = c.other.sum().Findings
	for _, n := range c.pairs {
		t.Findings += n.sum().Findings
	}
	return t
}

// MarshalJSON writes a row with its total. Findings about the data set are in no records that are counted.
func (n *count) MarshalJSON() ([]byte, error) {
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

// repeat reports whether a row has more than one finding.
func (c *counts) repeat() bool {
	for _, n := range c.pairs {
		if n.Findings > 1 {
			return true
		}
	}
	return c.other.Findings > 0
}

// tableRows is how many pairs a table for people has.
const tableRows = 100

// table appends a line for each pair, and one for all.
func (c *counts) table(dst []byte, of uint64) []byte {
	var t cli.Table
	t.Row("feature", "rule", "findings", "records")
	rows, all := c.rows(), c.sum()
	rest := all.Findings
	for _, n := range rows[:min(len(rows), tableRows)] {
		records := "-" // of a finding about the data set
		if n.Findings > 0 {
			records = strconv.FormatUint(n.Records, 10)
		}
		t.Row(n.name(), n.Rule, n.sum().Findings, records)
		rest -= n.sum().Findings
	}
	if rest > 0 {
		more := cli.Plural(int64(len(rows)-min(len(rows), tableRows)), "more row")
		if c.other.Findings > 0 {
			more = fmt.Sprintf("more than %d other pairs", len(rows)-tableRows)
		}
		t.Row("("+more+")", "", rest, "")
	}
	t.Row("total", "", all.Findings, fmt.Sprintf("%d of %d", all.Records, of))
	return t.AppendTo(dst)
}

// name names what the findings are about.
func (n *count) name() string {
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

// text says how many findings there are.
func (t total) text() string {
	text := cli.Plural(int64(t.Findings), "finding")
	if t.Records > 0 {
		text += " in " + cli.Plural(int64(t.Records), "record")
	}
	return text
}

package compare

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/validate/report"
)

// print prints the counts, the pairs that were sampled, and what was joined.
func (c *skew) print(out *cli.Output) {
	line := func(format string, args ...any) { out.Buf = fmt.Appendf(out.Buf, format+"\n", args...) }
	var t cli.Table
	t.Row("feature", "base_count", "test_count", "match_count", "mismatch_count", "base_only", "test_only", "diff_count", "diff_rate")
	for _, s := range c.skewer.sorted() {
		t.Row(s.title(), s.of(0), s.of(1), s.match, s.mismatch, s.only[0], s.only[1], s.diff(), fmt.Sprintf("%.6g", s.rate()))
	}
	out.Buf = append(t.AppendTo(out.Buf), '\n')
	for _, s := range c.shown {
		out.Buf = s.appendText(out.Buf)
	}
	if more := c.skewed - int64(len(c.shown)); len(c.shown) > 0 {
		if more > 0 {
			line("and %s that differ; --samples prints them", cli.Plural(more, "more pair"))
		}
		line("")
	}
	m := &c.match
	line("pairs: %d compared, %d differ", c.skewer.pairs, c.skewed)
	line("keys: %d, %d only in BASE, %d only in TEST", m.Identifiers, m.MissingInTest, m.MissingInBase)
	if m.DuplicateIDs > 0 {
		text := ""
		if !c.duplicates {
			text = fmt.Sprintf("; not compared without --allow-duplicate-keys: %s", cli.Plural(m.NotCompared, "pair"))
		}
		line("keys that occur more than once: %d%s", m.DuplicateIDs, text)
	}
	if m.tooMany > 0 {
		line("not compared, as more than %d records have their key: %s", mostOfKey, cli.Plural(m.tooMany, "pair"))
	}
	if m.BaseMissingID+m.TestMissingID > 0 {
		line("records without the key: %d in BASE, %d in TEST", m.BaseMissingID, m.TestMissingID)
	}
	if m.Skipped > 0 {
		line("skipped records: %d", m.Skipped)
	}
	if c.skewer.more > 0 {
		line("more features are not listed: %d times", c.skewer.more)
	}
}

// A skewReport is the JSON form.
type skewReport struct {
	Pairs    int64         `json:"pairs"`
	Skewed   int64         `json:"skewed_pairs"`
	Features []skewFeature `json:"features"`
	More     int64         `json:"more_features"`
	Match    matchStats    `json:"match_stats"`
	Samples  []*recordDiff `json:"samples"`
	Failed   []skewFailure `json:"failed"`

	PassedOver []jsonscan.Name `json:"passed_over,omitempty"`
}

// A skewFeature has the names of TensorFlow Data Validation's FeatureSkew.
type skewFeature struct {
	Part     *string         `json:"part"`
	Name     json.RawMessage `json:"name"`
	Base     int64           `json:"base_count"`
	Test     int64           `json:"test_count"`
	Match    int64           `json:"match_count"`
	BaseOnly int64           `json:"base_only"`
	TestOnly int64           `json:"test_only"`
	Mismatch int64           `json:"mismatch_count"`
	Diff     int64           `json:"diff_count"`
	Rate     float64         `json:"diff_rate"`
	Keys     []skewKey       `json:"keys,omitempty"`
}

// A skewKey is a feature of a column.
type skewKey struct {
	Name json.RawMessage `json:"name"`
	Diff int64           `json:"diff_count"`
}

func (c *skew) report(failed []skewFailure) skewReport {
	r := skewReport{
		Pairs: c.skewer.pairs, Skewed: c.skewed, Features: []skewFeature{}, More: c.skewer.more, Match: c.match,
		Samples: append([]*recordDiff{}, c.shown...), Failed: failed, PassedOver: cli.JSONNames(c.reading.PassedOver),
	}
	for _, s := range c.skewer.sorted() {
		f := skewFeature{jsonPart(s.part), jsonName(s.name, ""), s.of(0), s.of(1), s.match, s.only[0], s.only[1], s.mismatch, s.diff(), s.rate(), nil}
		for i, key := range s.keys {
			f.Keys = append(f.Keys, skewKey{jsonName(key, ""), s.diffs[i]})
		}
		r.Features = append(r.Features, f)
	}
	return r
}

// pageSamples is how many pairs a page has without --samples.
const pageSamples = 20

// page writes the counts and the sampled pairs as a page.
func (c *skew) page(e *cli.Env, failed []skewFailure) error {
	in := &report.Skew{Pairs: uint64(c.skewer.pairs), Differing: uint64(c.skewed), Note: "tfparse skew"}
	var read []string
	for i, side := range c.in {
		files := scan.FileSetOf(side)
		in.Sides[i], in.Sizes[i] = files.Title(), files.SizeText()
		read = append(read, scan.Names(side)...)
	}
	in.Title = "Skew between " + in.Sides[0] + " and " + in.Sides[1]
	for i, s := range c.skewer.sorted() {
		in.Features = append(in.Features, report.SkewFeature{
			Name: s.title(), Base: uint64(s.of(0)), Test: uint64(s.of(1)), Match: uint64(s.match), Mismatch: uint64(s.mismatch),
			BaseOnly: uint64(s.only[0]), TestOnly: uint64(s.only[1]), Failed: i < len(failed), // both have the same order
		})
	}
	if c.given("fail-above") && c.skewer.pairs == 0 {
		in.Failed = append(in.Failed, "no record of one side has the key of a record of the other")
	}
	if len(failed) > 0 {
		in.Failed = append(in.Failed, fmt.Sprintf("%s above --fail-above %v", cli.Plural(int64(len(failed)), "feature"), c.above))
	}
	m := &c.match
	in.Facts = []report.SkewFact{{Name: "Keys", Count: uint64(m.Identifiers)}, {Name: "Only in A", Count: uint64(m.MissingInTest)}, {Name: "Only in B", Count: uint64(m.MissingInBase)}}
	for _, f := range []report.SkewFact{
		{Name: "Keys that occur more than once", Count: uint64(m.DuplicateIDs)}, {Name: "Pairs not compared", Count: uint64(m.NotCompared)},
		{Name: "Records of A without the key", Count: uint64(m.BaseMissingID)}, {Name: "Records of B without the key", Count: uint64(m.TestMissingID)},
		{Name: "Skipped records", Count: uint64(m.Skipped)}, {Name: "Features not listed", Count: uint64(c.skewer.more)},
	} {
		if f.Count > 0 {
			in.Facts = append(in.Facts, f)
		}
	}
	for _, s := range c.shown {
		sample := report.SkewSample{Key: *s.Key, Places: [2]string{s.A.address(), s.B.address()}}
		for _, text := range s.texts {
			sample.Changes = append(sample.Changes, text.line())
		}
		in.Samples = append(in.Samples, sample)
	}
	out, err := e.Create(c.output, append(read, c.spec)...)
	if err != nil {
		return err
	}
	b := bytes.NewBuffer(out.Buf)
	err = report.WriteSkew(b, in)
	out.Buf = b.Bytes()
	return out.Finish(err)
}

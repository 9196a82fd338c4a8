package compare

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// title is the feature of a count.
func (s *skewCount) title() string {
	ch := change{what: s.what, part: s.part, example: -1, name: []byte(s.name)}
	return ch.title()
}

// print prints the counts, the pairs that were sampled, and what was joined.
func (c *skew) print(out *cli.Output) {
	line := func(format string, args ...any) { out.Buf = fmt.Appendf(out.Buf, format+"\n", args...) }
	line("feature\tbase_count\ttest_count\tmatch_count\tmismatch_count\tbase_only\ttest_only\tdiff_count\tdiff_rate")
	for _, s := range c.skewer.all() {
		line("%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s", s.title(), s.of(0), s.of(1), s.match, s.mismatch, s.only[0], s.only[1], s.diff(), strconv.FormatFloat(s.rate(), 'g', 6, 64))
	}
	line("")
	for _, s := range c.shown {
		line("%s %s (%s)", address(*s.A), address(*s.B), *s.Key)
		for _, change := range s.lines {
			line("  %s", change)
		}
	}
	if more := c.skewed - int64(len(c.shown)); len(c.shown) > 0 {
		if more > 0 {
			line("and %s that differ; --samples prints them", cli.Plural(more, "more pair"))
		}
		line("")
	}
	g := &c.groups
	line("pairs: %d compared, %d differ", c.skewer.pairs, c.skewed)
	line("keys: %d, %d only in BASE, %d only in TEST", g.keys, g.missing[1], g.missing[0])
	if g.repeated > 0 {
		line("keys that occur more than once: %d%s", g.repeated, c.skippedText())
	}
	if g.uncompared > 0 {
		line("not compared, as more than %d records have their key: %s", mostOfKey, cli.Plural(g.uncompared, "pair"))
	}
	if c.keyless[0]+c.keyless[1] > 0 {
		line("records without the key: %d in BASE, %d in TEST", c.keyless[0], c.keyless[1])
	}
	if c.uncompared > 0 {
		line("skipped records: %d", c.uncompared)
	}
	if c.skewer.more > 0 {
		line("more features are not listed: %d times", c.skewer.more)
	}
}

// skippedText says how many pairs are not compared because their key is repeated.
func (c *skew) skippedText() string {
	if c.duplicates {
		return ""
	}
	return fmt.Sprintf("; not compared without --allow-duplicate-keys: %s", cli.Plural(c.groups.skipped, "pair"))
}

// A skewReport is the JSON form.
type skewReport struct {
	Pairs    int64         `json:"pairs"`
	Skewed   int64         `json:"skewed_pairs"`
	Features []skewFeature `json:"features"`
	More     int64         `json:"more_features"`
	Match    matchStats    `json:"match_stats"`
	Samples  []skewSample  `json:"samples"`
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

// matchStats has the names of TensorFlow Data Validation's MatchStats.
type matchStats struct {
	BaseWithID    int64 `json:"base_with_id_count"`
	TestWithID    int64 `json:"test_with_id_count"`
	Identifiers   int64 `json:"identifiers_count"`
	MissingInBase int64 `json:"ids_missing_in_base_count"`
	MissingInTest int64 `json:"ids_missing_in_test_count"`
	MatchingPairs int64 `json:"matching_pairs_count"`
	BaseMissingID int64 `json:"base_missing_id_count"`
	TestMissingID int64 `json:"test_missing_id_count"`
	DuplicateIDs  int64 `json:"duplicate_id_count"`

	NotCompared int64 `json:"pairs_not_compared"`
	Skipped     int64 `json:"skipped_records"`
}

func (c *skew) report(failed []skewFailure) skewReport {
	g := &c.groups
	r := skewReport{
		Pairs: c.skewer.pairs, Skewed: c.skewed, Features: []skewFeature{}, More: c.skewer.more,
		Match: matchStats{g.with[0], g.with[1], g.keys, g.missing[0], g.missing[1], g.matching, c.keyless[0], c.keyless[1], g.repeated,
			g.skipped + g.uncompared, c.uncompared},
		Samples: append([]skewSample{}, c.shown...), Failed: failed, PassedOver: cli.JSONNames(c.reading.PassedOver),
	}
	for _, s := range c.skewer.all() {
		f := skewFeature{cli.Known(s.part.String(), s.part != summary.Top), jsonscan.AppendName(nil, []byte(s.name)),
			s.of(0), s.of(1), s.match, s.only[0], s.only[1], s.mismatch, s.diff(), s.rate(), nil}
		for i, key := range s.keys {
			f.Keys = append(f.Keys, skewKey{jsonscan.AppendName(nil, []byte(key)), s.diffs[i]})
		}
		r.Features = append(r.Features, f)
	}
	return r
}

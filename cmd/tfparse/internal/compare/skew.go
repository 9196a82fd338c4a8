package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/validate/report"
)

// Skew returns the verb skew, which compares the features of records with the same key.
func Skew() *cli.Command {
	c := &skew{joiner: joiner{memory: 256 << 20}}
	return &cli.Command{
		Name: "skew",
		Flags: func(fs *pflag.FlagSet) {
			cli.FeaturesVar(fs, &c.key, "by", "pair records with the same values of these `FEATURES`, as a,b")
			c.filter.AddDrop(fs, "do not compare these `FEATURES` or columns, as a,b*")
			fs.Var(cli.Number(&c.digits, 0, 40), "round-digits", "round floats, those of keys too, to `N` decimals")
			cli.NonNegativeVar(fs, &c.equality.tolerance, "tolerance", "floats that differ by at most `X` are equal")
			cli.NonNegativeVar(fs, &c.equality.relative, "relative-tolerance", "or by at most the share `R` of the larger one")
			fs.BoolVar(&c.duplicates, "allow-duplicate-keys", false, "compare each record of a key with each")
			scan.SpecVar(fs, &c.spec, "compare ragged and sparse columns of `SPEC` as a whole")
			cli.NumberVar(fs, &c.samples, "samples", 0, 0, "print `N` pairs that differ")
			cli.NonNegativeVar(fs, &c.above, "fail-above", "exit code 1 if a feature differs in more than `RATE` of pairs")
			fs.TextVar(&c.memory, "memory", &c.memory, "sort in `SIZE` bytes of memory")
			scan.MessageVar(fs, &c.typ)
			cli.OutputVar(fs, &c.output, "also write a page to `FILE`.html; - is standard output")
			cli.FormatVar(fs, &c.format)
			cli.JobsVar(fs, &c.jobs, "work with `N` goroutines")
			c.reading.Add(fs)
			c.reading.AddMissingFeatures(fs)
			c.reading.AddCSV(fs, "tfrecord")
			c.given = fs.Changed
		},
		Run: c.run,
	}
}

// A skew holds the flags and the state of one run of the verb.
type skew struct {
	joiner
	key        cli.NameList           // --by; the parsed names are joiner.keys
	filter     scan.FeatureFilter     // --drop
	digits     int                    // --round-digits
	equality   equality               // the two tolerances are flags; prepare sets the rest
	duplicates bool                   // --allow-duplicate-keys
	spec       string                 // --spec: name of a file; "": none
	samples    int64                  // --samples
	above      float64                // --fail-above
	format     cli.Format             // --format
	output     string                 // -o: name of a page; "" or "-": no page
	given      func(flag string) bool // reports whether the command line has a flag

	match    matchStats    // counted by comparePairs; run adds the counts of the joiner
	skewer   *skewer       // compares and counts the pairs; set by prepare
	skewed   int64         // pairs that differ
	maxShown int64         // limit of shown
	shown    []*recordDiff // the first pairs that differ
}

// matchStats counts keys and pairs. Its names are those of TensorFlow Data Validation's MatchStats.
type matchStats struct {
	BaseWithID    int64 `json:"base_with_id_count"`
	TestWithID    int64 `json:"test_with_id_count"`
	Identifiers   int64 `json:"identifiers_count"`
	MissingInBase int64 `json:"ids_missing_in_base_count"`
	MissingInTest int64 `json:"ids_missing_in_test_count"`
	MatchingPairs int64 `json:"matching_pairs_count"` // duplicate keys included
	BaseMissingID int64 `json:"base_missing_id_count"`
	TestMissingID int64 `json:"test_missing_id_count"`
	DuplicateIDs  int64 `json:"duplicate_id_count"` // keys that occur more than once on one side

	NotCompared int64 `json:"pairs_not_compared"`
	Skipped     int64 `json:"skipped_records"`

	duplicateLimit int64 // part of NotCompared: pairs beyond maxRefsPerKey records of a key
}

// addGroup counts the records of one key, and adds the pairs to compare to pairs.
func (m *matchStats) addGroup(g *keyGroup, duplicates bool, pairs *pairList) {
	base, test := &g.all[0], &g.all[1]
	m.Identifiers++
	m.BaseWithID += base.n
	m.TestWithID += test.n
	m.MissingInBase += int64(boolIndex(base.n == 0))
	m.MissingInTest += int64(boolIndex(test.n == 0))
	m.MatchingPairs += base.n * test.n
	if base.n > 1 || test.n > 1 {
		m.DuplicateIDs++
		if !duplicates {
			m.NotCompared += base.n * test.n
			return
		}
	}
	for i := range base.first {
		for k := range test.first {
			pairs.addPair(&base.first[i], &test.first[k])
		}
	}
	left := base.n*test.n - int64(len(base.first))*int64(len(test.first))
	m.NotCompared += left
	m.duplicateLimit += left
}

func (c *skew) run(e *cli.Env, args []string) error {
	if err := c.check(args); err != nil {
		return err
	}
	both, err := c.expand(e, args)
	if err != nil {
		return err
	}
	if err := c.typeCSV(e); err != nil {
		return err
	}
	if err := c.prepare(e, both); err != nil {
		return err
	}
	if err := c.reading.InferTypes(e, both); err != nil {
		return err
	}
	if err := c.comparePairs(); err != nil {
		return err
	}
	c.ignored.LookAtColumns(both)
	if err := c.reading.MissingFeatures(e, false, c.ignored.Texts()); err != nil {
		return err
	}
	c.match.BaseMissingID, c.match.TestMissingID, c.match.Skipped = c.withoutKey[0], c.withoutKey[1], c.uncompared
	out := e.Report()
	out.Answer = true
	failed := []skewFailure{}
	if c.given("fail-above") {
		failed = c.failedFeatures(e)
	}
	if cli.IsFile(c.output) {
		if err := c.page(e, failed); err != nil {
			return out.Finish(err)
		}
		c.shown = c.shown[:min(int64(len(c.shown)), int64(c.samples))]
	}
	if c.format == cli.FormatJSON {
		out.JSON(c.report(failed))
	} else {
		c.print(out)
	}
	return out.Finish(nil)
}

// check checks the command line.
func (c *skew) check(args []string) error {
	switch {
	case len(args) != 2:
		return cli.Usagef("want two data sets, got %s", cli.Plural(int64(len(args)), "argument"))
	case len(c.key) == 0:
		return cli.Usagef("--by: want the features that pair the records")
	case c.above > 1: // such as 5 for 5%, which no data set would exceed
		return cli.Usagef("--fail-above %v: want a rate of 0 to 1", c.above)
	}
	if err := cli.CheckPage(c.output); err != nil {
		return err
	}
	if c.maxShown = c.samples; cli.IsFile(c.output) && !c.given("samples") {
		c.maxShown = pageSamples
	}
	if err := c.parseKeys("by", c.key); err != nil {
		return err
	}
	_, err := c.filter.List(nil)
	return err
}

// prepare sets the skewer for the inputs of both sides.
func (c *skew) prepare(e *cli.Env, both []scan.Input) error {
	dropped, err := c.reading.FilterFeatures(e, both, &c.filter)
	if err != nil {
		return err
	}
	c.equality.rounding = rounding{c.given("round-digits"), c.digits}
	c.equality.hasTolerance = c.given("tolerance") || c.given("relative-tolerance")
	c.keyRounding = c.equality.rounding
	c.withoutKey = &[2]int64{}
	c.skewer = newSkewer(c.equality, c.keys, dropped)
	if c.spec, err = scan.AutoSpec(e, c.spec, c.args); err != nil {
		return err
	}
	if c.spec != "" {
		parser, err := scan.NewParser(c.spec, nil, &feature.ParserOptions{})
		if err != nil {
			return err
		}
		if err := scan.CheckType(c.typ, parser); err != nil {
			return err
		}
		c.typ = parser.Message()
		printed, err := scan.PrintedNames(c.spec)
		if err != nil {
			return err
		}
		c.skewer.addColumns(parser.Spec(), printed)
	}
	c.ignored = scan.NewFeatureSearch("--drop")
	for _, item := range dropped.All() {
		if len(item.MatchesOf(c.skewer.columns)) == 0 {
			c.ignored.AddItem(item)
		}
	}
	return nil
}

// typeCSV sets the kinds of CSV columns. If only one side is CSV, each column gets the kind that its feature
// has in the first records of the other side: in records, 3 and 3.0 are different kinds.
func (c *skew) typeCSV(e *cli.Env) error {
	var isCSV [2]bool
	for side, in := range c.in {
		isCSV[side] = slices.ContainsFunc(in, func(i scan.Input) bool { return i.Table != nil })
	}
	if isCSV[0] == isCSV[1] {
		return nil
	}
	first := &statsource.FirstRecords{}
	src, err := c.reading.Open(e, c.in[boolIndex(isCSV[0])], &scan.Options{Type: c.typ})
	if err == nil {
		err = src.First(math.MaxInt, first.Look)
		src.Close()
	}
	if err != nil || first.Counted == nil {
		return err
	}
	list, err := first.Counted.Statistics()
	if err != nil {
		return err
	}
	c.reading.Prefer(statsource.KindsOfStatistics(list))
	return nil
}

// comparePairs pairs the records by key and compares each pair.
func (c *skew) comparePairs() error {
	pairs := c.newPairList()
	defer pairs.close()
	if err := c.eachKey(func(g *keyGroup) { c.match.addGroup(g, c.duplicates, pairs) }); err != nil {
		return err
	}
	return pairs.eachPair(func(_ int64, a, b *pairedRecord) error {
		skewed, err := c.skewer.addPair(a, b)
		if err != nil || !skewed {
			return err
		}
		if c.skewed++; c.skewed <= c.maxShown {
			c.shown = append(c.shown, c.skewer.describe(a, b, c.keys, c.skewer.differs))
		}
		return nil
	})
}

// A skewFailure is a feature that differs too often.
type skewFailure struct {
	Part *string         `json:"part"`
	Name json.RawMessage `json:"name"`
	Rate float64         `json:"diff_rate"`
}

// failedFeatures returns the features that differ in more than --fail-above of the pairs. If there is one, or
// no pair at all, it sets the exit code and prints the reason on standard error.
func (c *skew) failedFeatures(e *cli.Env) []skewFailure {
	failed := []skewFailure{}
	var lines []string
	if c.skewer.pairs == 0 {
		e.Raise(cli.ExitNegative)
		e.Console.Print("no key occurs on both sides")
	}
	for _, s := range c.skewer.sorted() {
		if !(s.rate() > c.above) {
			break
		}
		failed = append(failed, skewFailure{jsonPart(s.part), jsonName(s.name, ""), s.rate()})
		lines = append(lines, fmt.Sprintf("%s: differs in %d of %s: %.6g is above %v", s.title(), s.diff(), cli.Plural(s.match+s.diff(), "pair"), s.rate(), c.above))
	}
	e.Failed("", lines)
	return failed
}

// print prints the counts by feature, the sampled pairs, and the counts of keys and pairs.
func (c *skew) print(out *cli.Output) {
	var t cli.Table
	t.Row("feature", "base_count", "test_count", "match_count", "mismatch_count", "base_only", "test_only", "diff_count", "diff_rate")
	for _, s := range c.skewer.sorted() {
		t.Row(s.title(), s.presentIn(0), s.presentIn(1), s.match, s.mismatch, s.only[0], s.only[1], s.diff(), fmt.Sprintf("%.6g", s.rate()))
	}
	out.Buf = append(t.AppendTo(out.Buf), '\n')
	for _, s := range c.shown {
		out.Buf = s.appendText(out.Buf)
	}
	if more := c.skewed - int64(len(c.shown)); len(c.shown) > 0 {
		if more > 0 {
			out.Line("and %s that differ; --samples prints them", cli.Plural(more, "more pair"))
		}
		out.Line("")
	}
	m := &c.match
	out.Line("pairs: %d compared, %d differ", c.skewer.pairs, c.skewed)
	out.Line("keys: %d, %d only in BASE, %d only in TEST", m.Identifiers, m.MissingInTest, m.MissingInBase)
	if m.DuplicateIDs > 0 {
		text := ""
		if !c.duplicates {
			text = fmt.Sprintf("; not compared without --allow-duplicate-keys: %s", cli.Plural(m.NotCompared, "pair"))
		}
		out.Line("keys that occur more than once: %d%s", m.DuplicateIDs, text)
	}
	if m.duplicateLimit > 0 {
		out.Line("not compared (over %d records per key): %s", maxRefsPerKey, cli.Plural(m.duplicateLimit, "pair"))
	}
	if m.BaseMissingID+m.TestMissingID > 0 {
		out.Line("records without the key: %d in BASE, %d in TEST", m.BaseMissingID, m.TestMissingID)
	}
	if m.Skipped > 0 {
		out.Line("skipped records: %d", m.Skipped)
	}
	if c.skewer.unlisted > 0 {
		out.Line("more features are not listed: %d times", c.skewer.unlisted)
	}
}

// A skewReport is the JSON output.
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

// A skewFeature counts pairs by one feature. Its names are those of TensorFlow Data Validation's FeatureSkew.
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

// A skewKey counts pairs by one feature of a column.
type skewKey struct {
	Name json.RawMessage `json:"name"`
	Diff int64           `json:"diff_count"`
}

func (c *skew) report(failed []skewFailure) skewReport {
	r := skewReport{
		Pairs: c.skewer.pairs, Skewed: c.skewed, Features: []skewFeature{}, More: c.skewer.unlisted, Match: c.match,
		Samples: append([]*recordDiff{}, c.shown...), Failed: failed, PassedOver: cli.JSONNames(c.reading.PassedOver),
	}
	for _, s := range c.skewer.sorted() {
		f := skewFeature{jsonPart(s.part), jsonName(s.name, ""), s.presentIn(0), s.presentIn(1), s.match, s.only[0], s.only[1], s.mismatch, s.diff(), s.rate(), nil}
		for i, key := range s.keys {
			f.Keys = append(f.Keys, skewKey{jsonName(key, ""), s.diffs[i]})
		}
		r.Features = append(r.Features, f)
	}
	return r
}

// pageSamples is the number of sampled pairs on a page without --samples.
const pageSamples = 20

// page writes the counts and the sampled pairs as an HTML page.
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
			Name: s.title(), Base: uint64(s.presentIn(0)), Test: uint64(s.presentIn(1)), Match: uint64(s.match), Mismatch: uint64(s.mismatch),
			BaseOnly: uint64(s.only[0]), TestOnly: uint64(s.only[1]), Failed: i < len(failed), // both have the same order
		})
	}
	if c.given("fail-above") && c.skewer.pairs == 0 {
		in.Failed = append(in.Failed, "no key occurs on both sides")
	}
	if len(failed) > 0 {
		in.Failed = append(in.Failed, fmt.Sprintf("%s above --fail-above %v", cli.Plural(int64(len(failed)), "feature"), c.above))
	}
	m := &c.match
	in.Facts = []report.SkewFact{{Name: "Keys", Count: uint64(m.Identifiers)}, {Name: "Only in A", Count: uint64(m.MissingInTest)}, {Name: "Only in B", Count: uint64(m.MissingInBase)}}
	for _, f := range []report.SkewFact{
		{Name: "Keys that occur more than once", Count: uint64(m.DuplicateIDs)}, {Name: "Pairs not compared", Count: uint64(m.NotCompared)},
		{Name: "Records of A without the key", Count: uint64(m.BaseMissingID)}, {Name: "Records of B without the key", Count: uint64(m.TestMissingID)},
		{Name: "Skipped records", Count: uint64(m.Skipped)}, {Name: "Features not listed", Count: uint64(c.skewer.unlisted)},
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

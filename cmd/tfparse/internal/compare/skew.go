package compare

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/summary"
	"github.com/tfparse/tfparse/feature"
	"github.com/tfparse/tfparse/internal/jsonscan"
)

// Skew compares the features of records that have the same key.
func Skew() *cli.Command {
	c := &skew{joiner: joiner{memory: 256 << 20}}
	return &cli.Command{
		Name:  "skew",
		Args:  "BASE TEST",
		Short: "compare the features of records with the same key",
		Long: `
Pair the records of two data sets that have the same values of the features --key,
wherever they stand, and count for every other feature in how many pairs it is the
same: the feature skew of TensorFlow Data Validation (DetectFeatureSkew), whose names
the counts have. One line is printed for each feature, those that differ most often
first, with tabs between the columns:

feature         its name, behind "context:", "feature_lists:" or "examples:" in
                other messages than Examples
base_count      pairs in which the record of BASE has values of it
test_count      pairs in which the record of TEST has
match_count     pairs in which both have the same values, or none
mismatch_count  pairs in which both have values, but not the same
base_only       pairs in which only the record of BASE has values
test_only       pairs in which only the record of TEST has
diff_count      mismatch_count + base_only + test_only
diff_rate       diff_count by match_count + diff_count

Floats are compared by their bits, unless --round-digits, --tolerance or
--relative-tolerance is given; of the tolerances the larger one counts. With any of
them, which may be 0, 0 and -0 are the same. With
--spec a ragged or sparse column is one feature: its values and its row partitions,
or its indices, must agree, and JSON has the number of pairs in which each of them
differs. A feature list, and a feature of the examples of an ExampleListWithContext,
is the same if all steps or examples are. A feature that is empty on one side and absent on
the other does not differ, and is counted nowhere.

A feature of the key without values is a missing key: such records are only counted.
A feature of the key that no record of a side has is an error.
Records whose key occurs more than once in BASE or in TEST are only counted too, unless
--allow-duplicate-keys is given: then each of BASE is compared with each of TEST, of
up to 1,024 each. --samples N prints N of the pairs that differ, with the features that
do. -o FILE.html also writes a page with the counts, and as many pairs, or 20. They are chosen by a hash of the key: the choice is random, and the same each time.

With --fail-above RATE a feature with a diff_rate above it is exit code 1, and so is
an answer without any pair; a line on standard error has each such feature.

Both sides are read twice and sorted in --memory, and beyond that in a file in the
directory for temporary files, as diff --by does; so no side can be standard input.

CSV is read as tfparse stats --help describes, but a column has the type that the
feature has in the first 100 records of the other side, if all of its cells can be
read so; if that side is CSV too, and has floats in the column, there are no integers,
and if it has numbers with leading zeros, there are strings.`,
		Examples: []string{
			"tfparse skew --key title testdata/recipes.tfrecord testdata/recipes.tfrecord",
			"tfparse skew --key title -o skew.html testdata/recipes.tfrecord testdata/recipes.tfrecord",
			"tfparse skew --key title --spec testdata/recipes.spec.json --fail-above 0.01 --samples 3 testdata/recipes.tfrecord testdata/recipes.tfrecord",
		},
		Negative: "with --fail-above, a feature differs in a larger share of the pairs, or there are no pairs",
		Flags: func(fs *pflag.FlagSet) {
			fs.Var(&c.key, "key", "pair records with the same values of the features `NAMES`")
			fs.Var(&c.ignore, "ignore", "do not compare the features or columns `NAMES`")
			fs.IntVar(&c.digits, "round-digits", 0, "round floats to `N` digits behind the point, those of keys too, before they are compared")
			cli.NonNegativeVar(fs, &c.close.tolerance, "tolerance", "floats that differ by at most `X` are the same")
			cli.NonNegativeVar(fs, &c.close.relative, "relative-tolerance", "floats that differ by at most the share `R` of the larger one are the same")
			fs.BoolVar(&c.duplicates, "allow-duplicate-keys", false, "compare each record of a key with each")
			scan.SpecVar(fs, &c.spec, "compare the ragged and sparse columns of the spec `FILE` as one feature each")
			fs.TextVar(&c.samples, "samples", cli.Natural(0), "print `N` pairs that differ")
			cli.NonNegativeVar(fs, &c.above, "fail-above", "exit with 1 if a feature differs in more than the share `RATE` of the pairs")
			fs.TextVar(&c.memory, "memory", &c.memory, "sort in `SIZE` bytes of memory")
			scan.MessageVar(fs, &c.typ)
			cli.OutputVar(fs, &c.output, "also write a page to `FILE`.html; - prints the report")
			cli.FormatVar(fs, &c.format)
			cli.JobsVar(fs, &c.jobs, "work with `N` goroutines")
			c.reading.Add(fs, "compression")
			c.reading.AddMissingFeatures(fs)
			c.reading.AddCSV(fs, "tfrecord")
			c.given = fs.Changed
		},
		Run: c.run,
	}
}

type skew struct {
	joiner
	key, ignore cli.NameList
	digits      int
	close       closeness
	duplicates  bool
	spec        string
	samples     cli.Natural
	above       float64
	format      cli.Format
	output      string
	given       func(flag string) bool

	groups keyGroups
	skewer *skewer
	skewed int64 // pairs that differ
	keep   int64 // of them, that are kept as samples
	shown  []skewSample
}

func (c *skew) run(e *cli.Env, args []string) error {
	switch {
	case len(args) != 2:
		return cli.Usagef("want two data sets, got %s", cli.Plural(int64(len(args)), "argument"))
	case len(c.key) == 0:
		return cli.Usagef("--key: want the features whose values pair the records")
	case c.digits < 0 || c.digits > 40:
		return cli.Usagef("--round-digits %d: want 0 to 40", c.digits)
	case c.above > 1: // as 5 for 5%: it would pass whatever the data are
		return cli.Usagef("--fail-above %v: want a rate of 0 to 1", c.above)
	}
	if err := cli.CheckPage(c.output); err != nil {
		return err
	}
	if c.keep = int64(c.samples); cli.IsFile(c.output) && !c.given("samples") {
		c.keep = pageSamples
	}
	if err := cli.CheckJobs(c.jobs); err != nil {
		return err
	}
	if err := c.parseKeys("key", c.key); err != nil {
		return err
	}
	ignore := c.keys
	for _, printed := range c.ignore {
		name, err := jsonscan.ParseName(printed)
		if err != nil {
			return cli.Usagef("--ignore %s: %v", printed, err)
		}
		ignore = append(ignore, name)
	}
	c.close.rounding = rounding{c.given("round-digits"), c.digits}
	c.close.within = c.given("tolerance") || c.given("relative-tolerance")
	c.exact = c.close.rounding
	c.keyless = &[2]int64{}
	c.skewer = newSkewer(c.close, ignore)
	c.ignored = scan.NewSought("--ignore")
	if c.spec != "" {
		parser, err := scan.NewParser(c.spec, nil, &feature.ParserOptions{})
		if err != nil {
			return err
		}
		if err := scan.CheckType(c.typ, parser); err != nil {
			return err
		}
		c.typ = parser.Message()
		c.skewer.columns(parser.Spec())
	}
	for _, name := range ignore[len(c.keys):] {
		if !c.skewer.column[name] {
			c.ignored.Add(scan.InContext|scan.InLists, name)
		}
	}
	both, err := c.expand(e, args)
	if err != nil {
		return err
	}
	if err := c.typeCSV(e); err != nil {
		return err
	}
	if err := c.reading.With(e, both, &c.walk, c.compare); err != nil {
		return err
	}
	c.ignored.LookAtColumns(both)
	if err := c.reading.MissingFeatures(e, false, c.ignored.Texts()); err != nil {
		return err
	}
	out, err := e.Create("")
	if err != nil {
		return err
	}
	out.Answer = true
	failed := []skewFailure{}
	if c.given("fail-above") {
		failed = c.failed(e)
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

// compare pairs the records and compares them.
func (c *skew) compare() error {
	pairs := c.newKeyPairs()
	defer pairs.close()
	c.groups = keyGroups{duplicates: c.duplicates, pairs: pairs}
	if err := c.eachRef(c.groups.add); err != nil {
		return err
	}
	c.groups.finish()
	return pairs.each(func(a, b *pairedRecord) error {
		skewed, err := c.skewer.compare(a, b)
		if err != nil || !skewed {
			return err
		}
		if c.skewed++; c.skewed <= c.keep {
			c.sample(a, b)
		}
		return nil
	})
}

// sample keeps the texts of a pair that differs, whose forms were made last.
func (c *skew) sample(a, b *pairedRecord) {
	s := skewSample{jsonDifference: jsonDifference{Key: new(string), Changes: []jsonChange{}}}
	*s.Key = c.skewer.keyText(a.typ, c.keys)
	places := [2]recordPlace{c.placeOf(a.ref), c.placeOf(b.ref)}
	s.A, s.B = &places[0], &places[1]
	c.skewer.changes(a.typ, b.typ, func(ch *change) {
		if c.skewer.differs(ch) {
			s.Changes = append(s.Changes, ch.json())
			s.lines = append(s.lines, ch.text())
		}
	})
	c.shown = append(c.shown, s)
}

// A skewSample is a pair that differs.
type skewSample struct {
	jsonDifference
	lines []string // the changes as text
}

// A skewFailure is a feature that differs too often.
type skewFailure struct {
	Part *string         `json:"part"`
	Name json.RawMessage `json:"name"`
	Rate float64         `json:"diff_rate"`
}

// failed makes the answer negative if a feature differs too often, or if there is nothing to compare, and says
// why on standard error.
func (c *skew) failed(e *cli.Env) []skewFailure {
	failed := []skewFailure{}
	var lines []string
	if c.skewer.pairs == 0 {
		e.Raise(cli.ExitNegative)
		e.Console.Print("no record of one side has the key of a record of the other")
	}
	for _, s := range c.skewer.all() {
		if !(s.rate() > c.above) {
			break
		}
		failed = append(failed, skewFailure{cli.Known(s.part.String(), s.part != summary.Top), jsonscan.AppendName(nil, []byte(s.name)), s.rate()})
		lines = append(lines, fmt.Sprintf("%s: differs in %d of %s: %.6g is above %v", s.title(), s.diff(), cli.Plural(s.match+s.diff(), "pair"), s.rate(), c.above))
	}
	e.Failed("", lines)
	return failed
}

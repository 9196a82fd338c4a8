package quality

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/recordscan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/drift"
	"github.com/tfparse/tfparse/validate/stats"
)

// Drift measures how far two data sets are apart.
func Drift() *cli.Command {
	c := &driftOf{gathering: newGathering()}
	return &cli.Command{
		Name:  "drift",
		Args:  "STATS|FILE STATS|FILE",
		Short: "measure the distance between two data sets",
		Long: `
Compare every feature of two data sets by their statistics, and print one line for
each, with tabs between the columns. A column of two sides is "A -> B" if they
differ; a distance that cannot be measured is "-".

feature                its path
type                   int, float, string, bytes or struct; "categorical int"
                       if statistics count numbers as labels
present                share of the examples that have it; in a struct, of the
                       structs
empty                  share of the examples that have it without a value
values                 how many values it has where it is present, on average
l_infinity             largest difference between the shares of a label
normalized_difference  largest difference between the counts of a label, by
                       the sum of all counts
jensen_shannon         Jensen-Shannon divergence of the labels, or of the
                       histograms of the numbers: 0 to 1
presence_difference    difference between the two shares of present
empty_difference       difference between the two shares of empty
label                  the label of l_infinity
note                   "only in the first" (or second), "values only in the
                       first", "type changed"

The divergence of numbers counts NaN, +Inf and -Inf as three values: equal data have
distance 0, and a change of their share is measured. With --compat tfdv they differ
from themselves, as in TensorFlow Data Validation, and there is no empty_difference.
Missing features count in presence_difference only, lists without values in
empty_difference only. The number of empty lists is read from the histogram of the
numbers of values, of ten buckets: it is exact where lists are short or a tenth is
empty, else within 0.05.

With --fail-above N a distance above N is exit code 1, and standard error names the
features and their distances. presence_difference and empty_difference are among
them: a feature that is missing from many examples is drift, even if the remaining
values look as before. So is every note, whatever N is: no distance measures it, and
a model does not read such a feature as before. The right N depends on the data, and
on the number of examples, as two samples of the same data differ too. First measure
two data sets that are known to be good.

STATS is a file of statistics that TensorFlow Data Validation writes or reads:
binary, text, or a TFRecord; the format is detected from its content. For files of
records statistics are computed first. -o writes a page with charts of both data
sets side by side.`,
		Examples: []string{
			"tfparse drift testdata/recipes.tfrecord testdata/recipes.tfrecord",
			"tfparse drift -o report.html testdata/recipes.tfrecord testdata/recipes.tfrecord",
			"tfparse drift --fail-above 0 --format json testdata/recipes.tfrecord testdata/recipes.tfrecord",
		},
		Flags: func(fs *pflag.FlagSet) {
			fs.Float64Var(&c.above, "fail-above", 0, "exit with 1 if a distance is above `N`, or there is a note")
			fs.BoolVar(&c.quantiles, "quantile-histograms", false, "compare numbers by histograms of equal weight, not of equal width")
			cli.OutputVar(fs, &c.output, "also write both data sets side by side to `FILE`.html; - prints the report")
			statsource.CompatVar(fs, &c.compat)
			cli.FormatVar(fs, &c.format)
			c.gathering.add(fs)
			c.gated = func() bool { return fs.Changed("fail-above") }
		},
		Negative: "with --fail-above, a distance is above N, or there is a note",
		Run:      c.run,
	}
}

type driftOf struct {
	gathering
	above     float64
	gated     func() bool // above was given
	quantiles bool
	compat    statsource.Compatibility
	output    string
	format    cli.Format
}

func (c *driftOf) run(e *cli.Env, args []string) error {
	if len(args) != 2 {
		return cli.Usagef("want two data sets, got %d", len(args))
	}
	if cli.IsFile(c.output) && !isPage(c.output) {
		return cli.Usagef("-o %s: a page to look at is .html, and - is standard output", c.output)
	}
	if math.IsNaN(c.above) || c.above < 0 {
		return cli.Usagef("--fail-above %v: want a number that is not negative", c.above)
	}
	if err := c.check(); err != nil {
		return err
	}
	if args[0] == recordscan.Stdin && args[1] == recordscan.Stdin {
		return cli.Usagef("standard input (-) is named twice")
	}
	var lists [2]*pb.DatasetFeatureStatisticsList
	for i, arg := range args {
		in, err := c.reading.Expand(e, []string{arg})
		if err != nil {
			return err
		}
		if lists[i], _, err = statsource.Given(e, in); err != nil {
			return err
		} else if lists[i] != nil {
			continue
		}
		g := c.gatherer(e, stats.Options{TFDV: c.compat.TFDV()})
		if lists[i], err = g.Gather(in, c.typ); err != nil {
			return err
		}
	}
	options := &drift.Options{Quantiles: c.quantiles, Compat: c.compat.TFDV()}
	report, err := drift.Compare(lists[0], lists[1], options)
	if err != nil {
		return err
	}
	if cli.IsFile(c.output) {
		if err := c.page(e, args, lists, options); err != nil {
			return err
		}
	}
	out, err := e.Create("")
	if err != nil {
		return err
	}
	if c.format == cli.FormatJSON {
		out.JSON(report)
	} else {
		c.table(out, report)
	}
	if c.gated() {
		c.failed(e, report.Above(c.above))
	}
	return out.Finish(nil)
}

// failed makes the answer negative if there are features above the threshold, and names them
// with what is above it.
func (c *driftOf) failed(e *cli.Env, above []drift.Feature) {
	const most = 20 // features named
	for i, f := range above {
		e.Raise(cli.ExitNegative)
		if i == most {
			e.Console.Print(fmt.Sprintf("and %s above --fail-above %v", cli.Plural(int64(len(above)-most), "more feature"), c.above))
			return
		}
		var why []string
		if note := driftNote(f); note != "" {
			why = append(why, note)
		}
		for _, d := range f.Distances {
			if !(d.Value > c.above) {
				continue
			}
			text := fmt.Sprintf("%v %.6g is above %v", d.Measure, d.Value, c.above)
			if d.Measure == drift.LInfinity {
				text += fmt.Sprintf(" (label %q)", d.Label)
			}
			why = append(why, text)
		}
		e.Console.Print(fmt.Sprintf("feature %q has drifted: %s", f.Name(), strings.Join(why, ", ")))
	}
}

// table prints a line for each feature, with tabs between the columns.
func (c *driftOf) table(out *cli.Output, report *drift.Report) {
	out.Buf = append(out.Buf, "feature\ttype\tpresent\tempty\tvalues\tl_infinity\tnormalized_difference\tjensen_shannon\tpresence_difference\tempty_difference\tlabel\tnote\n"...)
	for _, f := range report.Features {
		columns := []string{f.Name(), bothSides(f, f.Types), bothSides(f, sixDigits(f.Present)), bothSides(f, sixDigits(f.Empty)), bothSides(f, sixDigits(f.Values)), "-", "-", "-", "-", "-", "", driftNote(f)}
		for _, d := range f.Distances {
			columns[4+d.Measure] = strconv.FormatFloat(d.Value, 'g', 6, 64)
			if d.Measure == drift.LInfinity {
				columns[10] = d.Label
			}
		}
		for i, col := range columns {
			if i > 0 {
				out.Buf = append(out.Buf, '\t')
			}
			out.Buf = append(out.Buf, console.OneLine(col)...)
		}
		out.Buf = append(out.Buf, '\n')
	}
}

// bothSides is what both have in common, or what each has.
func bothSides(f drift.Feature, of [2]string) string {
	if f.Only != 0 {
		of[2-f.Only] = "-"
	}
	if of[0] == of[1] {
		return of[0]
	}
	return of[0] + " -> " + of[1]
}

func sixDigits(of [2]float64) (s [2]string) {
	for i, v := range of {
		s[i] = strconv.FormatFloat(v, 'g', 6, 64)
	}
	return s
}

// driftNote says why no distance applies to a feature.
func driftNote(f drift.Feature) string {
	sides := [...]string{1: "first", 2: "second"}
	switch {
	case f.Only != 0:
		return "only in the " + sides[f.Only]
	case f.OnlyValues != 0:
		return "values only in the " + sides[f.OnlyValues]
	case f.Retyped:
		return "type changed"
	}
	return ""
}

package quality

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/validate/drift"
	"github.com/tfparse/tfparse/validate/report"
	"github.com/tfparse/tfparse/validate/stats"
)

// Drift measures how far two data sets are apart.
func Drift() *cli.Command {
	c := &driftOf{gathering: newGathering()}
	return &cli.Command{
		Name:  "drift",
		Args:  "STATS|FILE STATS|FILE...",
		Short: "measure the distance between data sets",
		Long: `
Compare every feature of two data sets by their statistics. The features with a distance
above the noise are printed, one on a line of up to 100 columns; --all prints the others
after them, and --format json has all figures. More data sets, up to 6 in all, are each
compared with the first one, and JSON has a line for each, with its name as "to".

FEATURE   its path; features that are on one side only or changed their type come
          first, then those with larger distances
TYPE      int, float, string, bytes or struct; "categorical int" if statistics count
          numbers as labels; "A -> B" where the sides differ
PRESENT   share of the examples that have it; in a struct, of the structs
DISTANCE  the largest distance above the noise, else the largest one
NOISE     the level of noise of that distance
NOTE      a change that no distance measures: "only in the first" (or second), "values
          only in the first", "type changed"; the share of empty lists and the average
          number of values, where they changed; the label of l_infinity; the other
          distances above the noise; what jensen_shannon is before its mean by chance is
          taken off, if that is 0.01 or more; "too few values to compare" if a side has
          fewer than 5; and the error of estimated distances

The distances:

l_infinity             largest difference between the shares of a label
normalized_difference  largest difference between the counts of a label, by
                       the sum of all counts
jensen_shannon         Jensen-Shannon divergence of the labels, or of the
                       numbers, less its mean by chance: 0 to 1
population_stability_index
                       population stability index (PSI) of the same, less its
                       mean by chance: from 0
kolmogorov_smirnov     largest difference between the shares of the numbers up
                       to some value: 0 to 1
presence_difference    difference between the two shares of present
empty_difference       difference between the two shares of empty lists

Numbers are divided into at most 20 cells, each with the same share of the numbers of
both sides together, and the shares of each side in the cells are compared; fewer than
40 numbers on a side into fewer cells, with 2 of its numbers or more each. If a side
is statistics, and not records or the output of stats --partial, the shares are
estimated from its histogram of quantiles: the note has the largest error, which is
smaller with more quantiles (stats --quantiles 1000). The divergence of numbers counts
NaN, +Inf and -Inf as three values. Missing features count in presence_difference only,
lists without values in empty_difference only. The number of empty lists is estimated
from the histogram of the numbers of values: it is exact where lists are short or a
tenth is empty, else within 0.05.

Two samples of the same data differ too, small ones more: the mean of that is taken off
jensen_shannon and population_stability_index. In one of a hundred pairs of
such samples, of the same sizes, any distance of any feature is above its noise;
--significance sets another probability. With fewer features the noise of each is lower.

With --fail-above N the exit code is 1 if a distance is above N and above the noise.
A line on standard error, and "failed" in JSON, has each such feature and its
distances. presence_difference and empty_difference are compared too: a feature that is
missing from many examples is drift, even if the remaining values look as before. A
change that no distance measures fails whatever N is, unless the note has "within the
noise": a model does not read such a feature as before.

--fail-above FEATURE=N is the threshold of one feature, by all distances, and
--fail-above DISTANCE=N that of one distance, as kolmogorov_smirnov=0.15, of all other
features. The flag may be repeated, or have commas: --fail-above 0.1,tips=0.2. Without
a plain N, only what is named has a threshold. population_stability_index has a scale
of its own, on which 0.25 is a large change: only a threshold with its name counts.

A timestamp, a date or an ID differs every night: --ignore leaves such features out,
and --features compares only those that it names. A name is that of the table, and that
of a struct stands for all features in it. If no data set has a feature that --features
or --fail-above names, a warning says so, and the exit code is 3 unless 1 or 4 applies.

With --compat tfdv all distances are those of TensorFlow Data Validation: histograms
with different buckets are compared as if their buckets were evenly filled, NaN
differ from themselves, nothing is taken off, and there are no noise, population_stability_index,
kolmogorov_smirnov and empty_difference.

STATS is a file of statistics that TensorFlow Data Validation writes or reads:
binary, text, or a TFRecord; the format is detected from its content. For files of
records statistics are computed first. The outputs of stats --partial are put
together, and so are the shards of statistics, as stats@4. FILE?slice=city=Oslo is the
slice of the records, or of statistics with slices, where city is Oslo. -o writes a
page with charts of all data sets side by side.

CSV is read as tfparse stats --help describes. Except with --compat tfdv, a column has
the type that the feature has in the data sets that are not CSV, if all of its cells can
be read so, and a column that has floats in one data set has no integers in the others,
and one that has numbers with leading zeros in one has strings in all.`,
		Examples: []string{
			"tfparse drift testdata/recipes.tfrecord testdata/recipes.tfrecord",
			"tfparse drift -o report.html testdata/recipes.tfrecord testdata/recipes.tfrecord",
			"tfparse drift --fail-above 0 --format json testdata/recipes.tfrecord testdata/recipes.tfrecord",
		},
		Flags: func(fs *pflag.FlagSet) {
			fs.Var(&c.above, "fail-above", "exit with 1 if a distance is above `N` and above the noise, or a feature is on one side only or changed its type; NAME=N is for one feature or distance")
			fs.Var(&c.features, "features", "compare the features `NAMES` only")
			fs.Var(&c.ignore, "ignore", "do not compare the features `NAMES`")
			fs.Float64Var(&c.significance, "significance", drift.DefaultSignificance, "the noise is what samples of the same data exceed with probability `P`")
			fs.BoolVar(&c.quantiles, "quantile-histograms", false, "with --compat tfdv, compare histograms of equal weight, not of equal width")
			cli.OutputVar(fs, &c.output, "also write the data sets side by side to `FILE`.html; - prints the report")
			statsource.CompatVar(fs, &c.compat)
			fs.BoolVar(&c.all, "all", false, "print the features within the noise, too")
			cli.FormatVar(fs, &c.format)
			c.gathering.add(fs)
			c.gated = func() bool { return fs.Changed("fail-above") }
		},
		Negative: "with --fail-above, a distance is above N and above the noise, or a feature is on one side only or changed its type",
		Run:      c.run,
	}
}

type driftOf struct {
	gathering
	above        thresholds
	features     cli.NameList
	ignore       cli.NameList
	significance float64
	gated        func() bool // above was given
	quantiles    bool
	compat       statsource.Compatibility
	output       string
	all          bool
	format       cli.Format
}

func (c *driftOf) run(e *cli.Env, args []string) error {
	if len(args) < 2 || len(args) > report.MaxSides {
		return cli.Usagef("want 2 to %d data sets, got %d", report.MaxSides, len(args))
	}
	if err := cli.CheckPage(c.output); err != nil {
		return err
	}
	if !(c.significance > 0 && c.significance < 1) {
		return cli.Usagef("--significance %v: want a number between 0 and 1", c.significance)
	}
	if err := c.check(); err != nil {
		return err
	}
	if first := slices.IndexFunc(args, isStdin); first >= 0 && slices.ContainsFunc(args[first+1:], isStdin) {
		return cli.Usagef("standard input (-) is named twice")
	}
	options := drift.Options{Significance: c.significance, Quantiles: c.quantiles, Compat: c.compat.TFDV()}
	if err := c.selected(&options); err != nil {
		return err
	}
	if !c.above.all {
		c.above.All = math.Inf(1)
	}
	sides, err := c.sides(e, args)
	if err != nil {
		return err
	}
	if err := c.misspelt(e, &options, sides); err != nil {
		return err
	}
	var all []comparison
	for i, other := range sides[1:] {
		o := options
		o.Details = [2]*stats.Details{sides[0].Details, other.Details}
		r, err := drift.Compare(sides[0].Statistics, other.Statistics, &o)
		if err != nil {
			return err
		}
		one := comparison{Report: r, Failed: []drift.Failure{}}
		if len(sides) > 2 {
			one.To = jsonscan.Name(args[i+1])
		}
		if c.gated() {
			one.Failed = append(one.Failed, r.Failures(c.above.Thresholds)...)
		}
		all = append(all, one)
	}
	if len(c.features)+len(c.ignore) > 0 && !slices.ContainsFunc(all, func(one comparison) bool { return len(one.Features) > 0 }) {
		return cli.Usagef("--features and --ignore leave no feature to compare") // the answer would be good whatever the data are
	}
	if cli.IsFile(c.output) {
		if err := c.page(e, args, sides, &options); err != nil {
			return err
		}
	}
	out, err := e.Create("")
	if err != nil {
		return err
	}
	for _, one := range all {
		if c.format == cli.FormatJSON {
			out.JSON(one)
		} else {
			c.print(out, one)
		}
		place := ""
		if one.To != "" {
			place = "to " + string(one.To) + ": "
		}
		e.Failed(place, failedLines(one.Failed))
	}
	return out.Finish(nil)
}

// A comparison is what was measured between the first data set and another one.
type comparison struct {
	To jsonscan.Name `json:"to,omitempty"` // the other one, if there are several
	*drift.Report
	Failed []drift.Failure `json:"failed"`
}

// isStdin reports whether an argument names standard input, or a slice of it.
func isStdin(arg string) bool { return fileOf(arg) == scan.Stdin }

// nameOf is what measures are called in sentences.
var nameOf = map[drift.Measure]string{
	drift.LInfinity: "L-infinity", drift.NormalizedDifference: "normalized difference", drift.JensenShannon: "Jensen-Shannon", drift.KolmogorovSmirnov: "Kolmogorov-Smirnov",
	drift.Presence: "presence difference", drift.Emptiness: "empty difference", drift.PopulationStability: "population stability index",
}

// Widths of the table, in columns.
const (
	driftWidth = 100
	nameWidth  = 30
)

// print prints a line for each feature, those above the noise first.
func (c *driftOf) print(out *cli.Output, of comparison) {
	if of.To != "" {
		out.Buf = append(out.Buf, "to "+console.OneLine(string(of.To))+":\n"...)
	}
	var above, within []drift.Feature
	for _, f := range of.Features {
		if f.Note() != "" && !f.ByChance || slices.ContainsFunc(f.Distances, func(d drift.Distance) bool { return d.AboveNoise }) {
			above = append(above, f)
		} else {
			within = append(within, f)
		}
	}
	shown, hint := above, ""
	if c.all {
		shown = slices.Concat(above, within)
	} else if len(within) > 0 {
		hint = "; --all shows the others"
	}
	t := cli.Table{Width: driftWidth}
	for i, f := range shown {
		if i == 0 {
			t.Row("FEATURE", "TYPE", "PRESENT", "DISTANCE", "NOISE", "NOTE")
		}
		distance, noise, note := c.distancesOf(f)
		t.Row(cli.Shorten(f.Name(), nameWidth), bothSides(f, f.Types), bothSides(f, shortNumbers(f.Present)), distance, noise, note)
	}
	out.Buf = t.AppendTo(out.Buf)
	label := "features above the noise"
	if c.compat.TFDV() {
		label = "features that differ"
	}
	out.Buf = fmt.Appendf(out.Buf, "%s: %d of %d%s\n", label, len(above), len(of.Features), hint)
}

// distancesOf returns the largest distance, above the noise if one is, its noise, and the note of a feature.
func (c *driftOf) distancesOf(f drift.Feature) (distance, noise, note string) {
	all := slices.DeleteFunc(slices.Clone(f.Distances), func(d drift.Distance) bool { return !d.AboveNoise })
	if largest := f.Largest(); len(all) == 0 && largest.Measure != 0 {
		all = append(all, largest)
	}
	rank := func(d drift.Distance) float64 { // PSI has a scale of its own
		if d.Measure == drift.PopulationStability {
			return -1
		}
		return d.Value
	}
	slices.SortStableFunc(all, func(a, b drift.Distance) int { return cmp.Compare(rank(b), rank(a)) })
	distance, noise = "-", "-"
	var notes []string
	if change := changeOf(f); change != "" {
		notes = append(notes, change)
	}
	for _, shares := range []struct {
		name string
		of   [2]float64
	}{{"empty", f.Empty}, {"values", f.Values}} {
		if text := shortNumbers(shares.of); f.Note() == "" && text[0] != text[1] {
			notes = append(notes, shares.name+" "+bothSides(f, text))
		}
	}
	for i, d := range all {
		text := fmt.Sprintf("%v %.3g", d.Measure, d.Value)
		if d.Measure == drift.LInfinity && d.Label != "" {
			notes = append(notes, fmt.Sprintf("label %q", d.Label))
		}
		if i > 0 {
			notes = append(notes, text)
			continue
		}
		distance = text
		if !c.compat.TFDV() {
			noise = fmt.Sprintf("%.3g", d.Noise)
		}
	}
	return distance, noise, strings.Join(append(notes, reservations(f)...), "; ")
}

// changeOf is the change of a feature that no distance measures.
func changeOf(f drift.Feature) string {
	note := f.Note()
	if note != "" && f.ByChance {
		note += ", within the noise"
	}
	return note
}

// reservations say how far the distances of a feature can be trusted.
func reservations(f drift.Feature) (notes []string) {
	if f.TooFew {
		notes = append(notes, "too few values to compare")
	}
	for _, d := range f.Distances {
		if text := d.ChanceText(f.Samples); text != "" && d.Measure == drift.JensenShannon && !f.TooFew {
			notes = append(notes, fmt.Sprintf("%v: %s", d.Measure, text))
		}
	}
	if f.Buckets > 0 {
		text := fmt.Sprintf("from %s", cli.Plural(int64(f.Buckets), "bucket"))
		for _, d := range f.Distances {
			if d.Measure == drift.JensenShannon || d.Measure == drift.KolmogorovSmirnov {
				text += fmt.Sprintf(", %v within %.2g", d.Measure, d.Error)
			}
		}
		notes = append(notes, text)
	}
	return notes
}

// bothSides is what both have in common, or what each has.
func bothSides(f drift.Feature, of [2]string) string {
	if f.Only != 0 {
		of[2-f.Only] = "-"
	}
	for i := range of {
		of[i] = cmp.Or(of[i], "-")
	}
	if of[0] == of[1] {
		return of[0]
	}
	return of[0] + " -> " + of[1]
}

func shortNumbers(of [2]float64) (s [2]string) {
	for i, v := range of {
		s[i] = strconv.FormatFloat(v, 'g', 3, 64)
	}
	return s
}

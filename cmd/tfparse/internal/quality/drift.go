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
		Name: "drift",
		Flags: func(fs *pflag.FlagSet) {
			fs.Var(&c.above, "fail-above", "exit code 1 for distances above `N`, or NAME=N for one")
			c.filter.Add(fs, "compare")
			fs.Float64Var(&c.significance, "significance", drift.DefaultSignificance, "noise is what chance exceeds with probability `P`")
			fs.BoolVar(&c.quantiles, "quantile-histograms", false, "with --compat tfdv: histograms of equal weight")
			cli.OutputVar(fs, &c.output, "also write a page to `FILE`.html; - is standard output")
			statsource.CompatVar(fs, &c.compat)
			fs.BoolVar(&c.all, "all", false, "print the features within the noise, too")
			cli.FormatVar(fs, &c.format)
			c.gathering.add(fs)
			c.gated = func() bool { return fs.Changed("fail-above") }
		},
		Run: c.run,
	}
}

type driftOf struct {
	gathering
	above        thresholds
	filter       scan.FeatureFilter
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
	if _, err := c.filter.List(nil); err != nil {
		return err
	}
	if !c.above.all {
		c.above.All = math.Inf(1)
	}
	sides, err := c.sides(e, args)
	if err != nil {
		return err
	}
	if err := c.selected(e, &options, sides); err != nil {
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
	if c.filter.Given() && !slices.ContainsFunc(all, func(one comparison) bool { return len(one.Features) > 0 }) {
		return cli.Usagef("--select and --drop leave no feature to compare") // the answer would be good whatever the data are
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

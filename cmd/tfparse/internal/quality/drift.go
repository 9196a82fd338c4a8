package quality

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/console"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/jsonscan"
	"github.com/tfparse/tfparse/validate/drift"
	"github.com/tfparse/tfparse/validate/report"
	"github.com/tfparse/tfparse/validate/stats"
)

// Drift returns the verb drift, which measures the distances between data sets.
func Drift() *cli.Command {
	c := &driftCommand{gathering: newGathering()}
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

// A driftCommand holds the flags of drift.
type driftCommand struct {
	gathering
	above        thresholds               // --fail-above
	filter       scan.FeatureFilter       // --select and --drop
	significance float64                  // --significance
	gated        func() bool              // reports whether --fail-above is given
	quantiles    bool                     // --quantile-histograms
	compat       statsource.Compatibility // --compat
	output       string                   // -o
	all          bool                     // --all
	format       cli.Format               // --format
}

func (c *driftCommand) run(e *cli.Env, args []string) error {
	if len(args) < 2 || len(args) > report.MaxSides {
		return cli.Usagef("want 2 to %d data sets, got %d", report.MaxSides, len(args))
	}
	if err := cli.CheckPage(c.output); err != nil {
		return err
	}
	if !(c.significance > 0 && c.significance < 1) {
		return cli.Usagef("--significance %v: want a number between 0 and 1", c.significance)
	}
	if err := scan.RefuseRaw(c.typ); err != nil {
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
	sides, err := c.readSides(e, args)
	if err != nil {
		return err
	}
	if err := c.selectFeatures(e, &options, sides); err != nil {
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
		return cli.Usagef("--select and --drop leave no feature to compare") // else the check would pass for any data
	}
	if cli.IsFile(c.output) {
		if err := c.page(e, args, sides, &options); err != nil {
			return err
		}
	}
	out := e.Report()
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

// A comparison is the result of comparing the first data set with another one.
type comparison struct {
	To jsonscan.Name `json:"to,omitempty"` // the other data set; "" if there is only one
	*drift.Report
	Failed []drift.Failure `json:"failed"` // distances above --fail-above
}

// isStdin reports whether an argument names standard input, or a slice of it.
func isStdin(arg string) bool { return fileOf(arg) == scan.Stdin }

// measureNames are the names of measures in messages.
var measureNames = map[drift.Measure]string{
	drift.LInfinity: "L-infinity", drift.NormalizedDifference: "normalized difference", drift.JensenShannon: "Jensen-Shannon", drift.KolmogorovSmirnov: "Kolmogorov-Smirnov",
	drift.Presence: "presence difference", drift.Emptiness: "empty difference", drift.PopulationStability: "population stability index",
}

// Widths of the table, in characters.
const (
	driftWidth = 100
	nameWidth  = 30
)

// print appends a line per feature. Features above the noise come first.
func (c *driftCommand) print(out *cli.Output, of comparison) {
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

// distancesOf returns the cells of a feature: its largest distance, preferably one above the noise, the noise of that
// distance, and the note.
func (c *driftCommand) distancesOf(f drift.Feature) (distance, noise, note string) {
	all := slices.DeleteFunc(slices.Clone(f.Distances), func(d drift.Distance) bool { return !d.AboveNoise })
	if largest := f.Largest(); len(all) == 0 && largest.Measure != 0 {
		all = append(all, largest)
	}
	rank := func(d drift.Distance) float64 { // the population stability index has a scale of its own
		if d.Measure == drift.PopulationStability {
			return -1
		}
		return d.Value
	}
	slices.SortStableFunc(all, func(a, b drift.Distance) int { return cmp.Compare(rank(b), rank(a)) })
	distance, noise = "-", "-"
	var notes []string
	if change := changeText(f); change != "" {
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
	return distance, noise, strings.Join(append(notes, accuracyNotes(f)...), "; ")
}

// changeText returns the change of a feature that no distance measures, such as a new type.
func changeText(f drift.Feature) string {
	note := f.Note()
	if note != "" && f.ByChance {
		note += ", within the noise"
	}
	return note
}

// accuracyNotes returns notes about the accuracy of the distances of a feature.
func accuracyNotes(f drift.Feature) (notes []string) {
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

// bothSides returns the texts of both data sets, or one text if they are equal.
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

// shortNumbers formats two numbers with three digits.
func shortNumbers(of [2]float64) (s [2]string) {
	for i, v := range of {
		s[i] = strconv.FormatFloat(v, 'g', 3, 64)
	}
	return s
}

// readSides returns the data sets of the arguments, with their statistics. It reads CSV last, since the columns of CSV
// get the types that the other data sets have: a column of amounts has only whole numbers on some days.
func (c *driftCommand) readSides(e *cli.Env, args []string) ([]statsource.Source, error) {
	c.reading.SetTFDV(c.compat.TFDV())
	all := make([]statsource.Source, len(args))
	for i, arg := range args {
		var err error
		if all[i], err = statsource.Expand(e, &c.reading, []string{arg}); err != nil {
			return nil, err
		}
	}
	gather := func(s *statsource.Source) error {
		g := c.gatherer(e, stats.Options{})
		if err := s.Read(e); err != nil {
			return err
		}
		return g.Gather(s, c.typ)
	}
	seen := map[string]example.Kind{}
	var csv []*statsource.Source
	var in []scan.Input
	for i := range all {
		s := &all[i]
		if s.IsCSV() {
			csv, in = append(csv, s), append(in, s.Inputs...)
			continue
		}
		if err := gather(s); err != nil {
			return nil, err
		}
		maps.Copy(seen, statsource.KindsOfStatistics(s.Statistics))
	}
	if !c.compat.TFDV() {
		c.reading.Prefer(seen)
		if err := c.reading.InferTypes(e, in); err != nil {
			return nil, err
		}
	}
	for _, s := range csv {
		if err := gather(s); err != nil {
			return nil, err
		}
	}
	return all, nil
}

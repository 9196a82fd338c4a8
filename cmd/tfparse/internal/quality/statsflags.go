package quality

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	"github.com/tfparse/tfparse/example"
	"github.com/tfparse/tfparse/internal/pbtext"
	"github.com/tfparse/tfparse/proto/slicingpb"
	"github.com/tfparse/tfparse/validate/stats"
)

// A fineTuning holds the rarely used flags of statistics, which complete TFDV's StatsOptions.
type fineTuning struct {
	weights       []string      // --weight-of: FEATURE=WEIGHT
	slicingConfig string        // --slicing-config: name of a file
	slices        []stats.Slice // slices in slicingConfig
}

// fineTuningFlags are the names of the flags.
var fineTuningFlags = []string{"weight-of", "slicing-config", "frequency-threshold", "weighted-frequency-threshold", "rank-buckets", "count-buckets"}

// add defines the flags in a group of their own.
func (f *fineTuning) add(fs *pflag.FlagSet, o *stats.Options) {
	cli.GroupFlags(fs, "Fine tuning", "man stats", func(fs *pflag.FlagSet) { f.define(fs, o) })
}

// define defines the flags.
func (f *fineTuning) define(fs *pflag.FlagSet, o *stats.Options) {
	fs.StringArrayVar(&f.weights, "weight-of", nil, "weigh one feature by another, `FEATURE=WEIGHT`; repeatable")
	cli.FileVar(fs, &f.slicingConfig, "slicing-config", "also the slices of the SlicingConfig in `FILE`, text or binary")
	fs.Float64Var(&o.MinCount, "frequency-threshold", 1, "list values that occur at least `N` times")
	cli.NonNegativeVar(fs, &o.MinWeight, "weighted-frequency-threshold", "list values of at least the weight `W`")
	cli.NumberVar(fs, &o.RankedValues, "rank-buckets", 1000, 1, "rank histograms of `N` values")
	cli.NumberVar(fs, &o.LengthBuckets, "count-buckets", 10, 1, "`N` buckets for the numbers of values")
}

// fill checks the flags, and sets the options that flags do not set directly.
func (f *fineTuning) fill(o *stats.Options, e *cli.Env) error {
	if !(o.MinCount > 0) { // stats.Options takes 0 as the default
		return cli.Usagef("--frequency-threshold %v: want a number above 0", o.MinCount)
	}
	for _, text := range f.weights {
		feature, weight, ok := strings.Cut(text, "=")
		if !ok || feature == "" || weight == "" {
			return cli.Usagef("--weight-of %s: want FEATURE=WEIGHT", text)
		}
		if o.WeightOf == nil {
			o.WeightOf = map[string]string{}
		}
		o.WeightOf[feature] = weight
	}
	if f.slicingConfig == "" {
		return nil
	}
	b, err := scan.ReadFile(e, f.slicingConfig)
	config := &slicingpb.SlicingConfig{}
	if err == nil {
		_, err = pbtext.Read(b, config)
	}
	if err == nil {
		f.slices, err = stats.SlicesOf(config)
	}
	if err != nil {
		return cli.BadSpec(f.slicingConfig, err)
	}
	return nil
}

// A gathering holds the flags of verbs that compute statistics of records.
type gathering struct {
	reading     scan.Flags
	typ         example.MessageType // --type
	jobs        int                 // --jobs
	maxFeatures int                 // --max-features
}

// newGathering returns the default flags. Damaged records are skipped.
func newGathering() gathering {
	return gathering{reading: scan.Flags{OnError: cli.Skip}}
}

// add defines the flags.
func (g *gathering) add(fs *pflag.FlagSet) {
	cli.JobsVar(fs, &g.jobs, "use `N` goroutines")
	statsource.MaxFeaturesVar(fs, &g.maxFeatures)
	scan.MessageVar(fs, &g.typ)
	g.reading.Add(fs)
	g.reading.AddCSV(fs, "tfrecord")
	g.reading.AddMissingFeatures(fs)
}

// gatherer returns a Gatherer for statistics with options.
func (g *gathering) gatherer(e *cli.Env, o stats.Options) *statsource.Gatherer {
	o.MaxFeatures = g.maxFeatures
	return &statsource.Gatherer{Env: e, Reading: &g.reading, Options: o, Jobs: g.jobs}
}

// readGiven reads the statistics if the inputs are files of statistics. Then flags that set how statistics are computed
// are an error.
func (c *statistics) readGiven() error {
	if c.partial.Merge {
		return nil
	}
	if err := c.source.Read(c.env); err != nil {
		return err
	}
	if err := c.source.NoParts(); err != nil {
		return err
	}
	switch name := c.flagForRecords(); {
	case c.source.Statistics == nil && c.source.Slice == "":
		return nil
	case c.partial.Name != "":
		return partialNeedsRecords(c.source.Inputs[0].Name)
	case c.source.Statistics != nil && name != "":
		return flagNeedsRecords("--"+name, c.source.Inputs[0].Name)
	case c.source.Statistics != nil:
		return nil
	case len(c.slices.values) > 0 || c.tuning.slicingConfig != "":
		return cli.Usagef("?slice=%s cannot be combined with --slice or --slicing-config", c.source.Slice)
	}
	return c.source.Add(&c.opts)
}

// recordsFlags are the flags that set how statistics are computed. So does --schema, but it has another use for
// statistics from a file.
var recordsFlags = slices.Concat([]string{"weight", "slice", "max-slices", "select", "drop", "top", "buckets", "quantiles", "domains", "vocab", "sample-rate"}, fineTuningFlags, scan.CSVFlags)

// flagForRecords returns one of recordsFlags that was given, even with its default value; "" if none was given.
func (c *statistics) flagForRecords() string {
	if i := slices.IndexFunc(recordsFlags, c.changed); i >= 0 {
		return recordsFlags[i]
	}
	return ""
}

// partialNeedsRecords returns the error of --partial for a file of statistics, or for a slice of records.
func partialNeedsRecords(name string) error {
	return cli.Usagef("%s: --partial needs whole files of records", name)
}

// flagNeedsRecords returns the error of a flag that has no meaning for a file of statistics.
func flagNeedsRecords(flag, name string) error {
	return cli.Usagef("%s needs records; %s has statistics", flag, name)
}

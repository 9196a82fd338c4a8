package quality

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/scan"
	"github.com/tfparse/tfparse/internal/pbtext"
	"github.com/tfparse/tfparse/proto/slicingpb"
	"github.com/tfparse/tfparse/validate/stats"
)

// A fineTuning has the flags of statistics that few need: the rest of TensorFlow Data Validation's StatsOptions.
type fineTuning struct {
	weights       []string      // feature=weight
	slicingConfig string        // a file
	slices        []stats.Slice // of that file
}

// tuningFlags are their names.
var tuningFlags = []string{"weight-of", "slicing-config", "frequency-threshold", "weighted-frequency-threshold", "rank-buckets", "count-buckets"}

// add defines the flags.
func (f *fineTuning) add(fs *pflag.FlagSet, o *stats.Options) {
	cli.GroupFlags(fs, "Fine tuning", "man stats", func(fs *pflag.FlagSet) { f.define(fs, o) })
}

func (f *fineTuning) define(fs *pflag.FlagSet, o *stats.Options) {
	fs.StringArrayVar(&f.weights, "weight-of", nil, "weigh one feature by another, `FEATURE=WEIGHT`; repeatable")
	cli.FileVar(fs, &f.slicingConfig, "slicing-config", "also the slices of the SlicingConfig in `FILE`, text or binary")
	fs.Float64Var(&o.MinCount, "frequency-threshold", 1, "list values that occur at least `N` times")
	cli.NonNegativeVar(fs, &o.MinWeight, "weighted-frequency-threshold", "list values of at least the weight `W`")
	fs.IntVar(&o.RankedValues, "rank-buckets", 1000, "rank histograms of `N` values")
	fs.IntVar(&o.LengthBuckets, "count-buckets", 10, "`N` buckets for the numbers of values")
}

// fill checks the flags, and fills in what they do not fill themselves.
func (f *fineTuning) fill(o *stats.Options, e *cli.Env) error {
	for _, number := range []struct {
		name string
		v    float64
	}{{"frequency-threshold", o.MinCount}, {"rank-buckets", float64(o.RankedValues)}, {"count-buckets", float64(o.LengthBuckets)}} {
		if !(number.v > 0) { // 0 is the default of an option
			return cli.Usagef("--%s %v: want a number above 0", number.name, number.v)
		}
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

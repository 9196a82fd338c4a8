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
	weights       []string // feature=weight
	slicingConfig string   // a file
}

// tuningFlags are their names.
var tuningFlags = []string{"weight-of", "slicing-config", "frequency-threshold", "weighted-frequency-threshold", "rank-buckets", "count-buckets", "domains-rate", "sketch-top", "batch-size"}

// add defines the flags.
func (f *fineTuning) add(fs *pflag.FlagSet, o *stats.Options) {
	fs.StringArrayVar(&f.weights, "weight-of", nil, "weigh one feature by another, `FEATURE=WEIGHT`; may be repeated")
	cli.FileVar(fs, &f.slicingConfig, "slicing-config", "also describe the slices of the SlicingConfig in `FILE`, text or binary")
	fs.Float64Var(&o.FrequencyThreshold, "frequency-threshold", 1, "list frequent values that occur at least `N` times")
	cli.NonNegativeVar(fs, &o.WeightedFrequencyThreshold, "weighted-frequency-threshold", "list frequent values of at least the weight `W`")
	fs.IntVar(&o.NumRankHistogramBuckets, "rank-buckets", 1000, "make rank histograms of `N` values")
	fs.IntVar(&o.NumValuesHistogramBuckets, "count-buckets", 10, "make histograms of the numbers of values with `N` buckets")
	fs.Float64Var(&o.SemanticDomainStatsSampleRate, "domains-rate", 1, "look for --domains in the share `R` of the records")
	fs.BoolVar(&o.UseSketchBasedTopKUniques, "sketch-top", false, "with --compat tfdv, print frequent values as its sketches do")
	fs.IntVar(&o.DesiredBatchSize, "batch-size", 1000, "with --compat tfdv, take `N` records as one batch")
}

// fill checks the flags, and fills in what they do not fill themselves.
func (f *fineTuning) fill(o *stats.Options, e *cli.Env, tfdv bool, given func(flag string) bool) error {
	for _, number := range []struct {
		name string
		v    float64
	}{{"frequency-threshold", o.FrequencyThreshold}, {"rank-buckets", float64(o.NumRankHistogramBuckets)}, {"count-buckets", float64(o.NumValuesHistogramBuckets)},
		{"domains-rate", o.SemanticDomainStatsSampleRate}, {"batch-size", float64(o.DesiredBatchSize)}} {
		if !(number.v > 0) { // 0 is the default of an option
			return cli.Usagef("--%s %v: want a number above 0", number.name, number.v)
		}
	}
	for _, flag := range []string{"sketch-top", "batch-size"} {
		if given(flag) && !tfdv {
			return cli.Usagef("--%s goes with --compat tfdv", flag)
		}
	}
	if given("domains-rate") && !o.EnableSemanticDomainStats {
		return cli.Usagef("--domains-rate goes with --domains")
	}
	for _, text := range f.weights {
		feature, weight, ok := strings.Cut(text, "=")
		if !ok || feature == "" || weight == "" {
			return cli.Usagef("--weight-of %s: want FEATURE=WEIGHT", text)
		}
		if o.PerFeatureWeightOverride == nil {
			o.PerFeatureWeightOverride = map[string]string{}
		}
		o.PerFeatureWeightOverride[feature] = weight
	}
	if f.slicingConfig == "" {
		return nil
	}
	b, err := scan.ReadFile(e, f.slicingConfig)
	if err == nil {
		o.SlicingConfig = &slicingpb.SlicingConfig{}
		_, err = pbtext.Read(b, o.SlicingConfig)
	}
	if err != nil {
		return cli.BadSpec(f.slicingConfig, err)
	}
	return nil
}

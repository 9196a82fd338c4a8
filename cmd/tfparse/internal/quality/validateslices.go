package quality

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/tfparse/tfparse/cmd/tfparse/internal/cli"
	"github.com/tfparse/tfparse/cmd/tfparse/internal/statsource"
	pb "github.com/tfparse/tfparse/proto/metadatapb"
	"github.com/tfparse/tfparse/validate/anomaly"
	"github.com/tfparse/tfparse/validate/stats"
)

// checksSlices reports whether slices are checked. With --compat tfdv that needs --check-slices, since
// validate_statistics of TensorFlow Data Validation does not check slices, and validate_corresponding_slices does.
func (c *validate) checksSlices() bool {
	if c.compat.TFDV() {
		return c.eachSlice && c.changed("check-slices")
	}
	return c.eachSlice
}

// hasSlices reports whether the statistics have slices.
func (c *validate) hasSlices() bool { return len(c.source.Statistics.GetDatasets()) > 1 }

// noteSlices warns if --compat tfdv leaves slices unchecked.
func (c *validate) noteSlices() {
	if c.hasSlices() && c.compat.TFDV() && !c.checksSlices() {
		c.env.Console.Print(cli.Plural(int64(len(c.source.Statistics.GetDatasets())-1), "slice") + " not checked: --compat tfdv needs --check-slices")
	}
}

// findAnomalies compares the statistics, and their slices, with the schema.
func (c *validate) findAnomalies() (*pb.Anomalies, error) {
	c.opts.Slices = c.checksSlices() && c.hasSlices()
	if c.opts.Slices && !c.compat.TFDV() {
		for i, other := range c.baselines[:2] {
			if other.Statistics != nil && len(other.Statistics.GetDatasets()) < 2 {
				c.env.Console.Print([]string{"--previous", "--serving"}[i] + " has no slices: slices are compared with the schema only")
			}
		}
	}
	return anomaly.Validate(c.source.Statistics, c.schema, &c.opts)
}

// sliceNames returns the names of the slices of the data and of all baselines.
func (c *validate) sliceNames() map[string]bool {
	all := map[string]bool{}
	for _, s := range append(slices.Clone(c.baselines[:]), c.source) {
		for _, d := range s.Statistics.GetDatasets() {
			all[d.GetName()] = true
		}
	}
	return all
}

// cutSlice splits a path of anomaly.Validate into the slice and the name of the feature.
func cutSlice(path *pb.Path, known map[string]bool) (slice, feature string) {
	steps := slices.Clone(path.GetStep())
	if len(steps) > 0 {
		slice, steps[0] = anomaly.CutSlice(steps[0], known)
	}
	return slice, statsource.PathName(steps)
}

// A slicing holds the flags that divide records into slices.
type slicing struct {
	values    []string // --slice
	maxSlices int      // --max-slices
}

// add defines the flags.
func (s *slicing) add(fs *pflag.FlagSet, usage string) {
	fs.StringArrayVar(&s.values, "slice", nil, usage)
	cli.NumberVar(fs, &s.maxSlices, "max-slices", 1000, 1, "at most `N` slices of a --slice")
}

// fill checks the flags, and sets the options.
func (s *slicing) fill(o *stats.Options) error {
	o.MaxSlices = s.maxSlices
	for _, text := range s.values {
		one, err := statsource.ParseSlice(text, true)
		if err != nil {
			return cli.Usagef("--slice %s: %v", text, err)
		}
		o.Slices = append(o.Slices, one)
	}
	return nil
}
